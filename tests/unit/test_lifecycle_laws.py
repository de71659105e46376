"""The laws of consolidation, over generated episodes and files."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from recollect.consolidate.actions import (
    Action,
    AddClaim,
    Archive,
    AskPerson,
    Merge,
    PlanRules,
    Replace,
    Retire,
)
from recollect.consolidate.claims import claims_in, is_claim, statements_of
from recollect.consolidate.edit import _goes_on_plain, _with_lines
from recollect.consolidate.pages import reading_of
from recollect.model import document as codec
from recollect.model.claim_key import near_key
from recollect.model.conflicts import conflict_between, says_with_subject
from recollect.model.entries import index_units
from recollect.model.layers import DOMAIN, SUBJECTS
from recollect.model.memory import TRUSTS, Memory

from .build import any_text, episode
from .claim_cases import CLASHES_EN, CLASHES_ZH, RULES, STATED
from .plans import applied, plan

CLASHING = [side for case in (*CLASHES_EN, *CLASHES_ZH) for side in case[:2]]
SAID = [*RULES, *STATED, *CLASHING]
TAGS = ["redis", "cache", "billing", "数据库", "../../x", "ci/cd", "a: b"]

things = st.sampled_from(["port", "timeout", "retry limit"])
SINGLE = st.one_of(
    st.tuples(things, st.integers(1, 4)).map(lambda p: f"The {p[0]} is {p[1]}0."),
    st.sampled_from(["Use npm.", "Never use npm.", "Never push to main.", "Push to main."]),
    st.sampled_from(["端口是 8080。", "端口是 9090。", "日志在本地。", "永远不要提交密钥。"]),
)

bodies = st.lists(
    SINGLE | st.sampled_from(SAID) | st.sampled_from(SAID).map("- {}".format) | any_text, max_size=6
).map("\n\n".join)
episodes = st.lists(
    st.tuples(bodies, st.sampled_from(TRUSTS), st.lists(st.sampled_from(TAGS), max_size=4, unique=True), st.booleans()),
    max_size=5,
).map(
    lambda rows: [
        episode(n, body, trust=trust, tags=tuple(tags), decay_after="2026-04-01" if old else "2027-01-01")
        for n, (body, trust, tags, old) in enumerate(rows, 1)
    ]
)  # fmt: skip
titles = st.just("Title") | (SINGLE | st.sampled_from(SAID)).map(lambda said: said.strip(".。"))
texts_of_files = st.lists(
    bodies | st.tuples(titles, st.just("") | bodies).map(lambda row: f"## {row[0]}\n\n{row[1]}"), max_size=3
).map("\n\n".join)  # fmt: skip
kinds = st.sampled_from(["", "kind: decision\n", "kind: fact\n", "kind: issue\n"])
files = st.dictionaries(
    st.sampled_from(["semantic/redis.md", "semantic/db.md", "procedural/feedback.md", "core/project.md"]),
    st.tuples(texts_of_files, st.sampled_from(["user", "agent"]), st.booleans(), titles, kinds).map(
        lambda row: (
            f"---\ntags: [redis, cache, 数据库]\ntrust: {row[1]}\ncreated: 2026-01-02\n{row[4]}# mine\n---\n# {row[3]}\n\n{row[0]}\n"
        ).replace("\n", "\r\n" if row[2] else "\n")
    ),
    max_size=3,
)  # fmt: skip
RULED = PlanRules("2026-05-01")


class Store(NamedTuple):
    """What a plan is made of, and what is left when it has been carried out."""

    episodes: list[Memory]
    files: dict[str, str]
    waiting: frozenset[str] = frozenset()

    def plan(self) -> tuple[Action, ...]:
        return plan(self.episodes, self.files, RULED._replace(waiting=self.waiting))

    def after(self, actions: tuple[Action, ...]) -> Store:
        gone = {action.id for action in actions if isinstance(action, Archive)}
        keys = {action.key for action in actions if isinstance(action, (AskPerson, Merge))}
        kept = [one for one in self.episodes if one.id not in gone]
        return Store(kept, applied(self.files, actions), self.waiting | keys)


def body_of(text: str) -> str:
    return codec.body_of(text)


def texts(text: str) -> Counter[str]:
    return Counter(said.text for said in statements_of(body_of(text)))


def stated(store: Store) -> list[str]:
    """Everything that the files say and that has not been superseded, their titles included."""
    said = []
    for path, whole in store.files.items():
        memory = codec.memory_from_text(whole, path)
        if memory.status != "superseded":
            titles = [memory.title] if is_claim(memory.title) else []
            titles += [held.text for held in reading_of(path, whole).held if held.title]
            said += [*titles, *texts(whole)]
    return said


@given(episodes, files)
@example([episode(1, "Use MySQL for the database.\n\n我们用 MySQL。", trust="external")], {})
def test_no_claim_of_an_episode_is_lost(heard: list[Memory], before: dict[str, str]) -> None:
    store = Store(heard, before)
    actions = store.plan()
    said = stated(store.after(actions))
    keys = set(map(near_key, said))
    gone = {action.id for action in actions if isinstance(action, Archive)}
    waiting = [
        (action.mark.episode, action.claim.text)
        for action in actions
        if isinstance(action, AskPerson)
    ]
    waits = {near_key(text) for _, text in waiting}
    for one in heard:
        for claim in claims_in(one):
            overtaken = any(
                found.certainty == "sure"
                for text in said
                if (found := conflict_between(claim.text, text))
            )
            is_found = near_key(claim.text) in keys or overtaken
            is_found = is_found or any(says_with_subject(text, claim.text) for text in said)
            assert is_found or (near_key(claim.text) in waits and one.id not in gone), claim


@given(episodes, files)
@example(
    [
        episode(1, "", trust="external"),
        episode(2, "The staging server is in Dublin.", trust="external"),
        episode(3, "The staging server is in Frankfurt.", decay_after="2026-04-01"),
    ],
    {
        "semantic/redis.md": "---\ntrust: user\ncreated: 2026-01-02\n---\n# Title\n\nThe staging server is in Frankfurt.\n"
    },
)
@example(
    [
        episode(1, "Use npm.\n\nNever use npm.", decay_after="2027-01-01"),
        episode(2, "Never use npm.", trust="agent", decay_after="2026-04-01"),
    ],
    {"semantic/redis.md": "---\ntrust: agent\ncreated: 2026-01-02\n---\n# Never use npm\n"},
)
def test_consolidating_twice_is_consolidating_once(
    heard: list[Memory], before: dict[str, str]
) -> None:
    store = Store(heard, before)
    after = store.after(store.plan())
    assert after.plan() == ()
    everything = Store(heard, after.files, after.waiting)  # the archived ones, heard once more
    assert not [a for a in everything.plan() if not isinstance(a, Archive)]


few = st.lists(st.tuples(SINGLE, st.sampled_from(["user", "agent"])), min_size=1, max_size=5).map(
    lambda rows: [episode(n, body, trust=trust) for n, (body, trust) in enumerate(rows, 1)]
)


@given(few, files, st.sampled_from(["old", "new", "both", "neither"]))
@example(
    [episode(1, "Use npm."), episode(2, "The retry limit is 30.", trust="agent")],
    {
        "procedural/feedback.md": "---\ncreated: 2026-01-02\nkind: decision\n---\n"
        "# The retry limit is 20\n\nThe retry limit is 10.\n"
    },
    "new",
)
def test_whatever_a_person_rules_in_the_end_there_is_nothing_left_to_do(
    heard: list[Memory], before: dict[str, str], word: str
) -> None:
    rules, files = RULED, before
    waits: list[AskPerson] = []
    for _ in range(25):  # one question after the other, as they are answered
        actions = plan(heard, files, rules)
        files = applied(files, actions)
        waits = [action for action in actions if isinstance(action, AskPerson)]
        if not waits:
            break
        asked = waits[0]
        gone = [asked.old, asked.new] if word == "neither" else []
        rules = rules._replace(
            rulings={**rules.rulings, asked.key: word},
            removed={**rules.removed, **dict.fromkeys(map(near_key, gone), RULED.today)},
        )
    assert waits == []
    for path, text in files.items():  # what sessions put below a title does not go with it
        is_gone = codec.memory_from_text(text, path).status == "superseded"
        assert not (is_gone and "<!-- from: " in codec.body_of(text))
    assert not [a for a in plan(heard, files, rules) if not isinstance(a, (Archive, Merge))]


@given(episodes, files, st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_given_makes_no_difference(
    heard: list[Memory], before: dict[str, str], random: object
) -> None:
    mixed, names = list(heard), list(before)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    random.shuffle(names)  # type: ignore[attr-defined]
    assert plan(mixed, {name: before[name] for name in names}, RULED) == plan(heard, before, RULED)


@given(st.lists(st.lists(SINGLE, max_size=3), min_size=1, max_size=5), st.permutations(range(5)))
def test_any_order_of_absorbing_the_same_episodes_gives_the_same_facts(
    said: list[list[str]], order: list[int]
) -> None:
    heard = [episode(n, "\n\n".join(claims)) for n, claims in enumerate(said, 1)]
    at_once = Store(heard, {})
    at_once = at_once.after(at_once.plan())
    files: dict[str, str] = {}
    for n in order:
        if n < len(heard):
            store = Store([heard[n]], files)
            files = store.after(store.plan()).files
    assert set(stated(Store([], files))) == set(stated(at_once))


@given(
    SINGLE,
    st.sampled_from(["decision", "fact"]),
    st.lists(SINGLE, min_size=1, max_size=4),
    st.permutations(range(4)),
)
def test_beside_a_title_any_order_of_absorbing_gives_the_same_facts(
    title: str, kind: str, said: list[str], order: list[int]
) -> None:
    title = title.strip(".。")
    head = f"---\ntitle: {title}\nkind: {kind}\ntags: [redis, cache]\ncreated: 2026-01-02\n---\n"
    before = {"semantic/t.md": f"{head}# {title}\n"}
    heard = [episode(n, claim, decay_after="2027-01-01") for n, claim in enumerate(said, 1)]
    at_once = Store(heard, before)
    at_once = at_once.after(at_once.plan())
    files, known = before, []
    for n in order:
        known += heard[n : n + 1]  # a title has no mark: who said it again is heard again
        store = Store(known, files)
        files = store.after(store.plan()).files
    names = {near_key("How to work here"), *map(near_key, DOMAIN)}
    names.update(near_key(name) for one in SUBJECTS for name in (one.en, one.zh))
    one, other = (set(map(near_key, stated(Store([], f)))) for f in (files, at_once.files))
    assert one - names == other - names


@given(episodes, files)
def test_nothing_set_by_a_person_changes_unless_it_is_superseded(
    heard: list[Memory], before: dict[str, str]
) -> None:
    store = Store(heard, before)
    actions = store.plan()
    after = store.after(actions).files
    for path, text in before.items():
        mine = [a for a in actions if not isinstance(a, Archive) and a.path == path]
        replaced = Counter(a.old for a in mine if isinstance(a, Replace) and not a.title)
        gone = {a.old for a in mine if isinstance(a, Replace) and a.title}
        assert gone <= {held.text for held in reading_of(path, text).held if held.title}
        assert texts(text) - texts(after[path]) == replaced - texts(after[path])
        if not any(isinstance(action, (Replace, Retire)) for action in mine):
            lines = iter(after[path].splitlines())
            assert all(
                line.rstrip() in map(str.rstrip, lines) for line in text.rstrip().splitlines()
            )
            assert after[path].startswith(text.rstrip()[:40])
        if path.startswith("core/"):
            assert after[path] == text


@given(episodes, files)
def test_a_claim_is_trusted_where_it_stands_as_far_as_where_it_came_from(
    heard: list[Memory], before: dict[str, str]
) -> None:
    store = Store(heard, before)
    actions = store.plan()
    after = store.after(actions).files
    for action in actions:
        if not isinstance(action, AddClaim):
            continue
        memory = codec.memory_from_text(after[action.path], action.path)
        line = f"- {action.claim.text}"
        held = [
            part
            for part in index_units(memory)
            if line in part.text and part.heading == action.heading
        ]
        assert all(part.trust == action.claim.trust for part in held), action
        assert not action.path.startswith(("core/", "archive/", "/"))
        assert ".." not in action.path


@given(bodies | any_text, st.lists(SINGLE | st.sampled_from(SAID), min_size=1, max_size=3))
def test_a_list_behind_a_plain_section_says_what_it_says_alone(
    said: str, claims: list[str]
) -> None:
    section, lines = f"## Noted\n\n{said}", "\n".join(f"- {claim}" for claim in claims)
    if _goes_on_plain(section) and "|" not in lines:
        for is_last in (True, False):
            text = _with_lines(section, lines, "\n", is_last=is_last)
            assert texts(text) - texts(section) == texts(lines)
            assert texts(section) - texts(text) == Counter()
