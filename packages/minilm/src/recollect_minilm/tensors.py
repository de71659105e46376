"""Files of named arrays in the safetensors format."""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping
from typing import Any

import numpy as np

from recollect.errors import EmbedderBroken

LARGEST_HEADER = 1 << 20
_KINDS = {"I8": "i1", "F16": "<f2", "F32": "<f4"}
_NAMES = {"int8": "I8", "float16": "F16", "float32": "F32"}
Arrays = dict[str, np.ndarray]


def read_arrays(path: str) -> Arrays:
    """The arrays of a file, by name, read from the disk when they are used.

    Raises EmbedderBroken for a file of another format, or one that was cut off.
    """
    try:
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise EmbedderBroken(path=path, reason=str(error)) from error
    return parse_arrays(memoryview(data), path)


def parse_arrays(data: bytes | memoryview, path: str) -> Arrays:
    """The arrays in these bytes, by name; errors name `path`. Raises EmbedderBroken."""
    found: Arrays = {}
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(bytes(data[8 : 8 + min(size, LARGEST_HEADER)]))
        for name, about in header.items():
            if name != "__metadata__" and about["dtype"] in _KINDS:
                start, end = (8 + size + offset for offset in about["data_offsets"])
                flat = np.frombuffer(data[start:end], _KINDS[about["dtype"]])
                found[name] = flat.reshape(about["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderBroken(path=path, reason=str(error)) from error
    return found


def pack_arrays(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of a file with these arrays."""
    header: dict[str, Any] = {}
    at = 0
    for name, array in arrays.items():
        end = at + array.nbytes
        header[name] = {
            "dtype": _NAMES[str(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [at, end],
        }
        at = end
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    parts = [len(head).to_bytes(8, "little"), head, *(a.tobytes() for a in arrays.values())]
    return b"".join(parts)
