"""What an earlier session tells about a cue: the line that answers it, and what came of the session.

Pure. A session's page is a record and no statement, so it is told only to a cue that names what the
session was about: a question that a line answers, names that a line has, too, or the number of a
task, an issue or a pull request. Hooks import this module, so it imports little.
"""

from recollect.search import evidence
from recollect.text.tokens import cue_words, index_terms, is_cjk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.search.rank import Candidate, Cue

SECTIONS = frozenset("summary commits learned 摘要 提交 学到的".split())  # anchors
OUTCOME = ("- Outcome: ", "- 结果：")
UNTOLD = ("- Asked by a program", "- 程序请求", "- Wrote", "- 写了")
LONGEST_LINE = 400  # characters
LONG_LINE = 50  # words; of a longer line each word tells less
MOST_WORDS = 40  # a longer cue says itself what it is about
# How much of a cue a line and the title of its session must answer, by share and by weight.
ENOUGH_OF_QUESTION, ENOUGH_FOR_QUESTION = 0.65, 1.0
ENOUGH_OF_SUBJECT = 0.85
ENOUGH_OF_NAMES, ENOUGH_FOR_NAMES, LEAST_NAMES = 0.5, 2.0, 2
LEAST_DIGITS = 3  # shorter numbers count the points of a review, and mean another one tomorrow
# What looks like the key of an issue tracker and is none: `UTF-8`, `SHA-256`.
_STANDARDS = frozenset("UTF ISO SHA MD AES RSA RFC GPT CVE HTTP TLS".split())
_COUNTED = frozenset("task issue pr mr pull request ticket bug story 任务 工单".split())
# How a question begins that asks how something is; one that ends so asks whether the last answer was right.
_ASKS = frozenset(
    "how which what where why who when is are was were do does did can may should must has have "
    "how's what's where's who's".split()
)
_LEADS = frozenset(
    "question and so ok okay hmm but q on in from at for with to by of since".split()
)
_PLEADING = "帮请"
_EDGES = ".,;:!?()[]{}<>\"'`*“”‘’，。；：！？（）"


class _Asked:
    """What a cue asks a session for."""

    def __init__(self, cue: "Cue", asked: dict[str, float]) -> None:
        """`asked` comes from `evidence.worths`."""
        chunks = cue.text.split() if len(cue.words) <= MOST_WORDS else []
        self.asked = asked
        self.whole = sum(asked.values()) or 1.0
        self.numbers = references(chunks)
        self.is_question = cue.is_question and _begins_as_question(cue.text, chunks)
        self.names: dict[frozenset[str], bool] = {}
        if any(map(is_name, chunks)):
            self.names = {_starts(chunk): is_name(chunk) for chunk in chunks}

    def finds(self, title: str, line: str, known: dict[str, str]) -> "tuple[float, float] | None":
        """`(weight, coverage)` if a line of the session with this title tells enough, else None."""
        own = index_terms(line, known)
        about = index_terms(title, known)
        if own.count(" ") < LONG_LINE:
            about = f"{about} {own}"
        found = evidence.found_in(self.asked, about, own)
        weight = sum(found.values())
        coverage = weight / self.whole
        if self.numbers:
            is_it = not self.numbers.isdisjoint(references(f"{title} {line}".split()))
            return (weight, coverage) if is_it else None
        if not evidence.found_in(self.asked, own):
            return None  # the title alone: it stands in each of its lines
        answers = coverage >= ENOUGH_OF_QUESTION and weight >= ENOUGH_FOR_QUESTION
        if self.is_question and (answers or self._is_subject(coverage, title, known)):
            return weight, coverage
        has_names = coverage >= ENOUGH_OF_NAMES and weight >= ENOUGH_FOR_NAMES
        return (weight, coverage) if has_names and self._has_names(found) else None

    def _is_subject(self, coverage: float, title: str, known: dict[str, str]) -> bool:
        """Whether hardly anything of the cue is missing, and a session was about its telling word."""
        found = evidence.found_in(self.asked, index_terms(title, known))
        is_telling = any(worth >= evidence.TELLING for worth in found.values())
        return coverage >= ENOUGH_OF_SUBJECT and is_telling

    def _has_names(self, found: dict[str, float]) -> bool:
        """Whether several things that the cue names were found, and one of them is a name in code."""
        telling = {one for one in found if self.asked[one] >= evidence.TELLING}
        named = [is_code for words, is_code in self.names.items() if not telling.isdisjoint(words)]
        return len(named) >= LEAST_NAMES and any(named)


def answering_session(
    found: "list[Candidate]", cue: "Cue", asked: dict[str, float]
) -> "list[Candidate]":
    """The session that tells most about a cue, with the text that says it, or none.

    `found` are sections of sessions; `asked` comes from `evidence.worths`.
    """
    wanted = _Asked(cue, asked)
    if not (wanted.numbers or wanted.is_question or wanted.names):
        return []
    known: dict[str, str] = {}
    best: tuple[tuple[float, int], Candidate, str, float] | None = None
    for one in found:
        for line in _lines_of(one):
            enough = wanted.finds(one.title, line[2:], known)
            if enough and (best is None or (enough[0], one.day) > best[0]):
                best = (enough[0], one.day), one, line, enough[1]
    if best is None:
        return []
    (weight, _), one, line, coverage = best
    one.parts = one.parts | {"coverage": round(coverage, 3), "weight": round(weight, 3)}
    came = next((said for said in one.text.split("\n") if said.startswith(OUTCOME)), line)
    one.text = "\n".join(said[:LONGEST_LINE] for said in dict.fromkeys((line, came)))
    return [one]


def _lines_of(one: "Candidate") -> "Iterator[str]":
    """The lines of a section that tell something of a session."""
    if one.anchor in SECTIONS:
        lines = one.text.split("\n")
        yield from (said for said in lines if said.startswith("- ") and not said.startswith(UNTOLD))


def _starts(chunk: str) -> frozenset[str]:
    return frozenset(evidence.start_of(word) for word in cue_words(chunk))


def _begins_as_question(text: str, chunks: list[str]) -> bool:
    """Whether a text asks from its beginning on, after a word or two that lead there.

    In Chinese it asks anywhere, but for what shall be done.
    """
    if not text.isascii() and any(map(is_cjk, text)):
        return not any(sign in text for sign in _PLEADING)
    words = (chunk.strip(_EDGES).lower() for chunk in chunks[:3])
    return next((word for word in words if word not in _LEADS), "") in _ASKS


def is_name(chunk: str) -> bool:
    """Whether a word is written as names in code are: `a_b`, `a.py`, `src/a`, `aB`.

    What a person hands over to be followed (`@rules.md`) and branches of a remote are not meant.
    """
    word = chunk.strip(_EDGES)
    if not word.isascii() or chunk.startswith(("@", "origin/", "upstream/")):
        return False
    if any(sign in word for sign in "_./"):
        return any(char.isalpha() for char in word)
    return any(word[n - 1].islower() and word[n].isupper() for n in range(1, len(word)))


def references(chunks: list[str]) -> set[str]:
    """The tasks, issues and pull requests that a text names by number: `task 012`, `#266`, `ENT-53`."""
    found = set()
    before = ""
    for chunk in chunks:
        word = chunk.strip(_EDGES)
        head, mark, number = word.rpartition("#")
        if not mark and "/" in word:
            head, _, number = word.rpartition("/")
            mark = "#" if head.endswith(("/pull", "/issues")) else ""
        is_number = number.isdecimal() and len(number) >= LEAST_DIGITS
        if is_number and (mark or before in _COUNTED):
            found.add(number)
        key, _, number = word.rpartition("-")
        if number.isdecimal() and len(key) > 1 and key.isalpha() and key.isupper():
            found |= set() if key in _STANDARDS else {word}
        before = word.lower()
    return found
