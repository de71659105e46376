"""A person's answer to an agent's question as a decision, by the subject of its question.

Pure. Pages have both whole: `Where should diagrams go? docs/made (rather than docs/drawn)`.
"""

from __future__ import annotations

from recollect._fastimport import Pattern
from recollect.text.sentences import split_sentences
from recollect.text.tokens import content_words

LONGEST_SUBJECT = 90  # characters
LONG_QUESTION = 100
FEWEST_WORDS = 4  # of an answer that can be understood alone
LONG_ANSWER = 8  # words of one that says what a few words asked

_ASKED = Pattern(r"(.+[?？])\s+(\S.*)$")
_TURNED_DOWN = Pattern(r"\s*(?:\(rather than .*\)|（未选 .*）)$")
# Questions that ask for one thing, as `subject` and what it is asked for.
_SUBJECTS = (
    Pattern(
        r"where should (?P<subject>.+?) (?:go|live|sit|appear|belong|run|be (?:put|placed|stored|kept|saved|persisted|shown|displayed))(?P<rest> (?:in|on|for|of|when|during)\b.+)?$",
        2,  # re.I
    ),
    Pattern(r"where should (?:we|i|you) (?:put|place|keep|store|save|show) (?P<subject>.+)$", 2),
    Pattern(
        r"how should (?P<subject>(?!(?:we|i|you|it|they)\b).+?) (?:appear|look|be (?:shown|displayed|handled))(?P<rest> (?:in|on|for|of|when|during)\b.+)?$",
        2,
    ),
    Pattern(
        r"(?:which|what) (?P<subject>[^,;:]+?) (?:should we|should i|do you want|do you prefer|would you like|would you prefer)(?: to)?(?: (?:use|have|pick|choose|adopt))?(?P<rest> (?:for|in|on|as|when)\b.+)?$",
        2,
    ),
    Pattern(
        r"(?:which|what) (?P<subject>[^,;:]+?) should (?!(?:we|i|you|it|they|this|that|these|those)\b)(?P<who>(?:[\w-]+ ){0,2}[\w-]+) (?:use|have|get|run (?:on|with))(?P<rest> (?:for|in|on|as|when)\b.+)?$",
        2,
    ),
    Pattern(r"for (?P<subject>[^,?]{4,}), (?:where|how) should (?:it|they|that|these|those) (?:be )?\w+$", 2),
    Pattern(r"(?P<subject>.{8,}[^.])\. (?:how|what) should (?:we|i) (?:handle|do(?: with| about)?|deal with) (?:it|this|that|them)$", 2),
    Pattern(r"(?P<subject>[^？?]{4,})[。，,；]\s*(?:应该?|要|我们)*(?:怎么|如何)(?:处理|办|做|解决)(?:它们?|这个|这些)?$"),
    Pattern(r"what should (?P<subject>(?!(?:we|i|you|it|they)\b).+?) be(?P<rest> (?:in|on|for|when)\b.+)?$", 2),
    Pattern(r"what should happen (?P<subject>(?:when|if|after|before|while)\b.+)$", 2),
    Pattern(r"(?P<subject>[^，。？?]{1,40}?)(?:应该?|要|该)?(?:放|(?<![缓内库])存[放储]?|保存|上传|部署|写|显示|展示)?在(?:哪里|哪儿|哪|什么地方)$"),
    Pattern(r"(?P<subject>[^，。？?]{1,40}?)(?:应该?|要|该)?(?:怎么|如何|怎样)(?:处理|显示|展示)$"),
)  # fmt: skip
# An answer that only says yes or no needs its question.
_SHORT_OF = Pattern(
    r"(?:yes|no|yep|nope|yeah|both|neither|either|all|none|same)\b|是|否|不|都|对|要|可以|需要|应该",
    2,
)
# What turns a question round: `Where should secrets never go?`
_NOT = Pattern(r"\b(?:not|never|else|no longer)\b|n['’]t\b|[不别]要?$", 2)
_ASKER = Pattern(r"^(?:[你您]们?|我们|咱们)(?:希望|想要?|打算|准备)?(?:要|应该?)?[把将]?|^要把")


def as_decision(said: str) -> str:
    """An answer with no more of its question than its subject; with all of it where that is not sure."""
    found = _ASKED.match(said)
    if not found:
        return said
    question, answer = found[1], found[2]
    subject = _subject_of(question.rstrip("?？ ")) or _lead_of(question, answer)
    if not subject and len(question) > LONG_QUESTION:
        return f"{_shortened(question)} {answer}"
    is_long = len(content_words(_TURNED_DOWN.sub("", answer))) >= FEWEST_WORDS
    if subject and is_long and answer.casefold().startswith(f"{subject} ".casefold()):
        return _as_beginning(answer)
    return f"{subject} – {answer}" if subject else said


def _shortened(question: str) -> str:
    """A long question without what leads to it, and without examples in brackets."""
    last = split_sentences(question)[-1]
    asked = last if _is_clear(last) else question
    bare = _ASIDE.sub("", asked)
    return bare if _is_clear(bare) else asked


def _is_clear(question: str) -> bool:
    """Whether a question says what it is about without a sentence before it."""
    return len(content_words(question)) >= FEWEST_WORDS and not _POINTING.search(question)


_ASIDE = Pattern(r"\s*\((?=[^()]* )[^()]{12,}\)|（[^（）]{6,}）")


def _subject_of(question: str) -> str:
    """What a question is about, if it asks for one thing about that."""
    for pattern in _SUBJECTS:
        if found := pattern.match(question):
            parts = found.groupdict()
            who = f" for {parts['who']}" if parts.get("who") else ""
            rest = f"{who}{parts.get('rest') or ''}"
            subject = _ARTICLE.sub("", f"{found['subject']}{rest}".strip())
            subject = _ASKER.sub("", subject)
            if len(subject) > LONGEST_SUBJECT or _REFERS.search(subject) or _NOT.search(subject):
                return ""
            word = subject.partition(" ")[0]
            return (
                subject[:1].upper() + subject[1:] if word.islower() and word.isalpha() else subject
            )
    return ""


def _lead_of(question: str, answer: str) -> str:
    """What stands before a question and says what it is for, if its answer says the rest."""
    own = _TURNED_DOWN.sub("", answer)
    size = len(content_words(own))
    found = _LEAD.match(question) if size >= FEWEST_WORDS else None
    if not found and size >= LONG_ANSWER:
        found = _TOPIC.match(question)
    if not found or _SHORT_OF.match(own) or _points_back(own) or _QUESTION.search(found[0][:-1]):
        return ""
    lead = found["lead"].removeprefix("For ").removeprefix("for ")
    is_named = not (_REFERS.search(lead) or _POINTING.search(lead) or _NO_LEAD.match(lead))
    return (
        _as_beginning(_ARTICLE.sub("", lead)) if is_named and len(lead) <= LONGEST_SUBJECT else ""
    )


_QUESTION = Pattern(r"[?？]")
_NO_LEAD = Pattern(
    r"(?:now|then|first|finally|next|also|so|example|instance|starters|once|the moment|to be \w+|in \w+)$",
    2,
)
# `For the search index, should …`, `When the kiln is cold – do we …`
_LEAD = Pattern(
    r"(?P<lead>(?:for|when|if|after|before|while|during|with) [^?,]{4,}?)(?:,| [–—-]) (?:should|do|does|is|are|can|which|what|how|where)\b.+$",
    2,
)

# `Old pots – where?`: of a few words behind a topic a long answer says what they ask.
_TOPIC = Pattern(
    r"(?P<lead>[^?？–—,，:：]{4,}?)(?: [–—-] |[,:] |[，：])(?:[^\s?？]{1,16} ?){1,5}[?？]$", 2
)


def _points_back(answer: str) -> bool:
    """Whether what an answer says first is about something that its question named."""
    for mark in ":：.。;；":
        answer = answer.partition(mark)[0]
    return bool(_POINTING.search(answer))


_POINTING = Pattern(r"\b(?:it|its|them|they|this|that|these|those|one|ones)\b|[它这那]", 2)


def _as_beginning(text: str) -> str:
    """A text with a capital letter, unless it begins with a name."""
    word = text.partition(" ")[0].rstrip(",:;")
    return text[:1].upper() + text[1:] if word.islower() and word.isalpha() else text


_ARTICLE = Pattern(r"^(?:the|our|your|a|an) ", 2)
_REFERS = Pattern(
    r"^(?:it|this|that|these|those|they|them|one|of)\b|\b(?:or|versus|vs)\b|还是|[?？]|^(?:它|这|那)",
    2,
)
