"""Save what contradicts entries: what gives way to it is taken out, and what is not certain waits.

A statement that somebody trusted more contradicts, or that may contradict another one, is kept as a
note of the day until the person rules (`recollect conflicts`).
"""

from __future__ import annotations

from functools import partial

from recollect.capture.intake import Draft, Written, save
from recollect.capture.wording import with_reason
from recollect.consolidate.claim_cache import cached_claims
from recollect.consolidate.claims import BEHAVIOURAL, FACTUAL, Claim, plain_statement
from recollect.consolidate.entry import giving_way, page_plan
from recollect.model import layers
from recollect.model.footnotes import Mark
from recollect.model.listed import SOURCE_OF
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

LONGEST_REASON = 300  # characters; a longer body does not go into the statement


def save_contradicting(
    app: Workspace, store: OpenStore, wanted: Draft, *, dry_run: bool
) -> Written:
    """Save a draft that seems to contradict an entry, and settle or queue that.

    Raises ChangedMeanwhile.
    """
    with cached_claims(app, store) as known:
        claim = _claim_of(wanted)
        mark = Mark(wanted.session, store.now, claim.trust, claim.source)
        plan = page_plan(store, claim, mark, known)
        if plan.waits:
            return _queued(store, wanted, plan.waits[0].text, dry_run=dry_run)
        if plan.text != claim.text:
            wanted = wanted._replace(title=plan.text)
        also = partial(giving_way, store, plan.losers, known)
        done = save(store, wanted, dry_run=dry_run, also=also)
    if plan.losers and done.what == "unchanged":
        done = done._replace(what="amended")
    wordings = dict.fromkeys((*done.advice.instead, *plan.wordings))
    return done._replace(advice=done.advice._replace(instead=tuple(wordings)))


def _claim_of(wanted: Draft) -> Claim:
    kind = layers.choose(wanted.title, wanted.body, wanted.layer, wanted.kind).kind
    how = BEHAVIOURAL if kind in ("rule", "pattern") else FACTUAL
    source = wanted.source or SOURCE_OF[wanted.trust]
    return Claim(plain_statement(wanted.title), how, source, wanted.trust)


def _queued(store: OpenStore, wanted: Draft, against: str, *, dry_run: bool) -> Written:
    reason = " ".join(wanted.body.split())
    is_short = len(reason) <= LONGEST_REASON
    note = wanted._replace(
        title=with_reason(wanted.title, reason) if is_short else wanted.title,
        body="" if is_short else wanted.body,
        layer="episodic",
        kind="decision" if wanted.kind == "decision" else "note",
        category="",
        status="provisional",
    )
    done = save(store, note, dry_run=dry_run)
    return done._replace(advice=done.advice._replace(waits=against))
