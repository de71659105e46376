"""Notice: what a person's words decide or prefer, found without a model, in both languages.

Promises: questions, doubts, quotations, code and pasted logs decide nothing; a sentence gives at
most one fact; the words are kept as they were said.
Touches: nothing.

These are heuristics over plain sentences: they would rather miss a decision than invent one. How
well they do is measured by tests/unit/test_notice.py on sentences that were written before them.
"""

from __future__ import annotations

from recollect.domain.notice.said import facts_said, facts_told, task_in, todos_in
from recollect.domain.notice.sentences import first_sentence, sentences_of, shortened, weight_of

__all__ = [
    "facts_said",
    "facts_told",
    "first_sentence",
    "sentences_of",
    "shortened",
    "task_in",
    "todos_in",
    "weight_of",
]
