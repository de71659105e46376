"""Whether a command reads a page, or else what strangers wrote. Pure."""

from __future__ import annotations

import re

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
    r"|\bgit\b[^|;&\n]*\s(?:fetch|pull)\s[^|;&\n]*(?:https?://|git@)"
)
# A repository that is brought here to be read: nobody works in a part of one, or in a folder for the moment.
_CLONE = Pattern(r"\b(?:git\b[^|;&\n]*\sclone|gh\s+repo\s+clone)\s[^|;&\n]*")
_AFAR = Pattern(r"://|@|\bgh\s")
_TO_READ = Pattern(r"--depth\b|--filter\b|/tmp\b|\$TMP|mktemp")
# What others write in a registry, a tracker or a mailbox.
_KEPT_BY_OTHERS = Pattern(
    r"\b(?:npm|pnpm|yarn)\s+(?:search\b|(?:view|info|show)\s+(?!\S+\s+(?:(?:versions?|dist-tags\S*|engines|time\S*|dist\S*|(?:peer)?dependencies|--json)(?=[\s|;&)]|$)\s*)+(?:2?>\S+\s*)*(?=[|;&)\n]|$)))"
    r"|\b(?:cargo\s+(?:search|info)|helm\s+show|docker\s+search|gem\s+search)\s"
    r"|\b(?:acli|linear|az\s+(?:boards|repos|devops))\s(?:[\w-]+\s+){1,2}(?:view|show|list|search|get|read|query)\b|\bsentry-cli\s+(?:issues|events)\b"
    r"|\bhimalaya\s+(?:message|envelope|read|list)\b|\bnotmuch\s+(?:show|search)\b|\bmu\s+(?:view|find)\s"
)
_BROWSER = Pattern(
    r"\b(?:curl|wget|lynx|w3m|e?links|xhs?|https?|aria2c|iwr|irm|invoke-(?:webrequest|restmethod))(?:\.exe)?(?=\s)",
    2,  # re.I
)
# What may stand before the name of a program, if it is one that is run.
_RUN = Pattern(
    r"(?:^|[|;&\n(`\"']|\b(?:do|then|else|sudo|time|env|exec|xargs|command|nohup|npx(?:\s-y)?|bunx|uvx|dlx|uv run|timeout\s\S+)\s|(?<![\w-])\w+=\S*\s)\s*(?:[\w.~/-]*/)?\Z"
)
# What reads a page if it is given one, and does much else; other agents among it.
_READER = Pattern(
    r"\b(?:chrom(?:e|ium)(?:-browser)?|google-chrome(?:-\w+)?|firefox|playwright|agent-browser|browser-use|pandoc|yt-dlp|firecrawl|monolith|defuddle|trafilatura)(?=\s)|\b[\w-]+\s(?:exec|run|-p|--print|--prompt)(?=\s+[\"'])"
)
_WORDS = Pattern(r"(?:\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|\\.|[^\"'\\|;&\n])*", 16)  # re.S
# This machine, and the network around it.
_OWN_NET = r"(?:10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\."
_OWN_DOMAIN = r"(?:localhost|local|internal|lan)"
_NAME = (
    rf"(?:(?:[a-z\d-]+\.)+(?!(?:json|txt|html?|log|ya?ml|csv|gz|zip|pdf|xml|js|png|{_OWN_DOMAIN})\b)[a-z]{{2,}}"
    rf"|(?!{_OWN_NET}|0\.)\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?::\d+)?"
)
_HOST = Pattern(rf"(?<=[\s\"']){_NAME}(?=[/?\s\"']|\Z)", 2)
_SET = Pattern(rf"\b\w+=[\"']?{_NAME}(?=[/?\s\"';&]|\Z)", 2)
_LOCAL = Pattern(
    r"(?<![\w./-])(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\])(?=[:/?\s\"']|\Z)", 2
)
_LISTED = Pattern(r"\bxargs\s[^|;&\n]*\Z")  # what they are sent to was read elsewhere
_LIST = Pattern(r"\s(?:-i|--input-file|-K|--config)[ =]\S")
_ADDRESS = Pattern(r"https?://(?:[^\s\"'`<>|/?#@]*@)?([^\s\"'`<>|;&)/?#]*)", 2)
_HERE = Pattern(
    rf"(?:(?:[\w-]+\.)+{_OWN_DOMAIN}|localhost|{_OWN_NET}(?:\d+\.)*\d+|0\.0\.0\.0|\[(?:::1|fd[\da-f]{{2}}:[\da-f:]*)\])(?::|\Z)",
    2,
)
# A program in the command itself, and what in one reads a page.
_PROGRAM = Pattern(
    r"\b(?:python[\d.]*|node|deno|bun|ruby|perl|php)\s(?:[^\n|;&]{0,80}?\s)?(?:-[cerEp]|--eval|eval|-(?=\s*<<)|<<)(?=[\s<'\"-])"
)
_FETCHING = Pattern(
    r"\b(?:requests|httpx|aiohttp|urllib\.request|urlopen|urlretrieve|http\.client|fetch\(|axios|got\(|undici|open-uri|URI\.open|Net::HTTP|file_get_contents|curl_exec|LWP"
    r"|https?['\")]*\.(?:get|request)|playwright|puppeteer|selenium|cloudscraper|feedparser|trafilatura|read_(?:csv|html|json)\()"
)
_SCRIPT = Pattern(
    r"\b(?:python[\d.]*|node|deno|bun|tsx|ruby|perl|php)\s(?:-\S+\s|run\s)*[\"']?(?:\S*/)?([\w.-]+\.(?:py|[cm]?[jt]s|rb|pl|php))\b"
)


def reads_a_page(command: str) -> bool:
    """Whether a command reads a page, or what strangers write: what the agent says then is second-hand."""
    command = command.replace("\\\n", " ")
    if _OF_OTHERS.search(command) or _KEPT_BY_OTHERS.search(command):
        return True
    if any(_fetches(command, found.start(), found.end()) for found in _BROWSER.finditer(command)):
        return True
    if any(_is_sent(command, found.start(), found.end()) for found in _READER.finditer(command)):
        return True
    clone = _CLONE.search(command)
    if clone and _AFAR.search(clone[0]) and _TO_READ.search(command[: clone.end()]):
        return True
    return _is_fetching_program(command)


def _is_fetching_program(command: str) -> bool:
    """Whether a command runs a program that reads a page, and that it says or has just written."""
    if not _FETCHING.search(command) or not _names_page(command):
        return False
    program = _PROGRAM.search(command)
    said = command[program.end() :] if program else ""
    if _FETCHING.search(said) and _names_page(said):
        return True
    return any(
        re.search(rf"(?:>|\btee)\s*[\"']?\S*{re.escape(ran[1])}\b", command[: ran.start()])
        for ran in _SCRIPT.finditer(command)
    )


def _is_sent(command: str, start: int, end: int) -> bool:
    """Whether a program, whose name stands there in a command, is run with the address of a page."""
    words = _WORDS.match(command, end)
    return bool(words and _names_page(words[0]) and _RUN.search(command[:start][-200:]))


def _fetches(command: str, start: int, end: int) -> bool:
    """Whether a browser, whose name begins and ends there in a command, is sent to a page."""
    words = _WORDS.match(command, end)
    said = words[0] if words else ""
    if "://" in said:
        return _names_page(said)
    if "$" in said and (_names_page(command) or _SET.search(command)):
        return True  # the address stands in a variable
    before = command[:start][-200:]
    if _LOCAL.search(said) or not (_RUN.search(before) or _LISTED.search(before)):
        return False
    return bool(_HOST.search(said) or _LIST.search(said) or _LISTED.search(before))


def _names_page(said: str) -> bool:
    """Whether a text has an address that is neither of this machine nor of the network around it."""
    return any(not _HERE.match(found[1]) for found in _ADDRESS.finditer(said))
