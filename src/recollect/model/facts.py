r"""Facts as lines of Markdown, in the grammar of seed 003, and the rows of its `facts.json`.

Parsing is tolerant (bullets, indentation, continuation lines, missing reasons, CRLF, headings in
both languages). A written fact parses back the same; a separator in its content is written as
`\:`. A colon in a URL, a time or `C:\…` separates nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from recollect._fastimport import Any, NamedTuple, Pattern
from recollect.model.memory import CATEGORIES
from recollect.text.json_edit import root_of
from recollect.text.redact import PRIVATE_MARK
from recollect.text.sentences import has_han
from recollect.text.tokens import uses_full_width

HEADINGS = {
    "decision": (
        "Decisions", "Decision", "Key Decisions", "Decisions Made",
        "决定", "决策", "关键决策", "关键决定",
    ),
    "pattern": ("Patterns", "Pattern", "Conventions", "模式", "约定", "规范"),
    "issue": (
        "Issues", "Issue", "Known Issues", "Problems", "Problems Encountered",
        "问题", "已知问题", "遗留问题",
    ),
}  # fmt: skip
_KIND_OF = {name.casefold(): kind for kind, names in HEADINGS.items() for name in names}
_RESOLVED = frozenset(
    "resolved fixed closed done solved wontfix 已解决 已修复 完成 已完成 已关闭".split()
) | {"won't fix"}
_OPEN = frozenset(
    "open|pending|unresolved|unfixed|todo|wip|blocked|investigating|in progress|not resolved"
    "|not fixed|未解决|待解决|进行中|打开".split("|")
)
# What stands in a list that has nothing to list, and in the form that seed 003 gives out.
_NOTHING = (
    *"none nothing n/a tbd 无 暂无 没有 [private]".split(),
    *("decision content", "pattern description", "issue description: open|resolved"),
    *("决定的内容", "模式的说明", "问题的说明：open|resolved"),
)
_CATEGORY_NAMES = {
    "架构": "architecture", "技术": "technology", "方案": "approach", "方法": "approach",
    "约定": "convention", "规范": "convention", "最佳实践": "best-practice", "反模式": "anti-pattern",
    "缺陷": "bugfix", "修复": "bugfix", "性能": "performance", "安全": "security", "功能": "feature",
}  # fmt: skip
_ITEM = Pattern(
    r"([ \t]*+)(?:[-*+•][ \t]+|-(?=\*{0,2}\[)|(?<![ \t])-(?=[^\W\d_])|\d{1,9}(?:[.)][ \t]+|、[ \t]*))(\S.*)"
)
_DETAIL = Pattern(
    r"[*_]{0,2}((?:said|时间)(?=(?:: |：)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$)|files|concepts|source|reason|why|rationale|because|status"
    r"|文件|概念|来源|原因|理由|状态)[*_]{0,2}[ \t]*[:：][*_]{0,2}[ \t]*(.*)",
    re.I,
)
_DETAIL_NAMES = {
    "文件": "files", "概念": "concepts", "来源": "source", "why": "reason", "rationale": "reason",
    "because": "reason", "原因": "reason", "理由": "reason", "状态": "status",
    "时间": "said",
}  # fmt: skip
_SOURCES = {"明示": "instructed", "观察": "observed", "推断": "inferred", "引用": "referenced"}
# These belong to the item above wherever they stand; the others could be items of their own.
_ALWAYS_DETAILS = ("files", "concepts")
_PROSE = Pattern(r"(?![#|<>`~]|[-*_=]{3,}$)")
_BOX = Pattern(r"\[([ xX])\][ \t]+(.*)")
_TAGGED = Pattern(r"(\*{0,2})\[([^\]]{1,60})\]\1(?![(\[])[:：]?[ \t]*(.*)")
# What separates a decision from its reason, or an issue from its status: a full-width colon, or a
# colon before a blank; not inside `code`, and not behind a backslash.
_MARK = Pattern(r"(?<!\\)(\\*+)(`|：|:(?=[ \t]))")
_LAST_MARK = Pattern(r"`[^`]*`|(：|:(?=[ \t]))")
# What may follow the word of a status: when it was, or how. Neither pattern begins with blanks:
# a long run of them would be gone through again from each of them.
_REMARK = Pattern(r"[(（\[,，;；—–]|(?<=[ \t])-(?=[ \t])")
_BEHIND_DASH = Pattern(r"(?<=\S)[ \t](?:-|–|—)[ \t]+([^-–—]{1,40})\Z")
_IN_BRACKETS = Pattern(r"[(（\[]([^()（）\[\]]{1,40})[)）\]][.。]?\Z")


class Fact(NamedTuple):
    """A decision, pattern or issue. `detail` is a decision's reason; `status` is an issue's."""

    kind: str
    content: str
    detail: str = ""
    category: str = "other"
    status: str = "open"
    files: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    source: str = ""
    said: str = ""  # when, if that is not when its session began

    def mapped(self, clean: Callable[[str], str]) -> Fact:
        """The same with every free text cleaned by itself.

        A tag that is opened in a field would take with it all that stands below it in the file.
        """
        return self._replace(
            content=clean(self.content),
            detail=clean(self.detail),
            category=clean(self.category),
            files=tuple(map(clean, self.files)),
            concepts=tuple(map(clean, self.concepts)),
        )


class Item(NamedTuple):
    """An item of a list with the lines that belong to it, and its details by name."""

    said: list[str]
    details: dict[str, list[str]]
    line: int  # where it begins, from 0


class Items(NamedTuple):
    """The items of a list, and the lines that belong to none."""

    items: list[Item]
    others: list[int]


def facts_of(kind: str, text: str) -> list[Fact]:
    """The facts listed in the text of one section."""
    facts = (fact_from(kind, item) for item in items_of(text.splitlines()).items)
    return [fact for fact in facts if fact.content]


def is_nothing(content: str) -> bool:
    """Whether this is a placeholder for an empty list, such as `none`."""
    said = content.strip(" .。…*_()（）-").casefold()
    return not said or said in _NOTHING


def items_of(lines: Iterable[str]) -> Items:
    """The items that these lines list, and the lines that belong to none."""
    items: list[Item] = []
    others: list[int] = []
    current: list[str] = []  # what a line without a bullet goes on with
    depth = inner = 0  # of the item, and of its last detail
    for n, line in enumerate(map(str.rstrip, lines)):
        found = _ITEM.match(line)
        if not found:
            is_more = line[:1] in (" ", "\t") or (current and _PROSE.match(line))
            detail = _DETAIL.match(line.strip()) if items and line[:1] in (" ", "\t") else None
            if detail and _name_of(detail) != "source":
                current = items[-1].details.setdefault(_name_of(detail), [])
                current.append(detail[2])
            elif line and items and is_more:
                (current or items[-1].said).append(line.strip())
            else:
                current = []
                others += [n] if line else []
            continue
        indent, said = len(found[1].expandtabs(4)), found[2]
        is_below = bool(items) and indent > depth
        detail = _DETAIL.match(said) if items else None
        if detail and (is_below or _name_of(detail) in _ALWAYS_DETAILS):
            current, inner = items[-1].details.setdefault(_name_of(detail), []), indent
            current.append(detail[2])
        elif is_below and indent > inner > depth and current is not items[-1].said:
            current.append(said)  # the words of a detail as a list of their own
        elif is_below:
            current = items[-1].details.setdefault("below", [])
            current.append(said)
        else:
            depth = inner = indent
            current = [said]
            items.append(Item(current, {}, n))
    return Items(items, others)


def _name_of(detail: re.Match[str]) -> str:
    name = detail[1].lower()
    return _DETAIL_NAMES.get(name, name)


def fact_from(kind: str, item: Item, status: str = "open") -> Fact:
    """The fact that an item tells; an issue has this status where it does not say."""
    text = " ".join(item.said)
    boxed = _BOX.match(text)
    text = boxed[2] if boxed else text
    category, text, tagged = _categorised(kind, text)
    detail, status = "", "resolved" if boxed and boxed[1] != " " else status
    if kind == "decision":
        text, detail = _halves(text)
    elif kind == "issue":
        text, said = _without_status(text)
        below = parse_status(" ".join(item.details.get("status", ())))
        status = below or said or tagged or status
    more = [*item.details.get("reason", ()), *item.details.get("below", ())]
    if kind == "decision":  # what is said of a decision below it says why
        detail = " ".join(filter(None, [detail, *more])).strip()
    else:
        text = " ".join([text.rstrip(), *more])
    files, concepts = (_split(item.details.get(name)) for name in ("files", "concepts"))
    source = " ".join(item.details.get("source", ())).strip()
    source = _SOURCES.get(source, source)
    said = item.details.get("said", [""])[0]
    return Fact(kind, text.strip(), detail, category, status, files, concepts, source, said)


def _without_status(text: str) -> tuple[str, str]:
    """`(content, status)` of an issue; no status where it says none."""
    cuts = [m for m in _LAST_MARK.finditer(text) if m[1]]
    if cuts:
        said = text[cuts[-1].end() :].strip()
        remark = _REMARK.search(said)
        status = parse_status(said[: remark.start()] if remark else said)
        if status:
            content = text[: cuts[-1].start()]
            return f"{content} {said[remark.start() :].strip()}" if remark else content, status
    dashed = _BEHIND_DASH.search(text)
    if dashed and parse_status(dashed[1]):
        return text[: dashed.start()], parse_status(dashed[1])
    bracketed = _IN_BRACKETS.search(text)
    status = parse_status(bracketed[1]) if bracketed else ""
    return (text[: bracketed.start()], status) if bracketed and status else (text, "")


def parse_status(said: str) -> str:
    """`open` or `resolved`, as people put it; nothing where it is neither."""
    word = said.strip(" \t*_`").rstrip(".。!！").lower()
    return "resolved" if word in _RESOLVED else "open" if word in _OPEN else ""


def _categorised(kind: str, text: str) -> tuple[str, str, str]:
    """`(category, rest, status)`; what is neither but a link or several words stays in the text."""
    tagged = _TAGGED.match(text)
    if not tagged:
        return "other", text, ""
    said = [word.strip().lower() for word in re.split(r"[|/,，、]", tagged[2])]
    first = said[0].replace(" ", "-")
    named = _CATEGORY_NAMES.get(first, first)
    # All of them together are the form that seed 003 gives out, which says none.
    can_tell = kind == "issue" and len(said) < 3
    status = next(filter(None, map(parse_status, said)), "") if can_tell else ""
    if named in CATEGORIES[kind]:
        return named, tagged[3], status
    return "other", text if " " in tagged[2].strip() and not status else tagged[3], status


def _halves(text: str) -> tuple[str, str]:
    """`(content, reason)`: the two sides of the first separator."""
    content, at = "", 0
    while mark := _MARK.search(text, at):
        content += text[at : mark.start()] + "\\" * (len(mark[1]) // 2)
        at = mark.end()
        if len(mark[1]) % 2:  # escaped: it is text
            content += mark[2]
        elif mark[2] != "`":
            return content.strip(), text[at:].strip()
        else:
            end = text.find("`", at) + 1 or at
            content += "`" + text[at:end]
            at = end
    return (content + text[at:]).strip(), ""


def _unseparated(content: str) -> str:
    """`content` written so that `_halves` does not split it and gives it back unchanged."""
    made, at = "", 0
    while mark := _MARK.search(content, at):
        made += content[at : mark.start()] + "\\" * (2 * len(mark[1]))
        at = mark.end()
        end = content.find("`", at) + 1 if mark[2] == "`" else 0
        made += content[at - 1 : end] if end else "\\" + mark[2]
        at = end or at
    return made + content[at:]


def _split(lines: list[str] | None) -> tuple[str, ...]:
    words = (w.strip(" `") for w in re.split(r"[,，、]", ",".join(lines or ())))
    return tuple(word for word in words if word)


def tidied(fact: Fact) -> Fact:
    """The fact without the marks of bold letters around it, and without words for no name."""
    content = fact.content
    inner, mark = content[2:-2].strip(), content[:2]
    if inner and mark in ("**", "__") and content.endswith(mark) and mark not in inner:
        content = inner
    files, concepts = (
        tuple(name for name in names if not is_nothing(name))
        for names in (fact.files, fact.concepts)
    )
    return fact._replace(content=content, files=files, concepts=concepts)


def with_detail(content: str, detail: str) -> str:
    """A decision with its reason, in the words that a page has for both, of which its id is made."""
    mark = "：" if any(map(uses_full_width, content[-1:] + detail[:1])) else ": "
    return f"{content}{mark}{detail}" if detail else content


def fact_lines(fact: Fact) -> list[str]:
    """A fact as it is written in a session memory."""
    content = _on_one_line(fact.content)
    detail = {"decision": _on_one_line(fact.detail), "issue": fact.status}.get(fact.kind, "")
    if fact.kind == "decision":
        at_end = len(content) - len(content.rstrip("\\"))
        content = _unseparated(content) + ("\\" * at_end if detail else "")
    mark = "：" if has_han(content) else ": "
    lines = [f"- [{fact.category}] {content}" + (f"{mark}{detail}" if detail else "")]
    if fact.source:
        lines.append(f"  - source: {fact.source}")
    if fact.said:
        lines.append(f"  - said: {fact.said}")
    if fact.files:
        lines.append("  - files: " + ", ".join(fact.files))
    if fact.concepts:
        lines.append("  - concepts: " + ", ".join(fact.concepts))
    return lines


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def without_repeats(facts: Iterable[Fact]) -> list[Fact]:
    """The facts, each content once; a later one with a reason replaces one without."""
    kept: dict[str, Fact] = {}
    for fact in facts:
        key = same_words(fact.content)
        old = kept.get(key)
        if old is None or (fact.detail and not old.detail):
            kept[key] = fact
    return list(kept.values())


_HAN = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
# What may differ in one and the same statement; `C++`, `-1`, `1.5` and `!=` are no punctuation.
_QUIET = Pattern(
    r"[\"“”„«»「」『』。、…`()]|\*\*|[.,;:!?]+(?![\w=.])|[.,;:!?]+(?=[^\x00-\x7f])"
    r"|(?<=[^\W\d])[-–—](?=[^\W\d])|(?<!\S)[-–—]+(?!\S)"
)
_GAP = Pattern(rf"(?<={_HAN})\s+|\s+(?={_HAN})")


def same_words(text: str) -> str:
    """`text` reduced to what makes two wordings the same: no case, width, punctuation or spacing."""
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFKC", text)
    plain = text.casefold()
    words = " ".join(_QUIET.sub(" ", plain.replace("’", "'")).split())
    if not words.isascii():
        words = _GAP.sub("", words)
    return words or " ".join(text.split())


def section_kind(heading: str) -> str:
    """The kind of fact that a section of this title lists, or nothing."""
    return _KIND_OF.get(heading.strip(" \t:：*_").casefold(), "")


# -------------------- The facts in a whole text, such as the session files that an agent writes.


_HEADING = Pattern(r" {0,3}(#{1,6})[ \t]+(\S.*)|\*\*([^*]{1,60})\*\*[ \t]*[:：]?[ \t]*\Z")
_UNDERLINE = Pattern(r" {0,3}(={3,}|-{3,})[ \t]*\Z")
_TITLE = Pattern(r" {0,3}(?!\d{1,9}[.)、])[^\W_].{0,80}\Z")
_LABEL = Pattern(r"([^\W\d_][^:：]{0,40})[:：][ \t]*\Z")
_BELOW_ALL = 7  # the level of a line in bold letters
_AROUND_TITLE = Pattern(r"\A[^\w]*+(?:[\d一二三四五六七八九十]{1,3}[.)、])?|[(（/&|].*\Z", re.S)
_CODE = Pattern(r"[ \t]*(`{3,}|~{3,})(.*)")
# What may stand in front of the word for a list, and what says that all of it is settled.
_SETTLED_WORDS = r"resolved|closed|fixed|solved|已解决|已修复|已关闭"
_BEFORE_TITLE = Pattern(
    rf"(?:(?:architectur(?:e|al)|technical|design|key|major|important|main|final|new|open|known|"
    rf"remaining|outstanding|pending|code|coding|{_SETTLED_WORDS}|架构|技术|设计|关键|重要|主要|已知|遗留|"
    rf"未解决|待解决|代码|编码)的?[ \t]*+)+(?=\S)",
    re.I,
)
_BEHIND_TITLE = Pattern(r"[ \t]+(?:found|made|taken|used)\Z|事项\Z", re.I)
_SETTLED = Pattern(rf"(?:{_SETTLED_WORDS})(?![a-z])", re.I)


class UnparsedLines(NamedTuple):
    """Lines in a list of facts that are no part of one; lines are counted from 1."""

    line: int
    last: int
    text: str  # of the first


class Listing(NamedTuple):
    """What a text lists, in order, and what in its lists could not be read."""

    facts: list[Fact]
    unread: list[UnparsedLines]


def read_facts(text: str) -> Listing:
    """The facts of a whole text, under headings of any level, with what could not be read.

    Headings and items in code are text. A list that says it has nothing to list has nothing.
    """
    text = text.removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    in_code = code_in(lines)
    heads = {n: head for n in range(len(lines)) if not in_code[n] and (head := _head(lines, n))}
    facts: list[Fact] = []
    others: list[int] = []
    for kind, here, status in _lists_in(heads, len(lines)):
        found = items_of("" if in_code[n] or n in heads else lines[n] for n in here)
        others += [here.start + n for n in found.others]
        others += [n for n in here if in_code[n]]
        for item in found.items:
            fact = fact_from(kind, item, status)
            if not fact.content:
                others.append(here.start + item.line)
            elif not is_nothing(fact.content):
                facts.append(fact)
    return Listing(facts, _runs((n for n in sorted(others) if _says(lines[n])), lines))


def _says(line: str) -> bool:
    """Whether a line has text for people, and not only a comment."""
    is_comment = line.lstrip().startswith("<!--") and line.endswith("-->")
    return not is_comment and any(map(str.isalnum, line.replace(PRIVATE_MARK, "")))


def code_in(lines: Sequence[str]) -> list[bool]:
    """For each line, whether it is code between two fences; an unclosed fence does not count."""
    inside = [False] * len(lines)
    lonely: dict[str, int] = {}  # by character, the shortest fence that is known to have no end
    at = 0
    while at < len(lines):
        found = _CODE.match(lines[at])
        mark = found[1] if found else ""
        end = 0
        if found and not (mark[0] == "`" and "`" in found[2]):
            if len(mark) < lonely.get(mark[0], len(mark) + 1):
                end = next((n for n in range(at + 1, len(lines)) if _ends(lines[n], mark)), 0)
            if not end:
                lonely[mark[0]] = min(len(mark), lonely.get(mark[0], len(mark)))
        for n in range(at, end + 1 if end else at):
            inside[n] = True
        at = end + 1 if end else at + 1
    return inside


def _ends(line: str, mark: str) -> bool:
    line = line.strip()
    return line.startswith(mark) and not line.strip(mark[0])


def _head(lines: Sequence[str], n: int) -> tuple[int, str] | None:
    """`(level, title)` of the heading in this line, if it is one."""
    line = lines[n]
    found = _HEADING.match(line)
    if found:
        return (len(found[1]), found[2]) if found[1] else (_BELOW_ALL, found[3])
    label = _LABEL.match(line)
    if label and _named(label[1]):
        return _BELOW_ALL, label[1]
    line_below = lines[n + 1] if n + 1 < len(lines) else ""
    is_first = n == 0 or not lines[n - 1].strip()
    underline = _UNDERLINE.match(line_below) if is_first and _TITLE.match(line) else None
    return (1 if underline[1][0] == "=" else 2, line) if underline else None


def _named(title: str) -> str:
    """The same for a title as agents write it: numbered, with a sign, or with a remark."""
    title = _AROUND_TITLE.sub("", title.rstrip(" \t#"))
    bare = _BEHIND_TITLE.sub("", _BEFORE_TITLE.sub("", title, count=1))
    return section_kind(title) or section_kind(bare)


def _lists_in(heads: Mapping[int, tuple[int, str]], end: int) -> Iterator[tuple[str, range, str]]:
    """Each section that lists facts: their kind, its lines, and the status of issues that say none."""
    rows = [(n, depth, title) for n, (depth, title) in heads.items()]
    for at, (n, depth, title) in enumerate(rows):
        if kind := _named(title):
            behind = (rows[m] for m in range(at + 1, len(rows)))
            ends = (m for m, level, other in behind if level <= depth or _named(other))
            is_settled = _SETTLED.match(_AROUND_TITLE.sub("", title))
            yield kind, range(n + 1, next(ends, end)), "resolved" if is_settled else "open"


def _runs(numbers: Iterable[int], lines: Sequence[str]) -> list[UnparsedLines]:
    """These lines, with those that follow each other joined."""
    found: list[UnparsedLines] = []
    for n in numbers:
        if found and found[-1].last == n:
            found[-1] = found[-1]._replace(last=n + 1)
        else:
            found.append(UnparsedLines(n + 1, n + 1, lines[n].strip()))
    return found


# ---------------------------------------------------------------------- the facts.json of seed 003


def facts_in_json(text: str) -> list[tuple[Fact, str]]:
    """The facts that a `facts.json` lists, each with its day. Raises ValueError."""
    page = json.loads(text[root_of(text) :])
    found: list[tuple[Fact, str]] = []
    for kind in CATEGORIES:
        listed = page.get(f"{kind}s") or []
        if not isinstance(listed, list):
            raise ValueError(f"`{kind}s` is not a list")  # noqa: TRY004 - about a text, not a type
        for n, said in enumerate(listed, 1):
            content = said.get("content") if isinstance(said, dict) else None
            if not isinstance(content, str) or not content.strip():
                raise ValueError(f"row {n} of `{kind}s` has no content")
            found.append((_fact_in_row(kind, said), _one_line(said.get("date"))))
    return found


def _fact_in_row(kind: str, said: Mapping[str, Any]) -> Fact:
    category = str(said.get("type") or "").strip().lower()
    status = parse_status(str(said.get("status") or "")) or "open"
    return Fact(
        kind,
        _one_line(said["content"]),
        _one_line(said.get("reason")) if kind == "decision" else "",
        category if category in CATEGORIES[kind] else "other",
        status if kind == "issue" else "open",
        _names_in(said.get("files")),
        _names_in(said.get("concepts")),
    )


def _one_line(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def _names_in(said: object) -> tuple[str, ...]:
    listed = said.split(",") if isinstance(said, str) else said if isinstance(said, list) else ()
    return tuple(dict.fromkeys(word.strip() for word in map(str, listed) if word.strip()))
