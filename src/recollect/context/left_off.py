"""What the memory of a session tells the next one: what was asked, what came of it, what is open.

Pure. Of a session that has read pages of others the person's own words are told, what the agent wrote
before that, and commits in such words: what else it wrote, titles too, may be what a page wished for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from recollect._fastimport import NamedTuple, Pattern
from recollect.context.main_files import where
from recollect.context.pack import attribute, on_one_line
from recollect.i18n import filled
from recollect.model.document import sections_of
from recollect.model.entries import FIRST_HAND, OF_A_MODEL, SUMMARY_LABELS, without_comments
from recollect.model.facts import same_words, section_kind
from recollect.model.memory import REFERENCED, Memory, Section
from recollect.text.progress_reports import (
    CAUSE,
    LABEL,
    PRAISE,
    TESTED,
    first_telling,
    is_detail,
    is_fragment,
    is_ready,
    is_upkeep,
    names_code,
    only_names,
    reports,
    tells_work,
    without_lead,
)
from recollect.text.redact import strip_private
from recollect.text.sentences import split_sentences
from recollect.text.tokens import content_words as _words
from recollect.text.tokens import is_cjk

TRUSTED = ("user", "agent")
LONGEST_ASKED, LONGEST_ANSWER, LONGEST_BEFORE = 160, 320, 150
REQUESTS = ("asked", "program")  # what a session was for: a person's words, and a program's
MOST_COMMITS, FEW_COMMITS = 5, 3  # of few the reasons are told, too
LONGEST_TITLE = 100
SHORTEST_TOLD = 20
FEWEST_NEW = 3  # words of a request beside the title
FEWEST_WORDS = 4  # of what was done: “The main issue is fixed.” says nothing
# In a request: somebody, or their client, pasted what is none, as `[09:30 ~/tea]`.
_PASTED = Pattern(
    r"\[redacted:|<{7}|DOM Path:|\[[^\[\]\n]{0,30}\b\d{1,2}:\d\d [^\[\]\n]{0,60}[~/]|\b[\w.-]{1,40}@[\w.-]{1,60}[: ][~/]\S{0,80}[$#%] |(?:^|\s)~?/\S{0,80} ?[❯➜$%] "
)
MOST_CHANGED = 5  # files, where nothing else is told of the last session;
FEW_CHANGED, FEW_LINES = 2, 3  # files, where it has no more lines than that
MOST_TODOS = 6
WHOLE = 0.8  # share of an answer that is as good as all of it
_PLAN = Pattern(r"^(?:plan|计划)[:：]\s*")
_PLAIN_PATH = Pattern(r"[\w./@+-]{1,90}\Z")
_TODOS = ("todos", "todo", "待办", "待办事项")
_COMMITS, _FILES, _LEARNED = ("commits", "提交"), ("files", "文件"), ("learned", "学到的")
_ABOUT = ("metadata", "元数据")  # when a conversation was, and how long


class LeftOff(NamedTuple):
    """Where a session was left off. `date` is the day on which it was last at work."""

    id: str
    title: str  # nothing where nobody who is trusted said anything
    date: str
    asked: tuple[str, ...] = ()
    made: tuple[str, ...] = ()  # pull requests and issues
    commits: tuple[str, ...] = ()  # subjects, with the reason of those that say one
    changed: tuple[str, ...] = ()  # files
    learned: tuple[str, ...] = ()  # causes and fixes, from a client's summary of the session
    answer: str = ""  # what the agent said last, or a summary that somebody wrote,
    is_written: bool = False  # which is told as it is
    open: tuple[str, ...] = ()
    summary: str = ""  # the anchor of the section that says what came of it
    is_second_hand: bool = False  # whether the agent's own words are left out
    untold: int = 0  # commits whose words are left out,
    unnamed: tuple[str, ...] = ()  # and pull requests and issues of which only the number is told
    show: str = ""  # the arguments of the command that shows what is left out
    has_more: bool = False  # whether it decided, noted or changed something
    is_routine: bool = False  # whether programs alone asked

    @property
    def came(self) -> bool:
        """Whether anything that may be told came of it."""
        return bool(self.made or self.commits or self.answer or self.open or self.learned)

    @property
    def is_published(self) -> bool:
        """Whether what it published or committed says what it did."""
        return bool(self.made) or not all(map(_SMALL.match, self.commits))

    @property
    def tells(self) -> bool:
        """Whether an earlier session is worth a line: a title alone tells nothing that came of it."""
        is_asked = self.is_second_hand and self.title in map(_without_greeting, self.asked)
        is_made = self.made or self.commits or not is_asked
        return bool(is_made and _came_before(self, _title(self)))

    @property
    def says(self) -> bool:
        """Whether it is worth a line: a request that nothing came of says nothing, nor a routine."""
        came = self.made or self.commits or self.changed if self.is_routine else self.came
        return bool(self.title) and bool(came or (self.has_more and not self.is_routine))

    @property
    def is_cut_short(self) -> bool:
        """Whether something was asked for, and the session ended before anything came of it."""
        return bool(self.title and self.asked) and not self.came


def left_off(memory: Memory) -> LeftOff:
    """What a session's memory, without its private parts, tells."""
    sections = [one for one in sections_of(memory.body) if one.heading]
    sections = [one for one in sections if one.heading.strip().lower() not in _ABOUT]
    rows = list(_summary(sections))
    # A fix in it is the tools' word; the rest is the person's and the agent's all the same.
    is_trusted = memory.trust != "external"
    told: dict[str, list[str]] = {name: [] for name in (*REQUESTS, "made", "answer", "written")}
    for name, said, is_own in rows:
        if name in REQUESTS or _is_believed(memory, is_own=is_own):
            told.setdefault(name, []).append(said)
    hidden = (said for name, said, _ in rows if name == "made" and said not in told["made"])
    changed = _changed(sections, rows)
    summed = [said for name, said, _ in rows if name == "commits"]
    commits, untold = _commits(
        memory, sections, summed, [*told["asked"], *told["program"], *changed]
    )
    is_of_agent = commits or untold or any(name not in (*REQUESTS, "wrote") for name, *_ in rows)
    return LeftOff(
        memory.id,
        session_title(memory),
        (memory.updated or memory.created)[:10],
        asked=(*told["asked"], *told["program"]),
        made=tuple(told["made"]),
        commits=commits,
        changed=tuple(path for path in changed if is_trusted or _PLAIN_PATH.match(path)),
        learned=tuple(
            said
            for said, is_own in _lines(sections, _LEARNED)
            if _is_believed(memory, is_own=is_own)
        ),
        # The page has the result about its title first, and what came last behind it.
        answer=" ".join((*told["written"], *reversed(told["answer"]))),
        is_written=bool(told["written"]),
        open=tuple(_open_todos(memory, sections)),
        summary=sections[0].anchor if sections else "",
        is_second_hand=bool(is_of_agent) and not is_trusted,
        untold=untold,
        unnamed=tuple(found[0] for said in hidden if (found := _NUMBERED.match(said))),
        show="" if is_trusted else _name_without_words(memory, told, changed, commits),
        has_more=len(sections) > 1 or not is_trusted,
        is_routine=bool(told["program"]),
    )


def _is_believed(memory: Memory, *, is_own: bool) -> bool:
    """Whether an agent's line may be told: what stands of it from before a page, if we marked it."""
    return memory.trust != "external" or (is_own and memory.source != REFERENCED)


def _changed(sections: Sequence[Section], rows: Iterable[tuple[str, str, bool]]) -> list[str]:
    """The files that a session changed, then the documents that it wrote."""
    wrote = (said for name, said, _ in rows if name == "wrote")
    changed = [line.strip("`") for line, _ in _lines(sections, _FILES)]
    return changed + [path for line in wrote for path in line.split("`")[1::2]]


def _commits(
    memory: Memory, sections: Sequence[Section], summed: Sequence[str], known: Sequence[str]
) -> tuple[tuple[str, ...], int]:
    """The commits that may be told, and how many others there are; `known` are words of the person."""
    listed = _lines(sections, _COMMITS)
    commits = _with_reasons(summed, [said for said, _ in listed])
    if memory.trust != "external":
        return commits, 0
    words = _words(" ".join(known))
    own = {said for said, is_own in listed if _is_believed(memory, is_own=is_own)}
    told = (one if one in own else _subject(one) for one in commits)
    kept = tuple(one for one in told if one in own or _is_backed(one, words))
    return kept, len(commits) - len(kept)


def _open_todos(memory: Memory, sections: Sequence[Section]) -> Iterator[str]:
    for is_done, text, is_own in _todos(sections):
        if not is_done and _is_believed(memory, is_own=is_own):
            yield text


def _name_without_words(
    memory: Memory, told: Mapping[str, Sequence[str]], *known: Sequence[str]
) -> str:
    """How a command names a session: by its id, unless that has words that are not told."""
    said = [one for several in (*told.values(), *known) for one in several]
    words = {word for word in _words(memory.id.replace("-", " ")) if len(word) >= LEAST_WORD}
    if words <= _words(" ".join(said)):
        return f"show {memory.id}"
    session = _SESSION.match(memory.session)
    return f"session show {session[0]}" if session else ""


LEAST_WORD = 3
_SESSION = Pattern(r"[\da-f]{8}-[\da-f]{4}(?=-)|[\w.-]{4,64}\Z")
_NUMBERED = Pattern(r"(?:Pull request|Issue|合并请求|议题) #\d{1,7}\b")


def _summary(sections: Sequence[Section]) -> Iterator[tuple[str, str, bool]]:
    """What the first section says: what each line is, its text, and whether it is from before a page."""
    heading = sections[0].heading if sections else ""
    if not heading or section_kind(heading) or heading.strip().lower() in _TODOS:
        return
    for marked in _marked_lines(sections[0]):
        line = marked.rstrip(_OF_MODEL + _OWN)
        is_own = marked.endswith(_OWN)
        labelled = _LABELLED.fullmatch(line)
        name, said = labelled.groups() if labelled else ("", "")
        label = SUMMARY_LABELS.get(name)
        if label and said.strip():
            label = "written" if marked.endswith(_OF_MODEL) else label
            yield label, f"{name} {said.strip()}" if label == "made" else said.strip(), is_own
        elif not label and line.strip(" -*>|") and not line.startswith(_UNTOLD):
            yield "written", line.strip().removeprefix("- "), is_own


_OF_MODEL, _OWN = "\x00", "\x01"  # in place of the comments that say so
_LABELLED = Pattern(r"- ([^:：]{1,24})(?:: |：)(.*)")
_UNTOLD = ("#", "```", "|")


def _marked_lines(section: Section) -> list[str]:
    """The lines of a section without comments, those about a line as a sign at its end."""
    # A blank in their place: what stands around one in a text must not grow together into a comment.
    text = section.text.replace(_OWN, " ").replace(_OF_MODEL, " ")
    text = text.replace(OF_A_MODEL, _OF_MODEL).replace(FIRST_HAND, _OWN)
    return without_comments(text).splitlines()


def _lines(sections: Sequence[Section], headings: Sequence[str]) -> list[tuple[str, bool]]:
    """The items that stand under one of these headings, and whether each is from before a page."""
    lists = (_marked_lines(s) for s in sections if s.heading.strip().lower() in headings)
    return [
        (line[2:].rstrip(_OF_MODEL + _OWN).strip(), line.endswith(_OWN))
        for each in lists
        for line in each
        if line.startswith("- ")
    ]


def _with_reasons(subjects: Sequence[str], listed: Sequence[str]) -> tuple[str, ...]:
    """The commits of a section of their own; an older memory lists subjects in its summary, too."""
    commits = [one for line in subjects for one in line.split("; ") if one]
    longer = [next((t for t in listed if t.startswith(f"{one}: ")), one) for one in commits]
    return tuple(dict.fromkeys([*longer, *listed]))


_CHANGE = Pattern(r"\A(?:\w+|[A-Z]{2,9}-\d+)(?:\([^)]*\))?!?: ")
_SCOPE = Pattern(r"[\w./-]+: ")
BACKED = 0.6  # share of a commit's words that stand in requests and file names


def _subject(commit: str) -> str:
    """The subject of a commit without its reason: `fix(lid): open slowly: it was too fast`."""
    kind = _CHANGE.match(commit) or _SCOPE.match(commit)
    end = commit.find(": ", kind.end() if kind else 0)
    return commit if end < 0 else commit[:end]


def _reason(commit: str) -> str:
    return commit[len(_subject(commit)) :].lstrip(": ")


def _is_backed(commit: str, known: set[str]) -> bool:
    """Whether a person's requests and the changed files say most of a commit's words, before a colon, too."""
    parts = [words for part in _CHANGE.sub("", commit, 1).split(": ") if (words := _words(part))]
    return bool(parts) and all(len(words & known) >= BACKED * len(words) for words in parts)


def todos_in(body: str) -> list[tuple[bool, str]]:
    """The to-dos in the memory of a session: `(whether it is done, text)`."""
    sections = [section for section in sections_of(strip_private(body)) if section.heading]
    return [(is_done, text) for is_done, text, _ in _todos(sections)]


def _todos(sections: Sequence[Section]) -> list[tuple[bool, str, bool]]:
    items = [row for row in _lines(sections, _TODOS) if row[0][:3].lower() in ("[ ]", "[x]")]
    return [(item[1] != " ", item[3:].strip(), is_own) for item, is_own in items]


def session_title(memory: Memory) -> str:
    """What a session may be called in every other: its title, or what the person asked for first.

    A title that an agent gave after it had read a page may be the page's. Nothing where nobody
    who is trusted said anything.
    """
    if memory.trust in TRUSTED:
        return memory.title
    sections = sections_of(memory.body)
    head = [] if not sections or sections[0].heading else sections[0].text.splitlines()
    if FIRST_HAND.strip() in head and _is_believed(memory, is_own=True):
        return memory.title
    sections = [section for section in sections if section.heading]
    rows = list(_summary(sections))
    asked = [said for name, said, _ in rows if name in REQUESTS]
    if any(one.startswith(memory.title.rstrip("…")) for one in asked):
        return memory.title
    lines = [*((said, is_own) for _, said, is_own in rows), *_lines(sections, _COMMITS)]
    own = (said for said, is_own in lines if _is_believed(memory, is_own=is_own))
    is_backed = _is_backed(memory.title, _words(" ".join((*asked, *own))))
    return memory.title if is_backed else _without_greeting(next(iter(asked), ""))


_GREETING = Pattern(
    r"(?:(?:(?:o+k+(?:ay)?|hey|hi|hello|so|well|great|cool|perfect|alright|h?mm+k*|hm+|please|thanks|(?:can|could|would|will) you|i(?:['’]d like| want| need) you to|let['’]?s(?! (?:encrypt|users|people|you|them|it)\b))\b|好的?|那么)[\s,.:;!，。–—-]+)+(?=\S{2})",
    2,  # re.I
)


def _without_greeting(request: str) -> str:
    """A request as a title: without what only leads it in."""
    lead = _GREETING.match(request)
    bare = request[lead.end() :] if lead else request
    return bare[:1].upper() + bare[1:]


def last_lines(one: LeftOff, say: Mapping[str, str]) -> list[str]:
    """Where the last session was left off, line by line.

    What it published or committed says by itself what was asked for.
    """
    title = _title(one)
    lines = [say["last"].format(date=one.date, title=f"{title}{_second_hand(one, say)}")]
    answer = _result(one, title, is_last=True)
    asked = [
        _beside(said, title) for said in one.asked if not _PASTED.search(said[: 8 * LONGEST_ASKED])
    ]
    asked = [said for said in asked if _size(said) >= SHORTEST_TOLD]
    asked = [said for said in asked if len(_words(said) - _words(title)) >= FEWEST_NEW]
    # What was done says what was asked for; what was only asked is over.
    asked = [] if one.is_published or answer else asked[-1:]
    name = "asked-by-program" if one.is_routine else "asked"
    lines += [say[name].format(said=on_one_line(said, LONGEST_ASKED)) for said in asked]
    known = [title]
    for what, subject, body in map(_published, one.made[-2:]):
        named = f"{what} {subject}".strip() if _says_more(subject, known) else what
        said = say["because"].join(filter(None, (named, body)))
        lines.append(f"- {_first_sentences(said, LONGEST_ANSWER)}")
        known += [subject, body]
    if commits := _new_commits(one, known):
        longest = 240 if len(commits) < FEW_COMMITS else 120
        said = "; ".join(_first_sentences(commit, longest).rstrip(".。") for commit in commits)
        lines.append(say["commits"].format(said=said))
    if answer:
        name = "answer-before" if one.is_second_hand else "answer"
        lines.append(say[name].format(said=answer))
    if one.learned:
        said = _whole([s if s[-1:] in ".。" else f"{s}." for s in one.learned], LONGEST_ANSWER)
        lines.append(say["learned"].format(said=said))
    if one.open:
        said = "; ".join(on_one_line(todo, 120) for todo in one.open[:MOST_TODOS])
        lines.append(say["todo"].format(said=said))
    if changed := _where(one, lines):
        said = ", ".join(f"`{on_one_line(path, 90)}`" for path in changed)
        lines.append(say["changed"].format(said=said))
    return lines


def is_in_brief(one: LeftOff) -> bool:
    """Whether `last_lines` has (nearly) all that an agent or a person wrote of what came of a session."""
    told = _result(one, _title(one), is_last=True)
    return len(told) >= WHOLE * len(" ".join(one.answer.split()))


def _where(one: LeftOff, lines: Sequence[str]) -> Sequence[str]:
    """The files that say where the work was: all that is told, or what the little that is told does not name."""
    if not one.came:
        return one.changed[:MOST_CHANGED]
    if len(lines) > FEW_LINES:
        return ()
    return where(one.changed, "\n".join(lines), is_published=one.is_published)[:FEW_CHANGED]


def _second_hand(one: LeftOff, say: Mapping[str, str]) -> str:
    """What is not told of a session, in numbers, and how to see it."""
    if not one.is_second_hand:
        return ""
    made = [*one.unnamed, *([filled(say["count"], n=one.untold)] if one.untold else ())]
    show = say["show"].format(command=f"`recollect {attribute(one.show)}`") if one.show else ""
    if made:
        said = "; ".join(filter(None, (say["and"].join(made), show)))
        return say["second-hand"].format(said=said)
    return say["second-hand-unsaid"].format(show=show) if show else ""


def line_of(one: LeftOff, say: Mapping[str, str]) -> str:
    """One line about an earlier session: its title, and what came of it."""
    title = _title(one)
    count = say["signed"].format(who=filled(say["untold"], n=one.untold)) if one.untold else ""
    return f"- {one.date} {title}{say['because']}{_came_before(one, title)}{count}"


def _came_before(one: LeftOff, title: str) -> str:
    """What came of an earlier session, beside its title; of one with withheld commits only what others say."""
    subjects = [subject for _, subject, _ in map(_published, one.made)]
    subjects += [_subject(said) for said in one.commits if not _SMALL.match(said)]
    new: list[str] = []
    for subject in subjects:
        if _says_more(subject, [title, *new]):
            new.append(subject.rstrip(".。"))
    said = on_one_line("; ".join(new), LONGEST_BEFORE)
    if not said and not one.untold:
        reasons = (
            *(body for _, _, body in map(_published, one.made)),
            *map(_reason, _large(one.commits)),
        )
        said = next((_first_sentences(reason, LONGEST_BEFORE) for reason in reasons if reason), "")
    if not one.untold:
        learned = (_first_sentences(lesson, LONGEST_BEFORE) for lesson in one.learned)
        said = said or next(learned, "") or _result(one, title, is_last=False)
    return said


_PUBLISHED = Pattern(r"(\D{0,40}#\w*) ?(.*)")
_SMALL = Pattern(  # commits that say nothing beside another one
    r"merge (?:remote-tracking |pull |branch|origin|main|master)|initial(?: commit)?$|init$|wip\b|fixup!|(?:\w+(?:\([^)]*\))?: )?(?:address(?:ed|es)?|fix(?:ed|es)?|resolved?) "
    r"(?:\w+ ){0,2}?(?:review|feedback|(?:pr )?comments|lint\w*|linter|mise|ci|format\w*|gofmt|typos?)\b",
    2,  # re.I
)


def _published(said: str) -> tuple[str, str, str]:
    """The name, the title and the text of what was published: `Pull request #7 Fix the lid: It stuck.`."""
    found = _PUBLISHED.match(said)
    name, said = found.groups() if found else ("", said)
    return name, _subject(said), _reason(said)


def _says_more(said: str, known: Iterable[str]) -> bool:
    """Whether something says more than the titles that are known: other words, or another number."""
    words = _words(_IN_FOLDERS.sub("", _NUMBER.sub("", _CHANGE.sub("", said, 1))))

    def is_known(title: str) -> bool:
        others = _words(title)
        new = words - others
        return len(new) <= (1 - KNOWN) * len(words) and not any(map(str.isdigit, new))

    return bool(words) and not any(map(is_known, known))


KNOWN = 0.7  # share of the words that stand in a title
_IN_FOLDERS = Pattern(r"(?<![\w.@()\[\]-])(?:[\w.@()\[\]-]+/)+(?=[\w.-]+\.\w)")  # where a file is
_NUMBER = Pattern(r"\s*\(#\d+\)$|(?<=\w):\d+(?:-\d+)?\b")  # of a pull request, and of lines


def _large(commits: Sequence[str]) -> Sequence[str]:
    return [commit for commit in commits if not _SMALL.match(commit)] or commits


def _new_commits(one: LeftOff, known: Sequence[str]) -> list[str]:
    """The last commits as far as they say more than what is known, the only one and two with their reasons."""
    own = _large(one.commits)[-MOST_COMMITS:]
    told: list[str] = []
    for commit in own:
        subject, reason = _subject(commit), _reason(commit)
        if _says_more(subject, known):
            told.append(commit if len(own) < FEW_COMMITS else subject)
        elif reason and len(own) < FEW_COMMITS:
            told.append(reason if len(own) == 1 else commit)
    return told


def _result(one: LeftOff, title: str, *, is_last: bool) -> str:
    """What the agent reports, from the first sentence on that says what was done.

    Of the last session also what it found out, or else what it answered; where commits tell what
    was done, only what says more. Of an earlier one nothing beside commits.
    """
    longest = LONGEST_ANSWER if is_last else LONGEST_BEFORE
    sentences = split_sentences(on_one_line(_new_in(one.answer, title), 2_000))
    if one.is_written:
        return _whole(sentences, longest, SHORTEST_TOLD)
    sentences = [LABEL.sub("", said) for said in sentences if not PRAISE.search(said)]
    parts = [
        part
        for sentence in sentences
        for part in sentence.replace("; ", ";\n").replace("；", "；\n").splitlines()
    ]
    prose = [said for said in sentences if "; " not in said and "；" not in said]
    listed = [part for part in parts if part not in prose]
    parts = [part for part in parts if not only_names(part)]
    prose = [said for said in prose if said in parts]
    parts = [part for part in parts if not (part in listed and is_fragment(part))] or parts
    if one.is_published and not is_last:
        parts = []
    elif one.is_published:
        known = [
            title,
            *map(_subject, one.commits),
            *map(_reason, one.commits),
            *(said for _, said, _ in map(_published, one.made)),
        ]
        parts = [one for one in parts if not is_upkeep(one, title) and not is_ready(one)]
        all_known = [*known, " ".join(known)]
        new = [part for part in parts if _adds(part, all_known, is_item=part in listed)]
        parts = [one for one in parts if one in prose and not (tells_work(one) or is_detail(one))]
        parts = new or [said for said in parts if _says_more(said, known)]
    elif is_last:
        first = first_telling(parts)
        parts = prose if first is None else parts[first:]
        parts = [part for part in parts if _says_more(part, [title])] or parts
        rest = [part for part in parts if not is_ready(part)]
        parts = rest if any(map(reports, rest)) else parts
        if first is None and one.is_second_hand:
            longest = LONGEST_BEFORE  # it went on
    else:
        parts = [part for part in parts if tells_work(part) and _says_more(part, [title])]
        parts = [part for part in parts if len(_words(part)) >= FEWEST_WORDS]
        about = _words(" ".join((title, *one.asked[-1:])))
        parts = [part for part in parts if CAUSE.search(part) or _words(part) & about] or parts
    return _whole(list(map(without_lead, parts)), longest, SHORTEST_TOLD).rstrip(";；")


def _adds(said: str, known: Sequence[str], *, is_item: bool) -> bool:
    """Whether a sentence says more than commits: a cause, that it was tested, what else was done."""
    if CAUSE.search(said) or TESTED.match(said):
        return True
    is_code = is_detail(said) or (is_item and names_code(said))
    if is_code and not _words(said.partition(" ")[2]) & _words(" ".join(known)):
        is_code = False  # about something that the commits do not tell of
    return tells_work(said) and not is_code and _says_more(said, known)


def _title(one: LeftOff) -> str:
    """What a session is called; a request that was cut is told to its end, if it is short."""
    title = one.title
    if title.endswith("…"):
        about, begun = _parts_of(title.rstrip("… "))
        said = (said for said in one.asked if said.casefold().startswith(begun.casefold()))
        if whole := next(said, ""):
            title = f"{about}{begun[:1]}{whole[1:]}"
    return on_one_line(_PLAN.sub("", title), LONGEST_TITLE)


def _parts_of(title: str) -> tuple[str, str]:
    """What a branch says a session was about, if its title begins so, and what was asked."""
    about, colon, asked = title.partition(": ")
    return (f"{about}{colon}", asked) if colon else ("", title)


def _new_in(text: str, title: str) -> str:
    """What a text says besides a title that it begins with; all of it, where it does not."""
    title = title.rstrip("… ")
    rest = text[len(title) :].lstrip() if text.startswith(title) else text
    return rest.lstrip(".:：。 ") if rest[:1] in (*".:：。", "") else text


def _beside(request: str, title: str) -> str:
    """What a request says besides the title; nothing where it is no more than that."""
    sentences = split_sentences(request)
    while sentences and _repeats_title(sentences[0], title):
        del sentences[0]
    return " ".join(sentences)


def _repeats_title(text: str, title: str) -> bool:
    one = same_words(_without_greeting(_PLAN.sub("", text)))
    for other in map(same_words, {title.rstrip("… "), _parts_of(title.rstrip("… "))[1]}):
        is_begun = one.startswith(other) and (title.endswith("…") or 2 * len(other) > len(one))
        if is_begun or other.startswith(one):
            return True
    return not _says_more(text, [title])


def _first_sentences(text: str, longest: int) -> str:
    """As many of the first sentences as there is room for."""
    return _whole(split_sentences(on_one_line(text, 2_000)), longest)


def _whole(sentences: Sequence[str], longest: int, shortest: int = 0) -> str:
    """As many of the sentences, without those that are shorter, as there is room for."""
    kept, size = "", 0
    for sentence in sentences:
        if _size(sentence) < shortest:
            continue  # “Done.”, “Pushed.”
        if shortest and sentence.endswith(("?", "？")):
            continue  # what an agent asks came of nothing
        size += _size(sentence)
        if kept and size >= longest:
            break
        kept += sentence if not kept or kept.endswith("；") else f" {sentence}"
    return on_one_line(kept, longest)


def _size(text: str) -> int:
    """The length of a text; a Chinese character says as much as two letters."""
    return len(text) + sum(map(is_cjk, text))
