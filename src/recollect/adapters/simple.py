"""Simple: settings files that say no more than `init` writes.

Promises: what is not understood at once is left to `config`, whole.
Touches: nothing. A short search loads this, so it imports nothing.
"""


def simple_values(text: str) -> "dict[str, str] | None":
    """What a file says that has only lines such as `lang = "en"`, as `init` writes it.

    None for any other: the TOML library takes longer to load than a search.
    """
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        key, sign, value = line.partition(" = ")
        plain = value[1:-1]
        if not (sign and key.isascii() and key.isalpha() and value == f'"{plain}"'):
            return None
        if key in found or not plain.isascii() or not plain.isalnum():
            return None
        found[key] = plain
    return found
