"""What an earlier session tells about a cue: the line that answers it, and what came of the session.

Pure. A session's page is a record and no statement, so it is told only to a cue that names what the
session was about: a question that a line answers, names that a line has, too, or the number of a
task, an issue or a pull request. Hooks import this module, so it imports little.
"""

from recollect.search import relevance
from recollect.text.tokens import cue_words, index_terms, is_cjk, is_stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.search.rank import Candidate, Cue

SECTIONS = frozenset("summary commits learned 摘要 提交 学到的".split())  # anchors
# … of a conversation that somebody saved; its decisions are entries.
OF_CONVERSATION = frozenset(
    "summary topic-summary important-conclusions 摘要 主题摘要 主题概要 重要结论".split()
)
OUTCOME = ("- Outcome: ", "- 结果：")
REQUEST = ("- Asked: ", "- 请求：")
# What a plan begins with is how it was before.
UNTOLD = ("- Asked by a program", "- 程序请求", "- Wrote", "- 写了", "- Plan", "- 计划")
LONGEST_LINE = 400  # characters
LONGEST_HEAD = 12  # … of "- Outcome: "
# Instructions that an agent quotes: what they begin with, and what they write in capitals.
_ORDERING = ("Do not ", "Do NOT ", "Don't ", "You must ", "You MUST ")
_ORDERS = frozenset("NEVER ALWAYS NOT BOTH ANY ONLY".split())
_MUST = frozenset(("MUST", "REQUIRED"))
LONGEST_ENDING = 4  # letters: `.json`
LONG_LINE = 50  # words; of a longer line each word tells less
LONG_REQUEST = 40  # words; what a longer one names was pasted into it
MOST_WORDS = 60  # a longer cue says itself what it is about
# How much of a cue a line and the title of its session must answer, by share and by weight.
ENOUGH_OF_QUESTION, ENOUGH_FOR_QUESTION = 0.65, 1.0
ENOUGH_OF_ALL, ENOUGH_FOR_ALL, LEAST_OF_ALL = 0.9, 0.75, 3  # of usual words, all of them
ENOUGH_OF_SUBJECT = 0.85
ENOUGH_OF_NAMES, ENOUGH_FOR_NAMES, LEAST_NAMES = 0.5, 2.0, 2
ENOUGH_OF_NAME = 0.4
ENOUGH_FOR_NAMES_ASKED = 1.4  # in a question
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
        """`asked` comes from `relevance.term_weights`."""
        chunks = cue.text.split() if len(cue.words) <= MOST_WORDS else []
        have = {*cue.words}
        joined = {relevance.start_of(word) for word in have if relevance.is_joined(word, have)}
        self.asked = asked
        self.single = asked.keys() - joined
        self.whole = sum(asked.values()) or 1.0
        self.whole_single = sum([asked[start] for start in self.single]) or 1.0
        self.numbers = references(chunks)
        self.is_question = cue.is_question and _begins_as_question(cue.text, chunks)
        self.names: dict[frozenset[str], bool] = {}
        self.wholes: frozenset[str] = frozenset()
        self.found_by: dict[str, frozenset[str]] = {}
        self.parts: dict[str, frozenset[str]] = {}
        given = {chunk for chunk in chunks if _is_handed_over(chunk)}
        if named := {*filter(is_name, chunks)}:
            self.names = {
                _starts(chunk, is_code=chunk in named): chunk in named for chunk in chunks
            }
            self.wholes = frozenset(map(_whole, named))
            self.found_by = {name: _found_by(name) for name in named}
        if by := self.found_by | dict.fromkeys(given, frozenset()):
            spoken = " ".join(chunk for chunk in chunks if chunk not in by)
            self.parts = _parts_of(by, set(map(relevance.start_of, cue_words(spoken))))

    def finds(
        self, title: str, said: str, came: str, known: dict[str, str]
    ) -> "tuple[float, float] | None":
        """`(weight, coverage)` if a line of the session with this title tells enough, else None.

        `came` is what came of the session.
        """
        is_request, line = said.startswith(REQUEST), said[2:]
        own = index_terms(line, known)
        about = index_terms(title, known)
        size = own.count(" ")
        if size < LONG_LINE:
            about = f"{about} {own}"
        found = self._without_parts(relevance.found_in(self.asked, about, own))
        enough = relevance.without_overlap(found), sum(found.values()) / self.whole
        if self.numbers:
            about = f"{title} {came if is_request else line}"
            return None if self.numbers.isdisjoint(references(about.split())) else enough
        in_line = self._without_parts(relevance.found_in(self.asked, own))
        # The title alone stands in each of its lines.
        if not in_line or (not self.is_question and self._is_of_a_file(found)):
            return None
        single = {start: worth for start, worth in found.items() if start in self.single}
        is_long = is_request and size > LONG_REQUEST
        if self.is_question and self._answers(single, title, known):
            return enough
        least = ENOUGH_FOR_NAMES_ASKED if self.is_question else ENOUGH_FOR_NAMES
        if is_long or self._weight(single, found) < least:
            return None
        if enough[1] >= ENOUGH_OF_NAMES and self._has_names(found):
            return enough
        is_told_of = enough[1] >= ENOUGH_OF_NAME and not is_request
        return enough if is_told_of and self._has_whole_name(in_line) else None

    def telling(self, outcome: str, known: dict[str, str]) -> str:
        """An outcome from where most of the cue is told, if its beginning lacks a telling word of it.

        What an agent quoted of its instructions came of nothing.
        """
        head, mark, rest = outcome.partition(": " if ": " in outcome[:LONGEST_HEAD] else "：")
        pieces = [one for one in _pieces(rest) if not _is_order(one)]
        best, most = "", -relevance.LEAST_TELLING
        room = LONGEST_LINE - len(head + mark)
        for n in range(len(pieces)):
            text = " ".join(pieces[n:])
            whole = text if len(text) <= room else " ".join(_fitting(pieces[n:], room))
            found = sum(relevance.found_in(self.asked, index_terms(whole, known)).values())
            if found >= most + relevance.LEAST_TELLING:
                best, most = text[:room], found
        return f"{head}{mark}{best}" if best else ""

    def says_again(self, title: str, line: str, known: dict[str, str]) -> bool:
        """Whether a request says no more than the cue and the title of its session."""
        if not line.startswith(REQUEST):
            return False
        have = set(index_terms(title, known).split()).union(*map(str.split, self.asked))
        words = [word for word in index_terms(line[2:], known).split() if word not in have]
        return not any(not is_stop(word) and not relevance.is_everyday(word) for word in words)

    def _without_parts(self, found: dict[str, float]) -> dict[str, float]:
        """What was found without parts of a name in code that was not found itself."""
        parts = self.parts
        return {
            start: worth
            for start, worth in found.items()
            if start not in parts or not parts[start].isdisjoint(found)
        }

    def _is_of_a_file(self, found: dict[str, float]) -> bool:
        """Whether one file was found, and nothing telling beside it: that is where, and not what."""
        names = [name for name, by in self.found_by.items() if not by.isdisjoint(found)]
        if len(names) != 1 or not _is_file(names[0]):
            return False
        rest = [worth for start, worth in found.items() if start not in self.parts]
        return max(rest, default=0.0) < relevance.LEAST_TELLING

    def _weight(self, single: dict[str, float], found: dict[str, float]) -> float:
        """What was found weighs, where each name in code counts once beside its parts."""
        names = [words for words, is_code in self.names.items() if is_code]
        whole = [max((found.get(word, 0.0) for word in words), default=0.0) for words in names]
        return relevance.without_overlap(single) + sum(whole)

    def _answers(self, single: dict[str, float], title: str, known: dict[str, str]) -> bool:
        """Whether enough of a question was found; a word that only joins others counts for nothing."""
        coverage = sum(single.values()) / self.whole_single
        weight = relevance.without_overlap(single)
        if coverage >= ENOUGH_OF_SUBJECT and self._is_subject(title, known):
            return True
        has_all = coverage >= ENOUGH_OF_ALL and len(single) >= LEAST_OF_ALL
        if has_all and weight >= ENOUGH_FOR_ALL:
            return True
        return coverage >= ENOUGH_OF_QUESTION and weight >= ENOUGH_FOR_QUESTION

    def _is_subject(self, title: str, known: dict[str, str]) -> bool:
        """Whether a session was about the telling word of a cue."""
        found = relevance.found_in(self.asked, index_terms(title, known))
        return any(self.asked[start] >= relevance.TELLING for start in found)

    def _has_names(self, found: dict[str, float]) -> bool:
        """Whether several things that the cue names were found, and one of them is a name in code."""
        telling = {one for one in found if self.asked[one] >= relevance.TELLING}
        named = [is_code for words, is_code in self.names.items() if not telling.isdisjoint(words)]
        return len(named) >= LEAST_NAMES and any(named)

    def _has_whole_name(self, found: dict[str, float]) -> bool:
        """Whether a name in code that hardly any memory has was found, and not only parts of it."""
        return any(found.get(start, 0.0) >= relevance.TELLING for start in self.wholes)


def answering_session(
    found: "list[Candidate]", cue: "Cue", asked: dict[str, float]
) -> "list[Candidate]":
    """The session that tells most about a cue, with the text that says it, or none.

    `found` are sections of sessions; `asked` comes from `relevance.term_weights`.
    """
    wanted = _Asked(cue, asked)
    if not (wanted.numbers or wanted.is_question or wanted.names):
        return []
    known: dict[str, str] = {}
    best: tuple[tuple[float, int], Candidate, str, float] | None = None
    for one in found:
        about, came = one.title, _outcome_of(one)
        if one.kind != "session":  # its keywords were chosen by whoever saved it
            about = f"{about}\n{one.tags}"
        for line in _lines_of(one):
            if wanted.is_question and line.startswith(REQUEST):
                is_short = line.count(" ") <= LONG_REQUEST
                about = f"{one.title} {line[2:]}" if is_short else one.title
                continue  # what only asks is no answer; what comes next may be one to it
            enough = wanted.finds(about, line, came, known)
            if enough and (best is None or (enough[0], one.day) > best[0]):
                best = (enough[0], one.day), one, line, enough[1]
    if best is None:
        return []
    (weight, _), one, line, coverage = best
    one.parts = one.parts | {"coverage": round(coverage, 3), "weight": round(weight, 3)}
    came = wanted.telling(_outcome_of(one), known)
    if line.startswith(OUTCOME) or (came and wanted.says_again(one.title, line, known)):
        line = came or line
    one.text = "\n".join(said[:LONGEST_LINE] for said in dict.fromkeys((line, came)) if said)
    return [one]


def without_requests(
    asked: dict[str, float], records: "list[Candidate]", others: "list[Candidate]"
) -> dict[str, float]:
    """What a cue asks for, where what only requests of sessions name counts as known to nobody.

    That somebody asked the same before makes no memory an answer, and none less of one.
    """
    lines = [(line, one.title) for one in records for line in one.text.split("\n")]
    said = [line for line, _ in lines if not line.startswith(REQUEST)]
    said += [f"{one.own_title} {one.trigger} {one.tags} {one.text}" for one in others]
    wanted = [f"{title} {line}" for line, title in lines if line.startswith(REQUEST)]
    only = relevance.found_in(asked, index_terms("\n".join(wanted)))
    for start in relevance.found_in(asked, index_terms("\n".join(said))):
        only.pop(start, None)
    return asked | {start: relevance.unknown(start, worth) for start, worth in only.items()}


def _is_order(piece: str) -> bool:
    """Whether a sentence tells what to do, in place of what was done."""
    words = {*piece.replace(",", " ").split()}
    is_stressed = words & _MUST and ("you" in words or words & _ORDERS or words >= _MUST)
    return piece.startswith(_ORDERING) or bool(is_stressed)


def _pieces(text: str) -> list[str]:
    """The sentences of an outcome, and the parts of a list in it, each with its end."""
    pieces, chunks = [], text.split(" ")
    begun = 0
    for n, chunk in enumerate(chunks, 1):
        if chunk.endswith((".", ";", "!", "?", "。", "；")) or n == len(chunks):
            pieces.append(" ".join(chunks[begun:n]))
            begun = n
    return [piece for piece in pieces if piece]


def _fitting(pieces: list[str], room: int) -> "Iterator[str]":
    """The first of some pieces: those that fit whole."""
    for piece in pieces:
        room -= len(piece) + 1
        if room < -1:
            return
        yield piece


def _outcome_of(one: "Candidate") -> str:
    return next((said for said in one.text.split("\n") if said.startswith(OUTCOME)), "")


def _lines_of(one: "Candidate") -> "Iterator[str]":
    """The lines of a section that tell something of a session."""
    lines = one.text.split("\n")
    if one.kind != "session":
        said = lines if one.anchor in OF_CONVERSATION else ()
        yield from ("- " + line.removeprefix("- ") for line in said if line)
    elif one.anchor in SECTIONS:
        yield from (said for said in lines if said.startswith("- ") and not said.startswith(UNTOLD))


def _starts(chunk: str, *, is_code: bool) -> frozenset[str]:
    """The words of a chunk; of a name in code the joined ones: `auth` is not `auth_wrapper`."""
    words = cue_words(chunk)
    if is_code:
        have = {*words}
        words = [word for word in words if relevance.is_joined(word, have)] or words
    return frozenset(map(relevance.start_of, words))


def _found_by(name: str) -> frozenset[str]:
    """By which words a name is found: a path by its last part if that is a name, a link by nothing else."""
    end = name.rstrip(_EDGES + "/").rpartition("/")[2]
    return _starts(end if is_name(end) else "" if "://" in name else name, is_code=True)


def _is_handed_over(chunk: str) -> bool:
    """Whether a chunk is a document that is handed over: `@rules.md`."""
    return chunk.startswith("@") and chunk.rstrip(_EDGES).endswith(relevance.DOCUMENTS)


def _parts_of(found_by: dict[str, frozenset[str]], spoken: set[str]) -> dict[str, frozenset[str]]:
    """The words that a cue has only in names, each with that by which these names are found."""
    parts: dict[str, frozenset[str]] = {}
    for name, wholes in found_by.items():
        for start in map(relevance.start_of, cue_words(name)):
            if start not in spoken:
                parts[start] = parts.get(start, frozenset()) | wholes
    return parts


def _is_file(name: str) -> bool:
    """Whether a name is that of a file: `src/kettle.py`, `kettle.py`."""
    stem, dot, ending = name.strip(_EDGES).rpartition(".")
    return bool(stem and dot) and ending.isalnum() and len(ending) <= LONGEST_ENDING


def _whole(chunk: str) -> str:
    """A name in code as one word."""
    return relevance.start_of("".join(filter(str.isalnum, chunk)).lower())


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
        # `and/or` is no path.
        return any(char.isalpha() for char in word) and not is_alternative(word)
    return any(word[n - 1].islower() and word[n].isupper() for n in range(1, len(word)))


def is_alternative(word: str) -> bool:
    """Whether two words stand beside a stroke, as in `and/or`: no path has only that."""
    one, _, other = word.partition("/")
    return one.isalpha() and other.isalpha()


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
