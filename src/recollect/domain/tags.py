"""Tags: one form for each noun, and how many are good.

Promises: pure; a tag that the store has already is kept as it is; a form that the store uses
wins over every other; a tag is never lost and never stands twice.
Touches: nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from recollect.domain.model import LEVELS, Entry
from recollect.domain.text import folded, plain_words
from recollect.named import NamedTuple

FEWEST, MOST = 3, 6
MOST_OF_CONVERSATION = 8
LEAST_COMMON = 2  # tags that a file has in common with what is added to it

# Who does it and how it is done, under the noun for what is done (seed 004: scraping, not scraper).
# Only words that mean little else: a server does not stand for serving, nor a container for containing.
_NOUNS = {
    form: noun
    for noun, forms in {
        "scraping": "scraper scrapers scrape",
        "crawling": "crawler crawlers crawl",
        "parsing": "parser parsers parse",
        "linting": "linter linters",
        "logging": "logger loggers",
        "scheduling": "scheduler schedulers",
        "profiling": "profiler profilers",
        "debugging": "debugger debuggers",
        "tokenization": "tokenizer tokenizers tokenize",
        "formatting": "formatter formatters",
        "indexing": "indexer indexers",
        "rendering": "renderer renderers",
        "bundling": "bundler bundlers",
        "pagination": "paginate paginator paginated paginating",
        "authentication": "authenticate authenticator authenticating",
        "authorization": "authorize authorizer authorizing",
        "serialization": "serialize serializer serializers serializing",
        "validation": "validate validator validators validating",
        "migration": "migrate migrator migrating",
        "deployment": "deployer deploying",
        "configuration": "configure configuring",
        "optimization": "optimize optimizer optimizing",
        "compilation": "compile compiling",
        "installation": "installer installing",
        "caching": "cacher",
    }.items()
    for form in forms.split()
}


class Settled(NamedTuple):
    """The tags as they are written, and those that were given in another form."""

    tags: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]


def wanted_forms(tags: Iterable[str]) -> dict[str, str]:
    """Each tag with the noun that stands for it, as long as the store says nothing else."""
    found = {}
    for tag in tags:
        plain = " ".join(folded(tag).split())
        at = max(plain.rfind("-"), plain.rfind(" ")) + 1  # web-scraper: its last word is the noun
        noun = _NOUNS.get(plain[at:].casefold())
        found[tag] = plain[:at] + noun if noun else plain
    return found


def settled(
    tags: Sequence[str],
    wanted: Mapping[str, str],
    known: Mapping[str, int],
    stem: Callable[[str], str],
) -> Settled:
    """The tags in the forms that the store uses, else in their own.

    `known` says how often the store uses each tag, `stem` gives the start that the forms of a
    word share.
    """
    by_key: dict[str, str] = {}
    for tag in sorted(known, key=lambda tag: (-known[tag], tag)):  # the most used comes first
        by_key.setdefault(key_of(tag, stem), tag)
    kept: dict[str, str] = {}
    renamed: dict[str, str] = {}
    for tag in tags:
        new = wanted.get(tag, tag)
        if tag not in known:
            new = by_key.get(key_of(tag, stem)) or by_key.get(key_of(new, stem)) or new
        else:
            new = tag
        if new and new != tag:
            renamed[tag] = new
        if new:
            kept.setdefault(new.casefold(), new)
    return Settled(tuple(kept.values()), tuple(renamed.items()))


def maybe_alike(wanted: Mapping[str, str], known: Mapping[str, int]) -> list[str]:
    """The tags that are not in the store as they are, and those of it that could be one with them."""
    starts: dict[str, list[str]] = {}
    for tag in known:
        starts.setdefault(_start_of(tag), []).append(tag)
    found: list[str] = []
    for tag, form in wanted.items():
        near = [*starts.get(_start_of(tag), ()), *starts.get(_start_of(form), ())]
        if tag not in known and near:
            found += [tag, form, *near]
    return found


def _start_of(tag: str) -> str:
    """Letters that no ending of a word changes."""
    return folded(tag)[:2].casefold()


def key_of(tag: str, stem: Callable[[str], str]) -> str:
    """What the forms of a tag have in common: words, in whatever width, case, ending and gaps."""
    return "".join(stem(word) for word in plain_words(tag)) or tag.casefold()


def common_tags(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    """The tags of `one` that `other` has too, whatever their case."""
    have = {tag.casefold() for tag in other}
    return tuple(tag for tag in dict.fromkeys(one) if tag.casefold() in have)


def best_with(tags: Sequence[str], entries: Iterable[Entry]) -> Entry | None:
    """The memory that has most of these tags, two at least; then salience, last access, path."""
    rated = [
        ((n, LEVELS.index(entry.salience), entry.last_accessed), entry)
        for entry in entries
        if (n := len(common_tags(tags, entry.tags))) >= LEAST_COMMON
    ]
    if not rated:
        return None
    most = max(row[0] for row in rated)
    return min((entry for rate, entry in rated if rate == most), key=lambda entry: entry.path)
