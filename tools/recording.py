"""Record the demo as animated pictures: `python -m tools.recording [--check]`.

Runs `recollect demo` in English and Chinese and writes what it prints to docs/demo.svg and docs/demo.zh.svg, line by
line as a person would see it. With --check it fails if the pictures show something else than the program prints now; times, and tokens of a random mark, differ
from run to run and are not compared.
"""

from __future__ import annotations

import fcntl
import html
import os
import re
import struct
import subprocess
import sys
import tempfile
import termios
from contextlib import suppress
from pathlib import Path

from rich.cells import cell_len  # noqa: TID253 - no command waits for this

PROJECT = Path(__file__).resolve().parent.parent
PICTURES = {"en": PROJECT / "docs" / "demo.svg", "zh": PROJECT / "docs" / "demo.zh.svg"}
COLUMNS = 80
CELL, LINE, MARGIN = 8.4, 19, 16  # pixels: the advance of a 14-pixel monospace font, and around it
LINE_SECONDS, PAUSE_SECONDS = 0.25, 1.6  # a line follows another; a bold one starts a new scene
CODES = {"1": "b", "2": "d", "36": "c"}
_ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
_TIME = re.compile(r"\b\d+(?= (?:ms|毫秒|tokens|个 token))|\b\d{4}-\d\d-\d\d")
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{label}">
<style>
rect {{ fill: #1b1f24 }}
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK SC", monospace; fill: #d5dae1; white-space: pre }}
.b {{ font-weight: bold; fill: #fff }} .d {{ fill: #8b949e }} .c {{ fill: #76c7ff }}
@keyframes come {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
text {{ opacity: 0; animation: come .01s linear forwards }}
@media (prefers-reduced-motion: reduce) {{ text {{ opacity: 1; animation: none }} }}
</style>
<rect width="{width}" height="{height}" rx="8"/>
"""
LABELS = {
    "en": "Two sessions decide and fix something; the next one knows it.",
    "zh": "两次会话作出决定并修复问题；下一次会话已经知道。",
}


def printed(lang: str) -> list[str]:
    """What the demo prints on a terminal of 80 columns, with its colours."""
    locale = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}[lang]
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    with tempfile.TemporaryDirectory() as home, open(ours, "rb") as screen:
        env = {"PATH": os.environ["PATH"], "HOME": home, "LANG": locale, "TERM": "xterm-256color"}
        words = [sys.executable, "-m", "recollect", "demo", "--lang", lang]
        process = subprocess.Popen(words, env=env, cwd=home, stdout=theirs)  # noqa: S603 - our own
        os.close(theirs)
        seen = b""
        with suppress(OSError):  # the end of a terminal
            while chunk := screen.read1():
                seen += chunk
        if process.wait():
            raise SystemExit(f"the demo failed:\n{seen.decode()}")
    return seen.decode().replace("\r\n", "\n").splitlines()


def picture(lines: list[str], lang: str) -> str:
    """The lines as an animated SVG."""
    lines = ["\x1b[36m$ recollect demo\x1b[0m", "", *lines]
    width, height = round(COLUMNS * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    rows = [HEAD.format(width=width, height=height, label=LABELS[lang])]
    at = 0.0
    for n, line in enumerate(lines):
        at += PAUSE_SECONDS if line.startswith("\x1b[1m") or n == 1 else LINE_SECONDS
        spans = "".join(_spans(line))
        if spans:
            y = MARGIN + (n + 1) * LINE - 5
            rows.append(f'<text y="{y}" style="animation-delay:{at:.2f}s">{spans}</text>\n')
    return "".join([*rows, "</svg>\n"])


def _spans(line: str) -> list[str]:
    """The pieces of a line, each at its column: fonts differ in how wide their characters are."""
    spans: list[str] = []
    style, column = "", 0
    for n, piece in enumerate(_ESCAPE.split(line)):
        if n % 2:
            style = next((CODES[code] for code in piece.split(";") if code in CODES), "")
            continue
        said = piece.lstrip(" ")
        column += len(piece) - len(said)
        if said:
            kind = f' class="{style}"' if style else ""
            text = html.escape(said.rstrip(), quote=False)
            spans.append(f'<tspan x="{MARGIN + column * CELL:.1f}"{kind}>{text}</tspan>')
        column += cell_len(said)
    return spans


def main() -> int:
    """Do it; gives the exit code."""
    is_same = True
    for lang, path in PICTURES.items():
        new = picture(printed(lang), lang)
        if "--check" not in sys.argv[1:]:
            path.write_text(new, encoding="utf-8")
        elif not path.exists() or _TIME.sub("", path.read_text(encoding="utf-8")) != _TIME.sub(
            "", new
        ):
            is_same = False
            sys.stderr.write(
                f"{path.name} does not show what the demo prints now; run `python -m tools.recording`\n"
            )
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
