"""Rules and decisions that people state in Spanish, Portuguese, French, Italian, German, Russian and Ukrainian.

Pure. Only sentences that say by their own words that they hold beyond the task: “a partir de ahora …”,
“ne … jamais …”, “wir nehmen … statt …”. Accents are not looked at: many people leave them out.
"""

from __future__ import annotations

from recollect._fastimport import IGNORE_CASE, Pattern
from recollect.capture.plain_wording import capitalized
from recollect.model.facts import Fact
from recollect.text.tokens import function_words

SHORTEST, LONGEST = 20, 200  # characters of a statement
_PLAIN = str.maketrans("áàâäãéèêëíìîïóòôöõúùûüñç’ʼё", "aaaaaeeeeiiiiooooouuuunc''е")
# One of these stands in nearly every such sentence, and in few English ones: the patterns are slow.
_COMMON = function_words() | {
    "no",
    "sin",
    "usa",
    "usamos",
    "une",
    "wir",
    "est",
}
_CYRILLIC = Pattern("[\u0400-\u04ff]")
_LEAD = Pattern(
    r"(?:(?:por favor|porfa|ok(?:ay)?|vale|bueno|dale|perfecto|genial|y|pero|ademas|tambien|entonces|alem disso|bom|mas|e|entao"
    r"|s'il (?:te|vous) plait|stp|svp|bon|et|mais|donc|par ailleurs|attention|d'accord|per favore|allora|ma|quindi|inoltre"
    r"|bitte|und|aber|also|ausserdem|пожалуйста|ок|ну|и|но|также|еще|будь ласка|та|але|також)\b[,.:!]?\s+|(?:si|no|sim|nao|oui|non|ja|nein|да|нет|так|ні)[,.:!]\s+)+",
    IGNORE_CASE,
)
_FROM_NOW = (
    r"(?:a partir de (?:ahora|agora|hoy|hoje)|de (?:ahora|aqui|hoy) en (?:adelante|mas)|daqui (?:pra|para|em) (?:a )?(?:frente|diante)|de (?:agora|hoje) em diante"
    r"|dorenavant|desormais|a partir de maintenant|a l'avenir|d'ora in (?:poi|avanti)|da (?:ora|adesso|oggi) in (?:poi|avanti)"
    r"|ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|in zukunft|kunftig|zukunftig|отныне|впредь|(?:начиная )?с этого момента|в дальнейшем|на будущее|відтепер|надалі|на майбутнє)"
)
_WANTS = (
    r"(?:(?:yo|eu|je|j'|io|ich|я) ?)?(?:no |nao |non |ne )?(?:quiero|quisiera|necesito|prefiero|quero|preciso|prefiro|veux|souhaite|voudrais|aimerais|prefere"
    r"|voglio|vorrei|preferisco|mochte|will|хочу|прошу|волію)\b"
)
_WITHOUT = (
    r"(?:sin (?:que|pregunt\w+|consult\w+|avis\w+|mi)|sem (?:que|me|minha|meu|pergunt\w+|avisar)|sans (?:que|me|mon|ma|demander)|senza (?:che|chieder\w+|il mio|la mia|prima)"
    r"|ohne (?:(?:vorher )?zu fragen|mich|mein\w*|dass|rucksprache|nachfrage|ruckfrage)|без (?:мо\w+|спроса|разрешения|дозволу)|не (?:спросив|спитавши|запитавши|узгодивши|согласовав))\b"
)
_NOT = r"(?:no|nao|ne|n'|pas|non|niente|nada|ningun\w*|nenhum\w*|aucun\w*|nichts?|keine?n?|nie|niemals|не|никогда|ніколи|никак\w+|жодн\w+|nunca|jamas|jamais|mai)"
_MUST = r"(?:deb(?:e|en|es|emos)|tien(?:e|en|es) que|tenes que|hay que|dev(?:e|em|i|ono)|tem q(?:ue)?|il faut|doi(?:t|s|vent)|devez|bisogna|muss|mussen|sollen?|должн\w+|нужно|надо|має|мають|треба|повинн\w+)"
_EVERY = r"(?:cada|tod[oa]s?(?: l[oa]s| [oa]s)?|chaque|toutes? les|tous les|ogni|tutt[ie] (?:i|le|gli)|jede[rsmn]?|alle|кажд\w+|все|кожн\w+|кожен|всі|усі)"
_ALWAYS = r"(?:siempre|sempre|toujours|immer|всегда|завжди)"
# What an agent is told to do, to who says tu, vos, usted, você.
_DO = (
    r"(?:usa|us[ae]r?|utili[sz]a|utili[sz]e[rz]?|haz|hace|faca|faz|pon|pone|crea|crie|ejecuta|execute|corre|rode|roda|responde|responda|escribe|escribi|escreva|escreve|verifica|verifique|revisa|incluye|pide|pedi|pregunta|preguntame|pergunte"
    r"|agrega|actualiza|atualize|documenta|valida|valide|prueba|proba|testea|teste|deja|deixe|avisa|avisame|manten|coloque"
    r"|fais|faites|ecris|reponds|verifie|lance|demande|mets|garde|passe|scrivi|esegui|rispondi|usate|controlla|chiedi|chiedimi|lancia|metti|aggiorna)"
)
_DO_DE = r"(?:verwend|nutz|benutz|schreib|mach|test|frag|committ|antwort|pruf|fuhr|lass|losch|ander|nimm|halt|leg|lauf)(?:e|et|en|t)?"
_DO_CYRILLIC = r"\w+(?:й|йте|и|ите|іть|уй|уйте)"
_RULED = Pattern(
    rf"{_FROM_NOW}\b[,:]?\s+\S.{{8,}}|{_WANTS}.*\b{_FROM_NOW}\b|.{{4,}}\b{_MUST}\b.*\b{_FROM_NOW}$"
    # Always and never, to who is told what to do.
    rf"|(?:siempre|sempre|toujours) (?:{_DO}|\w+(?:ar|er|ir|re)|{_MUST})\b.{{4,}}|(?:nunca|jamas) (?:mais )?\w+(?:ar|er|ir|es|as)\b.{{4,}}|(?:nunca|jamais) (?:use|faca|crie|altere|mexa|apague|suba|commite|coloque|rode|escreva|assuma)\b.{{4,}}"
    rf"|(?:ne )?(?:toujours|jamais) \w+(?:er|ir|re)\b.{{4,}}|(?:.{{4,50}}[, ])?{_DO} (?:{_ALWAYS}|nunca|jamais|mai)\b.{{4,}}|{_MUST} {_ALWAYS} .{{4,}}"
    rf"|(?:immer|niemals|nie) .{{4,}}(?:en|ern|eln)$|{_DO_DE}(?: bitte| mich)? (?:immer|nie|niemals)\b.{{4,}}"
    rf"|(?:.{{4,50}}[, ])?(?:(?:всегда|завжди) {_DO_CYRILLIC}|{_DO_CYRILLIC} (?:всегда|завжди))\b.{{4,}}|(?:никогда|ніколи) не \w+(?:й|йте|и|ите|ть|ти|іть|уй|уйте|ь)\b.{{4,}}"
    # What is forbidden without an end, or without being asked.
    rf"|(?:{_DO_DE} )?{_NOT}\b.{{4,}}\b{_WITHOUT}|(?:ne |n')\w+ jamais .{{4,}}"
    r"|(?:no (?:vuelvas a|intentes|uses|usar|hagas|crees|generes|toques|modifiques|borres|elimines|agregues|subas|commitees|pushees|ejecutes|corras|cambies|escribas|pongas|inventes|asumas|supongas)"
    r"|nao (?:use|usar|faca|crie|gere|mexa|altere|apague|suba|modifique|toque|commite|rode|instale|invente|assuma|escreva|coloque)"
    r"|(?:ne |n')(?:fais|faites|touche|modifie|cree|supprime|commit|push|lance|change|utilise|mets|ecris|genere|ajoute|invente|suppose)[a-z]* (?:pas|plus)"
    r"|non (?:usare|fare|creare|toccare|modificare|cancellare|committare|aggiungere|inventare)|не (?:используй|делай|создавай|трогай|меняй|пиши|удаляй|коммить|пушь|запускай|добавляй|придумывай)(?:те)?"
    r"|не (?:використовуй|роби|створюй|чіпай|змінюй|пиши|видаляй|коміть|запускай|додавай|вигадуй)(?:те)?)\b.*"
    r"(?:\b(?:nunca|mas|jamas|cada vez|ningun\w*|salvo|a menos que|que no (?:te )?pid\w+|mais|nenhum\w*|toda vez|a menos|exceto|plus|a chaque|aucun\w*|sauf|tant que"
    r"|mai|nessun\w*|a meno|никогда|больше|кроме|пока|ніколи|більше|крім|поки)\b|generated|dist\b|\.env\b)"
    rf"|{_DO_DE} (?:bitte )?(?:keine?[nm]?|nicht|nichts)\b.*\b(?:mehr|jemals|es sei denn|ausser|solange)\b"
    r"|no quiero (?:\w+ ){1,4}que no (?:te )?(?:pid|pedi)\w*|(?:больше никаких|більше (?:жодних|ніяких)|chega de|basta (?:con|de)|no quiero mas|keine .{3,40} mehr\b) ?.{6,}|(?:evita|evite|evitate|vermeide|избегай|уникай)(?:te)? (?!que\b).{10,}"
    # What is to be remembered, and what all of a kind must be.
    r"|(?:(?:recuerda|recorda|acordate|ten(?:e|ed)?) (?:siempre )?(?:en cuenta |presente |de )?que|lembr(?:e|a)(?:-se)?(?: de)? que|(?:souviens|rappelle)[- ]toi que|retiens que|ricorda(?:ti)? che|tieni presente che"
    r"|(?:merk dir|denk (?:dran|daran)|beachte)[,:]?(?: dass)?|(?:запомни|помни|учти)(?:те)?[,:]?(?: что)?|(?:запам'?ятай|пам'?ятай|врахуй)(?:те)?[,:]?(?: що)?) (?!(?:debe|deve|tiene|tem|hay|es|esta|se|doit|deve|soll|где|де|как|як|должн\w+)\b).{8,}"
    rf"|{_EVERY} .{{3,60}} {_MUST} .{{6,}}",
    IGNORE_CASE,
)
_INSTEAD = r"(?:en (?:vez|lugar) de|em (?:vez|lugar) de|no lugar d[oea]|ao inves d[eo]|au lieu d[e']|a la place d[eu]|plutot qu\w*|et non|invece (?:di|che|del)|al posto (?:di|del)|statt|anstatt|anstelle|вместо|замість)"
# What we do: the first person of more than one.
_WE_USE = r"(?:usamos|utili[sz]amos|usaremos|a gente usa|vamos (?:a )?usar|on utilise|utilisons|usiamo|utilizziamo|verwenden|nutzen|benutzen|nehmen|используем|используется|берем|користуємо\w+|використовуємо|prefiero|prefiro|je prefere|preferisco|bevorzug\w+)"
_DECIDED = Pattern(
    rf"(?=.*\b{_WE_USE}\b)(?!(?:cambia|troca|remplace|sostituisci|ersetz\w+|замени|заміни)\b).*\b{_INSTEAD}.{{2,}}"
    rf"|(?:usa|use|utili[sz]\w+|mejor|melhor|lieber|(?:verwend|nutz|benutz|nimm|schreib)(?:e|et|en|t)?|используй|лучше|використовуй|краще)\b.{{2,60}}\b{_INSTEAD}.{{2,}}"
    r"|(?:hemos |ya |no |nos )*(?:decid(?:i|imos|ido)) (?:que|no|\w+(?:ar|er|ir))\b.{4,}|(?:on a|nous avons|j'ai) decide (?:de|que|d')\b.{4,}|abbiamo deciso (?:di|che)\b.{4,}"
    r"|wir haben (?:uns |beschlossen|entschieden).{6,}|(?:мы )?решили,? (?!ли\b).{6,}|(?:ми )?вирішили,? .{6,}"
    r"|(?:prefiero|prefiro|je prefere|preferisco|ich bevorzuge|mir (?:ist|sind) .{4,}lieber|(?:я )?предпочитаю|(?:я )?(?:надаю|віддаю) перевагу|мені більше подоба\w+) .{8,}"
    # What is no longer so.
    r"|(?:.{2,40}\b)?(?:ya no \w+[aei]mos|(?:deixamos|paramos) de \w+|nao \w+[aei]mos mais|on n(?:e |')(?!voit|peut|a\b|trouve|retrouve|arrive|sait)\w+ plus|nous n(?:e |')\w+ons plus|non \w+iamo piu|(?:больше|уже) не \w+[еи]м|(?:більше|вже|уже) не \w+[єиї]мо)\b.*"
    r"|.{2,40}\b\w+en wir (?:\w+ )?nicht mehr|(?:wir \w+en|.{2,40} wird) (?:.{2,40} )?nicht mehr\b.*"
    r"|no (?:vamos a usar|usamos|usaremos|quiero usar) .{2,}|nao (?:vamos usar|usamos|quero usar) .{2,}|(?:on|nous) n'utilis\w+ pas .{2,}|wir (?:verwenden|nutzen|benutzen) (?:keine?n?|nur) .{2,}",
    IGNORE_CASE,
)
# What points to what was said or shown; what is asked, supposed, reported or does not work.
_NOT_ALONE = Pattern(
    r"[?？]|, (?:no|nao|non|oder|да|ні)$|^(?:si|se|wenn|falls|quando|cuando|quand|если|когда|якщо|коли|por que|porque|pourquoi|como|comment|warum|wie|как|почему)\b"
    r"|\b(?:esto|eso|(?<!en )esta (?!\w+[aei]d[oa]\b)|ese|ahi|asi(?! que)|screenshot|arriba|anterior|isso|isto|essa|esse|ca|cela|ceci|ce dernier|questo|quello|cosi|dies\w*|das da|это|эту|эти|так|це|цю|ці)\b"
    r"|\b(?:(?:sale|tira|salta|lanza|da|dann kommt|ho|j'ai|вылетает|вилітає) (?:un |une |ein |el )?(?:error\w*|erro|erreur|fehler|ошибка|помилка)|falla|fallan|crash\w*|50\d|404|geht|bei mir|kannst du|puedes|podes|podrias|voce pode|peux-tu|tu peux|puoi|parou|quebrou|подивись|посмотри|можешь|можеш)\b"
    r"|\b(?:no (?:funciona|carga|llega|sale|aparece|responde|anda|abre|me)|nao (?:funciona|carrega|chega|aparece|abre)|ne (?:marche|fonctionne|charge|s'affiche|repond|s'ouvre)|non (?:funziona|carica|arriva|si apre|risponde)|nicht (?:mehr )?(?:funktioniert|geladen|angezeigt)"
    r"|не (?:работает|открывается|грузится|реагирует|приходит|запускается|працює|реагує|відкривається|приходить|вантажиться))\b",
    IGNORE_CASE,
)
_FORBIDS = Pattern(rf"\b{_NOT}\b", IGNORE_CASE)


def statement_in(sentence: str) -> Fact | None:
    """The rule or decision of a person's sentence in one of these languages, or None."""
    if not SHORTEST <= len(sentence) <= LONGEST or "[redacted:" in sentence:
        return None
    plain = sentence.lower().translate(_PLAIN)
    if _COMMON.isdisjoint(plain.split()) and not _CYRILLIC.search(plain):
        return None
    lead = _LEAD.match(plain)
    at = lead.end() if lead else 0
    said, read = sentence[at:].strip(" .!…"), plain[at:].strip(" .!…")
    if len(said) < SHORTEST or _NOT_ALONE.search(read):
        return None
    if _RULED.match(read):
        category = "anti-pattern" if _FORBIDS.search(read) else "convention"
        return Fact("pattern", capitalized(said), category=category, source="instructed")
    if _DECIDED.match(read):
        return Fact("decision", capitalized(said), category="approach", source="instructed")
    return None
