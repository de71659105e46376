"""English phrases that introduce decisions and rules."""

from __future__ import annotations

from recollect.capture.pattern_types import DecisionPhrases, any_of

# Where a new thought may begin: only there is `always run …` an instruction, and `we use …` a claim.
_STARTS = (
    r"(?:^|[,:;]\s*|\s[–—-]\s|\b(?:and|but|so|then)\s+)"
    r"(?:(?:please|also|just|now|yes|ok(?:ay)?|here|always|instead of [\w.-]+"
    r"|(?:in|for|on) (?:(?:this|our|the|all) )?[\w-]+(?: [\w-]+,)?),?\s+)*"
)
# What cannot be understood without what was said before, or is nothing to choose.
_VAGUE = (
    r"(?:it|its|this|that|them|these|those|one(?! [\w-]+ (?:per|for (?:each|every|all)) )|both|(?:some|any|every|no)thing|what\w*|which\w*|how|where"
    r"|when|whether|if|option|plan|your|my|in mind|going|moving|working|trying|posted|simple|to (?:see|look|wait|stop|think)"
    r"|too|more|less|so|a lot|stuff|things|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|the \w+ (?:ones?|version)|the (?:first|second|third|last|other|former|latter|same|above|following|next"
    r"|idea|rest|way|result|output|value|existing|current|wrong|right|terms))\b"
)
_THING = rf"\s+(?!{_VAGUE})\S"
# Where somebody goes, and when: nothing that is chosen.
_ELSEWHERE = r"(?: (?:him|her|them|you|me|us|everyone|(?:my |your |our |the )?(?:team|family|kids|wife|husband|boss|lunch|dinner|breakfast|brunch|coffee|drinks))\b|[^,;]* (?:at|around|by) (?:\d{1,2}[:.]\d\d|1[0-2]|[1-9])(?: ?[ap]m| o['’]clock)?(?=$|[,;!.]|\s(?:so|and|then|today)\b))"
_TAKE = (
    rf"(?:use|be using|go (?:with(?!{_ELSEWHERE})|for an?)|(?:switch|move|migrate|go back|return)(?: over)?(?: from [\w.+#-]+)? to|stick (?:with|to)"
    r"|stay (?:with|on)|adopt|standardi[sz]e on|drop|support|avoid|target|deploy (?:to|on|with))"
)
# What is a task as often as a decision: it decides where a name, or all of a kind, is in it.
_TREAT = r"(?:replace|store|keep|put|cache|pin|host|serve|encrypt|hash|validate|expose|retry)"
_PROPER = r"(?-i:\b[A-Z][\w.+#-]*[A-Za-z\d])|`|\w[./_]\w|\w\d"
_NAMED = (
    rf"(?=[^.]*(?:{_PROPER}|\b(?:everywhere|always|never|only|every|each|any|all|default|optional|required|internal|public"
    r"|private|stateless|read-only)\b))(?!.*\b(?:\w+\.(?:py|go|ts|tsx|js|rs|java|rb|c|h|cpp|md|json)|as[- ]is|now|its)\b)"
)
# What is taken: something new to the listener, or something with a name.
_OBJECT = rf"\s+(?!{_VAGUE})(?:(?!(?:the|your|my|his|her)\b)|(?=[^.]*(?:{_PROPER})))\S"
_TAKEN = rf"(?:{_TAKE}|{_NAMED}{_TREAT}){_OBJECT}"
_MADE = (
    rf"make{_THING}.* (?:stateless|optional|required|private|public|internal|read-only|immutable)\b"
)
_TAKING = (
    rf"(?:(?:switching|moving|migrating)(?: over)? to|going with(?!{_ELSEWHERE})|using|dropping|replacing|adopting"
    r"|sticking with|standardi[sz]ing on|on (?=(?:[\w.-]+ ){0,2}(?:here|now|in)\b|[\w.-]+[,.]))"
)
# What a product does, and what it is made of.
_BEHAVES = r"(?:(?:only|never|always) )?(?:ask|show|print|warn|skip|default to|fall back|return|reject|refuse|keep|reuse|log|prompt|fail|exit|ignore|hide|give|add|set|send|store|create|retry|redirect|display|report|write|include|call|use|put|run)"
_PARTS = r"(?:roles|sections|modules|pages|states|statuses|tiers|plans|layers|stages|phases|levels|types|kinds|tabs|steps|services|environments|modes|categories)"
# In what a number is given.
UNITS = (
    r"(?:cents|utc|(?:milli|micro)?seconds|ms|minutes|hours|grams?|kilos?|kg|met(?:er|re)s|millimet(?:er|re)s|cm|mm|pixels|px"
    r"|bytes|kb|mb|euros?|eur|usd|dollars|percent|celsius|local time)"
)
# Who has no name: a sentence about them is told, not ruled.
_NOBODY = rf"(?:{_VAGUE}|(?:there|he|she|they|i|you|we|please|no|yes|see|here)\b)"
_DECIDED = any_of(
    # It was decided: `we chose FastAPI over Flask`.
    rf"{_STARTS}(?:we|i|the team|everybody|everyone)(?:['’]ve| have)?(?: all| both| now| finally)* "
    rf"(?:decided|chose|chosen|settled|picked|opted|standardi[sz]ed|moved off|dropped|(?:switched|moved|migrated)(?: over)?(?: from [\w.+#-]+)? to)"
    rf"(?: (?:to|on|for|that|against)\b|(?! (?:to|on|for|that|against)\b)){_THING}",
    rf"{_STARTS}(?:we|the team|everybody|everyone)(?:['’]ve| have)?(?: all| both| now| finally)* "
    rf"agreed(?: (?:to|on|that|with [\w ]+? (?:to|on|that))\b|(?! (?:to|on|that|with)\b)){_THING}",
    # It is about to be done, by all: `let's (not) use …`, `we will …`, `I want us to …`.
    rf"{_STARTS}let(?:['’]?s| us)(?: not| just| all)* (?:{_TAKEN}|{_MADE})",
    rf"{_STARTS}we(?:['’]ll| will| shall| won['’]t| want to|(?:['’]re| are) (?:not )?going to)"
    rf"(?: not| never| all| now)* {_TAKEN}",
    rf"{_STARTS}i(?: want|['’]d like| would(?: like)?|['’]d)(?: us| you)?(?: to)? {_TAKEN}",
    rf"{_STARTS}(?:stick (?:with|to)|stay (?:with|on)|standardi[sz]e on){_THING}",
    rf"{_STARTS}(?:the (?:client|customer|team|boss|product owner|legal(?: team)?|security team|company)"
    rf"|our (?:client|customer|users?)s?) (?:wants?|requires?|insists? on|asked for)(?! us\b){_THING}",
    rf"{_STARTS}i(?:['’]d| would) rather (?:have|use|see|keep)\b.* than ",
    rf"{_STARTS}we (?:switch|move|migrate)(?: over)? to{_THING}",
    rf"{_STARTS}(?:switch|move|migrate)(?: over)? to (?!{_VAGUE}|the\b|an?\b)[\w.+#/-]+(?:,| because\b| since\b)",
    rf"{_STARTS}(?:let['’]?s|we['’]ll|we will) (?:write|build|implement|do) .{{2,40}} (?:in|with) (?-i:[A-Z])",
    # A choice between two, or for something: `use httpx instead of …`, `use SQLite for …`.
    rf"{_STARTS}(?:use|go with|switch to|migrate to|adopt|pick|choose)(?! (?:the(?! (?:project|repo|team|app)['’]s )|a|an)\b){_THING}.*"
    r"(?:\b(?:instead of|rather than|everywhere)\b|, (?:not|never) )",
    rf"{_STARTS}(?:use|go with|adopt|pick|choose)(?! (?:the|a|an)\b)(?! .* to ){_THING}[^,]* for "
    r"(?!(?:this|that|it|now|example|me|reference|the moment)\b)",
    rf"{_STARTS}replace{_THING}.* (?:with|by) .*\beverywhere\b",
    rf"{_STARTS}(?:just )?use the (?=[^,]*(?:{_PROPER}))(?!{_VAGUE})\S[^,]* for (?!(?:this|that|it|now|example|me|reference|the moment)\b)",
    rf"^instead of (?!{_VAGUE}|\w+ing\b)[\w`.@/-]+(?: [\w`.@/-]+)?,? (?:please )?use (?!{_VAGUE}|an? (?:more|less|bit|little|slightly)\b)\S",
    r"^we (?:only )?(?:want|need) (?:just )?(?:an?|one) (?:single|separate|dedicated|central|shared|common)\b",
    r"^we don['’]?t want (?:each|every|any|our|users?|people|customers?|the [\w-]+s) [^,;]*\bto \w",
    # What it is again, or because the other is not good enough.
    r"^(?:let['’]?s (?:go )?)?back to (?-i:[A-Z])[\w.+#-]*(?=, \S|\s[–—-]|\s(?:because|since)\b)",
    rf"^use{_THING}[^,]*, (?-i:[A-Z])[\w.+#-]* (?:is|are) (?:too|no longer|not (?:fast|good|stable|worth|mature|supported|maintained))\b",
    # What is shown, called or done, and no longer something else.
    r"^(?:instead of [^,]{1,60},? )we (?:should|want to|will|need to) \w+ \S",
    # What something does in a case: `if there is no token, we ask for one`; `when installing zsh, let's also …`.
    rf"^(?:if|when|whenever|once) (?!{_VAGUE}|(?:you|i)\b|(?:the|a|an)? ?(?:tests?|build|lint|ci)\b)[\w\"'`][^,;:]{{3,90}}?,? (?:we(?: should| need to|['’]ll| will)?|let['’]s(?: also| just)?|the \w+ should) {_BEHAVES}\b",
    rf"^(?:if|when|whenever) (?:there(?:['’]s| is| are) no|no|an?) [^,;:]{{3,90}}?, (?:please )?{_BEHAVES} (?!me\b|them\b|it\b|back\b|what\b|a (?:summary|list|report|new)\b|the (?:bug|error|issue)s?\b)",
    rf"^(?:if|when|whenever) (?!{_VAGUE}|(?:you|i|we)\b|(?:the|a|an)? ?(?:tests?|build|lint|ci)\b)[^,;:]{{3,90}}?, (?:(?:then|just|always|simply) )*(?:(?:do not|don['’]?t|never) )?"
    r"(?:ask|show|print|warn|skip|default to|fall back|return|reject|refuse|prompt|fail|exit|ignore|hide|redirect|display|retry|throw|raise|proceed)\b(?! (?:me|them|it|back|what)\b)",
    # What was done has its reason.
    r"^we (?!['’])\w+ [^,;:]{3,60} (?:on purpose|deliberately|intentionally)[.!]*$",
    rf"^(?!{_VAGUE}|there\b|he\b|she\b|they\b|i\b|you\b|we\b)[\w`][\w `./-]{{2,60}} (?:is|are|was|were) (?:\w+ )?(?:intentional|deliberate|by design|on purpose)\b",
    rf"^(?:we |please |only )*target (?:only |the )*(?:latest |(?=\S+ \d))(?:{_PROPER})",
    # Something goes for good.
    rf"^(?:remove|drop|delete|get rid of|kill|rip out){_THING}[^,;:]* (?:completely|entirely|altogether|for good)(?=$|[\s.,;!])",
    # What something is made of: `there are three roles: admin, editor and viewer`.
    rf"^(?:there (?:are|should be|will be)|(?:it|the [\w-]+|we) (?:has|have|should have|needs?|consists? of)) (?:only |exactly )?(?:two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}}) (?:\w+ )?{_PARTS}: ?[^,:]+,",
    r"^we should (?!probably|also|maybe|just)\w+ \S.* (?:instead of|rather than) \S",
    rf"^we(?:['’]ve| have| had)? changed (?!{_VAGUE})\S[^,;]{{2,40}} (?:from [^,;]+ to|to [^,;]+ from) \S",
    r"\bshould be (?:the )?default\b",
    rf"{_STARTS}make (?!{_VAGUE})[^,;]{{2,60}} (?:the|our)(?: new)? default\b",
    rf"{_STARTS}i(?:['’]m| am) not (?:planning (?:on|to)|going to) us(?:e|ing){_THING}",
    rf"{_STARTS}i(?: want|['’]d like) to (?:set up|use|try){_THING}.* instead[.!]?$",
    r"\b(?:is|are|remains?|stays?|as) (?:the|our|its) (?:[\w'’]+ )?source of truth\b",
    rf"^i do(?:n['’]?t| not) think we (?:should|need to|have to) (?!{_VAGUE}|be\b|worry\b|bother\b)\w+{_THING}",
    rf"^(?:the|our) (?!{_VAGUE})[\w -]{{3,50}} (?:should|must) be [^,;?]{{2,60}},? (?:because|since|so that) (?!i\b|this\b|that\b)",
    rf"{_STARTS}i (?:only )?want (?:us )?to \w+ .*\bonly (?:when|if|(?:the )?first time|once|after|on)\b",
    rf"{_STARTS}(?:make sure |ensure )?we(?:['’]re| are) using{_THING}.*\beverywhere\b",
    after=_STARTS,
)
# All of a kind, named by its plural: `commit messages`, `uploads larger than 10 MB`.
_ALL = (
    rf"(?!{_VAGUE}|(?:(?:all )?(?:the|of)|an?|some|most|many|two|three|his|her|their|its|there|is|yes|no|we|you|he|she|i|things?"
    r"|changes|tests (?:are|get)|in|on|for|at|if|when|as|with|by|so|to|all tests must have|please|see|here)\b)"
    r"(?:(?:all|any|our|new)\s+)?(?:[\w/-]+ ){0,3}?[\w-]*[^\Ws]s\b(?: (?!(?:we|you|i|he|she|they|it|that|which|who|is|are|was|were)\b)[\w.-]+){0,5}? "
)
_USED = any_of(
    # It is being done, or always is: `we are moving to …`, `we use pnpm`, `the API will use …`.
    rf"{_STARTS}we(?:['’]re| are)(?: now| all)* {_TAKING}{_THING}",
    rf"{_STARTS}we (?:(?:now|only|all) )?use{_THING}",
    rf"{_STARTS}we (?:(?:now|only|all) )?(?:store|keep|cache|serve|run|build) (?!{_VAGUE}).{{3,50}} (?:in|on|with|as) (?!(?:the|a|an|this|that)\b)\S+.* (?:because|since|so that) ",
    rf"{_STARTS}(?:(?:the|our) [\w-]+(?: [\w-]+)?|production|prod|staging) (?:will|shall) (?:use|be written in|run on|live in){_THING}",
    rf"^we (?:(?:only|just) )?(?:need|use|keep|have) (?!{_VAGUE})\S[^,;?]{{2,60}} (?:just|only) for{_THING}",
    rf"{_STARTS}our (?!(?:goal|aim|plan|task|job|next|problem|hope|question|idea|intent|intention|focus)\b)[\w-]+(?: [\w-]+){{0,3}} (?:uses|is written in|runs on|lives in|is|are)(?! (?:too|very|so|not|still|down|now)\b){_THING}",
    rf"{_STARTS}we (?:(?:now|all) )?(?:drop|abandon|ditch|retire)(?! (?:the|a|an|all|our)\b){_THING}",
    # A change with its reason: `switch the front end to React because hiring is easier`.
    rf"{_STARTS}(?:switch|move|migrate|change|set|raise|lower|increase|reduce|limit|cap) (?!{_VAGUE})\S[^,;]* (?:to|from|at) [^,;]*,? (?:because|since|so that|as we)\b(?! (?:it|this|that|they|i|you)\b)",
    r"^(?:i misspoke|my mistake|correction|i was wrong)[,.:;]? (?:we |it |you )?(?:should |must )?(?:use|go with|be)\b",
    rf"{_STARTS}we (?:(?:now|all|only|always) )?(?:name|ship|release|deploy|version|tag|squash|rebase|host|round|support){_THING}",
    rf"{_STARTS}we (?:can['’]?t|cannot|can not|must not|may not) (?:use|ship|deploy|host|depend on){_THING}.* (?:because|due to|as|since) ",
    rf"{_STARTS}we (?:only|don['’]?t|do not) (?:do|use|support|ship|deploy|allow|mock|log|write|accept|cache|store|keep|version){_THING}",
    rf"^{_ALL}(?:only |always |must )?(?:live|go|belong|run|happen)(?: only| always)? (?:out )?(?:only )?(?:in|on|under|into|to|through|from|with|at|next to|beside|alongside){_THING}",
    rf"^{_ALL}(?:are|get)(?: only| always| never)? (?:stored|kept|written|named|shown|hashed|encrypted|signed|versioned|hosted|deployed"
    r"|sent|logged|squashed|rounded|prefixed|sorted|identified|tagged|counted|measured|cached|generated|released)"
    rf" (?:in|as|with|on|by|under|from|to|at|including|without|per|for|before|after|through|via){_THING}",
    r"^(?:the|our) (?!(?:errors?|bugs?|issues?|problems?|same|wrong|other|files?)\b)(?:[\w-]+ ){1,5}(?:is|are|lives?) in (?:the )?[\w./-]+(?: [\w./-]+){0,3} (?:folder|directory|repo(?:sitory)?|bucket)[.!]*$",
    rf"^{_ALL}are (?:never|always) \w",
    rf"^{_ALL}are (?:case[- ]\w+|read[- ]only|immutable|opt[- ]in|opt[- ]out|optional|frozen)\b",
    r"^(?!it\b|this\b|that\b)[\w-]+ goes through (?!the\b)\w",
    r"^(?:every|each|all) [\w -]{2,40} gets? (?!(?:an? )?(?:error|stuck|lost|slow))\w",
    rf"^{_ALL}(?:expire|rotate|decay|retire) (?:after|every) \w",
    # In what a number is given, where something runs, and how often something happens to it.
    rf"^(?!{_NOBODY})[\w`-]+(?: [\w`-]+){{0,5}} (?:is|are|comes?(?: back)?|(?:is |are )?(?:returned|stored|saved|given|counted|measured)) (?:all |always )?in {UNITS}\b(?!.*\b(?:but|or|i (?:think|guess|believe))\b)",
    r"^(?:(?:our|the) )?(?:prod|production|staging|(?:back|front)[- ]?end|api|app|site|website|service|workers?|database|db|bot|server)(?: server| system| environment)?"
    rf" (?:runs?|is hosted|are hosted|is deployed|sits|lives) (?:on|in|behind)(?! (?:an?|port|circles|parallel|debug|(?:the )?(?:old|new|latest|previous))\b)(?!.*\b(?:still|again|since)\b){_THING}",
    r"^(?:the|our|all|every) [\w -]{2,40}? (?:is|are|gets?) \w+(?:ed|t|en|wn)(?: up| out)? (?:every|each) (?:night|day|week|month|quarter|hour|morning|evening|\w+day|\d+ (?:hours|days|weeks|months))\b",
    rf"^(?!{_NOBODY}|the\b)(?:all |our )?[\w`-]+(?: [\w`-]+){{0,2}} is (?:never|always) an? \w",
    rf"^(?!{_NOBODY})[\w`-]+(?: [\w`-]+){{0,3}} (?:is|are) only (?:read|written|set|used|called|changed|allowed|stored|updated|imported|deployed) (?:in|by|from|through|via|with)\b",
    rf"{_STARTS}we (?!{_NOBODY}|\w+ed\b|(?:know|think|see|saw|hope|guess|care|wait|agree|get|got|did)\b)[a-z]{{3,}}(?: [\w-]+)?, (?:(?:and )?(?:not|never) [a-z]{{3,}}|we (?:do not|don['’]?t|never) [a-z]{{3,}})(?=$|[.,;])",
    rf"^(?!{_NOBODY}|the (?:function|method|class|loop|test|code|page|line)\b)[\w`-]+(?: [\w`-]+){{0,4}} uses? (?!{_VAGUE}|(?:the|my|an?)\b)[^,;]{{2,30}},? (?:not|never) \w",
    rf"^(?!{_NOBODY}|the\b)[\w`-]+(?: [\w`-]+){{0,3}} are (?:\w+ )?[\w-]+s, not (?:\w+ )?[\w-]+s\b",
    after=_STARTS,
)

# A verb that tells somebody to do something: no `fails`, `worked`, `got`, and with an object.
_DO = (
    r"(?!(?:mind|again|been|had|got|saw|seen|was|were|did|told|said|came|went|found|ran|made|took|heard"
    r"|knew|forgot|wrote|broke|gave|left|lost|kept|felt|thought|sent|paid|the|an?|to|in|on|by|so|nice"
    r"|good|great|happy|glad|welcome|worth|there|here|true|open|dealt|met|spoke|meant|understood|noticed)\b)"
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
# What a list says that has nothing in it: `No active downloads`.
_LISTED = r"(?:active|recent|pending|matching|available|saved|connected|running|selected|upcoming|unread|valid|staged|scheduled)"
_LANGUAGES = r"(?:English|Chinese|German|French|Spanish|Japanese|Korean|Russian|Portuguese|Italian)"
_RULED = any_of(
    # From a point in time on.
    rf"\b(?:from (?:now|here|today) on|going forward)\b|{_STARTS}in (?:the )?future,? |{_STARTS}as a (?:general )?rule,? ",
    # `always …` and `never …` as instructions, to whoever reads them or to those who are named.
    rf"{_STARTS}(?:make sure (?:that |you |to )*)?(?:always|never)(?: ever)? {_DO}",
    rf"{_STARTS}(?:it['’]s important|i(?: want|['’]d like)) (?:that |you |to )*(?:always|never) {_DO}",
    rf"{_STARTS}we (?:always|never) {_DO}",
    rf"{_STARTS}(?:always|never) (?:force[- ]push|rebase|squash|amend|guess|assume|improvise|auto-?commit)\b",
    rf"{_STARTS}i (?:never|always) (?:want|expect|need) (?:you |us )?(?:to )?\w",
    rf"{_STARTS}(?:don['’]?t|do not|never) ever {_DO}",
    rf"{_STARTS}(?:remember|don['’]?t forget) to (?:always|never|not) {_DO}",
    rf"{_STARTS}(?:remember to|don['’]?t forget to|you (?:need|have) to|you must|you should)(?! not\b| be\b| see\b| have\b) "
    r"\w+ [^,;]+\b(?:before|after|on|for|with|in) (?:every|each|any|all)\b",
    rf"{_STARTS}(?:you|we|agents?) (?:should|must|have to|need to) (?:always|never) {_DO}",
    rf"^there (?:must|should|shall|may) (?:be no|never be|not be any) (?!{_NO}s?\b)\w",
    rf"{_STARTS}i(?:['’]?d| would) (?:like|prefer) (?:to not|not to) (?!be\b|have to\b|see\b)\w+ \S",
    r"^(?:you|agents?|nobody|no one|everybody|everyone) (?:should|must) not (?:be )?\w",
    rf"^{_ALL}(?:(?:must|should|shall|ha(?:ve|s) to|needs? to|are to)(?: always| never| not| only)*"
    r"|(?:may|can) (?:never|not|only)) (?!(?:have|now|work|help|pass|be (?:fine|ok|able|working|fixed|done|green|back|there|here)|cover)\b)\w+ \S",
    r"^[\w`/-]+(?: [\w`/-]+){0,4} (?:is|are) (?:not allowed|forbidden|banned|off[- ]limits|frozen|read[- ]only"
    r"|mandatory|prohibited)\b(?!,? but\b)",
    r"^(?:the|our) [\w -]{3,40} (?:should|must|is to|has to)(?: be)? [\w.` -]{1,30} by default\b",
    r"^(?:(?:the|our) )?default [\w -]{2,30} (?:should|must|is to|has to) be \w",
    rf"{_STARTS}(?:i think )?we should (?!{_VAGUE}|be\b|have \w+ed\b)\w+ \S.* (?:(?:each|every) time|whenever|(?:after|before|on) (?:each|every)) \w",
    r"\b(?:have|follow|use|keep|stick to) the (?:\w+ )?(?:pattern|format|scheme|naming): ?\S",
    rf"^i do(?:n['’]?t| not) want any (?!{_NO}s?\b|more\b|of\b)\w",
    r"^the [\w-]+(?: [\w-]+)? (?:must|should|may) (?:never|only|stay|remain) \w",
    rf"^only (?!{_VAGUE}|the\b|an?\b)[\w -]{{3,40}}? (?:can|may|should|(?:is|are) allowed to) \w",
    r"^(?:commit messages?|branch names?|branches|pr titles?|dates"
    r"|error messages|indentation|formatting|file names?): (?!\w+ing\b)\w",
    rf"{_STARTS}make sure (?:that )?(?!{_VAGUE}|the\b|an?\b|we\b|you\b)[\w -]+ (?:are|is|do|have|get) (?:always|never|only) \w",
    rf"{_STARTS}i (?:want|need|expect) (?!{_VAGUE}|the\b|an?\b|you\b|us\b|to\b|some\b|\w+ to (?:see|know|do)\b)[\w -]{{3,40}}s "
    r"(?:to (?:be|have|use|stay|go|live|include)\b|(?:documented|typed|tested|signed|reviewed|logged|encrypted|sorted)\b)",
    rf"^(?!{_VAGUE}|there\b|the\b|an?\b|he\b|she\b|they\b|i\b)[\w`-]+(?: [\w`-]+){{0,4}} "
    r"(?:(?:must|should|may) (?:always|never|not|only)|can(?:not| never| only)) \w",
    rf"{_STARTS}(?!{_NOBODY})[\w.`-]+(?: [\w.`-]+){{0,3}} must (?:keep|stay|remain|continue)\b",
    r"^(?:i do(?:n['’]?t| not) want (?:any )?|no )(?:new|more|extra|additional|further) (?:dependenc\w+|packages?|librar\w+|frameworks?|services?|env(?:ironment)? var\w*)\b(?! (?:were|was|are|is|have|has|came|needed|required|\w+ed)\b)",
    rf"^(?!{_NOBODY})[^,;]{{3,60}} (?:always|only) (?:comes?|go|goes|lives?|runs?|uses?|gets?|stays?|belongs?|reads?|writes?|takes?|talks?|calls?) [^,;]{{4,60}}, never \w",
    r"^leave `?(?:[\w.-]+/)+[\w.-]*`? alone\b",
    # What holds for all of a kind.
    r"^(?:all|every|each) (?!time\b|of\b|the\b)(?:(?!(?:i|it|you|we|they)\b)[\w`/-]+ ){1,7}?needs? (?:an?|one|two|three|\d) (?!bit\b|lot\b|fix\b|look\b)\w",
    r"^(?:all |our |new )*(?:commit messages?|commits|comments|docs|docstrings|documentation|answers|replies|names|identifiers|error messages|pr descriptions|titles)"
    rf"(?: and [\w -]{{3,20}})? (?:always |only |must be |should be |stay )?in {_LANGUAGES}(?=$|[.,;!]| (?:please|pls|only|and|not|everywhere|without)\b)",
    r"^(?:all|every|each|no) (?!the\b|one\b)[\w` /-]{2,60}? (?:must|should|needs? to|ha(?:s|ve) to|shall|may|can) (?!have \w+ed\b)\w",
    rf"^(?!{_VAGUE}|there\b|the\b|an?\b|you\b|we\b|i\b|he\b|she\b|they\b|please\b)[\w`-]+(?: (?!what\b|which\b|who\b)[\w`-]+){{0,4}} must "
    r"(?:be|have(?! \w+ed\b)|use|go|live|start|end|contain|stay|return|include|follow|support|pass)\b",
    # Things that are wanted once are no rule: it says what all of them are to be.
    rf"{_STARTS}i (?:want|need) (?:all\b(?=.* (?:to|in|on|as|with|without|written|done|made|built|\w+ed)\b)|every\b|each\b|no\b)(?! to\b)",
    rf"{_STARTS}only (?:use|commit|write|add|import|log|test|expose|export){_THING}",
    rf"^keep (?!{_VAGUE}|the\b|an?\b)(?:[\w-]+ ){{0,3}}\w+s (?:\w+ and )?(?:clean|minimal|small|short|simple|thin|pure|lean|consistent)\b",
    rf"{_STARTS}(?:keep|limit) (?!{_VAGUE}|the\b)[\w -]+ (?:under|below|within|at most|to at most|(?:shorter|smaller|longer|larger) than) ",
    rf"{_STARTS}{_DONT} (?:touch|edit|modify|change|delete|rename|move) .*(?:\bgenerated\b|\bvendored\b|\b(?:under|inside|in) \S+/)",
    rf"^no (?!{_NO}s?\b|\w+_\w|it['’]?s?\b|that\b|this\b|there\b|the\b|i\b|we\b|you\b|they\b|not\b)[\w.`-]+(?: [\w.`-]+)? (?:in|for|without|outside|inside|on)"
    r" (?!(?:metadata|logs?|outputs?|responses?|results?|lists?|db|sight)\b)\w",
    rf"^no (?!{_NO}s?\b|{_LISTED}\b)[\w-]+ (?!{_NO}s?\b)[\w-]+s[.!]?$",
    # What not to do, as long as it is not about this moment (see `passing`).
    rf"{_STARTS}{_DONT} (?!\w+ed\b){_GENERAL}\w*{_THING}",
    rf"{_STARTS}avoid{_THING}",
    # What to do each time, whatever happens, and where it holds.
    r"^(?:git )?(?:run|commit|push|update|bump|check|test|log|record|document|save|lint|format|verify|rebase|squash|tag|build|restart) (?!.*\b(?:this|these|those)\b)"
    r"(?:[^,;:]{1,60} )?(?:after|before) (?:each|every) (?!of\b)\w",
    rf"\bno matter what,? (?:you )?(?:always|must|{_DONT}) \w",
    rf"^{_DO}[^,;:]*, always[.!]*$",
    r"\bi(?:['’]ll| will)(?: always)? (?:run|start|restart|commit|push|merge|deploy|test|manage|handle|do|review|rebase|release) (?:the|all|our|my|every|any)\b.*\b(?:myself|manually|by hand)\b",
    r"^in (?:this|our) (?:repo\w*|project|code ?base|team|company),? (?:we|always|never|use|do not|don['’]?t|only)\b",
    rf"^we (?:shouldn['’]?t|should not|must not|mustn['’]?t|cannot|can['’]?t)(?: ever| be)? {_GENERAL}\w*{_THING}",
    r"^i want [\w`./-]+(?: [\w`./-]+){0,3} to be \w+ed (?:whenever|every time|each time|before|after|with) \w",
    # What somebody likes.
    rf"{_STARTS}i (?:really |strongly |generally |usually |always |would )?prefer{_THING}",
    rf"{_STARTS}i (?:really |generally |usually )?(?:like|love|hate|dislike|can['’]?t stand"
    rf"|do(?:n['’]?t| not) like)(?! the\b| to\b| an?\b| you\b| us\b){_THING}",
    r"\bmy (?:preference|rule|habit) is\b",
    rf"{_STARTS}(?:our|the|a) (?:convention|rule|policy|standard|guideline|house style)(?: here| for \w+)?(?: is|:)",
    # What is to be kept in mind.
    rf"{_STARTS}(?:remember|keep in mind|bear in mind) (?:we|our|all|every|each|no)\b(?! (?:\w+ed|had|were|said|did|saw|got|have|still|need|already)\b)",
    rf"{_STARTS}(?:note|don['’]?t forget)(?::|,? that)\s"
    r"(?!i\b|(?:for|in|when|next)\b|.*\b(?:was|were|did|just|first|later|today|tonight|tomorrow)\b)",
    r"\w,? (?:(?:so|and|please) )*keep (?:this|that) in mind\b",
    rf"{_STARTS}(?:ask|tell|check with) (?:me|us) (?:first )?(?:before|when|whenever) ",
    # What to do each time.
    r"^before you (?!begin\b|start\b|continue\b|answer\b)[^,;]{3,60},? (?:please )?(?:always )?(?:(?:ask|check with) (?:me|us)\b(?! (?:what|how|why|if)\b)|tell (?:me|us)[.!]*$)",
    rf"{_STARTS}(?:whenever|every time|each time|before|after) you [^,]+, (?:please )?"
    rf"(?!(?:it|i|the|this|we|you|there|they|everything|nothing|help|show|tell|let|explain)\b){_DO}",
    # What a number is.
    r"^(?:the|our) (?:[\w-]+ ){0,3}(?:port|timeout|ttl|limit) (?:is|must be|should be) \d[\d.,]*(?: ?(?:ms|s|seconds?|minutes?|hours?|days?|[mgk]b|%))?(?: now| by default)?[.!]?$",
    # The language to speak, and how it is spelt.
    rf"{_STARTS}(?:we )?(?:use|stick (?:to|with)|prefer|write(?: \w+)? in|spell (?:\w+ )?in) (?:British|American|Canadian|Australian|Oxford|UK|US|{_LANGUAGES})"
    r"(?: English)?(?: (?:spellings?|orthography|grammar|English))?(?=$|[.,;!]| (?:in|for|everywhere|throughout|when|only|not|and|please|across|instead)\b)",
    rf"{_STARTS}(?:answer|reply|respond|talk|speak|explain)\b.{{0,40}}\bin {_LANGUAGES}\b",
    r"^(?:please )?(?:answer|reply|respond)(?: to me)? (?:in (?:short|brief|plain|simple|bullet)|briefly|concisely)\b",
    rf"{_STARTS}use{_THING}[^,]* in (?:all |the |our )?(?:docs?|documentation|comments?|names?|tests|commits?|commit messages|code)\b",
    rf"{_STARTS}write (?:all |the |every )*(?:\w+ )?(?:messages?|comments?|docs?|docstrings?|names?|code"
    rf"|everything|documentation) in {_LANGUAGES}\b",
    after=_STARTS,
)
_NOT_MEANT = any_of(
    # Questions, with or without a mark.
    r"[?？]\s*[\"')\]]*$",
    r"^\s*(?:what|why|how|who|when(?!ever|[^?]*(?:,| let['’]s)\s)|where|which|should|shall|could|can|would|did|does|is|are|was"
    r"|were|have we|has|do(?! not\b)|don['’]t (?:we|you))\b",
    # Doubts, wishes, examples, what has not happened.
    r"\b(?:maybe|perhaps|might|could|not sure|wonder\w*|i (?:thought|assumed)|thinking (?:about|of)|consider\w*|let['’]?s (?:say|see|decide|discuss|think)|for example|e\.g\.|what if"
    r"|if we|if i|can['’]?t decide|ha(?:ve|s|d)(?:n['’]t| not) (?:yet )?(?:decided|agreed|chosen)"
    r"|need to decide|not decided|undecided|figure out|tomorrow|tonight|yesterday)\b",
    r"^\s*(?:please )?(?:suppose|imagine|assume|assuming|remember when)\b",
    # The next step; a mode of the client.
    r"^now,? let['’]?s\b(?! (?:use|go with|switch to|adopt|stick with) (?!an?\b))(?!.*\b(?:instead of|rather than|not|always|never|every\w*|all)\b)|\bi switched to (?:agent|ask|edit|plan|auto|chat)(?: mode)?\b",
    # A step with git.
    r"\b(?:go|going|get|switch|move|back)(?: back)?(?: over)? to (?:the )?(?:main|master|develop|trunk|(?:[\w-]+ )?branch|(?:next )?(?:phase|step|task|milestone))\b",
    # What was just done, or stands in some line.
    r"\byou (?:just|already) \w+|\b(?:in|on|at) line \d",
    # What somebody sees or hands over, wishes for some day, or reads in an output.
    r"^(?:(?:it )?(?:looks?|seems?|sounds|feels) (?:like|as if|that)|attached (?:is|are)|here (?:is|are)|before you (?:begin|start|continue))\b"
    r"|^i(?:['’]d like| want| need):",
    r"\bin (?:the )?future,? (?:i(?:['’]d| would|['’]ll| will| may)|we may|it would)\b",
    r"^no [\w -]{2,40} (?:found|available|detected|selected|provided)\b|^note: (?:\w+ing|you can)\b",
    # The task at hand, with the file that it is about; a sentence that breaks off.
    r"^(?!.*\b(?:always|never|every|each|must|not|only use|instead of|rather than|no longer|as per|according to|follow)\b).*(?:^|\s)@[\w./-]*\.\w{1,5}\b",
    r"\s(?:under|than|and|or|the|an|(?:shown|described|defined|listed|specified) in)$|:$",
    # With which of its tools an agent is to look; where a program says that more is told.
    r"\bfor more (?:information|details|help)\b|^(?:please )?use (?:the )?(?:context7|mcps?\b|web ?search|sub-?agents?|plan mode|extended thinking|ultrathink)",
    # Idioms.
    r"\bjust kidding\b",
    r"\bnever ?mind\b|\bas always\b|\bthan never\b|\balways say\b|\buse (?:the )?(?:bathroom|toilet)\b",
)
_PASSING = any_of(
    r"\b(?:yet|for now|for the time being|right now|now(?! on\b)|this time|today|tonight|tomorrow|for the moment|anything else"
    r"|until i)\b",
    r"\b(?:this|these|those)\b(?! (?:repo|repository|project|codebase|team|company)\b)|\b(?:it|that)[.!,]?$|\bit[,;]",
    # What an agent is to leave for now, whatever the task is.
    r"\b(?:do not|don['’]?t|not) (?:write|run|make|change|edit|touch|execute|implement|do|fix)(?:(?: or |/)\w+)? (?:any |the )?(?:more |actual |new )?(?:code|commands?|changes|anything|edits|fixes|work)"
    r"(?=$|[.,;!–—-]| (?:or|and|just|at all|please)\b)",
    r"^(?:do not|don['’]?t) (?:make|do) (?:any )?(?:changes|edits) (?:to|in) (?:the|our|my)\b",
    r"(?:\bnot|n['’]t|\bnever)\b[^.]*\b(?:current|existing) \w",
    r"\bthat (?:file|one|line|function|class|test|branch|module|method|part|page|table|change)\b",
)
_VAGUE_ALONE = any_of(
    r"\b(?:this|these|those)\b(?! (?:repo\w*|project|code ?base|team|company|service|package|library|release|org\w*)\b)",
    r"^(?!(?:if|when|whenever|once) (?:there|an?|no|the|any|someone)\b)[^,;:–—]*\b(?:it(?!['’]s important)|them|they|(?:in|on|for|from|to|with|of|like|use|do|than|at) that)\b",
    r"\b(?:option|approach|variant|alternative|point|item|step|improvement|number|plan|choice|issues?|pr|task|group|figure|image|picture|screenshot|bullet|question) #?(?:[a-d]|\d+)\b",
    r"(?<!\w)#\d+|\(\d\)|^(?:for )?\d\b|\bboth$|\b(?:for|on|in) both\b|\bthe (?:two|2|three|3)\b",
    r"\b(?:the|your) (?:first|second|third|last|other|former|latter|same|above|previous|following|ones?|existing"
    r"|attached|screenshot|flag|thing|stuff|rest|idea|usage|scope|regex|workflow)\b",
    r"^(?:each|every|any|which|no) one\b|^[^,;]*\bthere\b(?! (?:is|are|will|should|must|shall|may)\b)|\b(?:like|as) (?:before|above)\b|\.\.\.|…",
    r"^if (?!possible|needed|unsure|necessary|applicable|available)\w+,|^if not (?:found|present|set|there|given|provided|specified|possible)\b"
    r"|\b(?:ours|yours|theirs)\b|(?<!\bof )\b(?:our|your|my|their|its) own[.!]*$"
    r"|\b(?:manner|way|as) i (?:said|told|described|mentioned|showed|specified|explained)\b|^(?!.*\b(?:we|our)\b).*\bhere[.:!]*$",
)
_TROUBLE = any_of(
    r"\b(?:but|and) (?:it|this|that|they)\b|\btoo \w|^now\b.*\bagain[.!]*$",
    r"\b(?:crash|fail|break|hang|error|bug|slow|broken|wrong|stuck|problem|issue|forever)\w*\b",
)
_REPORTED = any_of(
    r"\b(?:says?|said|saying|states?|wrote|writes|claims?|recommends?|suggests?|complains?|warns?"
    r"|according to|told (?:me|us)|(?:message|error|output|log) (?:is|was|reads?))\b.{0,60}$",
    r"\b(?:write|implement|add|make|create|build|rename|show|explain|find|change|fix|review|update|check|describe|verify"
    r"|help|try|mention|see)\b[^,;:]*$",
)
# Words of a rule: `never`, `every`, `we`; a reason or a contrast; all of a kind, named by its plural.
_GENERAL_EN = any_of(
    r"\b(?:we|our|always|never|ever|every\w*|each|all|any\w*|only|must|should|shall|may|can|prefer\w*|default|convention|rule|policy"
    r"|from now on|going forward|future|when\w*|before|after|because|since|unless|instead of|rather than|remember|note that"
    r"|port|like|love|hate|dislike|(?:un)?less|no|myself|manually|by hand|without|keep in mind|first|spelling|(?:British|American) English)\b|, (?:not|never) |: |^[\w`-]+ (?:is|are) |\bin [A-Z]",
    r"(?<!\bthe )(?<!\bthis )(?<!\bthese )(?<!\bthose )\b(?!this|is|was|has|does|its|less|us|as)\w{3,}[^s\W]s\b",
)
ENGLISH = DecisionPhrases(
    decided=_DECIDED,
    used=_USED,
    ruled=_RULED,
    not_meant=_NOT_MEANT,
    passing=_PASSING,
    vague=_VAGUE_ALONE,
    trouble=_TROUBLE,
    reported=_REPORTED,
    against=any_of(
        r"\b(?:never|don['’]?t|do not|avoid|stop|hate|dislike|must not|should not)\b", r"^no "
    ),
    general=_GENERAL_EN,
)
