"""Make `text/synonyms.py` anew from the table of characters that OpenCC brings along.

    python tools/simplified.py path/to/TSCharacters.txt

OpenCC's dictionaries are data under the Apache licence 2.0 (`domain/LICENSE.opencc`). Of them only the
characters are taken that the old encodings of both scripts know (Big5 and GB 2312): those that people write.
"""

from __future__ import annotations

import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "recollect" / "domain" / "hanzi.py"
WIDTH = 44  # characters in a line
HEAD = '''"""Hanzi: which simplified character stands for a traditional one.

Promises: to simplify what was simplified changes nothing; a text keeps its length.
Touches: nothing. A hook imports this module where a text has Chinese characters, so it imports nothing.

Made by tools/simplified.py from OpenCC's TSCharacters.txt; not to be edited. That is under the Apache
licence, which stands beside this file (LICENSE.opencc).
"""

SIMPLIFIED = str.maketrans(
'''


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


def _lines(text: str) -> str:
    return "".join(f'    "{text[at : at + WIDTH]}"\n' for at in range(0, len(text), WIDTH))


def main() -> None:
    """Write the module."""
    pairs = pairs_in(Path(sys.argv[1]).read_text(encoding="utf-8"))
    both = f"{_lines(''.join(pairs))}    ,\n{_lines(''.join(pairs.values()))}"
    TARGET.write_text(f"{HEAD}{both})\n", encoding="utf-8")


if __name__ == "__main__":
    main()
