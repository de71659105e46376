"""Rank candidates by score; each score comes with its parts.

Pure. Superseded and untrusted memories never pass. Hooks import this module, so it imports little.
"""

from recollect.search import relevance
from recollect.text.tokens import (
    bits_of,
    capitalised,
    cue_words,
    folder_words,
    index_terms,
    is_stop,
    may_speak_of_time,
    plain_words,
    simplified,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Candidate:
    """A section that a cue has found, with what its memory says of itself.

    Lists (`trigger`, `files`, `related`, `tags`) are one string with a line for each item, as the
    index keeps them; `tags` has the concepts, too. `entry` is the id of the entry that it is; a part
    of what is one entry as a whole has none. `day` is the day of creation, counted from 1970.
    `text_score` is the index's own (higher is better), `meaning` how near it is to the cue where
    there are vectors (0 to 1, the nearest of its store), `score` ours, made of `parts`.
    """

    # The first fields stand in the order of the index's columns.
    COLUMNS = (
        "n", "memory", "id", "anchor", "title", "heading", "text", "path", "layer", "kind",
        "salience", "confidence", "source", "trust", "status", "trigger", "files", "related",
        "session", "created", "day", "tokens", "size", "mtime_ns", "inode", "tags", "entry",
    )  # fmt: skip
    __slots__ = (*COLUMNS, "meaning", "parts", "scope", "score", "text_score")
    n: int
    memory: int
    id: str
    anchor: str
    title: str
    heading: str
    text: str
    path: str
    layer: str
    kind: str
    salience: str
    confidence: str
    source: str
    trust: str
    status: str
    trigger: str
    files: str
    related: str
    session: str
    created: str
    day: int
    tokens: int
    size: int
    mtime_ns: int
    inode: int
    tags: str
    entry: str
    text_score: float
    meaning: float
    scope: str
    score: float
    parts: dict[str, float]

    def __init__(self, row: "tuple[Any, ...]", text_score: float, scope: str) -> None:
        """A candidate from a row of the index: the fields up to `entry`, in order."""
        (
            self.n, self.memory, self.id, self.anchor, self.title, self.heading, self.text,
            self.path, self.layer, self.kind, self.salience, self.confidence, self.source,
            self.trust, self.status, self.trigger, self.files, self.related, self.session,
            self.created, self.day, self.tokens, self.size, self.mtime_ns,
            self.inode, self.tags, self.entry,
        ) = row  # fmt: skip
        self.text_score = text_score
        self.meaning = 0.0
        self.scope = scope
        self.score = 0.0
        self.parts = {}

    @property
    def name(self) -> str:
        """The id, with the anchor where it is a section: `use-postgres#reasons`."""
        return f"{self.id}#{self.anchor}" if self.anchor else self.id

    @property
    def whole(self) -> str:
        """What is said once: the entry that it is, or the memory that it is a part of."""
        return f"{self.scope}:{self.id}^{self.entry}" if self.entry else f"{self.scope}:{self.id}"

    @property
    def own_title(self) -> str:
        """Its title, without the session's where it is a statement that may be about something else.

        An issue is about what the session's title says: it came up on the way there.
        """
        is_statement = self.anchor and self.entry and self.layer == "episodic"
        return self.heading if is_statement and self.kind != "issue" else self.shown_title

    @property
    def shown_title(self) -> str:
        """The title of the memory, with the section's own."""
        has_own = self.heading and self.heading != self.title
        return f"{self.title} – {self.heading}" if has_own else self.title


class Cue:
    """What is searched with: its words, and what is known of the moment."""

    __slots__ = ("_named", "_subject", "_when", "day", "files", "project", "text", "words")

    def __init__(
        self, text: str, words: list[str], day: int, files: list[str], project: str = ""
    ) -> None:
        """`day` is today, counted from 1970; `files` are paths at hand; `project` is its folder."""
        self.text = text
        self.words = words
        self.day = day
        self.files = files[:MOST_FILES]
        self.project = project
        self._named: dict[str, str] | None = None
        self._subject: frozenset[str] | None = None
        self._when: tuple[tuple[int, int], list[str]] | None = None

    @property
    def subject(self) -> frozenset[str]:
        """The words of the first line, paths aside, where that says enough and much follows.

        It is the title of an issue, or what somebody wants of the log below it.
        """
        if self._subject is None:
            line, _, rest = self.text.strip().partition("\n")
            told = [chunk for chunk in line.split() if chunk.count("/") < 2]
            words = frozenset(cue_words(" ".join(told)) if len(rest) > len(line) else ())
            self._subject = words if len(words) >= LEAST_OF_SUBJECT else frozenset()
        return self._subject

    @property
    def named(self) -> dict[str, str]:
        """The everyday words of a question that are written as a name, by the word: Go, Make, Swift."""
        if self._named is None:
            names = capitalised(self.text[:LONGEST_TIMED]) if self.is_question else {}
            self._named = {one: name for one, name in names.items() if relevance.is_everyday(one)}
        return self._named

    @property
    def own(self) -> list[str]:
        """The words of the project's name where it has the whole name, which is no news there."""
        name = self.project.rpartition("/")[2]
        return cue_words(name) if set(plain_words(name)).issubset(self.words) else []

    def weights(self, words: list[str], counts: dict[str, int], total: int) -> dict[str, float]:
        """How much some of its words ask for (see `relevance.term_weights`)."""
        return relevance.term_weights(words, counts, total, self.named, self.own)

    @property
    def weighed(self) -> list[str]:
        """The words that count in BM25, those of its subject several times: so often they count."""
        bits = bits_of(self.text)
        words = [word for word in self.words if word not in bits] or self.words
        more = [word for word in words if word in self.subject]
        return words + more * (SUBJECT_COUNTS - 1)

    @property
    def period(self) -> tuple[int, int]:
        """The first and the last day of the time that it speaks of; (0, 0) if of none."""
        return self._spoken()[0]

    @property
    def asked(self) -> list[str]:
        """Its words without those that name the time."""
        return self._spoken()[1]

    def _spoken(self) -> tuple[tuple[int, int], list[str]]:
        if self._when is None:
            self._when = ((0, 0), self.words)
            # Who asks of a time says so in a sentence.
            text = simplified(self.text) if len(self.text) <= LONGEST_TIMED else ""
            if self.day and text and may_speak_of_time(text, self.words):
                from recollect.text import dates  # seldom needed, and a hook waits for it

                found = dates.period_of(text, self.day)
                if found:
                    have = set(self.words)
                    rest = [word for word in cue_words(found[1]) if word in have]
                    rest = [word for word in rest if not is_stop(word)]
                    self._when = (found[0], rest)
        return self._when

    @property
    def _low(self) -> str:
        """Its beginning as signs are looked for in it."""
        return f" {simplified(self.text[:LONGEST_TIMED]).lower()} "

    @property
    def is_ours(self) -> bool:
        """Whether it asks how something is in this project."""
        low = self._low
        return any(sign in low for sign in OURS) and any(sign in low for sign in ASKING)

    @property
    def is_question(self) -> bool:
        """Whether it asks for something that it names, and for nothing that stood before it."""
        low = self._low.replace("这个项目", "")
        return any(sign in low for sign in ASKING) and not any(sign in low for sign in POINTING)

    @property
    def asks_what_is_used(self) -> bool:
        """Whether it asks what is used for something: 日志用什么, “what do we use for logs?”."""
        low = self._low
        return any(sign in low for sign in ASKING_WHAT_IS_USED)

    def spans(self, day: int) -> bool:
        """Whether it asks for a time, or names one that may be this day's: ours are days of UTC."""
        low = self._low
        return self.is_of_its_time(day, 1) or any(sign in low for sign in ASKING_WHEN)

    @property
    def asks_what_was_done(self) -> bool:
        """Whether it asks what was done in a time, and does not only name the time."""
        low = self._low
        is_over = "了" in low and any(sign in low for sign in ASKING)  # 做了什么, 改了哪些
        return is_over or any(sign in low for sign in ASKING_WHAT_WAS_DONE)

    def is_of_its_time(self, day: int, slack: int = 0) -> bool:
        """Whether a day lies in the time that it speaks of, or so few days from it."""
        first, last = self.period
        return 0 < first <= day + slack and day - slack <= last


# How much each field of a section weighs in BM25: title, tags, trigger, names (files, concepts),
# body. A trigger weighs twice a tag (seed 004).
FIELD_WEIGHTS = (2.0, 3.0, 6.0, 0.5, 1.0)

SALIENCE = {"low": 0.8, "medium": 1.0, "high": 1.25}
CONFIDENCE = {"low": 0.75, "medium": 1.0, "high": 1.1}
STATUS = {"provisional": 0.9, "resolved": 0.95}
TRUST = {"tool": 0.9, "external": 0.7}
# What was decided or learned says more than the record of a session (its files, its open points).
KIND = {"session": 0.7, "conversation": 0.7}
# What says that a section is about the cue: words, and nearness where there are vectors (of .3, .5
# and .8 the best on the six projects of bench/coding by which settings are chosen).
SIGNALS = {"text": 1.0, "meaning": 0.8}
FACTORS = ("kind", "salience", "confidence", "status", "trust", "age")
BONUSES = ("files", "trigger", "scope", "date")
# Of a search: what was said in a conversation stands behind what was kept of it, what is over behind both.
BEHIND = {"raw": 0.5, "superseded": 0.25}
DATE_BONUS = 0.8
FILE_BONUS = 0.15
FOLDER_BONUS = 0.05
PROJECT_BONUS = 0.05
TRIGGER_BONUS = 0.3
AGE_FLOOR = 0.7
HALF_LIFE_DAYS = 90.0

SUBJECT_COUNTS = 3  # times what another word of the cue does
LEAST_OF_SUBJECT = 3  # words
IN_TIME = ""  # what the time that a cue names is called among its words
SURE = 0.5  # a cosine from which on a memory may be said that has none of the words
WEAKEST_OF_BEST = 0.85
SMALL = 40  # sections of a store in which a word says as much, however many have it
MOST_BEHIND = 2.5  # so much may the older of two about the same score more and still come second
SHORT_TEXT = 25  # words
LONG_TITLE = 50  # … each Chinese character is one, and so are two that stand together
SAME_TEXT = 0.85
MOST_JUDGED = 8
LONGEST_WITH_FILES = 4_000  # characters of a cue that are searched for the names of files
MOST_FILES = 24
LONGEST_TIMED = 400  # characters of a cue that may speak of a time
OURS = (" we ", " our ", " us ", " here ", " here?", "我们", "咱们", "这个项目", "本项目")
ASKING = (" how ", " which ", " what ", " where ", " why ", " who ", "?", "？",
          "什么", "怎么", "哪")  # fmt: skip
# To whoever is asked, or to what was said or shown before.
POINTING = (" you ", " your ", " you'", " this ", " that ", " that'", " it ", " it'", " it?", " these ", " those ",
            "你", "您", "这", "那", "它", "刚才")  # fmt: skip
ASKING_WHAT_IS_USED = ("用什么", "用哪", "用啥", "用的是什么", "用的什么", "do we use", "are we using", "is used for",
                       "do you use")  # fmt: skip
ASKING_WHEN = (" when was ", " when were ", " when did ", " what day ", " what month ", " what date ",
               "什么时候", "何时", "哪天", "哪年", "哪个月", "哪月", "几月", "几号")  # fmt: skip
# Of a time that is named beside them: what was done in it, not what is to be done today.
ASKING_WHAT_WAS_DONE = (
    " did ", " do ", " done", " doing", " happen", " changed", " changes", " decided", " decisions", " worked",
    "'s work", " learn", " was ", " were ", " been ", " recap", " summar", " sessions", " news", " left off",
    "做什么", "做些什么", "干什么", "干啥", "干嘛", "在做", "做的", "做到", "做过", "做完", "改过", "改动", "决定", "发生",
    "完成", "进展", "进度", "总结", "回顾", "工作", "学到", "会话",
)  # fmt: skip


def files_in(text: str) -> list[str]:
    """The words of a text that may be the names of files."""
    words = text[:LONGEST_WITH_FILES].split()
    return [word.strip("\"'`()[],;:!?") for word in words if "." in word or "/" in word]


def rate(found: Candidate, best: float, cue: Cue) -> None:
    """Give a candidate its score, where `best` is the highest text score of all candidates."""
    parts = {
        "text": found.text_score / best if best > 0 else 0.0,
        "meaning": found.meaning,
        "kind": KIND.get(found.kind, 1.0),
        "salience": SALIENCE.get(found.salience, 1.0),
        "confidence": CONFIDENCE.get(found.confidence, 1.0),
        "status": STATUS.get(found.status, 1.0),
        "trust": TRUST.get(found.trust, 1.0),
        "age": age_factor(found.layer, found.day, cue.day),
        "files": file_bonus(found.files, cue.files),
        "trigger": TRIGGER_BONUS if is_triggered(found.trigger, cue.words) else 0.0,
        "scope": PROJECT_BONUS if found.scope == "project" else 0.0,
        "date": DATE_BONUS if cue.is_of_its_time(found.day) else 0.0,
    }
    score = sum([weight * parts[name] for name, weight in SIGNALS.items()])
    for name in FACTORS:
        score *= parts[name]
    found.score = score + sum([parts[name] for name in BONUSES])
    found.parts = parts


def age_factor(layer: str, day: int, today: int) -> float:
    """How much a memory has faded: only episodes do, to a floor, by half in 90 days."""
    if layer != "episodic" or day <= 0 or today <= day:
        return 1.0
    faded: float = 0.5 ** ((today - day) / HALF_LIFE_DAYS)
    return AGE_FLOOR + (1.0 - AGE_FLOOR) * faded


def file_bonus(files: str, wanted: list[str]) -> float:
    """What a memory gets for files (a line each) that are at hand, or that lie beside them."""
    if not files or not wanted:
        return 0.0
    have = files.split("\n")
    if any(_is_end(one, two) for one in have for two in wanted):
        return FILE_BONUS
    folders = [path.rpartition("/")[0] for path in wanted]
    beside = any(
        folder and _is_end(one.rpartition("/")[0], folder) for one in have for folder in folders
    )
    return FOLDER_BONUS if beside else 0.0


def _is_end(one: str, other: str) -> bool:
    """Whether one path is the end of the other: the same place, seen from two folders."""
    if not one or not other:
        return False
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


def is_triggered(trigger: str, words: list[str]) -> bool:
    """Whether the words of a cue have one of the triggers (a line each)."""
    if not trigger:
        return False
    known = set(words)
    wanted = (plain_words(phrase) for phrase in trigger.split("\n"))
    return any(phrase and known.issuperset(phrase) for phrase in wanted)


def is_repeat(words: set[str], others: list[set[str]]) -> bool:
    """Whether a text says (nearly) what one of the others has said already."""
    return any(
        words and other and len(words & other) / max(len(words), len(other)) > SAME_TEXT
        for other in others
    )


def choose(found: list[Candidate], cue: Cue, counts: dict[str, int], total: int) -> list[Candidate]:
    """The candidates worth saying unasked, best first: relevant, trusted, each thing once.

    `counts` says how many of the `total` sections of the stores have each word of the cue. A long
    text is about its subject; where nothing answers that, about all that it says.
    """
    subject = [word for word in cue.asked if word in cue.subject]
    if subject and (chosen := _chosen(found, cue, cue.weights(subject, counts, total), total)):
        return chosen
    return _chosen(found, cue, cue.weights(cue.asked, counts, total), total)


def _chosen(
    found: list[Candidate], cue: Cue, asked: dict[str, float], total: int
) -> list[Candidate]:
    chosen: list[Candidate] = []
    said: list[set[str]] = []
    if total <= SMALL:
        _level(found, asked)
    for one, text in _relevant(found, cue, asked):
        if chosen and one.score < chosen[0].score * WEAKEST_OF_BEST:
            break
        words = set(text.split())
        if is_repeat(words, said):
            relevance.prefer_newer(chosen, one)
            continue
        said.append(words)
        chosen.append(one)
    return chosen or _of_sessions(found, cue, asked, total)


def _of_sessions(
    found: list[Candidate], cue: Cue, asked: dict[str, float], total: int
) -> list[Candidate]:
    """What an earlier session or conversation tells where nothing else answers."""
    records = [one for one in found if one.kind in KIND and is_fit(one)]
    if cue.period[0] and cue.asks_what_was_done:
        records = [one for one in records if cue.spans(one.day)]
    if not records:
        return []
    from recollect.search import session_relevance  # for most cues nobody has to load it

    others = [one for one in found if one not in records]
    less = session_relevance.without_requests(asked, records, others) if cue.is_question else asked
    stated = _chosen(others, cue, less, total) if less != asked else []
    return stated or session_relevance.answering_session(records, cue, asked)


def _level(found: list[Candidate], asked: dict[str, float]) -> None:
    """In a small store, give each at least the text score that its share of the cue is worth.

    BM25 counts a word that most texts have for nothing: of five rules on migrations it would give
    the one that says "write" as well.
    """
    best: dict[str, float] = {}
    for one in found:
        best[one.scope] = max(one.text_score, best.get(one.scope, 0.0))
    whole = sum(asked.values())
    for one in found:
        text = index_terms(f"{one.own_title} {one.trigger} {one.text}")
        share = sum(relevance.found_in(asked, text).values()) / whole if whole else 0.0
        one.text_score = max(one.text_score, best[one.scope] * share**0.5)


def _relevant(
    found: list[Candidate], cue: Cue, asked: dict[str, float]
) -> list[tuple[Candidate, str]]:
    """The relevant ones with the words of their texts (see `index_terms`), best first.

    BM25 of two stores cannot be compared: the same word is rare in a large one and common in a
    small one. So each store's best counts as one, and what decides between stores is how much of
    the cue is answered.
    """
    fit = [one for one in found if is_fit(one) and (one.kind not in KIND or cue.spans(one.day))]
    best: dict[str, float] = {}
    for one in fit:
        best[one.scope] = max(one.text_score, best.get(one.scope, 0.0))
    for one in fit:
        rate(one, best[one.scope], cue)
    fit.sort(key=by_score)
    texts: dict[int, str] = {}
    known: dict[str, str] = {}

    def answers(one: Candidate) -> bool:
        texts[id(one)] = text = index_terms(one.text, known)
        is_so = not shortfall(one, text, cue, asked, known)
        if is_so:
            one.parts["answered"] = (1.0 + one.parts["coverage"]) / 2.0
            one.score *= one.parts["answered"]
        return is_so

    relevant: list[Candidate] = []
    others: list[Candidate] = []
    strongest = 0.0
    for one in fit[:MOST_JUDGED]:
        if one.score < strongest * WEAKEST_OF_BEST:
            others.append(one)  # too far behind, whatever it answers; to judge it costs
        elif answers(one):
            relevant.append(one)
            strongest = max(strongest, one.score)
        else:
            others.append(one)
    subjects: dict[int, relevance.Subject] = {}
    # Whoever is told how things were must be told how they are.
    newer = [new for new in others if any(is_newer(new, old, subjects) for old in relevant)]
    for one in newer:
        if id(one) not in texts:
            answers(one)
    relevant += newer
    relevant.sort(key=by_score)
    put_newer_first(relevant, subjects)
    return [(one, texts[id(one)]) for one in relevant]


def shortfall(
    one: Candidate, text: str, cue: Cue, asked: dict[str, float], known: dict[str, str]
) -> str:
    """Why a candidate answers too little of a cue, or nothing; what it answers goes to its parts.

    `text` is its own, cut by `index_terms`, which `known` is for; `asked` comes from `term_weights`.
    """
    # Files and tags are the memory's: that they answer says nothing of one of its sections.
    tags, files = ("", "") if one.anchor else (one.tags, one.files)
    named = index_terms(f"{one.trigger}\n{tags}", known)
    about = f"{index_terms(f'{one.own_title}{chr(10)}{files}', known)} {named}"
    if about.count(" ") > LONG_TITLE:
        about = named  # a rule's heading is its whole sentence: a word of it is no subject
    if text.count(" ") < SHORT_TEXT:
        about = f"{about} {text}"  # one statement is about all that it says
        if cue.is_question and (kinds := relevance.kinds_in(asked, about)):
            about = f"{about} {kinds}"
    if one.kind == "pointer":  # a command names the folders that it works in
        asked = relevance.without_terms(asked, folder_words(cue.text[:LONGEST_WITH_FILES]))
    said = f"{one.own_title} {one.trigger} {one.tags} {one.text}" if cue.named else ""
    others = relevance.incidental_words(cue.text[:LONGEST_WITH_FILES], cue.named, said, one.text)
    found = relevance.without_terms(relevance.found_in(asked, about, text), others)
    own = "" if one.kind == "pointer" else one.text
    found = relevance.beyond_a_command(found, asked, f"{one.own_title} {one.trigger}", own)
    if cue.is_of_its_time(one.day) and (
        any(worth > relevance.IN_EVERY_TEXT for worth in found.values())
        or _is_asked_of_its_time(one, cue, asked)
    ):
        asked, found = asked | {IN_TIME: 1.0}, found | {IN_TIME: 1.0}
    weight = sum(found.values())
    one.parts["coverage"] = round(weight / (sum(asked.values()) or 1.0), 3)
    one.parts["weight"] = round(weight, 3)
    if one.meaning >= SURE or one.parts["files"] >= FILE_BONUS:
        return ""
    if one.kind in ("solution", "issue") and _is_another_failure(one, cue, asked):
        return "too-little"
    wanted: list[str] = []
    if cue.is_question and cue.asks_what_is_used:
        wanted = [start for start in asked if start.strip() not in relevance.USING]
    elif cue.is_question and len(asked) > 1 and relevance.without_terms(asked, cue.own):
        wanted = [*asked]
    why = relevance.shortfall(
        asked, found, about, named, is_ours=cue.is_ours, is_question=cue.is_question, wanted=wanted
    )
    is_stated = one.kind not in ("solution", "issue", "pointer", *KIND)
    return why or ("said" if is_stated and relevance.says_again(cue.text, one.text) else "")


def _is_another_failure(one: Candidate, cue: Cue, asked: dict[str, float]) -> bool:
    from recollect.search.failure_relevance import is_another  # for most cues nobody has to load it

    return not is_triggered(one.trigger, cue.words) and is_another(one, cue.text, asked)


def _is_asked_of_its_time(one: Candidate, cue: Cue, asked: dict[str, float]) -> bool:
    """Whether a cue asks for all that was done in a time, as this was."""
    is_all_of_time = not any(worth > relevance.IN_EVERY_TEXT for worth in asked.values())
    is_of_day = one.layer != "reference"  # which says how things are, whenever it was changed
    return is_all_of_time and is_of_day and cue.asks_what_was_done


# ------------------------------------------------------------------ several about the same thing


def put_newer_first(
    found: list[Candidate], subjects: "dict[int, relevance.Subject] | None" = None
) -> None:
    """Let what is newer stand before what is older and about the same, where both fit the cue.

    Nobody may have said that the older one is over. `found` is in order, and stays so.
    """
    best = found[:MOST_JUDGED]
    subjects = {} if subjects is None else subjects
    for at, newer in enumerate(best):
        for older in best[:at]:
            if newer.score < older.score and is_newer(newer, older, subjects):
                newer.parts["newer"] = round(older.score * 1.001 - newer.score, 4)
                newer.score = older.score * 1.001
    found.sort(key=by_score)


def is_newer(new: Candidate, old: Candidate, subjects: dict[int, relevance.Subject]) -> bool:
    """Whether one says later than the other how something is, and fits the cue nearly as well.

    Episodes do not say how things are. `subjects` is a place to keep what was worked out before.
    """
    return (
        new.day > old.day > 0
        and new.status != "superseded"
        and new.layer == old.layer != "episodic"
        and old.score <= new.score * MOST_BEHIND
        and relevance.is_same_subject(_about(new, subjects), _about(old, subjects))
    )


def _about(one: Candidate, subjects: dict[int, relevance.Subject]) -> relevance.Subject:
    if id(one) not in subjects:
        subjects[id(one)] = relevance.subject_of(one.shown_title, one.tags)
    return subjects[id(one)]


def is_fit(one: Candidate) -> bool:
    """Whether a candidate may be said unasked at all."""
    is_out = one.status == "superseded" or one.trust == "external"
    return not is_out and not is_queued(one.layer, one.status)


def is_queued(layer: str, status: str) -> bool:
    """Whether it is the note of a statement that waits for a ruling: what it contradicts holds."""
    return status == "provisional" and layer == "episodic"


def by_score(one: Candidate) -> tuple[float, str, str]:
    """Best first; ties by name and scope, so that the order never depends on the index's."""
    return (-one.score, one.name, one.scope)
