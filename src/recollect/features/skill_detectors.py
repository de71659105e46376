"""Find similar work, decisions and problems in memories, which could become skills.

Word forms count as one word. Numbers, versions, hashes and stop words count only if nothing else
is left. Two Chinese characters weigh as much as an English word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from recollect._fastimport import NamedTuple, Pattern
from recollect.model.document import sections_of
from recollect.model.entries import is_solution, without_comments
from recollect.model.facts import facts_of, same_words, section_kind
from recollect.model.list_items import COMMENT, Origin, with_comments
from recollect.model.memory import Entry, Section, lowest_trust
from recollect.text.redact import strip_private
from recollect.text.tokens import STOP_WORDS, folded, is_cjk

PROCEDURE, DECISION, PROBLEM = "procedure", "decision_framework", "problem_solution"
LEAST = 3
DAYS = 90

Stems = Callable[[list[str]], Mapping[str, str]]  # words → the form that their forms share


class SkillStatement(NamedTuple):
    """A decision and its reason, or a problem and what solved it, told by a memory."""

    kind: str  # decision, problem
    text: str
    detail: str = ""
    trust: str = "user"
    anchor: str = ""  # of the section that tells it
    session: str = ""  # where it was learned, if not where the memory was


class SkillInput(NamedTuple):
    """A memory as a detector looks at it."""

    id: str
    title: str
    kind: str
    created: str = ""
    trust: str = "user"
    session: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    said: tuple[SkillStatement, ...] = ()


class Evidence(NamedTuple):
    """What a memory contributes to a suggestion."""

    matter: SkillInput
    text: str
    detail: str = ""
    trust: str = "user"
    anchor: str = ""
    session: str = ""

    @property
    def id(self) -> str:
        """The memory, or the section of it, that says this."""
        return f"{self.matter.id}#{self.anchor}" if self.anchor else self.matter.id

    @property
    def occasion(self) -> str:
        """What tells whether two things come from one conversation."""
        return self.session or self.matter.session or self.id

    @property
    def is_quotable(self) -> bool:
        """Whether a person or their agent said it, not a tool or a page."""
        return lowest_trust(self.trust, "agent") == "agent"


class Group(NamedTuple):
    """What a detector found: things that belong together, and how to call them if it knows."""

    evidence: Sequence[Evidence]
    title: str = ""


class DetectorRules(NamedTuple):
    """What detectors go by."""

    stems: Stems
    least: int = LEAST


class Suggestion(NamedTuple):
    """A skill that several memories suggest."""

    name: str
    type: str
    title: str
    confidence: str
    occurrences: int
    evidence: tuple[Evidence, ...]
    tags: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  # stems that most of the evidence shares

    @property
    def memories(self) -> list[str]:
        """The ids of the memories, each once, oldest first."""
        return list(dict.fromkeys(one.id for one in self.evidence))


Detector = Callable[[Sequence[SkillInput], DetectorRules], "list[Group]"]


LONGEST_TEXT = 300
_RUN = Pattern(r"[^\W_]+")
_COUNTED = Pattern(r"\d+|v\d+|(?=[a-f]*\d)[0-9a-f]{6,40}")
_FILLING = frozenset("ok okay hi hello thanks thank let's want need needs like make makes".split())
_FILLING_ZH = Pattern(
    "|".join(
        """请帮我 帮我 一下 我们 你们 他们 这个 那个 一个 决定 使用 采用 选择 选用 改用 因为 所以 如何 怎么 什么
        进行 可以 应该 需要 还是 或者 以及 的 了 吗 呢 吧 把 被 请 将 在 和 与 或 用 为 是 给 从 到 对 后 前 再""".split()
    )
)
_DECIDING = frozenset(
    """use uses using used choose chose chosen choosing decide decided decision pick picked adopt go
    switch keep prefer take instead""".split()
)
_SILENT = STOP_WORDS | _FILLING
_SILENT_DECIDING = _SILENT | _DECIDING


class ComparedWords(NamedTuple):
    """What a text is compared by; `light` are the words that are single characters."""

    telling: frozenset[str]  # what it is about
    all: frozenset[str]
    light: frozenset[str]
    tags: frozenset[str]
    weight: int  # of the telling words
    all_weight: int

    @property
    def keys(self) -> frozenset[str]:
        """Everything by which it can be found to be like another."""
        return self.telling | self.tags if self.tags else self.telling


class TokenizedText(NamedTuple):
    """A text in words: each as it stands there, whether it tells anything, and its tags."""

    words: tuple[tuple[str, bool], ...]
    tags: tuple[str, ...] = ()


def tokenized(text: str, tags: Iterable[str] = (), *, deciding: bool = False) -> TokenizedText:
    """The words of a text; with `deciding`, words of choosing tell nothing."""
    silent = _SILENT_DECIDING if deciding else _SILENT
    plain = folded(text[:LONGEST_TEXT]).casefold()
    found: list[str] = _RUN.findall(plain if plain.isascii() else _FILLING_ZH.sub(" ", plain))
    if not plain.isascii():
        found = [word for run in found for word in _parts(run)]
    words = tuple((word, word not in silent and not _counts(word)) for word in found)
    if not any(tells for _, tells in words):
        words = tuple((word, True) for word in found)
    return TokenizedText(
        words, tuple(dict.fromkeys(folded(tag).casefold().strip() for tag in tags))
    )


def _counts(word: str) -> bool:
    """Whether a word is a number, a version or a hash."""
    return not word.isalpha() and bool(_COUNTED.fullmatch(word))


def _parts(run: str) -> list[str]:
    if run.isascii():
        return [run]
    words: list[str] = []
    start = 0
    for at in range(len(run) + 1):
        if at == len(run) or is_cjk(run[at]):
            words += [run[start:at]] if start < at else []
            words += [run[at]] if at < len(run) else []
            start = at + 1
    return words


def stems_of(cuts: Sequence[TokenizedText], stems: Stems) -> Mapping[str, str]:
    """The stem of every word in these texts and their tags."""
    words = {word for one in cuts for word, _ in one.words}
    words |= {word for one in cuts for tag in one.tags for word in _RUN.findall(tag)}
    plain = sorted(word for word in words if word.isascii())
    return {word: word for word in words} | dict(stems(plain) if plain else {})


def wording(one: TokenizedText, known: Mapping[str, str]) -> ComparedWords:
    """What a text is compared by, given the stems of its words."""
    telling = frozenset(known[word] for word, tells in one.words if tells)
    words = telling | {known[word] for word, _ in one.words}
    light = frozenset(w for w in words if not w.isascii() and weight_of(w) == 1)
    tags = frozenset(f"#{'-'.join(known[w] for w in _RUN.findall(tag))}" for tag in one.tags)
    weight = 2 * len(telling) - len(light & telling)
    return ComparedWords(telling, words, light, tags, weight, 2 * len(words) - len(light))


def weight_of(word: str) -> int:
    """How much a word counts: twice as much as a Chinese character."""
    return 1 if len(word) == 1 and is_cjk(word) else 2


def shared(one: ComparedWords, other: ComparedWords) -> int:
    """The weight of the telling words that both have."""
    both = one.telling & other.telling
    return 2 * len(both) - (len(both & one.light) if one.light else 0)


def are_same_problem(one: ComparedWords, other: ComparedWords) -> bool:
    """Whether two problems are alike; tags that both have count like words that both have.

    A quarter of the words must be the same all the same: tags alone are no problem.
    """
    if one.telling.isdisjoint(other.telling):
        return False
    words = shared(one, other)
    longer = max(one.weight, other.weight)
    tags = 2 * len(one.tags & other.tags)
    return 2 * (words + tags) >= longer > 0 and 4 * words >= longer


def are_alike(one: ComparedWords, other: ComparedWords) -> bool:
    """Whether half of the telling words of the longer one are those of the other."""
    return 2 * shared(one, other) >= max(one.weight, other.weight) > 0


def are_same_work(one: ComparedWords, other: ComparedWords) -> bool:
    """Whether two titles share 60 % of their words: of the telling ones, or of all.

    Where it is of all, half of the telling ones must be among them.
    """
    telling = shared(one, other)
    longer = max(one.weight, other.weight)
    if 10 * telling >= 6 * longer > 0:
        return True
    if 2 * telling < longer or not longer:
        return False
    both = one.all & other.all
    weight = 2 * len(both) - len(both & one.light)
    return 10 * weight >= 6 * max(one.all_weight, other.all_weight)


# --------------------------------------------- groups of texts that are alike, in near-linear time


SEEN_TO_CHOOSE = 200  # texts that are compared before one is taken for a loner
SEEN_TO_COLLECT = 4_000  # texts that are compared before a group is taken for complete
ENOUGH = 24

# Must imply that what both have weighs half of the words of the longer one.
Alike = Callable[[ComparedWords, ComparedWords], bool]


def groups_of(wordings: Sequence[ComparedWords], least: int, alike: Alike) -> list[list[int]]:
    """The positions of those that are alike, at least so many together, in groups."""
    places: dict[ComparedWords, list[int]] = {}
    for n, wording in enumerate(wordings):
        if wording.telling:
            places.setdefault(wording, []).append(n)
    keys = sorted(places, key=lambda key: tuple(map(sorted, key[:4])))
    table = _Table(keys, alike)
    groups: list[dict[int, None]] = []
    home: dict[int, int] = {}  # the group of a key
    for n in _centres(table, [len(places[key]) for key in keys], least):
        if n in home:
            continue
        members = [n, *table.like(n, SEEN_TO_COLLECT)]
        _join(groups, home, members)
    return [sorted(at for n in group for at in places[keys[n]]) for group in groups]


def _centres(table: _Table, sizes: list[int], least: int) -> list[int]:
    """Those that enough are like, the most central first."""
    counts: dict[int, int] = {}
    for n, size in enumerate(sizes):
        found = size
        for other in table.like(n, SEEN_TO_CHOOSE):
            found += sizes[other]
            if found >= ENOUGH:
                break
        if found >= least:
            counts[n] = min(found, ENOUGH)
    return sorted(counts, key=lambda n: (-counts[n], n))


def _join(groups: list[dict[int, None]], home: dict[int, int], members: list[int]) -> None:
    """Add a group; one that for its half is in another already joins that."""
    counts = Counter(home[n] for n in members if n in home)
    group, most = counts.most_common(1)[0] if counts else (-1, 0)
    if 2 * most < len(members):
        group = len(groups)
        groups.append({})
    for n in members:
        groups[group][n] = None
        home.setdefault(n, group)


class _Table:
    """The texts by their rarest words."""

    def __init__(self, keys: Sequence[ComparedWords], alike: Alike) -> None:
        self._keys, self._alike = keys, alike
        counts = Counter(word for key in keys for word in key.keys)
        self._heads = [_head(key, counts) for key in keys]
        self._lists: dict[str, list[int]] = {}
        for n, head in enumerate(self._heads):
            for word in head:
                self._lists.setdefault(word, []).append(n)

    def like(self, n: int, seen: int) -> Iterator[int]:
        """The texts that are like this one, among the first `seen` under each of its words."""
        keys, alike, done = self._keys, self._alike, {n}
        key = keys[n]
        for word in self._heads[n]:
            for other in self._lists[word][:seen]:
                if other not in done:
                    done.add(other)
                    if alike(key, keys[other]):
                        yield other


def _head(key: ComparedWords, counts: Counter[str]) -> list[str]:
    """So many of the rarest keys that those left weigh less than half of the words."""
    words = sorted(key.keys, key=lambda word: (counts[word], word))
    left, head = key.weight + 2 * len(key.tags), []
    for word in words:
        if 2 * left < key.weight:
            break
        head.append(word)
        left -= weight_of(word)
    return head


# --------------------------------------------------------------------------------------- detectors


# What says how things are or should be, not what was done, whatever its title says.
_NO_WORK = ("decision", "pattern", "issue", "rule", "pointer", "solution")


def procedures(matters: Sequence[SkillInput], rules: DetectorRules) -> list[Group]:
    """Work that was done again and again: titles that share 60 % of their words."""
    done = [Evidence(m, m.title, "", m.trust) for m in matters if m.kind not in _NO_WORK]
    return _grouped(done, [tokenized(one.text) for one in done], are_same_work, rules)


def decisions(matters: Sequence[SkillInput], rules: DetectorRules) -> list[Group]:
    """Decisions about the same matter."""
    taken = _statements_of_kind(matters, "decision")
    cuts = [tokenized(one.text, deciding=True) for one in taken]
    return _grouped(taken, cuts, are_alike, rules, len)  # one session may take several


def problems(matters: Sequence[SkillInput], rules: DetectorRules) -> list[Group]:
    """Problems that are alike in their words and tags, with what solved them."""
    met = _statements_of_kind(matters, "problem")
    cuts = [tokenized(one.text, one.matter.tags[:5]) for one in met]
    return _grouped(met, cuts, are_same_problem, rules)


DETECTORS: dict[str, Detector] = {
    PROCEDURE: procedures,
    DECISION: decisions,
    PROBLEM: problems,
}


def occasions(evidence: Sequence[Evidence]) -> int:
    """In how many conversations something came up."""
    return len({one.occasion for one in evidence})


def _statements_of_kind(matters: Sequence[SkillInput], kind: str) -> list[Evidence]:
    """What memories say of this kind, each once for a conversation."""
    found: dict[tuple[str, str], Evidence] = {}
    for matter in matters:
        for said in matter.said:
            if said.kind == kind:
                one = Evidence(matter, *said[1:])
                key = (one.occasion, same_words(said.text))
                old = found.get(key)
                if old is None or (one.detail and not old.detail):
                    found[key] = one
    return list(found.values())


def _grouped(
    evidence: Sequence[Evidence],
    cuts: Sequence[TokenizedText],
    alike: Alike,
    rules: DetectorRules,
    count: Callable[[Sequence[Evidence]], int] = occasions,
) -> list[Group]:
    known = stems_of(cuts, rules.stems)
    wordings = [wording(one, known) for one in cuts]
    groups = ([evidence[n] for n in group] for group in groups_of(wordings, rules.least, alike))
    return [Group(group) for group in groups if count(group) >= rules.least]


# -------------------------------------------------------------------------- what a memory tells of


_FIELD = Pattern(r"^\*\*(Symptom|Solution|症状|解决办法)[ \t]*[:：]\*\*[ \t]*(.+)$", re.M)
_TITLE = Pattern(r"^(?:Solution|解决方案)\s*[:：]\s*", re.I)


def skill_input_of(entry: Entry, said: tuple[SkillStatement, ...] = ()) -> SkillInput:
    """A memory as a detector looks at it, with what its sections say."""
    if not said and entry.kind == "decision":
        said = (SkillStatement("decision", entry.title, entry.summary, entry.trust),)
    elif not said and entry.kind == "issue" and entry.status == "resolved":
        said = (SkillStatement("problem", entry.title, entry.summary, entry.trust),)
    return SkillInput(
        entry.id,
        entry.title,
        entry.kind,
        time_of(entry),
        entry.trust,
        entry.session,
        entry.tags,
        entry.files,
        said,
    )


def time_of(entry: Entry) -> str:
    """When a memory was made; for a file that goes on growing, when it was last written."""
    grows = entry.kind in ("rule", "pointer")
    return (entry.updated if grows else entry.created) or entry.created or entry.updated


def statements_in(text: str, entry: Entry) -> tuple[SkillStatement, ...]:
    """The decisions and the solved problems that the sections of a memory tell of."""
    found: list[SkillStatement] = []
    for section in sections_of(strip_private(text)):
        kind = section_kind(section.heading)
        if is_solution(section.heading):
            found.append(_solution(section, entry))
        elif kind in ("decision", "issue") and kind != entry.kind:
            for fact in facts_of(kind, section.text):
                trust = "user" if fact.source == "instructed" else entry.trust
                if kind == "decision":
                    found.append(SkillStatement("decision", fact.content, fact.detail, trust))
                elif fact.status == "resolved":
                    found.append(SkillStatement("problem", fact.content, "", trust))
    return tuple(found)


def _solution(section: Section, entry: Entry) -> SkillStatement:
    fields = {m[1]: m[2].strip() for m in _FIELD.finditer(section.text)}
    problem = fields.get("Symptom") or fields.get("症状") or _TITLE.sub("", section.heading)
    solved = fields.get("Solution") or fields.get("解决办法") or without_comments(section.text)
    own = with_comments(Origin("", entry.trust, "", ""), COMMENT.findall(section.text))
    return SkillStatement(
        "problem", problem, solved.partition("\n")[0], own.trust, section.anchor, own.session
    )
