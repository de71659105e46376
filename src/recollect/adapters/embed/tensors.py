"""Embed: files of named arrays, in the safetensors format.

Promises: nothing of a file is executed; a header that does not fit its file is refused.
Touches: the files it is given (reading).
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.errors import EmbedderBroken

if TYPE_CHECKING:
    import numpy as np

LARGEST_HEADER = 1 << 20
_KINDS = {"I8": "i1", "F16": "<f2", "F32": "<f4"}
_NAMES = {"int8": "I8", "float16": "F16", "float32": "F32"}
Arrays = dict[str, "np.ndarray"]


def opened(path: str) -> Arrays:
    """The arrays of a file, by name; they are read from the disk when they are used.

    Raises:
        EmbedderBroken: it is not such a file, or shorter than it says.
    """
    try:
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise EmbedderBroken(path=path, reason=str(error)) from error
    return parsed(memoryview(data), path)


def parsed(data: bytes | memoryview, path: str) -> Arrays:
    """The arrays in these bytes, by name; `path` is said where they are none. Raises EmbedderBroken."""
    import numpy as np

    found: Arrays = {}
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(bytes(data[8 : 8 + min(size, LARGEST_HEADER)]))
        for name, about in header.items():
            if name != "__metadata__" and about["dtype"] in _KINDS:
                start, end = about["data_offsets"]
                flat = np.frombuffer(
                    data[8 + size + start : 8 + size + end], _KINDS[about["dtype"]]
                )
                found[name] = flat.reshape(about["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderBroken(path=path, reason=str(error)) from error
    return found


def packed(arrays: Mapping[str, np.ndarray]) -> bytes:
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
    return b"".join(
        [len(head).to_bytes(8, "little"), head, *(a.tobytes() for a in arrays.values())]
    )
