"""Words that people type in every session, whatever it is about."""

from __future__ import annotations

from recollect.text.tokens import STOP_WORDS

# Words that steer a session and say nothing of its subject.
ROUTINE = STOP_WORDS | frozenset(
    """actually add address addressed again ahead all also alright already amend and answer any apply back better branch but
    change changes check clean clear comment comments commit commits completed continue cool correct could create
    current describe detail details do does doesn't doing don't done edit else error errors everything exactly feedback fine finish finished
    first fix following format from get give go going good got great happy have hello high help hey hi hold i'd i'll
    i'm issue issues it's just keep know last let's like lint local looks looking look low main make makes maybe me medium merge
    message more much name need needs new next nice no nope not now of off ok okay one open option other perfect
    please plan pr prs proceed problem pull push put question questions ready really rebase remove rerun review reviews right run
    running same save say see send should show so something squash start status step steps still stop
    summary sure sweet take tell test tests thank thanks that that's then there thing things think this
    title too try update updated use using version want wait way well what what's which work works working would write
    wrong yeah yep yes yet you your""".split()
)  # fmt: skip

# Words that say how something was asked for, not what it is about.
TAG_STOPS = STOP_WORDS | frozenset(
    """add also always avoid change check code create decide decided file files fix go going good help
    implement instead keep let's like look make need never new now ok okay one please prefer run see
    session show something start sure switch tell thing things try update use used using want way
    work write""".split()
)
