"""Journal: the form of its lines.

Promises: what was written comes back, bytes that are no UTF-8 as well; a line that is not as its
writer sealed it is nothing.
Touches: nothing.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Iterator
from typing import Any

from recollect.domain.delta import Part
from recollect.domain.model import Op
from recollect.hooks import places
from recollect.named import NamedTuple

FILE_OPS = ("put", "move", "remove")


class Said(NamedTuple):
    """A text by its difference from that of another op, `base`."""

    base: str
    parts: list[Part]


def split(pieces: Iterable[bytes], offset: int = 0) -> Iterator[tuple[bytes, int]]:
    """The whole lines of a file whose pieces these are, each with the offset behind it.

    `offset` is where the first piece begins.
    """
    begun: list[bytes] = []  # of a line that goes on in the next piece
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            line = piece[start:end]
            if begun:
                line = b"".join([*begun, line])
                begun.clear()
            offset += len(line) + 1
            yield line, offset
            start = end + 1
        if start < len(piece):
            begun.append(piece[start:])


def in_order(ops: Iterable[Op]) -> list[Op]:
    """The ops in the order in which they hold."""
    return sorted(ops, key=lambda op: (op.seq, op.writer, op.op_id))


def whole(ops: list[Op]) -> list[Op]:
    """The ops of a group, each once, or none if some are missing."""
    once = list({op.op_id: op for op in ops}.values())
    return once if len(once) >= ops[0].of else []


def line_of(data: dict[str, Any]) -> bytes:
    """An object as a line, sealed."""
    import json

    try:
        raw = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:  # bytes that were no UTF-8 in the file: kept as escapes
        raw = json.dumps(data, separators=(",", ":")).encode("ascii")
    return places.sealed(raw, binascii.crc32(raw))


def checked(raw: bytes) -> dict[str, Any] | None:
    """The object in a line, if the line is what its writer sealed."""
    if len(raw) < 20 or raw[-18:-10] != b',"sum":"' or raw[-2:] != b'"}':
        return None
    body = raw[:-18] + b"}"
    if b"%08x" % binascii.crc32(body) != raw[-10:-2]:
        return None
    import json  # most commands find nothing to read

    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def json_of(op: Op, said: Said | None = None) -> dict[str, Any]:
    """What is written of an op; its text by its difference where that is known."""
    data: dict[str, Any] = {
        "op": op.op,
        "op_id": op.op_id,
        "group": op.group,
        "of": op.of,
        "seq": op.seq,
        "time": op.time,
        "writer": op.writer,
        "cause": op.cause,
        "memory": op.memory,
        "path": op.path,
        "before": op.before,
        "after": op.after,
    }
    if op.to:
        data["to"] = op.to
    if op.undoes:
        data["undoes"] = op.undoes
    if said is not None:
        data |= {"base": said.base, "parts": said.parts}
    elif op.text is not None:
        data["text"] = op.text
    return data


def number(value: object) -> int:
    """A number of a line, 0 where it has none."""
    return value if isinstance(value, int) else 0


def op_of(data: dict[str, Any]) -> Op | None:
    """The op about a file that a line holds, if it holds one."""
    if data.get("op") not in FILE_OPS or not isinstance(data.get("group"), str):
        return None
    text = data.get("text")
    return Op(
        op=data["op"],
        op_id=str(data.get("op_id", "")),
        group=data["group"],
        of=number(data.get("of", 1)),
        seq=number(data.get("seq", 0)),
        time=str(data.get("time", "")),
        writer=str(data.get("writer", "")),
        cause=str(data.get("cause", "")),
        memory=str(data.get("memory", "")),
        path=str(data.get("path", "")),
        before=data.get("before"),
        after=data.get("after"),
        text=text if isinstance(text, str) else None,
        to=str(data.get("to", "")),
        undoes=str(data.get("undoes", "")),
    )
