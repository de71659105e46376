"""The stages of a search through conversations that can be switched off, to see what each is worth.

`FILED` are those of filing: the store is made without them.

Touches: the modules of the product, for as long as a stage is off.
"""

from __future__ import annotations

from bench import filed
from bench.switches import Switch, nothing
from recollect.model import entries
from recollect.search import conversation_rank as talk
from recollect.search import rank, search, spelling
from recollect.text import tokens as text

STAGES: dict[str, tuple[Switch, ...]] = {
    "all that was said around a turn": ((search, "rate_in_context", lambda *_: None),),
    "its session": ((talk, "SESSION", 0.0),),
    "the turns beside it": ((talk, "BESIDE", {}),),
    "who is named speaks": ((talk, "NAMED", 0.0),),
    "the person speaks": ((talk, "PERSON", 0.0), (talk, "PERSON_BY_MEANING", 0.0)),
    "a time where the cue asks when": ((talk, "DATED", 0.0),),
    "a number where it asks how many": ((talk, "COUNTED", 0.0),),
    "who only asks stands behind": ((talk, "ASKING", 0.0),),
    "the later parts of a turn stand behind": (
        (talk, "LATER", 0.0),
        (talk, "LATER_BY_MEANING", 0.0),
    ),
    "times in the cue": ((rank.Cue, "_spoken", lambda cue: ((0, 0), cue.words)),),
    "stop words are dropped": ((text, "STOP_WORDS", frozenset()),),
    "words that mean the same": ((spelling, "_synonyms", nothing),),
    "spelling": ((spelling, "_near", nothing),),
    "long turns in parts": ((entries, "LONGEST_PART", 1_000_000),),
    **filed.STAGES,
}
FILED = frozenset({"long turns in parts", *filed.STAGES})
