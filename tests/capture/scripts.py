"""What happened in the sessions that several tests capture."""

from __future__ import annotations

from .transcripts import SESSION, Transcript

PORT_TAKEN = "Error: listen EADDRINUSE: address already in use :::3000"


def a_day(session: str = SESSION) -> Transcript:
    """A session in which a bit of everything happens; another one is no copy of it."""
    transcript = Transcript(session)
    transcript.prompt("Build the teapot service. We decided to use PostgreSQL because it has JSON.")
    which = "" if session == SESSION else f" of {session}"
    transcript.answer(f"I start with the schema{which}.")
    transcript.edit("/home/ada/teapot/src/schema.sql", "Write")
    transcript.shell("npm test", PORT_TAKEN, code=1)
    transcript.answer("Port 3000 is taken by the dev server.")
    transcript.shell("PORT=0 npm test", "12 passing")
    transcript.queued("Always run the linter before you commit.")
    transcript.call("TodoWrite", todos=[{"content": "Write the docs", "status": "pending"}])
    transcript.shell('git commit -m "Add the teapot schema"', "[main 1] Add")
    transcript.answer("The schema is in place and all tests pass.")
    return transcript


def resumed(transcript: Transcript) -> Transcript:
    """The same session, later."""
    transcript.prompt("Now the lid. Never paint the lid red.")
    transcript.edit("/home/ada/teapot/src/lid.py")
    transcript.answer("The lid fits.")
    return transcript
