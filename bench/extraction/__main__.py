"""A model as note-taker: what it would be sent of real sessions, and its answers scored.

`python -m bench.extraction --data FOLDER --out FOLDER [--only SOURCE] [--sample N] [--session ID] [--gold FILE]`

The data folder holds `SOURCE/{claude,codex}/*.jsonl`. Each session's question is written to
`OUT/sent/NAME.md`, as a model would get it. Whoever plays the model reads that file, and no other, and
writes `OUT/answers/NAME.json`; with `--model NAME` that model does. Answers that are there are checked
and scored; sheets to label go to `OUT/sheets` (`--labels FOLDER` scores them, as in `bench.sessions`).
The text of the sessions stays in the folder of `--out`; only counts are printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bench.sessions import laid, pages, sheets
from bench.sessions.sheets import Row
from recollect.capture import model_answer
from recollect.capture.condense import Condensed, condense
from recollect.capture.ingest import TranscriptIngest
from recollect.clients.models import extractor_of
from recollect.clients.registry import READERS
from recollect.errors import ModelFailed
from recollect.model.session import Event, SessionState
from recollect.ports import Question
from recollect.text.redact import redact
from recollect.text.tokens import count_tokens

SECONDS = 120.0  # for an answer
LIKELY = 0.5  # share of a wanted statement's words that makes a match likely


class Asked(NamedTuple):
    """What a model is asked about one session."""

    name: str
    project: str
    session: laid.Session
    condensed: Condensed
    question: Question

    @property
    def tokens(self) -> int:
        """The tokens of all that is sent."""
        return sum(count_tokens(text) for text in self.question)


def events_of(session: laid.Session) -> list[Event]:
    """The events of a transcript as they are kept: redacted, without private parts."""
    ingest = TranscriptIngest(redact, session.folder, lambda *_: set())
    state = SessionState(session.id, session.client)
    reader = READERS[session.client]
    return [event for fresh in ingest.read(reader, session.path, state) for event in fresh]


def chosen(args: argparse.Namespace) -> Iterator[tuple[laid.Project, laid.Session]]:
    """The sessions that are asked about; a sample depends only on their ids."""
    for project in laid.projects(args.data, args.only):
        rows = [s for s in project.sessions if s.id.startswith(tuple(args.session) or "")]
        if args.sample:
            rows.sort(key=lambda it: hashlib.sha256(it.id.encode()).digest())
            rows = rows[: args.sample]
        yield from ((project, session) for session in rows)


def asked_of(args: argparse.Namespace, counts: Counter[str]) -> Iterator[Asked]:
    """What a model is asked, session by session; those in which nobody typed are passed over."""
    for project, session in chosen(args):
        started = time.process_time()
        events = events_of(session)
        heard = time.process_time()
        if not any(event.kind == "prompt" and not event.program for event in events):
            counts["sessions of programs"] += 1
            continue
        condensed = condense(events)
        counts["hear ms"] += round(1000 * (heard - started))
        counts["condense µs"] += round(1e6 * (time.process_time() - heard))
        counts["bytes"] += session.size
        name = f"{laid.source_of(project.name)}-{session.id[:13]}"
        yield Asked(name, project.name, session, condensed, model_answer.question(condensed))


def put(path: str, text: str) -> None:
    """Write a file that only its owner reads."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def answer_to(asked: Asked, args: argparse.Namespace, counts: Counter[str]) -> str:
    """The answer that is there, or that the model gives; nothing without one."""
    path = os.path.join(args.out, "answers", f"{asked.name}.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return file.read()
    if not args.model:
        return ""
    started = time.perf_counter()
    try:
        reply = extractor_of(args.model, dict(os.environ)).ask(asked.question, SECONDS)
    except ModelFailed as problem:
        counts[f"failed: {problem.fields['reason']}"] += 1
        return ""
    counts["asked"] += 1
    counts["asked ms"] += round(1000 * (time.perf_counter() - started))
    counts["tokens in, as the model counts"] += reply.tokens_in
    counts["tokens out, as the model counts"] += reply.tokens_out
    put(path, reply.text)
    return reply.text


def read(asked: Asked, answer: str, counts: Counter[str]) -> list[Row]:
    """The entries of an answer as rows of a sheet."""
    counts["answers"] += 1
    counts["tokens out"] += count_tokens(answer)
    counts["tokens out: most"] = max(counts["tokens out: most"], count_tokens(answer))
    try:
        found = model_answer.checked(answer, asked.condensed, redact=redact)
    except model_answer.InvalidModelAnswer:
        counts["answers that are none"] += 1
        return []
    counts["entries"] += len(found.entries)
    counts.update(f"dropped: {why}" for why in found.dropped)
    rows: list[Row] = [
        {"kind": one.kind, "by": one.trust, "text": said(one), "quote": one.quote}
        for one in found.entries
    ]
    rows += [{"kind": "summary", "by": "agent", "text": found.summary, "quote": ""}]
    rows += [{"kind": "title", "by": "agent", "text": found.title, "quote": ""}]
    rows += [{"kind": "open", "by": "agent", "text": text, "quote": ""} for text in found.open]
    return [
        {
            "item": sheets.name_of("extraction", asked.name, str(row["kind"]), str(row["text"])),
            "project": asked.project,
            "session": asked.session.id,
            **row,
        }
        for row in rows
        if row["text"]
    ]


def said(one: model_answer.ExtractedEntry) -> str:
    """An entry in a line."""
    return f"{one.subject}: {one.statement}{f' ({one.why})' if one.why else ''}"


def pairs(rows: Iterable[Row], gold: Iterable[Row]) -> Iterator[Row]:
    """For each wanted statement of an answered session, the entries that may hold it."""
    rows = list(rows)
    for wanted in gold:
        mine = [row for row in rows if row["session"].startswith(wanted["session"])]
        if not mine:
            continue
        words = pages.words_of(wanted["keep"])
        name = sheets.name_of("wanted", wanted["source"], wanted["session"], wanted["keep"])
        shared = {"wanted": name, "project": wanted["source"], "keep": wanted["keep"]}
        yield {"item": name, **shared, "place": "entry", "likely": False, "text": ""}
        for row in mine:
            is_entry = row["kind"] in model_answer.KINDS
            yield {
                "item": sheets.name_of("gold", name, row["text"]),
                **shared,
                "place": "entry" if is_entry else "summary",
                "likely": pages.covered(words, pages.words_of(row["text"])) >= LIKELY,
                "text": row["text"],
            }


def show(sizes: list[int], sent: list[int], counts: Counter[str]) -> None:
    """Print the counts."""
    for what, rows in (("condensed", sizes), ("sent in all", sent)):
        rows.sort()
        print(
            f"{what}: {len(rows)} sessions, tokens: mean {sum(rows) / len(rows):.0f}, "
            f"median {rows[len(rows) // 2]}, most {rows[-1]}"
        )
    mb, seconds = counts.pop("bytes") / 1e6, counts.pop("condense µs") / 1e6
    print(
        f"condensing: {seconds:.2f} s of CPU for {mb:.0f} MB of transcripts "
        f"(reading and redacting them: {counts.pop('hear ms') / 1000:.1f} s)"
    )
    if counts["answers"]:
        print(f"tokens out, mean: {counts.pop('tokens out') / counts['answers']:.0f}")
    for what, count in sorted(counts.items()):
        print(f"{what}: {count}")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="bench.extraction", description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--sample", type=int, default=0, help="sessions of each project")
    parser.add_argument("--session", action="append", default=[], help="start of a session's id")
    parser.add_argument("--model", default="", help="as in the setting capture.model")
    parser.add_argument("--gold")
    parser.add_argument("--labels")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    rows: list[Row] = []
    sizes: list[int] = []
    sent: list[int] = []
    for asked in asked_of(args, counts):
        sizes.append(asked.condensed.tokens)
        sent.append(asked.tokens)
        put(os.path.join(args.out, "sent", f"{asked.name}.md"), "\n\n".join(asked.question))
        if answer := answer_to(asked, args, counts):
            rows += read(asked, answer, counts)
    if not sizes:
        sys.exit("no sessions")
    show(sizes, sent, counts)
    gold: list[Row] = []
    if args.gold:
        with open(args.gold, encoding="utf-8") as file:
            gold = [json.loads(line) for line in file if line.strip()]
    found = {"entries": [row for row in rows if row["kind"] in model_answer.KINDS]}
    found |= {"gold": list(pairs(rows, gold))}
    scorers = {"entries": sheets.SCORERS["statements"], "gold": sheets.recall}
    for measure, some in found.items():
        sheets.write(os.path.join(args.out, "sheets"), measure, some)
        labels = sheets.labels_in(args.labels, measure) if args.labels else {}
        for line in scorers[measure](some, labels) if some else ():
            print(f"{measure}: {line}")


if __name__ == "__main__":
    main()
