"""Word forms by which a tag is found, and how many tags are useful.

Tags stay as written; `scraper` and `scraping` find each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from recollect.model.memory import LEVELS, Entry
from recollect.text.tokens import plain_words, stem

MOST = 6
MOST_OF_CONVERSATION = 8
LEAST_COMMON = 2  # tags that a file has in common with what is added to it

# Who does it and how it is done, beside the noun for what is done (seed 004: scraping and scraper).
# Only words that mean little else: a server does not stand for serving, nor a container for containing.
_FORMS = {
    form: (noun, *forms.split())
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
    for form in (noun, *forms.split())
}


def as_written(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags, each once, whatever its case."""
    kept: dict[str, str] = {}
    for tag in tags:
        if tag.strip():
            kept.setdefault(tag.strip().casefold(), tag.strip())
    return tuple(kept.values())


def with_forms(tags: str) -> str:
    """The tags of a memory with the other forms of their words, under which they are found too."""
    words = dict.fromkeys(word for tag in tags.split("\n") for word in _words_of(tag))
    more = dict.fromkeys(form for word in words for form in _FORMS.get(word, ()))
    return " ".join([tags, *(form for form in more if form not in words)])


_words_of = lru_cache(maxsize=4096)(plain_words)  # many memories have the same tags


def key_of(tag: str) -> str:
    """A key that all forms of a tag share, whatever their width, case, ending and gaps."""
    words = (_FORMS.get(word, (word,))[0] for word in plain_words(tag))
    return "".join(map(stem, words)) or tag.casefold()


def common_tags(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    """The tags of `one` that `other` has too, in any form."""
    have = set(map(key_of, other))
    return tuple(tag for tag in dict.fromkeys(one) if key_of(tag) in have)


def best_with(tags: Sequence[str], entries: Iterable[Entry]) -> Entry | None:
    """The memory that has most of these tags, two at least; then salience, last access, path."""
    rated = [
        ((n, LEVELS.index(entry.salience), entry.last_accessed), entry)
        for entry in sorted(entries, key=lambda entry: entry.path)
        if (n := len(common_tags(tags, entry.tags))) >= LEAST_COMMON
    ]
    return max(rated, key=lambda row: row[0])[1] if rated else None  # the first of the best
