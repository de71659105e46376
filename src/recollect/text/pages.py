"""Whether a command reads a page, or else what strangers wrote. Pure."""

from __future__ import annotations

from recollect._fastimport import Pattern

# Numbers, states and dates say nothing that somebody could wish for, nor does a login alone.
_PLAIN_FIELDS = (
    r"(?:(?:number|url|state|isDraft|mergeable|mergeStateStatus|reviewDecision|additions|deletions|changedFiles"
    r"|(?:created|updated|merged|closed)At|(?:base|head)RefOid)(?:,(?=\w)|(?=[\"'\s)]|$)))+[\"']?(?=[\s)]|$)"
    r"|author\s+(?:-q|--jq)\s+[\"']?\.author\.login[\"']?(?=[\s)]|$)"
)
_OPTION = r"(?:(?:-R|--repo)[ =]?\S+\s+)?"
_OF_OTHERS = Pattern(  # what others write on a forge
    rf"\bgh\s+{_OPTION}(?:api|search|status\b|co\b|discussion\b|project\s+(?:item-list|view)\b|repo\s+view\b(?![^|;&\n]*\s--json\b)"
    r"|(?:issue|pr|release|gist)\s+(?!(?:create|merge|close|reopen|ready|comment|edit|lock|unlock|pin|unpin|transfer|delete|upload)\b"
    rf"|(?:view|list|status)\b[^|;&\n]*?\s--json[ =][\"']?(?:{_PLAIN_FIELDS})(?![^|;&\n]*\s--json)))"
    rf"|\b(?:glab|tea|hub|jira)\s+{_OPTION}(?:api\b|(?:mr|issues?|pr|pulls?)\s+(?:view|list|show|diff|\d))"
    r"|\bgit\b[^|;&\n]*\s\+?(?:refs/)?(?:pull/\d+/(?:head|merge)|merge-requests/\d+/head)\b"
)
_BROWSER = Pattern(
    r"\b(?:curl|wget|lynx|w3m|e?links|xhs?|https?|aria2c|iwr|irm|invoke-(?:webrequest|restmethod))(?:\.exe)?(?=\s)",
    2,  # re.I
)
# What may stand before the name of a program, if it is one that is run.
_RUN = Pattern(
    r"(?:^|[|;&\n(`\"']|\b(?:do|then|else|sudo|time|env|exec|xargs|command|nohup)\s|(?<![\w-])\w+=\S*\s)\s*(?:[\w.~/-]*/)?\Z"
)
_WORDS = Pattern(r"(?:\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|\\.|[^\"'\\|;&\n])*", 16)  # re.S
_HOST = Pattern(r"(?<=[\s\"'])(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?(?=[/?\s\"']|\Z)", 2)
_ADDRESS = Pattern(r"https?://(?:[^\s\"'`<>|;&)/?#@]*@)?([^\s\"'`<>|;&)/?#]*)", 2)
_HERE = Pattern(
    r"(?:(?:[\w-]+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?::|\Z)",
    2,
)
# A program in the command itself, and what in one reads a page.
_PROGRAM = Pattern(
    r"\b(?:python[\d.]*|node|deno|bun|ruby|perl|php)\s(?:[^\n|;&]{0,80}?\s)?(?:-[cerEp]|--eval|eval|-(?=\s*<<)|<<)(?=[\s<'\"-])"
)
_FETCHING = Pattern(
    r"\b(?:requests\.get|httpx|aiohttp|urlopen|fetch\(|axios|open-uri|Net::HTTP|file_get_contents|LWP|https?\.get|playwright|puppeteer)"
)


def reads_a_page(command: str) -> bool:
    """Whether a command reads a page, or what strangers write: what the agent says then is second-hand."""
    command = command.replace("\\\n", " ")
    if _OF_OTHERS.search(command):
        return True
    if any(_fetches(command, found.start(), found.end()) for found in _BROWSER.finditer(command)):
        return True
    program = _PROGRAM.search(command)
    said = command[program.end() :] if program else ""
    return bool(_FETCHING.search(said)) and _names_page(said)


def _fetches(command: str, start: int, end: int) -> bool:
    """Whether a browser, whose name begins and ends there in a command, is sent to a page."""
    words = _WORDS.match(command, end)
    said = words[0] if words else ""
    if "://" in said:
        return _names_page(said)
    if "$" in said and _names_page(command):
        return True  # the address stands in a variable
    is_here = "localhost" in said or "127.0.0.1" in said
    return bool(not is_here and _RUN.search(command[:start][-200:]) and _HOST.search(said))


def _names_page(said: str) -> bool:
    """Whether a text has an address that is not of this machine."""
    return any(not _HERE.match(found[1]) for found in _ADDRESS.finditer(said))
