"""What is reached for while tests run in this process: the network, and other programs.

Promises: nothing but loopback can be reached from this process; a program that Recollect starts in
it is Recollect's own worker or the person's editor, given as arguments and never to a shell.
Whatever is refused is remembered, for code that swallows exceptions.
Touches: the hooks of the interpreter; they stay until it ends.

Processes of their own are watched from outside: `tools/alone.py`.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

import recollect

OURS = os.path.dirname(recollect.__file__) + os.sep
LOCAL = ("127.0.0.1", "::1", "localhost")
MODEL = "RECOLLECT_TEST_MODEL"  # names the programs that a test has in the place of models
refused: list[str] = []


class Refused(BaseException):
    """Something was reached for that no test may reach; no `except Exception` hides it."""


def install() -> None:
    """Watch from now on."""
    sys.addaudithook(_heard)


def _heard(event: str, args: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        _require_local(args[1])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        _require_local((args[0],))
    elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn"):
        _require_known(args[0], args[1])
    elif event in ("os.system", "pty.spawn", "webbrowser.open"):
        _require_known("sh", [str(args[0])])


def _require_local(address: object) -> None:
    if isinstance(address, tuple) and address[0] not in (*LOCAL, None, ""):
        _refuse(f"the network: {address}")


def _require_known(program: object, argv: str | Sequence[object]) -> None:
    """Refuse a program that Recollect starts, unless it is known; tests start what they like."""
    if not _is_ours():
        return
    said = [argv] if isinstance(argv, str) else [os.fsdecode(word) for word in argv]  # type: ignore[arg-type]
    name = os.fsdecode(program) if program else said[0]  # type: ignore[arg-type]
    if not is_known(name, said, os.environ):
        _refuse(f"a program: {name} {said}")


def is_known(program: str, argv: Sequence[str], env: Any) -> bool:
    """Whether Recollect may start this.

    Itself, git without hooks, the list of processes, an editor, a test's model, and the client
    that `init` and `uninstall` have change its servers.
    """
    own_server = ["--scope", "user", "recollect"]
    if list(argv[1:3]) in (["mcp", "add"], ["mcp", "remove"]) and list(argv[3:6]) == own_server:
        return os.path.basename(program) == "claude"
    if list(argv) == ["/bin/ps", "-axww", "-o", "pid=,command="]:
        return True
    is_itself = any(word.startswith(OURS) or word == "recollect" for word in argv[1:6])
    if os.path.basename(program).startswith("python") and is_itself:
        return True
    settings = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never")
    safe = ["git", *(word for one in settings for word in ("-c", one))]
    if list(argv[:7]) == safe and argv[7] in ("rev-parse", "config", "ls-files", "cat-file"):
        return True
    if program in env.get(MODEL, "").split(os.pathsep):
        return True
    editor = shlex.split(env.get("VISUAL") or env.get("EDITOR") or "")
    return bool(editor) and list(argv[:-1]) == editor


def _is_ours() -> bool:
    """Whether code of Recollect is what asks, directly or through a library."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith(OURS):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _refuse(what: str) -> None:
    refused.append(what)
    raise Refused(f"a test reached for {what}")
