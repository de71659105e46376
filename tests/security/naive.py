"""Each defence taken away, in a copy of the program: does a test notice?

    python -m tests.security.naive [NAME…]

A defence is taken away by a few lines behind the end of its module, which put something naive in its
place, or by other words in the text of all modules. The shared tree is never touched.
Touches: a folder for temporary files.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import recollect

SOURCE = Path(recollect.__file__).parent
ROOT = Path(__file__).parents[2]


class Naive(NamedTuple):
    """What somebody would write who had not thought of the attack, and a test that fails then."""

    line: int  # of issue 7
    name: str
    module: str  # below `recollect`; "" for a change of words everywhere
    code: str
    test: str  # arguments of pytest, -k last


_SEC = "tests/security"
_CRYPTO = "tests/crypto"
NAIVE = (
    Naive(1, "private parts stay", "text/redact.py", "def strip_private(text): return text", f"{_SEC}/test_private_parts.py -k 'whichever_way and plain and save'"),
    Naive(1, "only <private> as it is usually written", "text/redact.py", "_PRIVATE = Pattern(r'<(/?)private()>')", f"{_SEC}/test_private_parts.py -k 'whichever_form'"),
    Naive(1, "each event for itself", "text/redact.py", "def strip_private_in_part(text, depth=0): return strip_private(text), 0", f"{_SEC}/test_private_parts.py -k 'split_over and prompts'"),
    Naive(1, "a field is redacted in its file only", "features/memories.py", "def _clean(store, text, by): return text", f"{_SEC}/test_private_parts.py -k takes_nothing_along"),
    Naive(2, "secrets stay", "text/redact.py", "def without_secrets(text, key=b'', *, personal=False, known=None): return text", f"{_SEC}/test_secrets.py -k 'whichever_way and save'"),
    Naive(2, "a password only where it is named", "text/redact.py", "KnownSecrets.taken_from = lambda self, text, key: text", f"{_SEC}/test_spoken_again.py -k leaves_nothing"),
    Naive(2, "redaction after the journal", "store/transactions.py", "Ledger._redacted = lambda self, change: change", f"{_SEC}/test_secrets.py -k an_editor_brought"),
    Naive(2, "no rules of services", "text/secrets.py", "def found_in(text): return []", "tests/unit/test_redact_secrets.py -k of_a_kind"),
    Naive(2, "keys only with both ends", "text/secrets.py", "def parts_in(text): return iter(())", "tests/unit/test_redact_secrets.py -k two_events"),
    Naive(2, "every tag of an image is a secret", "text/redact.py", "def _is_tag_of_image(match): return False", "tests/unit/test_redact.py -k ordinary_lines_stay"),
    Naive(2, "the same mark everywhere", "text/redact.py", "def _mark(secret, kind, key): return f'[redacted:{kind}:0000]'", "tests/unit/test_redact.py -k another_key"),
    Naive(2, "logs are no files", "capture/signals.py", "def redact(text): return text", f"{_SEC}/test_secrets.py -k log_of_the_worker"),
    Naive(2, "doctor finds no secrets", "privacy/purge.py", "def leak_in(text, clean): return None", f"{_SEC}/test_personal.py -k setting_of_either"),
    Naive(2, "purging takes the memory only", "privacy/purge.py", "def purge_session(app, store, session): pass", f"{_SEC}/test_purge.py -k does_not_come_back"),
    Naive(2, "every long number is a card", "text/secrets.py", "_KINDS = tuple((k, p, lambda t: True) for k, p, _ in _KINDS)", f"{_SEC}/test_personal.py -k only_looks_like"),
    Naive(3, "the brief tells everything", "context/brief_input.py", "TRUSTED = ('user', 'agent', 'tool', 'external')", f"{_SEC}/test_poisoning.py -k every_session_loads"),
    Naive(3, "everything is given unasked", "search/rank.py", "def is_fit(one, cue): return True", f"{_SEC}/test_poisoning.py -k never_given_unasked"),
    Naive(3, "everything can be pinned", "features/pins.py", "def lowest_trust(*trusts): return 'user'", f"{_SEC}/test_poisoning.py -k can_be_pinned"),
    Naive(3, "footnotes of an agent count", "model/footnotes.py", "def unsigned(text): return text", "tests/cli/test_agents_words.py -k 'vouches_for or calls_a_rule'"),
    Naive(3, "agents approve", "features/review.py", "def require_person(app, command): pass", f"{_SEC}/test_poisoning.py -k cannot_make_itself"),
    Naive(3, "a summary is the agent's own", "capture/summary.py", "def trust_of(state): return 'agent'", f"{_SEC}/test_lineage.py -k 'read_a_page or through_all'"),
    Naive(3, "what our own tools give is ours", "capture/ingest.py", "def is_second_hand(text): return False", f"{_SEC}/test_lineage.py -k is_shown_what_came"),
    Naive(3, "a plan was made by who carries it out", "capture/ingest.py", "def is_handed_over(text): return False", f"{_SEC}/test_lineage.py -k carries_out"),
    Naive(3, "pages are read by one tool only", "text/web_reads.py", "def reads_a_page(command): return False", f"{_SEC}/test_lineage.py -k read_a_page"),
    Naive(3, "what was made after a page is the agent's own", "capture/records.py", "def is_first_hand(state, row): return True", f"{_SEC}/test_lineage.py -k 'before_an_agent or called_by'"),
    Naive(3, "an id is only a name", "context/left_off.py", "def _name_without_words(memory, told, *known): return f'show {memory.id}'", f"{_SEC}/test_lineage.py -k before_an_agent"),
    Naive(3, "every line may say that it is the agent's own", "capture/summary.py", "def one_line(text, longest=400): return ' '.join(text.split())[:longest]", f"{_SEC}/test_lineage.py -k makes_itself"),
    Naive(3, "the trusted one's trust wins a merge", "features/merge.py", "def lowest_trust(*trusts): return 'user'", f"{_SEC}/test_lineage.py -k merged"),
    Naive(3, "taking back leaves what was learned", "model/entries.py", "def taken_back(body, origins): return body", f"{_SEC}/test_poisoning.py -k taken_back"),
    Naive(3, "text is handed out as it is", "context/pack.py", "def harmless(text): return text", f"{_SEC}/test_poisoning.py -k hands_out"),
    Naive(3, "hidden characters stay", "context/pack.py", "def visible(text): return text", f"{_SEC}/test_poisoning.py -k hands_out"),
    Naive(3, "a mark that can be guessed", "context/pack.py", "_fenced = fenced\ndef fenced(item, text, nonce): return _fenced(item, text, '')", "tests/unit/test_pack.py -k exactly_one_fence"),
    Naive(3, "no budget", "context/pack.py", "Room.has = lambda self, block: True", "tests/unit/test_pack.py -k never_larger"),
    Naive(4, "paths are joined", "store/files.py", "MarkdownStore._inside = lambda self, path: os.path.join(self.root, path)", "tests/contracts/test_stores.py"),
    Naive(4, "links are followed", "store/files.py", "import stat\nproblem_of = lambda path, info: Problem(path, 'x') if stat.S_ISFIFO(info.st_mode) else None\ndef _read(path, limit=0, offset=0):\n    try:\n        with open(path, 'rb') as file: return file.read()[offset:]\n    except OSError: raise FileNotThere(path=path, reason='x') from None\ndisk.read_inside = lambda root, path, limit=0: _read(f'{root}/{path}')", f"{_SEC}/test_system_calls.py -k links_pipes"),
    Naive(4, "a session names its own file", "store/locations.py", "def writer_of(client, session): return f'{client}-{session}'", f"{_SEC}/test_system_calls.py -k whatever_it_is_called"),
    Naive(4, "every name is an id", "model/memory.py", "def is_id(name): return True", "tests/unit/test_names.py -k could_leave"),
    Naive(4, "every slug is a name", "model/memory.py", "_RESERVED = frozenset()", "tests/unit/test_names.py -k slug"),
    Naive(5, "a terminal gets what there is", "interfaces/cli/console.py", "def shown_block(text): return text", f"{_SEC}/test_terminal_of_all.py -k 'list or show'"),
    Naive(5, "markup is markup", "interfaces/cli/console.py", "def _line(self, *parts): self.rich.print(''.join(p if isinstance(p, str) else p[1] for p in parts))\nConsole.line = _line", f"{_SEC}/test_terminal_of_all.py -k markup"),
    Naive(6, "files as the umask has it", "", "0o600 → 0o666", f"{_SEC}/test_system_calls.py -k any_umask"),
    Naive(6, "folders as the umask has it", "", "0o700 → 0o777", f"{_SEC}/test_system_calls.py -k any_umask"),
    Naive(6, "doctor looks at no rights", "ops/repair.py", "def open_to_others(root): return iter(())", f"{_SEC}/test_system_calls.py -k doctor_names"),
    Naive(7, "a project may widen", "store/settings.py", "def narrowed(found, own): return dict(found)", f"{_SEC}/test_narrowing.py"),
    Naive(7, "what is unknown is passed over", "store/settings.py", "def problems(root, own=None): return []", f"{_SEC}/test_narrowing.py -k named_with_its_line"),
    Naive(7, "what cannot be read is begun anew", "clients/config_files.py", "_install = install\ndef install(part, note, *, dry_run):\n    try: return _install(part, note, dry_run=dry_run)\n    except Unreadable:\n        disk.write_whole(os.path.realpath(part.path), b'{}')\n        return _install(part, note, dry_run=dry_run)", "tests/cli/test_client_settings.py -k is_not_valid"),
    Naive(7, "a link is replaced", "clients/config_files.py", "_install = install\ndef install(part, note, *, dry_run):\n    done = _install(part, note, dry_run=dry_run)\n    if os.path.islink(part.path):\n        os.unlink(part.path)\n        disk.write_whole(part.path, _bytes(done.text))\n    return done", "tests/cli/test_client_settings.py -k stays_a_link"),
    Naive(8, "a look for a newer version", "workspace.py", "_close = Workspace.close\ndef _asks(self):\n    import socket\n    with socket.socket(type=socket.SOCK_DGRAM) as one: one.connect(('192.0.2.1', 53))\n    _close(self)\nWorkspace.close = _asks", f"{_SEC}/test_every_command.py {_SEC}/test_private_parts.py -k 'connects or (whichever_form and plain)'"),
    Naive(8, "a shell is asked", "workspace.py", "_close = Workspace.close\ndef _asks(self):\n    os.system('true')\n    _close(self)\nWorkspace.close = _asks", f"{_SEC}/test_every_command.py {_SEC}/test_private_parts.py -k 'connects or (whichever_form and plain)'"),
    Naive(8, "the environment helps with reports", "interfaces/hooks/events.py", "_said = complain\ndef complain(env, error): _said(env, OSError(str(dict(os.environ))))\n_run = run\ndef run(*a):\n    complain(dict(os.environ), OSError())\n    _run(*a)", f"{_SEC}/test_system_calls.py -k set_in_the_environment"),
    Naive(9, "what is encrypted is opened by the way", "store/store.py", "OpenStore.read = OpenStore.read_open", f"{_CRYPTO}/test_others.py -k 'tools_of_the_server or by_the_way'"),
    Naive(9, "an agent is anybody", "workspace.py", "def is_agent(env): return False", f"{_CRYPTO}/test_others.py -k no_word"),
    Naive(9, "one key is enough", "privacy/keys.py", "LEAST_RECIPIENTS = 1", f"{_CRYPTO}/test_age.py -k fewer_than_two"),
    Naive(9, "what opens is taken for itself", "privacy/sealing.py", "def _opened(sealing, sealed): return sealing.open(sealed.armor, sealed.id)", f"{_CRYPTO}/test_no_plain_text.py -k 'other_keys_is_named and show'"),
    Naive(9, "every save is a change", "features/memories.py", "_wrote = _write\ndef _write(store, made, *, cause, dry_run): return _wrote(store, made._replace(is_new=True), cause=cause, dry_run=dry_run)", f"{_CRYPTO}/test_no_plain_text.py -k says_already"),
    Naive(9, "every key is another", "privacy/sealing.py", "def not_for(store, recipients): return entries_in(store)", f"{_CRYPTO}/test_keys.py -k keys_of_today"),
    Naive(9, "the journal keeps what was plain", "privacy/plaintext.py", "def hide(store, done): pass", f"{_CRYPTO}/test_encrypting.py -k afterwards"),
    Naive(9, "other projects' briefs are theirs", "privacy/purge.py", "def renew_copies(app, store): pass", f"{_CRYPTO}/test_encrypting.py {_SEC}/test_purge.py -k 'no_brief_of_any'"),
    Naive(9, "a key is a file like any other", "privacy/keys.py", "def _text(self):\n    try: return disk.read_file(self.identity_path).decode()\n    except FileNotThere: raise KeyMissing(path=self.identity_path) from None\nKeys._text = _text", f"{_CRYPTO}/test_keys.py -k others_can_read"),
    Naive(9, "a keyring answers", "privacy/keys.py", "def _asked(ask): return ask()", f"{_CRYPTO}/test_keys.py -k not_waited_for"),
    Naive(9, "a setting is a wish", "store/transactions.py", "Ledger._require_sealed = lambda self, changes: None", f"{_CRYPTO}/test_encrypted_store.py -k only_be_plain"),
    Naive(9, "sessions are captured as ever", "privacy/sealing.py", "for _n in ('take_in', 'finish'): delattr(SealedCapture, _n)", f"{_CRYPTO}/test_encrypted_store.py -k cipher_text_only"),
    Naive(9, "consolidation goes where it likes", "consolidate/run.py", "def _but_encrypted(found, gathered): return found", f"{_CRYPTO}/test_encrypted_store.py -k consolidation"),
    Naive(10, "hex is what int takes", "interfaces/hooks/payload.py", "def _hex(digits):\n    try: return int(digits, 16)\n    except ValueError: return 0xFFFD", "tests/fuzz/test_corpus.py -k 'kept and hook'"),
    Naive(10, "every text is a time", "clients/base.py", "def time_of(text): return f'{text[:19]}Z' if isinstance(text, str) and len(text) >= 20 else ''", "tests/fuzz/test_corpus.py -k 'kept and transcript'"),
)  # fmt: skip


def verdict(one: Naive, folder: Path) -> str:
    """`noticed` if a test fails without the defence, or what else came of it."""
    copy = folder / "src" / "recollect"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    if one.module:
        with (copy / one.module).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{one.code}\n")
    else:
        old, new = one.code.split(" → ")
        for path in copy.rglob("*.py"):
            path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    words = ["-q", "-x", "--no-header", "-p", "no:cacheprovider", *_words(one.test)]
    env = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    last = next(
        (line for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))), ""
    )
    return {0: "NOT NOTICED", 1: f"noticed: {last[:110]}"}.get(
        ran.returncode, f"BROKEN: {ran.stdout[-300:]}"
    )


def _words(test: str) -> list[str]:
    files, _, expression = test.partition(" -k ")
    return [*files.split(), *(["-k", expression.strip("'")] if expression else [])]


def main() -> int:
    """Take away one defence after the other; the exit code is the number that nobody missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name", nargs="*", help="parts of names; all without any")
    given = parser.parse_args()
    chosen = [one for one in NAIVE if not given.name or any(n in one.name for n in given.name)]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="naive-") as folder:
        for one in chosen:
            started = time.monotonic()
            said = verdict(one, Path(folder))
            missed += not said.startswith("noticed")
            sys.stdout.write(
                f"{one.line:>2}  {one.name}: {said} ({time.monotonic() - started:.0f} s)\n"
            )
            sys.stdout.flush()
    return missed


if __name__ == "__main__":
    sys.exit(main())
