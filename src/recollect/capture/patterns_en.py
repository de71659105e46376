"""English phrases that introduce decisions and rules."""

from __future__ import annotations

from recollect.capture.phrases import Wording, any_of

# Where a new thought may begin: only there is `always run …` an instruction, and `we use …` a claim.
_STARTS = (
    r"(?:^|[,:;]\s*|\s[–—-]\s|\b(?:and|but|so|then)\s+)"
    r"(?:(?:please|also|just|now|yes|ok(?:ay)?|here|always|instead of [\w.-]+"
    r"|(?:in|for|on) (?:(?:this|our|the|all) )?[\w-]+),?\s+)*"
)
# What cannot be understood without what was said before, or is nothing to choose.
_VAGUE = (
    r"(?:it|this|that|them|these|those|one|both|(?:some|any|every|no)thing|what\w*|which\w*|how|where"
    r"|when|whether|if|option|plan|your|my|in mind|going|moving|working|trying|posted|simple|to (?:see|look|wait|stop|think)"
    r"|too|more|less|so|a lot|stuff|things|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|the \w+ (?:ones?|version)|the (?:first|second|third|last|other|former|latter|same|above|following|next"
    r"|idea|rest|way|result|output|value|existing|current|wrong|right|terms))\b"
)
_THING = rf"\s+(?!{_VAGUE})\S"
_TAKE = (
    r"(?:use|be using|go (?:with|for)|(?:switch|move|migrate)(?: over)? to|stick (?:with|to)|adopt"
    r"|standardi[sz]e on|drop|replace|store|keep|put|support|avoid|target|deploy (?:to|on|with)"
    r"|cache|pin|host|serve|encrypt|hash|validate|expose|retry)"
)
_TAKING = (
    r"(?:(?:switching|moving|migrating)(?: over)? to|going with|using|dropping|replacing|adopting"
    r"|sticking with|standardi[sz]ing on)"
)
_DECIDED = any_of(
    # It was decided: `we chose FastAPI over Flask`.
    rf"{_STARTS}(?:we|i|the team|everybody|everyone)(?:['’]ve| have)?(?: all| both| now| finally)* "
    rf"(?:decided|chose|chosen|settled|picked|opted)(?: (?:to|on|for|that))?+{_THING}",
    rf"{_STARTS}(?:we|the team|everybody|everyone)(?:['’]ve| have)?(?: all| both| now| finally)* "
    rf"agreed(?: (?:to|on|that|with [\w ]+? (?:to|on|that)))?+{_THING}",
    # It is about to be done, by all: `let's (not) use …`, `we will …`, `I want us to …`.
    rf"{_STARTS}let(?:['’]?s| us)(?: not| just| all)* {_TAKE}{_THING}",
    rf"{_STARTS}we(?:['’]ll| will| shall| won['’]t| want to|(?:['’]re| are) (?:not )?going to)"
    rf"(?: not| never| all| now)* {_TAKE}{_THING}",
    rf"{_STARTS}i(?: want|['’]d like| would like)(?: us| you)? to {_TAKE}{_THING}",
    rf"{_STARTS}(?:let['’]?s|we['’]ll|we will) (?:write|build|implement|do) .{{2,40}} (?:in|with) (?-i:[A-Z])",
    # A choice between two, or for something: `use httpx instead of …`, `use SQLite for …`.
    rf"{_STARTS}(?:use|go with|switch to|migrate to|adopt|pick|choose)(?! (?:the|a|an)\b){_THING}.*"
    r"(?:\b(?:instead of|rather than|everywhere)\b|, not )",
    rf"{_STARTS}(?:use|go with|adopt|pick|choose)(?! (?:the|a|an)\b)(?! .* to ){_THING}[^,]* for "
    r"(?!(?:this|that|it|now|example|me|reference|the moment)\b)",
    rf"{_STARTS}replace{_THING}.* (?:with|by) .*\beverywhere\b",
    after=_STARTS,
)
_USED = any_of(
    # It is being done, or always is: `we are moving to …`, `we use pnpm`, `the API will use …`.
    rf"{_STARTS}we(?:['’]re| are)(?: now| all)* {_TAKING}{_THING}",
    rf"{_STARTS}we (?:(?:now|only|all) )?use{_THING}",
    rf"{_STARTS}(?:the|our) [\w-]+(?: [\w-]+)? (?:will|shall) (?:use|be written in|run on|live in){_THING}",
    rf"{_STARTS}our [\w-]+(?: [\w-]+)? (?:uses|is written in|runs on|lives in){_THING}",
    after=_STARTS,
)

# A verb that tells somebody to do something: no `fails`, `worked`, `got`, and with an object.
_DO = (
    r"(?!(?:mind|again|been|had|got|saw|seen|was|were|did|told|said|came|went|found|ran|made|took|heard"
    r"|knew|forgot|wrote|broke|gave|left|lost|kept|felt|thought|sent|paid|the|an?|to|in|on|by|so|nice"
    r"|good|great|happy|glad|welcome|worth|there|here|true|open)\b)"
    r"(?!\w+[^s\W]s\b)(?!\w+[^e\W]ed\b)[\w-]+\s+\S"
)
_DONT = r"(?:do not|don['’]?t|never|avoid|stop)(?: ever)?"
_GENERAL = (
    r"(?:us|add|writ|mock|creat|install|put|mak|hard-?cod|mix|call|import|introduc|swallow|ignor|leav|log"
    r"|stor|commit|push|merg|deploy|nest|abbreviat|duplicat|repeat|rely|depend|assum|return|throw|catch"
    r"|print|skip|disabl|wrap|inlin|guess|apologi[sz]|invent|expos|shar|copy|past|bump|pin|squash|amend)"
)
# What there is none of without a rule: `no errors in the log`.
_NO = (
    r"\w*(?:error|result|output|difference|change|luck|response|answer|clue|sign|idea|problem|need|way|one"
    r"|more|longer|further|other|new|such|reason|worrie|question|issue|test|hit|match(?:e)?|doubt)"
)
_LANGUAGES = r"(?:English|Chinese|German|French|Spanish|Japanese|Korean|Russian|Portuguese|Italian)"
_RULED = any_of(
    # From a point in time on.
    rf"\b(?:from (?:now|here|today) on|going forward)\b|{_STARTS}in (?:the )?future,? ",
    # `always …` and `never …` as instructions, to whoever reads them or to those who are named.
    rf"{_STARTS}(?:make sure (?:that |you |to )*)?(?:always|never)(?: ever)? {_DO}",
    rf"{_STARTS}(?:it['’]s important|i(?: want|['’]d like)) (?:that |you |to )*(?:always|never) {_DO}",
    rf"{_STARTS}we (?:always|never) {_DO}",
    rf"{_STARTS}(?:you|we|agents?) (?:should|must|have to|need to|can|may) (?:always|never) {_DO}",
    rf"^(?!{_VAGUE}|there\b|the\b|an?\b|he\b|she\b|they\b|i\b)[\w`-]+(?: [\w`-]+){{0,4}} "
    r"(?:must|should|may|can) (?:always|never|not|only) \w",
    # What holds for all of a kind.
    r"^(?:all|every|each|no) (?!the\b)[\w` /-]{2,60}? (?:must|should|needs? to|ha(?:s|ve) to|shall|may|can) \w",
    rf"^(?!{_VAGUE}|there\b|the\b|an?\b|you\b|we\b|i\b|he\b|she\b|they\b)[\w`-]+(?: [\w`-]+){{0,4}} must "
    r"(?:be|have|use|go|live|start|end|contain|stay|return|include|follow|support|pass)\b",
    rf"{_STARTS}i (?:want|need) (?:all|every|each|no)\b",
    rf"{_STARTS}only (?:use|commit|write|add|import|log|test|expose|export){_THING}",
    rf"{_STARTS}(?:keep|limit) (?!{_VAGUE}|the\b)[\w -]+ (?:under|below|within|at most|shorter than) ",
    rf"^no (?!{_NO}s?\b)[\w.`-]+(?: [\w.`-]+)? (?:in|for|without|outside|inside|on) \w",
    rf"^no (?!{_NO}s?\b)[\w-]+ (?!{_NO}s?\b)[\w-]+s[.!]?$",
    # What not to do, as long as it is not about this moment (see `passing`).
    rf"{_STARTS}{_DONT} {_GENERAL}\w*{_THING}",
    rf"{_STARTS}avoid{_THING}",
    # What somebody likes.
    rf"{_STARTS}i (?:really |strongly |generally |usually |always |would )?prefer{_THING}",
    rf"{_STARTS}i (?:really |generally |usually )?(?:like|love|hate|dislike|can['’]?t stand"
    rf"|do(?:n['’]?t| not) like)(?! the\b| to\b| an?\b){_THING}",
    r"\bmy (?:preference|rule|habit) is\b",
    r"\b(?:our|the|a) (?:convention|rule|policy|standard|guideline|house style)(?: here| for \w+)?(?: is|:)",
    # What is to be kept in mind.
    rf"{_STARTS}(?:remember|keep in mind|bear in mind|note|don['’]?t forget)(?::|,? that)\s"
    r"(?!i\b)",
    rf"{_STARTS}(?:ask|tell|check with) (?:me|us) (?:first )?(?:before|when|whenever) ",
    # What to do each time.
    rf"{_STARTS}(?:whenever|every time|each time|before|after) you [^,]+, (?:please )?"
    rf"(?!(?:it|i|the|this|we|you|there|they|everything|nothing)\b){_DO}",
    # The language to speak.
    rf"{_STARTS}(?:answer|reply|respond|talk|speak|explain)\b.{{0,40}}\bin {_LANGUAGES}\b",
    rf"{_STARTS}write (?:all |the |every )*(?:\w+ )?(?:messages?|comments?|docs?|docstrings?|names?|code"
    rf"|everything|documentation) in {_LANGUAGES}\b",
    after=_STARTS,
)
_NOT_MEANT = any_of(
    # Questions, with or without a mark.
    r"[?？]\s*[\"')\]]*$",
    r"^\s*(?:what|why|how|who|when(?!ever)|where|which|should|shall|could|can|would|did|does|is|are|was"
    r"|were|have we|has|do(?! not\b)|don['’]t (?:we|you))\b",
    # Doubts, wishes, examples, what has not happened.
    r"\b(?:maybe|perhaps|might|could|not sure|wonder\w*|thinking (?:about|of)|consider\w*|let['’]?s (?:say|see|decide|discuss|think)|for example|e\.g\.|what if"
    r"|if we|if i|can['’]?t decide|ha(?:ve|s|d)(?:n['’]t| not) (?:yet )?(?:decided|agreed|chosen)"
    r"|need to decide|not decided|undecided|tomorrow|tonight|yesterday)\b",
    r"^\s*(?:please )?(?:suppose|imagine|assume|assuming|remember when)\b",
    # What was just done, or stands in some line.
    r"\byou (?:just|already) \w+|\b(?:in|on|at) line \d",
    # Idioms.
    r"\bjust kidding\b",
    r"\bnever ?mind\b|\bas always\b|\bthan never\b|\balways say\b|\buse (?:the )?(?:bathroom|toilet)\b",
)
_PASSING = any_of(
    r"\b(?:yet|for now|right now|now(?! on\b)|this time|today|tonight|tomorrow|for the moment|anything else"
    r"|until i)\b",
    r"\b(?:this|these|those)\b(?! (?:repo|repository|project|codebase|team|company)\b)|\b(?:it|that)[.!,]?$|\bit[,;]",
    r"\bthat (?:file|one|line|function|class|test|branch|module|method|part|page|table|change)\b",
)
_TROUBLE = any_of(
    r"\b(?:but|and) (?:it|this|that|they)\b",
    r"\b(?:crash|fail|break|hang|error|bug|slow|broken|wrong|stuck|problem|issue|forever)\w*\b",
)
_REPORTED = any_of(
    r"\b(?:says?|said|saying|states?|wrote|writes|claims?|recommends?|suggests?|complains?|warns?"
    r"|according to|told (?:me|us)|(?:message|error|output|log) (?:is|was|reads?))\b.{0,60}$",
    r"\b(?:write|implement|add|make|create|build|rename|show|explain|find|change|fix)\b[^,;:]*$",
)
ENGLISH = Wording(
    decided=_DECIDED,
    used=_USED,
    ruled=_RULED,
    not_meant=_NOT_MEANT,
    passing=_PASSING,
    trouble=_TROUBLE,
    reported=_REPORTED,
    against=any_of(
        r"\b(?:never|don['’]?t|do not|avoid|stop|hate|dislike|must not|should not)\b", r"^no "
    ),
)
