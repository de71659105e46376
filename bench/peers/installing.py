"""Systems in environments of their own: a virtual environment, or a prefix of npm.

Promises: what was installed is kept and used again while its pins are the same. No script of an npm
package is run, and no Python package is built but those that are named. The package managers see
the person's settings for them; the systems never do.
Touches: the folder it is given; the caches of pip and npm.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence

from bench.peers import processes

SECONDS = 1200
_SETTINGS = ("PIP_", "NPM_CONFIG_", "npm_config_", "SSL_CERT_", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY",
             "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")  # fmt: skip
_KEPT = ("HOME", "PATH", "LANG", "TMPDIR")


class Skipped(Exception):
    """A system that cannot be run here; the message says why."""


def python(least: tuple[int, int], most: tuple[int, int]) -> str:
    """A Python that is new enough, not too new, and can make virtual environments."""
    check = (
        "import sys, ensurepip; "
        f"sys.exit(not {least} <= sys.version_info[:2] <= {most} or sys.prefix != sys.base_prefix)"
    )
    for path in _pythons(least, most):
        if subprocess.run([path, "-c", check], check=False, capture_output=True).returncode == 0:
            return path
    wanted = ".".join(map(str, least))
    raise Skipped(f"no Python {wanted} to {'.'.join(map(str, most))} with venv")


def _pythons(least: tuple[int, int], most: tuple[int, int]) -> Iterator[str]:
    yield os.path.realpath(sys.executable)
    for minor in range(most[1], least[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            yield found
        versions = os.path.join(os.environ.get("PYENV_ROOT", ""), "versions", f"3.{minor}.*")
        if os.environ.get("PYENV_ROOT"):
            yield from sorted(glob.glob(os.path.join(versions, "bin", "python")))


def venv(folder: str, interpreter: str, packages: Sequence[str], built: Iterable[str] = ()) -> None:
    """Make a virtual environment; packages come as wheels, but for those that are to be `built`."""
    own = os.path.join(folder, "bin", "python")
    source = ["--no-binary", ",".join(built)] if built else []
    steps = [
        [interpreter, "-m", "venv", folder],
        [own, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *source, *packages],
    ]
    _install(folder, steps, packages)


def npm(folder: str, packages: Sequence[str]) -> None:
    """Install packages of npm below a folder, without running anything of theirs."""
    tool = shutil.which("npm")
    if not tool:
        raise Skipped("no npm")
    flags = "--ignore-scripts --no-audit --no-fund --loglevel=error --prefix".split()
    _install(folder, [[tool, "install", *flags, folder, *packages]], packages)


def _install(folder: str, steps: Sequence[Sequence[str]], packages: Sequence[str]) -> None:
    mark, pins = os.path.join(folder, ".installed"), "\n".join(packages)
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == pins:
                return
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    env = {
        key: value for key, value in os.environ.items()
        if key in _KEPT or key.startswith(_SETTINGS)
    }  # fmt: skip
    for step in steps:
        done = processes.run(step, env, folder, SECONDS)
        if done.status:
            raise Skipped(f"not installed: {done.complaint}")
    with open(mark, "w", encoding="utf-8") as file:
        file.write(pins)


def size_of(folder: str) -> int:
    """Bytes of the files below a folder, each once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            found = os.lstat(os.path.join(at, name))
            if (found.st_dev, found.st_ino) not in seen:
                seen.add((found.st_dev, found.st_ino))
                total += found.st_size
    return total
