"""What a seeded generator adds to the histories that were written by hand.

Promises: the same seed gives the same world. Records of sessions are put together from sentences
that belong to their project, so that they share its words and answer none of the cues; made cues
say in another way what a cue or a memory that a person wrote says: a slip of the finger, an
identifier in another spelling, an error with other numbers, a path from another folder.
Touches: nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date, timedelta

from bench.coding.data import GLOBAL, Cue, Memory, World

SEED = 20261120
RECORDS = 31  # of sessions, for each project
FIRST_DAY, DAYS = date(2026, 1, 5), 290  # to 21 October
_IDENTIFIER = re.compile(r"\b(?:[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|[a-z]+_\w+|[A-Z]+_[A-Z_]+)\b")


def world(base: World, seed: int = SEED) -> World:
    """The hand-written world with what the generator adds to it."""
    rng = random.Random(seed)
    more = {one.id: one for name in sorted(base.projects) for one in records(base, name, rng)}
    memories = base.memories | more
    return World(base.projects, memories, [*base.cues, *cues(base, rng)])


def records(base: World, name: str, rng: random.Random) -> Iterator[Memory]:
    """Sessions in which nothing happened that a cue asks for."""
    project = base.projects[name]
    taken = {one.on for one in base.memories.values() if one.project == name}
    asked = _months_asked(base, name)
    made = 0
    while made < RECORDS:
        day = FIRST_DAY + timedelta(days=rng.randrange(DAYS))
        if day in taken or day.month in asked:
            continue
        taken.add(day)
        made += 1
        first, *rest = rng.sample(project.chores, rng.randint(2, 3))
        words = re.findall(r"\w+", first)
        title = first.rstrip("。.") if "一" <= first[0] <= "鿿" else " ".join(words[:6])
        yield Memory(
            f"{name}-session-{day.isoformat()}", name, "session", title, " ".join([first, *rest]),
            day, tags=tuple(dict.fromkeys(w.lower() for w in words if len(w) > 5))[:3],
        )  # fmt: skip


def _months_asked(base: World, name: str) -> set[int]:
    """The months in which a session is asked for: other sessions then would answer, too."""
    asked = [cue for cue in base.cues if cue.project == name and cue.of == "when"]
    return {base.memories[one].on.month for cue in asked for one in cue.want}


# ------------------------------------------------------------------------------------------ cues


def cues(base: World, rng: random.Random) -> Iterator[Cue]:
    """Cues made from those that were written, and from the memories."""
    replaced = {one.replaces for one in base.memories.values() if one.replaces}
    known = [one for one in base.memories.values() if one.project and one.id not in replaced]
    for n, one in enumerate(_with_names(known, base)):
        memory, name = one
        yield _cue(f"made-name-{n:03}", memory, "identifier", spelled_otherwise(name, rng))
        if n % 2 == 0:
            yield _cue(f"made-slip-{n:03}", memory, "slip", mistyped(name, rng))
    for n, memory in enumerate(rng.sample([m for m in known if _is_english(m.title)], 24)):
        yield _cue(f"made-title-{n:03}", memory, "slip", _mistyped_title(memory.title, rng))
    for n, memory in enumerate(rng.sample([m for m in known if m.files], 24)):
        path = rng.choice(memory.files)
        yield _cue(f"made-path-{n:03}", memory, "path", elsewhere(path, rng))._replace(
            want=tuple(m.id for m in known if m.project == memory.project and path in m.files)
        )
    for n, cue in enumerate(c for c in base.cues if c.of in ("error", "failure")):
        again = re.sub(r"\d+", lambda found: _other_number(found[0], rng), cue.ask)
        if again != cue.ask:
            yield cue._replace(name=f"made-error-{n:03}-{cue.project}", ask=again, made=True)
    yield from _foreign(base, rng)


def _cue(name: str, memory: Memory, of: str, ask: str) -> Cue:
    return Cue(name, memory.project, of, ask, want=(memory.id,), made=True)


def _with_names(known: list[Memory], base: World) -> list[tuple[Memory, str]]:
    """The identifiers that only one memory of a project has."""
    found: list[tuple[Memory, str]] = []
    for memory in known:
        for name in dict.fromkeys(_IDENTIFIER.findall(memory.text)):
            others = [
                m for m in base.memories.values()
                if m.project == memory.project and m.id != memory.id and name in f"{m.title} {m.text}"
            ]  # fmt: skip
            if not others and len(name) >= 8:
                found.append((memory, name))
                break
    return found


def _parts(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)


def spelled_otherwise(name: str, rng: random.Random) -> str:
    """An identifier as somebody half remembers it: in words, or in the style of another language."""
    parts = [part.lower() for part in _parts(name)]
    return rng.choice(
        [
            " ".join(parts),
            "_".join(parts),
            "-".join(parts),
            parts[0] + "".join(part.title() for part in parts[1:]),
            "".join(part.title() for part in parts),
        ]
    )


def mistyped(word: str, rng: random.Random) -> str:
    """A word with one slip: a letter left out, doubled, wrong, or two of them turned round."""
    at = rng.randrange(2, len(word) - 1)
    slip = rng.choice(["left out", "doubled", "turned round", "wrong"])
    if slip == "turned round" and word[at] != word[at - 1]:
        return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
    if slip == "doubled":
        return word[:at] + word[at] + word[at:]
    if slip == "wrong":
        near = {"a": "s", "e": "r", "i": "o", "o": "p", "t": "y", "n": "m", "r": "t", "s": "d"}
        return word[:at] + near.get(word[at], "x") + word[at + 1 :]
    return word[:at] + word[at + 1 :]


def _is_english(title: str) -> bool:
    return title.isascii() and len([w for w in title.split() if len(w) >= 6 and w.isalpha()]) >= 2


def _mistyped_title(title: str, rng: random.Random) -> str:
    """The long words of a title, two at most, each with a slip."""
    long = [word for word in title.split() if len(word) >= 6 and word.isalpha()]
    return " ".join(mistyped(word.lower(), rng) for word in rng.sample(long, 2))


def elsewhere(path: str, rng: random.Random) -> str:
    """A path as it is said in another folder: whole, from above, or by its name alone."""
    name = path.rsplit("/", 1)[-1]
    return rng.choice([f"/home/dev/src/{path}", f"./{path}:42", f"what about {name}?", path])


def _other_number(digits: str, rng: random.Random) -> str:
    return (
        digits
        if len(digits) < 3
        else str(rng.randrange(10 ** (len(digits) - 1), 10 ** len(digits)))
    )


def _foreign(base: World, rng: random.Random) -> Iterator[Cue]:
    """Cues of projects without a store of their own, asked in another project.

    What answers them lies in the global store, which everybody looks through, and must not come.
    """
    shy = {name for name, project in base.projects.items() if project.store == GLOBAL}
    wanted = [c for c in base.cues if c.project in shy and c.of in ("identifier", "fact", "path")]
    for n, cue in enumerate(wanted):
        at = rng.choice(sorted(set(base.projects) - {cue.project}))
        yield Cue(f"made-foreign-{n:03}", at, "foreign", cue.ask, made=True)
