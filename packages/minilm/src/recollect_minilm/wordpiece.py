"""WordPiece: split text into the pieces of a vocabulary of BERT's kind."""

from __future__ import annotations

from unicodedata import category, normalize

from recollect.errors import EmbedderBroken

LONGEST_WORD = 100  # characters; a longer word is unknown
PAD, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
_SIGNS = {chr(c): f" {chr(c)} " for c in range(33, 127) if not chr(c).isalnum()}
_CONTROLS = {chr(c): " " if chr(c) in "\t\n\r" else "" for c in [*range(32), 127]}
_ASCII = str.maketrans(_SIGNS | _CONTROLS)
_IDEOGRAPHS = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)


def read_vocabulary(path: str) -> dict[str, int]:
    """The pieces of a `vocab.txt`, each with its number. Raises EmbedderBroken."""
    try:
        with open(path, encoding="utf-8") as file:
            found = {line.rstrip("\n"): n for n, line in enumerate(file)}
    except (OSError, ValueError) as error:
        raise EmbedderBroken(path=path, reason=str(error)) from error
    for mark in (PAD, UNKNOWN, START, END):
        if mark not in found:
            raise EmbedderBroken(path=path, reason=f"it has no {mark}")
    return found


def words_of(text: str) -> list[str]:
    """The words and signs of a text, lower case and without accents."""
    if text.isascii():
        return text.lower().translate(_ASCII).split()
    plain = []
    for char in text:
        kind = category(char)
        if char in "\t\n\r" or kind == "Zs":
            plain.append(" ")
        elif kind[0] != "C" and char != "\ufffd":
            is_ideograph = any(ord(char) in block for block in _IDEOGRAPHS)
            plain.append(f" {char} " if is_ideograph else char)
    spaced = []
    for char in normalize("NFD", "".join(plain).lower()):
        kind = category(char)
        if kind != "Mn":
            is_sign = kind[0] == "P" or (" " < char < "\x7f" and not char.isalnum())
            spaced.append(f" {char} " if is_sign else char)
    return "".join(spaced).split()


def pieces_of(word: str, vocabulary: dict[str, int]) -> list[int]:
    """The numbers of the pieces of a word, longest first; the unknown piece if it has none."""
    whole = vocabulary.get(word)
    if whole is not None:
        return [whole]
    found: list[int] = []
    start = 0
    while start < len(word) <= LONGEST_WORD:
        end = len(word)
        head = "##" if start else ""
        while end > start and f"{head}{word[start:end]}" not in vocabulary:
            end -= 1
        if end == start:
            break
        found.append(vocabulary[f"{head}{word[start:end]}"])
        start = end
    return found if found and start == len(word) else [vocabulary[UNKNOWN]]


def split(text: str, vocabulary: dict[str, int], most: int) -> list[int]:
    """The numbers of the pieces of a text, at most `most` of them."""
    found: list[int] = []
    for word in words_of(text):
        found += pieces_of(word, vocabulary)
        if len(found) >= most:
            break
    return found[:most]
