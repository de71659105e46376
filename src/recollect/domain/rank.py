"""Rank: from candidates to the memories that are worth somebody's attention, best first.

Promises: pure arithmetic over plain values; each score comes with its parts; what is superseded,
too little trusted, or from another project never comes through.
Touches: nothing. The hook imports this module, so it imports next to nothing itself.
"""

from recollect.domain.text import STOP_WORDS, index_words, plain_words


class Candidate:
    """A section that a cue has found, with what its memory says of itself.

    Lists (`trigger`, `files`, `related`) are one string with a line for each item, as the index
    keeps them. `day` is the day of creation, counted from 1970. `text_score` is the index's own
    (higher is better), `score` ours, made of `parts`.
    """

    # The first fields stand in the order of the index's columns.
    COLUMNS = (
        "n", "memory", "id", "anchor", "title", "heading", "text", "path", "layer", "kind",
        "salience", "confidence", "source", "trust", "status", "trigger", "files", "related",
        "session", "project", "created", "day", "tokens", "size", "mtime_ns", "inode",
    )  # fmt: skip
    __slots__ = (*COLUMNS, "parts", "scope", "score", "text_score")
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
    project: str
    created: str
    day: int
    tokens: int
    size: int
    mtime_ns: int
    inode: int
    text_score: float
    scope: str
    score: float
    parts: dict[str, float]

    def __init__(self, row: tuple[object, ...], text_score: float, scope: str) -> None:
        """A candidate from a row of the index: the fields up to `inode`, in order."""
        for name, value in zip(self.COLUMNS, row, strict=True):
            setattr(self, name, value)
        self.text_score = text_score
        self.scope = scope
        self.score = 0.0
        self.parts = {}

    @property
    def name(self) -> str:
        """The id, with the anchor where it is a section: `use-postgres#reasons`."""
        return f"{self.id}#{self.anchor}" if self.anchor else self.id

    @property
    def shown_title(self) -> str:
        """The title of the memory, with the section's own."""
        return f"{self.title} – {self.heading}" if self.heading else self.title


class Cue:
    """What is searched with: its words, and what is known of the moment."""

    __slots__ = ("day", "files", "project", "text", "words")

    def __init__(
        self, text: str, words: list[str], day: int, files: list[str], project: str
    ) -> None:
        """`day` is today, counted from 1970; `files` are paths that are at hand."""
        self.text = text
        self.words = words
        self.day = day
        self.files = files
        self.project = project


# How much each field of a section weighs in BM25: title, tags, trigger, names (files, concepts),
# body. A trigger weighs twice a tag (seed 004).
FIELD_WEIGHTS = (3.0, 3.0, 6.0, 2.0, 1.0)

SALIENCE = {"low": 0.8, "medium": 1.0, "high": 1.25}
CONFIDENCE = {"low": 0.75, "medium": 1.0, "high": 1.1}
STATUS = {"provisional": 0.9, "resolved": 0.95}
TRUST = {"tool": 0.9, "external": 0.7}
# What was decided or learned says more than the record of a session (its files, its open points).
KIND = {"session": 0.7, "conversation": 0.7}
FACTORS = ("kind", "salience", "confidence", "status", "trust", "age")
FILE_BONUS = 0.15
PROJECT_BONUS = 0.05
TRIGGER_BONUS = 0.3
AGE_FLOOR = 0.7
HALF_LIFE_DAYS = 90.0

# How much evidence makes a memory relevant (see `evidence`): either most of what a short cue
# says, or as much of a long one as one and a half words that no other memory has.
ENOUGH_COVERAGE = 0.5
ENOUGH_WEIGHT = 1.4
UNKNOWN_WORTH = 0.6
WEAKEST_OF_BEST = 0.45
SAME_TEXT = 0.85
MOST_JUDGED = 8
MOST_RELATED = 8
# (ending, letters that must be left of the word)
_ENDINGS = (
    ("ations", 6), ("ation", 6), ("ions", 5), ("ion", 5), ("ings", 4), ("ing", 4), ("ies", 4),
    ("ied", 4), ("ed", 4), ("es", 4), ("s", 4), ("e", 4), ("y", 4),
)  # fmt: skip


def rarity(count: int, total: int) -> float:
    """The inverse document frequency of a word that `count` of `total` sections have."""
    # The natural logarithm to 4 places: for `math` a hook would have to load another library.
    ratio: float = 1.0 + (total - count + 0.5) / (count + 0.5)
    almost_one: float = ratio**1e-6
    return (almost_one - 1.0) * 1e6


def worths(words: list[str], counts: dict[str, int], total: int) -> dict[str, float]:
    """What each word of a cue asks for, in words that only one of `total` sections has.

    The keys are the words as `evidence` looks for them. A word that no memory has cannot be
    answered; it still says that the cue is about more. But a word that was only joined from others
    (`use callback` → `usecallback`) asks for nothing that they do not.
    """
    unique = rarity(1, max(total, 2))
    have = set(words)
    asked: dict[str, float] = {}
    for word in words:
        count = counts.get(word, 0)
        if not count and _is_joined(word, have):
            continue
        worth = rarity(count, max(total, 2)) / unique if count else UNKNOWN_WORTH
        start = f" {stem(word)}"
        asked[start] = max(worth, asked.get(start, 0.0))
    return asked


def _is_joined(word: str, others: set[str]) -> bool:
    return any(
        word[i:] in others and (word[:i] in others or word[:i] in STOP_WORDS)
        for i in range(1, len(word))
    )


def evidence(asked: dict[str, float], text: str) -> tuple[float, float, int]:
    """How much of what is asked (see `worths`) a text answers: (coverage, weight, words found).

    `text` is made of `index_words`. Coverage is the share 0…1 of all that is asked, weight the
    worth of what is found.
    """
    have = f" {text} "
    found = [worth for start, worth in asked.items() if start in have]
    weight = sum(found)
    return (weight / sum(asked.values()) if found else 0.0), weight, len(found)


def stem(word: str) -> str:
    """A word without its commonest endings: a start that its other forms share."""
    if not word.isascii() or len(word) < 5 or not word.isalpha():
        return word
    for ending, left in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= left:
            start = word[: -len(ending)]
            doubled = len(start) > 4 and start[-1] == start[-2] and start[-1] not in "lsz"
            return start[:-1] if doubled else start  # stopped → stop, but calling → call
    return word


def is_relevant(coverage: float, weight: float, hits: int) -> bool:
    """Whether that much evidence is enough to say something unasked."""
    if hits == 0:
        return False
    if coverage >= ENOUGH_COVERAGE:
        return True
    return hits >= 2 and weight >= ENOUGH_WEIGHT and coverage >= 0.12


def rate(found: Candidate, best: float, cue: Cue) -> None:
    """Give a candidate its score, where `best` is the highest text score of all candidates."""
    parts = {
        "text": found.text_score / best if best > 0 else 0.0,
        "kind": KIND.get(found.kind, 1.0),
        "salience": SALIENCE.get(found.salience, 1.0),
        "confidence": CONFIDENCE.get(found.confidence, 1.0),
        "status": STATUS.get(found.status, 1.0),
        "trust": TRUST.get(found.trust, 1.0),
        "age": age_factor(found.layer, found.day, cue.day),
        "files": FILE_BONUS if _shares_file(found.files, cue.files) else 0.0,
        "trigger": TRIGGER_BONUS if is_triggered(found.trigger, cue.words) else 0.0,
        "scope": PROJECT_BONUS if found.scope == "project" else 0.0,
    }
    total = parts["text"]
    for name in FACTORS:
        total *= parts[name]
    found.score = total + parts["files"] + parts["trigger"] + parts["scope"]
    found.parts = parts


def age_factor(layer: str, day: int, today: int) -> float:
    """How much a memory has faded: only episodes do, to a floor, by half in 90 days."""
    if layer != "episodic" or day <= 0 or today <= day:
        return 1.0
    faded: float = 0.5 ** ((today - day) / HALF_LIFE_DAYS)
    return AGE_FLOOR + (1.0 - AGE_FLOOR) * faded


def _shares_file(files: str, wanted: list[str]) -> bool:
    if not files or not wanted:
        return False
    have = files.split("\n")
    return any(
        one == two or one.endswith("/" + two) or two.endswith("/" + one)
        for one in have
        for two in wanted
    )


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

    `counts` says how many of the `total` sections of the stores have each word of the cue.
    """
    chosen: list[Candidate] = []
    said: list[set[str]] = []
    for one, words in _relevant(found, cue, worths(cue.words, counts, total)):
        if chosen and one.score < chosen[0].score * WEAKEST_OF_BEST:
            break
        if is_repeat(words, said):
            continue
        said.append(words)
        chosen.append(one)
    return chosen


def _relevant(
    found: list[Candidate], cue: Cue, asked: dict[str, float]
) -> list[tuple[Candidate, set[str]]]:
    """The relevant ones with the words of their texts, best first.

    BM25 of two stores cannot be compared: the same word is rare in a large one and common in a
    small one. So each store's best counts as one, and what decides between stores is how much of
    the cue is answered.
    """
    fit = [one for one in found if is_fit(one, cue)]
    best: dict[str, float] = {}
    for one in fit:
        best[one.scope] = max(one.text_score, best.get(one.scope, 0.0))
    for one in fit:
        rate(one, best[one.scope], cue)
    fit.sort(key=by_score)
    relevant: list[tuple[Candidate, set[str]]] = []
    known: dict[str, list[str]] = {}
    for one in fit[:MOST_JUDGED]:
        text = index_words(one.text, known)
        # The files are the memory's: that they answer says nothing of one of its sections.
        files = "" if one.anchor else one.files
        about = index_words(f"{one.shown_title}\n{one.trigger}\n{files}", known)
        coverage, weight, hits = evidence(asked, f"{about} {text}")
        one.parts["coverage"], one.parts["weight"] = round(coverage, 3), round(weight, 3)
        if is_relevant(coverage, weight, hits):
            one.score *= (1.0 + coverage) / 2.0
            relevant.append((one, set(text.split())))
    relevant.sort(key=lambda pair: by_score(pair[0]))
    return relevant


def is_fit(one: Candidate, cue: Cue) -> bool:
    """Whether a candidate may be said unasked at all."""
    if one.status == "superseded" or one.trust == "external":
        return False
    return not one.project or not cue.project or one.project == cue.project


def related_names(chosen: list[Candidate], scope: str) -> list[str]:
    """The ids that the chosen memories of one store name as related, one hop from them."""
    have = {one.id for one in chosen}
    names = [n for one in chosen if one.scope == scope for n in one.related.split("\n") if n]
    return [name for name in dict.fromkeys(names) if name not in have][:MOST_RELATED]


def by_score(one: Candidate) -> tuple[float, str, str]:
    """Best first; ties by name and scope, so that the order never depends on the index's."""
    return (-one.score, one.name, one.scope)


def chosen_words(counts: dict[str, int], most_rows: int) -> list[str]:
    """The words to look up, rarest first, until they would give more than `most_rows` rows.

    A word that half the store has costs much and says little; the candidates that the rare words
    bring are judged by all words afterwards.
    """
    known = sorted((count, word) for word, count in counts.items() if count > 0)
    chosen: list[str] = []
    rows = 0
    for count, word in known:
        if chosen and rows + count > most_rows:
            break
        chosen.append(word)
        rows += count
    return chosen
