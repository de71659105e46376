"""Relevance: how much of a query a text covers, and when that is enough to inject it.

Pure; more text is never less evidence. Hooks import this module, so it imports little.
"""

from recollect._fastimport import IGNORE_CASE, Collection, Iterable, Pattern
from recollect.text.tokens import (
    PARTICLES,
    STOP_PAIRS,
    STOP_WORDS,
    chunk_terms,
    content_words,
    cue_words,
    function_words,
    index_terms,
    is_pair,
    plain_words,
    stem,
    text_file,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.search.rank import Candidate

# Stems of words that say little in a query about any project: what everybody types all day, and
# English that is no term of anything.
EVERYDAY, USUAL = frozenset(text_file("everyday").split()), frozenset(text_file("usual").split())
FUNCTION_WORDS = function_words()

# Stems by which somebody asks for one of its kind, and the stems of those: MySQL is a database.
_KINDS = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("databa db 数据 据库", "postgresql postgr mysql mariadb sqlit mongodb cockroachdb clickhous dynamodb mssql"),
        ("queu broker 队列", "kafka rabbitmq sqs nat celer redis pulsar"),
        ("cach 缓存", "redis memcach valk"),
        ("bundler bundl 打包", "webpack vit rollup esbuild parcel turbopack"),
        ("framework 框架", "react vu angular svelt django flask fastapi rail spring express laravel nextj"),
        ("ci", "jenkin circleci gitlab buildkit travi"),
        ("auth authentic login 登录 认证", "jwt oauth saml oidc cook"),
    )
)  # fmt: skip

# How much a word is worth: 1 where one text of a thousand has it. What is known of the store is
# weighed with what is known of the language, as if this many texts had been read before.
READ_BEFORE = 200
RARE = 0.001  # the share of texts that have a word of which nothing is known
OF_EVERYDAY, OF_USUAL = 0.5, 0.02  # … one of these, whatever the store says
OF_TERM, FEW = 0.006, 8  # a term that so few sections have is one in the smallest store, too
FEW_OF_CHINESE = 25  # where it has fewer words for more things
LONGEST_WHOLE = (
    4  # letters of a stem that a longer word does not match, as `config` matches `configuration`
)
SHORT = 60  # words; each time that a text is twice as long, its words are worth so much less
LESS_IN_LONG = 0.1
IN_EVERY_TEXT = 0.11  # what everybody says is not worth more
LEAST_TELLING = 0.45  # what is worth less says nothing by itself
OF_OWN_NAME = 0.4  # the project's name, in the project; its words share that
TELLING = 0.7
# How much evidence makes a memory relevant (see `shortfall`).
ENOUGH_COVERAGE, ENOUGH_OF_USUAL, ENOUGH_IN_PASSING = 0.5, 0.8, 0.65
LEAST_COVERAGE, ENOUGH_WEIGHT = 0.25, 1.4
LEAST_OF_PAIRS = 0.4  # a sentence in Chinese has more pairs than words
ENOUGH_USUAL = 1.1  # two of them
ENOUGH_OF_ASKED, ENOUGH_ASKED = 0.65, 0.8  # of a question
UNKNOWN_WORTH = 0.6
UNKNOWN_PAIR_WORTH = 0.3  # of two Chinese characters: half of all pairs are no words
_PRONOUNS = frozenset("我你您他她它咱们")  # beside one of them hardly any character makes a word
DOCUMENTS = (".md", ".mdc", ".mdx", ".txt", ".rst")
_ENDS = (". ", "! ", "? ", "。", "！", "？", "；")
_ASKS = Pattern(
    r"[?？吗]$|^(?:do|does|did|is|are|was|were|should|must|may|have|has|how|which|what|where|why|who|when)\b",
    IGNORE_CASE,
)
_DENIES = Pattern(
    r"\b(?:not|no|never|cannot|without|stop|avoid|instead|rather|drop|remove|delete|replace|revert|undo|switch from|migrate|get rid)\b|n['’]?t\b|[不别勿没无未非]",
    IGNORE_CASE,
)
LONGEST_SAID = 4_000  # characters of a cue
LONGEST_MARK = 4  # of "- " before a text
USING = frozenset("use us used using".split())  # in “what do we use for logs?”
_LISTING = frozenset(" -*,、\n")  # what stands between the commands of a list
_SIGNS, _PATH_SIGNS = ".,;:!?()[]\"'`", frozenset("./")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")  # most of them from “what’s” and “don’t”


def term_weights(
    words: list[str],
    counts: dict[str, int],
    total: int,
    named: "Collection[str]" = (),
    own: "Collection[str]" = (),
) -> dict[str, float]:
    """What each word of a cue asks for, as `term_weight` has it, where `total` sections were counted.

    The keys are the words as `found_in` looks for them. A word that no memory has cannot be
    answered; it still says that the cue is about more. One that texts write as two (`oncall`) is
    counted as these (`on call`). But a word that was only joined from others
    (`use callback` → `usecallback`) asks for nothing that they do not. `named` are those that are
    written as a name, and so no everyday words: Go. `own` are those of the project's own name, which
    say nothing by themselves in the project.
    """
    apart = {key.replace(" ", ""): key for key in counts if " " in key}
    apart = {word: key for word, key in apart.items() if not counts.get(word, 0)}
    have = set(words)
    words = [apart.get(word, word) for word in words]
    known = {word for word in words if counts.get(word, 0)}
    everyday = {word for word in words if word not in named and is_everyday(word)}
    asked: dict[str, float] = {}
    for word in words:
        count = counts.get(word, 0)
        if count:
            asks_nothing = is_joined(word, everyday)
        else:
            is_part = _is_between(word, known) or _is_inside(word, everyday)
            asks_nothing = is_part or is_joined(word, have)
        if asks_nothing or _is_tail(word, everyday):
            continue
        start = start_of(word)
        value = term_weight(word, count, total, is_named=word in named)
        value = min(value, OF_OWN_NAME / len(own)) if word in own else value
        if not count:
            value = unknown(word, value)
        asked[start] = max(value, asked.get(start, 0.0))
    return asked


def unknown(word: str, worth: float) -> float:
    """How much a word asks for that is worth so much, where no memory has it."""
    return worth * (UNKNOWN_PAIR_WORTH if is_pair(word.strip()) else UNKNOWN_WORTH)


def start_of(word: str) -> str:
    """A word as `found_in` looks for it: a short stem as a whole word, a longer one as a beginning."""
    start = stems_of(word)
    return f" {start} " if len(start) <= LONGEST_WHOLE and start.isascii() else f" {start}"


def stems_of(word: str) -> str:
    """The stem of a word, or those of the two that it is written as."""
    return " ".join(map(stem, word.split(" "))) if " " in word else stem(word)


def term_weight(word: str, count: int, total: int, *, is_named: bool = False) -> float:
    """How much it tells that a text has a word that `count` of `total` sections have."""
    share = (count + READ_BEFORE * RARE) / (total + READ_BEFORE)
    if is_everyday(word):
        share = OF_USUAL if is_named else max(share, OF_EVERYDAY)
    else:
        usual = OF_USUAL if stem(word) in USUAL else OF_TERM
        few = FEW_OF_CHINESE if is_pair(word) else FEW
        share = min(share, usual) if count <= few else share
        share = max(share, usual) if usual == OF_USUAL else share
    return _logarithm(share) / _logarithm(RARE)


def is_everyday(word: str) -> bool:
    """Whether a word is one that everybody types all day."""
    if is_pair(word) and not _PRONOUNS.isdisjoint(word):
        return True
    if word in _LETTERS or word.isdecimal() or word in STOP_WORDS or word in FUNCTION_WORDS:
        return True
    start = stem(word)  # “thats” is “that”
    return start in EVERYDAY or start in STOP_WORDS


def _logarithm(number: float) -> float:
    # The natural one to 4 places: for `math` a hook would have to load another library.
    almost_one: float = number**1e-6
    return (almost_one - 1.0) * 1e6


def is_joined(word: str, others: set[str]) -> bool:
    """Whether a word is two others that stand beside each other: `use callback` → `usecallback`."""
    return any(
        word[i:] in others and (word[:i] in others or word[:i] in STOP_WORDS)
        for i in range(1, len(word))
    )


def _is_between(word: str, known: set[str]) -> bool:
    """Whether a pair of Chinese characters is no word, but the end of one and the start of another.

    连接池满了 is cut into 连接, 接池, 池满, 满了.
    """
    return is_pair(word) and any(
        is_pair(one) and (one[1] == word[0] or one[0] == word[1]) for one in known
    )


def _is_inside(word: str, everyday: set[str]) -> bool:
    """Whether a pair is only where one everyday word ends and the next begins: 结一 in 总结一下."""
    if not is_pair(word):
        return False
    pairs = [one for one in everyday if is_pair(one)]
    return any(one[1] == word[0] for one in pairs) and any(
        one[0] == word[1] for one in (*pairs, *STOP_PAIRS)
    )


def _is_tail(word: str, everyday: set[str]) -> bool:
    """Whether a pair is no word, though it may be one elsewhere: 试用 in 前端测试用什么."""
    if not is_pair(word) or word[1] not in PARTICLES:
        return False
    return any(is_pair(one) and one[1] == word[0] for one in everyday)


def kinds_in(asked: dict[str, float], text: str) -> str:
    """The words of a question that ask for a thing of a kind, where a text (see `found_in`) names one."""
    words = {start.strip() for start in asked}
    said = set(text.split()) if any(words & kind for kind, _ in _KINDS) else set()
    return " ".join(
        word for kind, things in _KINDS if said & things for word in sorted(words & kind)
    )


def found_in(asked: dict[str, float], about: str, text: str = "") -> dict[str, float]:
    """What of a cue is answered (see `term_weights`) by what a memory is about and by its text.

    Both are made by `index_terms`. That a long text has a word tells less.
    """
    about, text = f" {about} ", f" {text} "
    less = LESS_IN_LONG * (text.count(" ") // SHORT).bit_length()
    found = {}
    for start, worth in asked.items():
        if start in about:
            found[start] = worth
        elif start in text:
            found[start] = max(worth - less, worth / 4)
    return found


def without_terms(asked: dict[str, float], words: "Iterable[str]") -> dict[str, float]:
    """What a cue asks for (see `term_weights`), or what of it was found, without some of its words."""
    passed = set(map(start_of, words))
    return {start: worth for start, worth in asked.items() if start not in passed}


def incidental_words(cue: str, named: dict[str, str], said: str, text: str) -> list[str]:
    """The words of a cue by which a text is not meant, though it has them.

    They are everyday words that the cue writes as a name (`named`, by the word) and that are no name
    in what is `said`, and those of a document that it hands over or of a command that it writes out.
    """
    others = [word for word, name in named.items() if name not in said]
    others += _handed_over(cue, text) if "@" in cue and "@" in text else []
    return others + (_written_out(cue, text) if "`" in text else [])


def _handed_over(cue: str, text: str) -> list[str]:
    """The words that a cue has only as the name of a document that it hands over, and a text points at.

    Whoever gets `@rules.md` reads it: a rule to follow @rules.md tells nothing more.
    """
    chunks = [chunk.strip(_SIGNS) for chunk in cue.split()]
    given = {chunk for chunk in chunks if chunk.startswith("@") and chunk.endswith(DOCUMENTS)}
    given = {chunk for chunk in given if chunk in text}
    rest = set(cue_words(" ".join(chunk for chunk in chunks if chunk not in given)))
    return [word for word in cue_words(" ".join(given)) if word not in rest]


def _written_out(cue: str, text: str) -> list[str]:
    """The words that a cue has only in commands of a list, which it writes out as they stand there.

    Whoever types `make check` is told nothing by a list that has it.
    """
    parts = text.split("`")
    if not _LISTING.issuperset("".join(parts[::2])):
        return []
    rest = cue
    for command in sorted(parts[1::2], key=len, reverse=True):
        rest = rest.replace(command, " ") if " " in command else rest
    have = set(cue_words(rest))
    return [word for word in cue_words(cue) if word not in have] if rest != cue else []


def says_again(cue: str, text: str) -> bool:
    """Whether a sentence of a cue has all the words of a text, asks nothing and denies nothing of it.

    One sentence alone may well be a query.
    """
    wanted = content_words(text) if len(cue) <= LONGEST_SAID else set()
    if not wanted or len(text) > len(cue) + LONGEST_MARK or not wanted <= content_words(cue):
        return False
    # “Use npm, not pnpm” has all the words of “Use pnpm, not npm”.
    order = " ".join(plain_words(text)) if _DENIES.search(text) else ""
    for mark in _ENDS:
        cue = cue.replace(mark, mark + "\n")
    sentences = [line.strip() for line in cue.split("\n") if line.strip()]
    return len(sentences) > 1 and any(
        not _ASKS.search(one) and bool(_DENIES.search(one)) == bool(_DENIES.search(text))
        for one in sentences
        if wanted <= content_words(one) and order in " ".join(plain_words(one))
    )


NEARLY_ALL = 0.8  # of a cue: “run the migrations” is about nothing but `make db-migrate`


def beyond_a_command(
    found: dict[str, float], asked: dict[str, float], title: str, text: str
) -> dict[str, float]:
    """What was found of a cue (see `term_weights`), or nothing if it is only a part of a name in a command.

    Who upgrades React is not told of `make db-upgrade`. The whole name, two of its words, or a word
    beside it are enough, and so is nearly all of the cue.
    """
    if sum(found.values()) >= NEARLY_ALL * sum(asked.values()):
        return found
    spans = text.split("`")[1::2]
    names = {chunk for span in spans if " " in span.strip() for chunk in span.split()}
    names = {chunk for chunk in names if not _PATH_SIGNS.intersection(chunk) and _has_parts(chunk)}
    if not names:
        return found
    told = index_terms(" ".join(_without_names(f"{title} {text}", names)))
    rest = found_in(found, told)
    if any(worth >= LEAST_TELLING for worth in rest.values()):
        return found
    return found if len(found.keys() - rest.keys()) != 1 else {}


def _has_parts(chunk: str) -> bool:
    """Whether a chunk is several words in one: `db-upgrade`. What is set stands by itself: `PORT=0`."""
    name, is_set, _ = chunk.partition("=")
    return " " in chunk_terms(name if is_set and name.isidentifier() else chunk)


def _without_names(text: str, names: set[str]) -> list[str]:
    """The chunks of a text without some names, quoted or not."""
    return [chunk for chunk in text.split() if chunk.strip(_SIGNS) not in names]


def shortfall(
    asked: dict[str, float],
    found: dict[str, float],
    about: str,
    named: str,
    *,
    is_ours: bool = False,
    is_question: bool = False,
    wanted: "list[str] | tuple[()]" = (),
) -> str:
    """Why that much evidence is not enough to say something unasked; nothing where it is.

    `about` has the words of the titles, tags and triggers, `named` those of tags and triggers only.
    `is_ours` is set for a question about the project, `is_question` for any that points at nothing
    before it; `wanted` are the words of a question that names all that it asks for. What is wrong
    is `everyday`, `passing` or `too-little`.
    """
    most = max(found.values(), default=0.0)
    subject = found_in(found, about)
    if wanted and all(start in subject for start in wanted):
        return ""  # whatever its words are: this is what it asks for
    weight = sum(found.values())
    coverage = weight / (sum(asked.values()) or 1.0)
    if most < LEAST_TELLING:
        return "everyday" if coverage >= ENOUGH_COVERAGE else "too-little"
    if len(found) == 1 and not subject:
        is_rare = most >= TELLING or is_ours
        enough = ENOUGH_IN_PASSING if is_rare else ENOUGH_OF_USUAL
        return "" if coverage >= enough else "passing"
    if most < TELLING:
        is_about = coverage >= ENOUGH_COVERAGE and (is_ours or weight >= ENOUGH_USUAL)
        # A tag or trigger is enough, also where it is an ordinary word.
        tagged = found_in(found, named).values()
        is_about |= coverage >= ENOUGH_COVERAGE and max(tagged, default=0.0) >= LEAST_TELLING
        if is_question:
            is_about |= coverage >= ENOUGH_OF_ASKED and weight >= ENOUGH_ASKED
        if is_about or coverage >= ENOUGH_OF_USUAL:
            return ""
        return "everyday" if coverage >= ENOUGH_COVERAGE else "too-little"
    is_named = any(worth >= TELLING for worth in found_in(found, named).values())
    least = LEAST_OF_PAIRS if _is_of_pairs(found) else LEAST_COVERAGE
    is_enough = (
        coverage >= ENOUGH_COVERAGE
        or (without_overlap(found) >= ENOUGH_WEIGHT and coverage >= least)
        or (is_named and coverage >= LEAST_COVERAGE)
    )
    return "" if is_enough else "too-little"


def _is_of_pairs(found: dict[str, float]) -> bool:
    """Whether most of what was found are pairs of Chinese characters."""
    weight = sum([worth for start, worth in found.items() if is_pair(start.strip())])
    return weight > sum(found.values()) / 2


def without_overlap(found: dict[str, float]) -> float:
    """The weight of what was found, where two pairs that share a character are one word of three."""
    weight = sum(found.values())
    pairs = {start.strip(): worth for start, worth in found.items() if is_pair(start.strip())}
    ends = {pair[1] for pair in pairs}
    return weight - sum([worth / 2 for pair, worth in pairs.items() if pair[0] in ends])


# ------------------------------------------------------------------ several about the same thing

LEAST_SHARED = 3  # words of two titles without tags
Subject = tuple[set[str], set[str]]


def subject_of(title: str, tags: str) -> Subject:
    """What a memory is about: the words of its title, and its tags (a line each)."""
    words = {stem(word) for word in plain_words(title) if not word.isdecimal()}
    return words, set(tags.lower().split("\n")) - {""}


def is_same_subject(one: Subject, other: Subject) -> bool:
    """Whether one may say of the other's subject how it is now.

    They have at least half of their tags in common and a word of their titles, or hardly differ in
    their titles: in the titles of a project's history the same words come again and again.
    """
    common = len(one[0] & other[0])
    tags = len(one[1] & other[1])
    if common and 2 * tags >= len(one[1] | other[1]) > 0:
        return True
    return common >= LEAST_SHARED and 5 * common >= 3 * len(one[0] | other[0])


def is_later(one: str, other: str) -> bool:
    """Whether a time is after another; within a day, if both have the time of day."""
    if one[:10] != other[:10]:
        return one[:10] > other[:10] > ""
    return min(len(one), len(other)) > 10 and one[11:16] > other[11:16]


def prefer_newer(chosen: "list[Candidate]", one: "Candidate") -> None:
    """Put a later statement in place of one in the same words that it surely contradicts."""
    for at, other in enumerate(chosen):
        is_trusted = one.trust == "user" or other.trust != "user"
        if one.entry and is_trusted and is_later(one.created, other.created):
            from recollect.model.conflicts import conflict_between  # few cues find two such

            found = conflict_between(one.text.removeprefix("- "), other.text.removeprefix("- "))
            if found and found.certainty == "sure":
                chosen[at] = one
                return
