"""Ways in by which each of many texts comes by itself, with nothing of the others around it.

Promises: a way uses the program as a person, an agent or a client does.
Touches: the folder of the person it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.capture.transcripts import Transcript, as_bytes
from tests.cli.running import Person
from tests.mcp.talking import Agent

from .ways import GIVEN, folder_of, handed

Way = Callable[[Person, list[str]], None]


def _captured(say: Callable[[Transcript, str], object], person: Person, texts: list[str]) -> None:
    log = Transcript(cwd=str(person.project))
    log.prompt("Please set up the staging server of the shop.")
    for text in texts:
        say(log, text)
        log.answer("Done, and it works now.")
    log.prompt("We decided to keep the staging server as it is.")
    person.ok("capture", log.save(folder_of(person) / GIVEN))


def _tool(log: Transcript, text: str) -> None:
    log.shell(f"deploy shop <<'EOF'\n{text}\nEOF", "Error: the port is taken", code=1)
    log.result(log.call("Write", file_path="/tmp/shop.env", content=text), "written")


def _file_name(log: Transcript, text: str) -> None:
    log.edit(f"/srv/shop/{text}")


def _todo(log: Transcript, text: str) -> None:
    todo = {"content": f"Set up the shop: {text}", "status": "in_progress", "activeForm": text}
    log.result(log.call("TodoWrite", todos=[todo]), "Todos have been modified")


def _in_git(log: Transcript, text: str) -> None:
    plain = " ".join(text.split())
    log.branch = f"shop/{plain}"
    log.shell(f"git checkout -b 'shop/{plain}'", f"Switched to a new branch 'shop/{plain}'")
    log.shell(
        f"git commit -m 'Set up the shop: {text}'", f"[main abc1234] Set up the shop: {plain}"
    )
    created = f"gh pr create --title 'Shop: {plain}' --body 'For staging: {text}'"
    log.shell(created, "https://github.com/ada/shop/pull/5")


def _answered(log: Transcript, text: str) -> None:
    asked = f"Which one for the shop: {text}?"
    said = f"This one, because it works: {text}"
    log.ask((asked, ["Another", f"Rather {text}"], said), notes={asked: f"Mind {text}"})


def _refused(log: Transcript, text: str) -> None:
    log.refuse(log.call("Bash", command=f"deploy {text}"), f"No, use this for the shop: {text}")
    plan = f"# Set up the shop\n\nWith {text}."
    log.refuse(log.call("ExitPlanMode", plan=plan), f"Rather with this one: {text}")
    log.approve(plan)


def _split(person: Person, texts: list[str]) -> None:
    """The client has written half a line when it is captured first; long outputs come in two."""
    log = Transcript(cwd=str(person.project))
    log.prompt("Please set up the staging server of the shop.")
    for text in texts:
        if text.count("\n") > 3:
            lines = text.split("\n")
            log.shell("head -3 k.pem", "\n".join(lines[:3]))
            log.shell("tail -n +4 k.pem", "\n".join(lines[3:]))
        else:
            log.prompt(f"For the shop: {text}")
        log.answer("Done, and it works now.")
    whole = b"".join(map(as_bytes, log.lines))
    file = handed(person, "split.jsonl", "")
    for n in range(1, 60):
        file.write_bytes(whole[: len(whole) * n // 60])
        if n % 12 == 0:
            person.run("capture", str(file))
    file.write_bytes(whole)
    person.ok("capture", str(file))


def _saved(person: Person, texts: list[str]) -> None:
    for n, text in enumerate(texts):
        person.ok("save", f"Shop note {n}", "--body", f"For the shop: {text}")


def _titled(person: Person, texts: list[str]) -> None:
    for text in texts:
        person.run("save", f"The shop: {text}", "--body", "It is for staging.")


def _tagged(person: Person, texts: list[str]) -> None:
    for n, text in enumerate(texts):
        person.run("save", f"Shop note {n}", "--body", "For staging.", "--tags", text)
        person.run("set", f"shop-note-{n}", f"trigger={text}")
        person.run("set", f"shop-note-{n}", f"concepts={text}")


def _edited(person: Person, texts: list[str]) -> None:
    person.ok("save", "Shop", "--body", "It sells teapots.")
    for n, text in enumerate(texts):
        person.ok("edit", "shop", *(("--append", text) if n % 2 else ("--body", text)))


def _noted(person: Person, texts: list[str]) -> None:
    here = {"RECOLLECT_SESSION": "one"}
    person.ok("start-session", f"Set up the shop: {texts[0]}", env=here)
    for text in texts:
        person.ok("note", f"For the shop: {text}", env=here)
    person.ok("save-session", "--summary", f"The shop is set up: {texts[-1]}", env=here)


def _listed(person: Person, texts: list[str]) -> None:
    here = {"RECOLLECT_SESSION": "one"}
    person.ok("start-session", "Set up the shop", env=here)
    for text in texts:
        person.ok("todo", f"Set up the shop: {text}", env=here)
    person.ok("save-session", env=here)


def _conversation(person: Person, texts: list[str]) -> None:
    for n, text in enumerate(texts):
        said = handed(person, "said.md", f"User: for the shop\n\n{text}\n\nAssistant: done.\n")
        person.ok("save", f"Shop talk {n}", "--conversation", str(said))


def _facts(person: Person, texts: list[str]) -> None:
    for n, text in enumerate(texts):
        person.run("add-decision", f"Shop {n}: {text}", f"Staging needs it: {text}")


def _remembered(person: Person, texts: list[str]) -> None:
    with Agent(person.home, person.project).server() as server:
        for n, text in enumerate(texts):
            server.call("remember", title=f"Shop {n}: {text}"[:200], text=f"For staging: {text}")


def _stated(person: Person, texts: list[str]) -> None:
    with Agent(person.home, person.project).server() as server:
        for n, text in enumerate(texts):
            given = {"quote": text, "why": f"It works: {text}", "files": [text[:200]]}
            about = {"subject": f"Shop {text}"[:200], "trigger": [text[:200]]}
            server.call("remember", statement=f"Shop {n} has a key: {text}", kind="fact")
            server.call("remember", statement=f"Shop {n} has a key", kind="fact", **given)
            server.call("remember", statement=f"Shop {n} has no key", kind="solution", **about)
            server.call("recall", cue=f"The shop {text}")
            server.call("expand", id=text[:200] or "x")


EACH: dict[str, Way] = {
    "prompt": partial(_captured, lambda log, text: log.prompt(f"For the shop: {text}")),
    "answer": partial(_captured, lambda log, text: log.answer(f"I decided to use this: {text}")),
    "tool input": partial(_captured, _tool),
    "tool result": partial(_captured, lambda log, text: log.shell("env | sort", text)),
    "failing tool": partial(_captured, lambda log, text: log.shell("make up", f"Error: {text}", 1)),
    "file name": partial(_captured, _file_name),
    "branch, commit, pull request": partial(_captured, _in_git),
    "question and answer": partial(_captured, _answered),
    "refusal and plan": partial(_captured, _refused),
    "statement of an agent": _stated,
    "to-do of a client": partial(_captured, _todo),
    "Chinese sentence": partial(
        _captured, lambda log, text: log.prompt(f"部署商店时请用 {text}，记住了。")
    ),
    "split over events": _split,
    "save": _saved,
    "title": _titled,
    "tags and fields": _tagged,
    "edit": _edited,
    "note": _noted,
    "to-do": _listed,
    "conversation": _conversation,
    "decision": _facts,
    "MCP": _remembered,
}
