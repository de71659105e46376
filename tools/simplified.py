"""Make `text/simplified.txt` anew from the table of characters that OpenCC brings along.

    python tools/simplified.py path/to/TSCharacters.txt

OpenCC's dictionaries are data under the Apache licence 2.0 (`text/LICENSE.opencc`). Of them only the
characters are taken that the old encodings of both scripts know (Big5 and GB 2312): those that people write.
"""

from __future__ import annotations

import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "recollect" / "text" / "simplified.txt"
WIDTH = 30  # pairs in a line


def pairs_in(text: str) -> dict[str, str]:
    """Traditional characters with the simplified one that stands for each."""
    rows = (line.split("\t") for line in text.splitlines())
    found = {one: several.split(" ")[0] for one, several in rows if len(one) == 1}
    found = {one: found.get(two, two) for one, two in found.items()}
    return {
        one: two
        for one, two in sorted(found.items())
        if one != two and _is_in("big5", one) and _is_in("gb2312", two)
    }


def _is_in(encoding: str, char: str) -> bool:
    return bool(char.encode(encoding, "ignore"))


def main() -> None:
    """Write the file."""
    found = pairs_in(Path(sys.argv[1]).read_text(encoding="utf-8"))
    pairs = [one + two for one, two in found.items()]
    lines = (" ".join(pairs[at : at + WIDTH]) + "\n" for at in range(0, len(pairs), WIDTH))
    TARGET.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
