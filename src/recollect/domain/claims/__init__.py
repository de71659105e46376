"""Claims: what an episode states, one statement at a time, in both languages.

Promises: headings, list numbers, code, tables, logs, comments, bare links and placeholders are no
claims; short facts are; a claim written as a list item reads back as the same claim; two claims
are the same by all of their words, never by how they begin.
Touches: nothing.
"""

from __future__ import annotations

from recollect.domain.claims.behaviour import is_behavioural
from recollect.domain.claims.blocks import Statement, statements_of
from recollect.domain.claims.extract import Claim, claims_in, claims_of, is_claim
from recollect.domain.claims.identity import claim_key, is_near, near_key, same_claim

__all__ = [
    "Claim",
    "Statement",
    "claim_key",
    "claims_in",
    "claims_of",
    "is_behavioural",
    "is_claim",
    "is_near",
    "near_key",
    "same_claim",
    "statements_of",
]
