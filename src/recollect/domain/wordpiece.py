"""Wordpiece: text cut into the pieces that a vocabulary of BERT's kind has.

Promises: pure; the pieces are those of the uncased tokenizer that such models were trained with
(lower case, no accents, every sign and every Chinese character by itself, then the longest pieces
first).
Touches: nothing. It imports next to nothing, so that a hook could.
"""

LONGEST_WORD = 100  # characters; what is longer is unknown as a whole
PAD, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
_SIGNS = {chr(c): f" {chr(c)} " for c in range(33, 127) if not chr(c).isalnum()}
_GONE = {chr(c): " " if chr(c) in "\t\n\r" else "" for c in [*range(32), 127]}
_ASCII = str.maketrans(_SIGNS | _GONE)


def words_of(text: str) -> list[str]:
    """The words and signs of a text, as they are looked up."""
    if text.isascii():
        return text.lower().translate(_ASCII).split()
    from unicodedata import category, normalize

    kept = []
    for char in text:
        kind = category(char)
        if char in "\t\n\r" or kind == "Zs":
            kept.append(" ")
        elif kind[0] == "C" or char == "\ufffd":
            continue
        else:
            kept.append(f" {char} " if _is_ideograph(ord(char)) else char)
    spaced = []
    for char in normalize("NFD", "".join(kept).lower()):
        kind = category(char)
        if kind == "Mn":
            continue
        is_sign = kind[0] == "P" or (char < "\x7f" and char > " " and not char.isalnum())
        spaced.append(f" {char} " if is_sign else char)
    return "".join(spaced).split()


def _is_ideograph(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )


def pieces_of(word: str, vocabulary: "dict[str, int]") -> list[int]:
    """The numbers of the pieces that a word is made of, longest first; the unknown piece if none."""
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


def cut(text: str, vocabulary: "dict[str, int]", most: int) -> list[int]:
    """The numbers of the pieces of a text, at most `most` of them."""
    found: list[int] = []
    for word in words_of(text):
        found += pieces_of(word, vocabulary)
        if len(found) >= most:
            break
    return found[:most]
