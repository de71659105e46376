"""A person's answer to a question is told as a decision."""

from __future__ import annotations

import pytest

from recollect.context.answers import as_decision


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Where should the drawn diagram go? docs/made: nobody edits it (rather than docs/drawn)", "Drawn diagram – docs/made: nobody edits it (rather than docs/drawn)"),
        ("How should 'Lids' appear in the list of pots? Own section", "'Lids' in the list of pots – Own section"),
        ("Which glaze do you want to use for the spout? Tin: shines", "Glaze for the spout – Tin: shines"),
        ("What should the default heat be? 900 degrees", "Default heat – 900 degrees"),
        ("What should happen when the kiln is cold? Wait", "When the kiln is cold – Wait"),
        ("Which glaze should the big kiln use in winter? Tin", "Glaze for the big kiln in winter – Tin"),
        ("For keeping old pots and lids, where should they be stored? In the cellar", "Keeping old pots and lids – In the cellar"),
        ("The lid clashes with the glaze. How should we handle it? Glaze it first", "Lid clashes with the glaze – Glaze it first"),
        ("壶盖的颜色与釉色冲突。怎么处理它？ 先上釉", "壶盖的颜色与釉色冲突 – 先上釉"),
        ("For small pots, should we fire them at noon or at night? Fire at night: power is cheap then", "Small pots – Fire at night: power is cheap then"),
        ("When a kiln cools – do we wait or open the door? Wait an hour, then open the door", "When a kiln cools – Wait an hour, then open the door"),
        ("Old pots – where? In the cellar behind the kiln, since guests never go there and the air is dry", "Old pots – In the cellar behind the kiln, since guests never go there and the air is dry"),
        ("Old pots – where? Old pots go to the cellar behind the kiln, since guests never go there", "Old pots go to the cellar behind the kiln, since guests never go there"),
        ("Els pots vells, on van? Al celler: els convidats no hi entren mai i els pots queden secs", "Els pots vells – Al celler: els convidats no hi entren mai i els pots queden secs"),
        ("图应该放在哪里？ docs/made（未选 docs/drawn）", "图 – docs/made（未选 docs/drawn）"),
        ("用户头像应该存储在哪里？ 对象存储：便宜", "用户头像 – 对象存储：便宜"),
        ("Where should iOS builds go? build/ios", "iOS builds – build/ios"),
        ("缓存放在哪里？ Redis", "缓存 – Redis"),
        ("你想把日志放在哪里？ /var/log", "日志 – /var/log"),
        ("Where should pots live? pots/ (rather than jars/)", "Pots – pots/ (rather than jars/)"),
        ("Where should lids go? Lidhouse", "Lids – Lidhouse"),
    ],
)  # fmt: skip
def test_of_a_question_for_one_thing_its_subject_is_told(said: str, told: str) -> None:
    assert as_decision(said) == told


@pytest.mark.parametrize(
    "said",
    [
        # What a question limits itself to, and the names in it, are not lost.
        "Should the tests of the kiln use real pots or made pots? Made pots: the tests use made pots",
        "How long do the pots of guests last? The pots last a day",
        "Should pots be glazed in RakuMode? Pots are glazed twice",
        # The turn is in the question alone.
        "Which pots should we not fire at noon? Small: small pots are fired at noon and crack",
        "Where should lead never go? In the glaze",
        "Where else should lids be shown? In the yard",
        "釉料不应该放在哪里？ 窑里",
        # Yes and no say nothing alone.
        "For guests, should pots be kept? Yes, keep pots of guests for thirty days in the cellar",
        "For minors, can we show ads? Yes: parents give consent in writing at sign-up",
        "我们应该如何处理？ 重试三次",
        "Should we drop the old glaze? Yes, drop the old glaze and the older one",
        "缓存要不要持久化到磁盘？ 要：缓存持久化到磁盘",
        "For guests, should their pots be kept? Yes",
        "For cooks, should we hide the lid? Hide it: cooks use the other kiln",
        "For now, is a small kiln enough? Small is enough until winter comes to the village",
        "With that in mind, should we split the glaze? Split the glaze in two with own pots",
        "Old lids – when do we drop them? In spring, after the last guest has gone",
        "First, should we fire? Fire small pots alone: big pots wait for the new kiln in the yard",
        # Not one thing, or it points to what was said before.
        "Where should pots or lids go? docs/made",
        "Where should it live? src/core",
        "Which of these should we use for the glaze? Tin",
        "What should we be careful about? Cracks",
        "Which pots should we throw away? All with cracks",
        "How should pots be sorted? By height",
        "它放在哪里？ src",
        "Which pots should it use? Red ones",
        "For the pots, where should lids be stored? In the cellar",
        # No question of an agent.
        "Use tin everywhere, never lead",
        'Never ask me "Shall I go on?" if it is clear',
    ],
)
def test_any_other_question_is_told_whole(said: str) -> None:
    assert as_decision(said) == said


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("The kiln now has two chambers, one for pots and one for lids of all kinds. Should the list show both chambers beside each other?",
         "Should the list show both chambers beside each other?"),
        ("Should lids go into the kiln at once (before the pots have had their first glaze), or only when the pots are glazed and dry?",
         "Should lids go into the kiln at once, or only when the pots are glazed and dry?"),
        # The sentence before it says what it is about, and what stands in brackets may be all.
        ("The kiln now has two chambers, one for pots and one for lids of all kinds. Should the list show them beside each other?", None),
        ("Should the big kiln (the one in the yard behind the house, next to the old well) be heated on Sundays and holidays?",
         "Should the big kiln be heated on Sundays and holidays?"),
        ("Should pots (and lids, spouts, handles and everything else that is made of clay) be fired (twice, or even three times a day)?", None),
    ],
)  # fmt: skip
def test_a_long_question_is_told_without_what_leads_to_it(question: str, told: str | None) -> None:
    assert as_decision(f"{question} Yes, they are") == f"{told or question} Yes, they are"
