"""Rules and decisions in languages other than English and Chinese, and sentences that are neither."""

from __future__ import annotations

EUROPEAN = (
    ("pattern", "a partir de ahora los nombres de los tés van en minúsculas"),
    ("pattern", "no borres pedidos de té sin preguntarme"),
    ("pattern", "no quiero archivos de notas que no te pido"),
    ("pattern", "nunca toques las recetas del almacén"),
    ("decision", "en esta tienda usamos pnpm en vez de npm"),
    ("pattern", "não apague receitas sem me perguntar"),
    ("pattern", "sempre rode os testes da chaleira antes do commit"),
    ("decision", "a gente usa gramas no lugar de onças"),
    ("pattern", "ne fais pas de commit à chaque fois que je te demande une théière"),
    ("pattern", "Je souhaite dorénavant que tu me parles en français"),
    ("pattern", "ne modifie jamais les recettes à la main"),
    ("decision", "on a décidé que les prix du thé sont en centimes"),
    ("pattern", "prima di cancellare una ricetta chiedimi sempre conferma"),
    ("decision", "non supportiamo piu le teiere vecchie"),
    ("pattern", "nie die Rezepte der Teeküche direkt ändern"),
    ("pattern", "lösch keine Teesorten ohne vorher zu fragen"),
    ("decision", "wir nehmen hier Gramm statt Unzen"),
    ("pattern", "никогда не меняй рецепты чая без моего ведома"),
    ("pattern", "перед коммитом всегда прогоняй проверку чайника"),
    ("decision", "у нас вместо унций используется грамм"),
    ("pattern", "відтепер назви чаїв пиши з малої літери"),
    ("decision", "ок, старі чайники більше не підтримуємо"),
)
NOTHING_EUROPEAN = (
    "siempre sale un error cuando guardo una receta de té",
    "a partir de ahora el botón de la tetera no funciona",
    "nunca llega el correo del pedido de té",
    "¿recuerdas dónde está la receta de la tetera?",
    "a partir de agora o bule parou de funcionar, vê aí",
    "on ne voit plus la barre des théières",
    "la théière n'apparaît toujours pas dans la liste",
    "il faut que la théière soit à gauche du bouton",
    "ab jetzt geht die Teekanne bei mir nicht, kannst du mal schauen",
    "das Formular zeigt immer nur eine Teesorte an",
    "с этого момента чайник не открывается",
    "помнишь, где лежит рецепт чая?",
    "відтепер кнопка чайника не реагує, подивись будь ласка",
    "wir nehmen das andere Formular, das da oben",
)
