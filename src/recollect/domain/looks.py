"""Looks: whether a file is as it was when it was last read, by how it looks.

Promises: pure; what changed within the same tick of the clock is not taken for unchanged.
Touches: nothing. A short search loads this, so it imports nothing.
"""

# A file that was changed this shortly before we looked may change again without a new time stamp.
TICK_NS = 2_000_000_000

TYPE_CHECKING = False
if TYPE_CHECKING:
    Seen = tuple[str, int, int, int, int]  # `model.Seen`
    Known = tuple[str, int, int, int, int, str, int]  # `ports.Known`


def looks_same(old: "Known", seen: "Seen") -> bool:
    """Whether a file looks as the index remembers it."""
    return old[:5] == seen and max(seen[2], seen[3]) + TICK_NS < old[6]
