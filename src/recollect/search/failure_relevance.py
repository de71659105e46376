"""Whether a cue is about a failure that was captured, or about what helped.

Pure. What a captured failure and its fix quote is full of names by chance: the file that was not
formatted, the branch that was rejected, the flags of the command. A prompt about these is not about
the failure. Hooks import this module, seldom.
"""

from recollect.search import relevance
from recollect.search.session_relevance import is_name
from recollect.text.tokens import index_terms, is_stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.search.rank import Candidate

_SYMPTOM, _FAILED, _SOLUTION = (
    ("**Symptom", "**症状"),
    ("**Failed", "**失败的做法"),
    ("**Solution", "**解决办法"),
)
_CALL = "` ← `"
LEAST_OF_ERROR = 2  # words; one, where the prompt says that something fails, or nothing else
LEAST_OF_FIX = 2  # words, where the prompt says that something fails or is to be mended
LEAST_CAPITALS = 3
LONGEST_CUE = 4_000  # characters; what stands behind them was pasted
FAILING = (
    "error", " fail", " broke", "crash", "exception", "not found", "missing", "rejected", "not work", "n't work",
    "cannot", "can't ", " cant ", "unable", "doesn't ", "does not ", "didn't ", "did not ", "won't ", " stuck", " hang", " out of ", " full",
    " busy", " taken", " in use", "timeout", "timed out", " complain", " refuse", " denied", " dies ", "占用", "起不来",
    "崩溃", "超时", "连不上", "异常", "卡住", "报错", "出错", "错误", "失败", "不了", "不到", "找不", "不行", "没法", "无法",
)  # fmt: skip
MENDING = (" fix", "repair", "correct", "wrong", " mend", "修", "改好", "不对")
_SIGNS = "`'\",;:()[]{}<>。，；：（）"


def is_another(one: "Candidate", cue: str, asked: dict[str, float]) -> bool:
    """Whether this is of a failed call, and a cue has too few words of its error or its fix.

    `asked` comes from `relevance.term_weights`. What somebody wrote by hand is of no call.
    """
    said, mark, _ = one.text.partition(_CALL)
    failed, fix = _behind(one.text, _FAILED), _behind(one.text, _SOLUTION)
    if not (mark or failed):
        return False
    run = frozenset(_spoken(failed))
    # A title begins with "Solution:" and the program that was run.
    words = [] if mark else [word for word in _spoken(one.heading)[1:] if word not in run]
    error = (said.partition("`")[2] if mark else _behind(one.text, _SYMPTOM)).split()
    words = [word for word in [*words, *error] if "/" not in word and not is_name(word)]
    cue = cue[:LONGEST_CUE]
    low = f" {cue.lower()} ".replace("’", "'")
    is_failing = any(sign in low for sign in FAILING)
    if is_failing and len(run) > 1 and run <= frozenset(_spoken(cue)):
        return False  # `npm run dev` won't start
    least = 1 if is_failing or one.parts["coverage"] >= 1.0 else LEAST_OF_ERROR
    if len(_found(asked, words)) >= least:
        return False
    changed = [chunk for chunk in _spoken(fix) if chunk not in run]
    codes = [word for word in map(_bare, error) if word.isupper() and not word.isalpha()]
    if any(_is_named(chunk, cue, asked) for chunk in [*changed, *codes]):
        return False
    if not is_failing and not any(sign in low for sign in MENDING):
        return True
    helped = _found(asked, filter(_is_spoken, changed))
    return not helped or len(_found(asked, filter(_is_spoken, _spoken(fix)))) < LEAST_OF_FIX


def _behind(text: str, label: tuple[str, str]) -> str:
    """What a note says behind one of its labels: `**Failed:** …`."""
    line = next((line for line in text.split("\n") if line.startswith(label)), "")
    return line[2:].partition("**")[2]


def _spoken(command: str) -> list[str]:
    return [word for word in (chunk.strip(_SIGNS) for chunk in command.split()) if word]


def _found(asked: dict[str, float], words: "Iterable[str]") -> list[str]:
    """What of a cue some words have; stop words are none."""
    found = relevance.found_in(asked, index_terms(" ".join(words)))
    return [start for start in found if not is_stop(start.strip())]


def _is_spoken(chunk: str) -> bool:
    """Whether a part of a command has words: a flag and a path have them by chance."""
    return not chunk.startswith("-") and "/" not in chunk and not is_name(chunk)


def _is_named(chunk: str, cue: str, asked: dict[str, float]) -> bool:
    """Whether a part of a command or an error names what a cue names, and hardly anything else does.

    A name is `OVEN_PORT`, `ERR_OVEN_COLD` or what is set before a command; no file, branch or flag.
    """
    name, is_set, _ = chunk.partition("=")
    if not name.isidentifier() or not name.isascii():
        return False
    is_written = name in map(_bare, cue.split())
    start = relevance.start_of("".join(filter(str.isalnum, name)).lower())
    worth = asked.get(
        start, relevance.TELLING if is_written else 0.0
    )  # `NODE_OPTIONS`: everyday words
    if worth < relevance.TELLING:
        return False
    is_compound = is_name(name) or (not name.isalpha() and any(map(str.isalpha, name)))
    is_capitals = name.isupper() and len(name) >= LEAST_CAPITALS
    # A word of one part may be one of the language: `PORT` is the port only where it is written so.
    return is_compound or (is_written and (bool(is_set) or is_capitals))


def _bare(chunk: str) -> str:
    return chunk.strip(f"{_SIGNS}.?!？！")
