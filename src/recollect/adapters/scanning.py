"""Scanning: the memory files of a store as the file system shows them.

Promises: nothing outside the root is looked at, whatever a link or a name says; views and hidden
files are never taken for memories; what is passed over is named.
Touches: the store's root (listing and looking, never opening a file).

A short search loads this, so it imports next to nothing.
"""

import os

from recollect.domain.model import SEALED, Problem, Seen

MEMORY_FOLDERS = ("core", "episodic", "semantic", "procedural", "reference", "encrypted")
VIEWS = ("MEMORY.md", "skill-candidates.md", "README.md")
ENDS = (".md", SEALED)
DEEPEST = 8
LARGEST_MEMORY = 32 * 1024 * 1024
LISTING = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FORM, REGULAR, LINK = 0o170000, 0o100000, 0o120000
NOT_A_FOLDER = 20  # errno.ENOTDIR


def scan(root: str) -> tuple[list[Seen], list[Problem]]:
    """Every memory file, by path, and what was passed over and why."""
    scan = _Scan(root)
    top = scan.opened("", None)
    try:
        for entry in scan.listed("", top):
            if entry.name.endswith(".md") and entry.name not in VIEWS:
                scan.take(entry, entry.name)
        for folder in MEMORY_FOLDERS:
            scan.folder(folder, top, 0)
        archive = scan.opened("archive", top)
        try:
            for folder in MEMORY_FOLDERS:
                scan.folder(f"archive/{folder}", archive, 0)
        finally:
            _close(archive)
    finally:
        _close(top)
    return scan.found, scan.passed


class _Scan:
    """What was found so far."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.found: list[Seen] = []
        self.passed: list[Problem] = []

    def folder(self, folder: str, above: int, depth: int) -> None:
        """Take what is in a folder and below it."""
        handle = self.opened(folder, above)
        try:
            for entry in self.listed(folder, handle):
                path = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if depth < DEEPEST:
                        self.folder(path, handle, depth + 1)
                    else:
                        self.passed.append(Problem(path, "lies too deep; it is not read"))
                elif path.endswith(ENDS):
                    self.take(entry, path)
        finally:
            _close(handle)

    def opened(self, folder: str, above: int | None) -> int:
        """A handle of a folder in the one `above`, or -1 where there is none that we may list.

        All that is below is looked at by way of it: the folder's name may be a link by then.
        """
        try:
            if above is None:
                return os.open(self.root, LISTING)
            if above >= 0:
                name = folder.rpartition("/")[2]
                return os.open(name, LISTING | os.O_NOFOLLOW, dir_fd=above)
        except FileNotFoundError:
            pass
        except OSError as error:
            self._refused(folder, error)
        return -1

    def _refused(self, folder: str, error: OSError) -> None:
        if os.path.islink(os.path.join(self.root, folder)):
            self.passed.append(Problem(folder, "is a symbolic link; it is not followed"))
        elif error.errno != NOT_A_FOLDER:
            said = os.strerror(error.errno or 0)
            self.passed.append(Problem(folder, f"cannot be listed: {said}"))

    def listed(self, folder: str, handle: int) -> "list[os.DirEntry[str]]":
        """What is in a folder, by name, without what is hidden."""
        if handle < 0:
            return []
        try:
            with os.scandir(handle) as entries:
                found = [entry for entry in entries if entry.name[0] != "."]
        except OSError as error:
            self._refused(folder, error)
            return []
        return sorted(found, key=_name_of)

    def take(self, entry: "os.DirEntry[str]", path: str) -> None:
        """Take a file, if it is one that can be read as a memory."""
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError:
            return  # gone since it was listed
        # Of every file at every look: no call is made that nearly none of them needs.
        is_usual = info.st_mode & FORM == REGULAR and info.st_size <= LARGEST_MEMORY
        if not (is_usual and path.isascii()) and (problem := problem_of(path, info)):
            self.passed.append(problem)
        else:
            self.found.append(
                Seen(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
            )


def problem_of(path: str, info: os.stat_result) -> Problem | None:
    """Why a file is not read as a memory, if it is not."""
    if not (path.isascii() or is_utf8(path)):
        return Problem(ascii(path), "its name is not UTF-8; it is not read")
    form = info.st_mode & FORM
    if form != REGULAR:
        kind = "symbolic link" if form == LINK else "special file"
        return Problem(path, f"is a {kind}; it is not read")
    if info.st_size > LARGEST_MEMORY:
        return Problem(path, f"has {info.st_size:,} bytes; it is not read")
    return None


def is_utf8(text: str) -> bool:
    """Whether a name can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _name_of(entry: "os.DirEntry[str]") -> str:
    return entry.name


def _close(handle: int) -> None:
    if handle >= 0:
        os.close(handle)
