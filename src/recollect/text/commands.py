"""Read command lines: which programs they run, what only looks, what is dangerous, what does the same.

The hook imports this module, so it imports next to nothing itself.
"""

from recollect._fastimport import NamedTuple, Pattern

_WRAPPERS = frozenset("sudo env time nohup command exec nice stdbuf timeout doas".split())
_RUNNERS = frozenset("npx pnpx bunx uvx".split())
_RUNNING = {
    "uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "pdm": "run", "rye": "run",
    "bundle": "exec", "pnpm": "exec", "npm": "exec", "yarn": "exec", "python": "-m", "mise": "exec",
    "direnv": "exec", "pipx": "run", "bun": "x",
}  # fmt: skip
_SHELLS = frozenset("sh bash zsh dash sg su".split())  # run what stands behind `-c`
_VALUED = frozenset("--with --extra --group --python --package -p --env-file".split())
_SAME = {"gradlew": "gradle", "mvnw": "mvn", "py": "python"}
_NUMBERED = ("python", "pip", "clang", "gcc", "node", "php", "ruby")
_NO_PROGRAMS = frozenset("cd export source set unset true false pushd popd . : [ test wait".split())
_SETTING = (("export",), ("source",), ("unset",), (".",))
_SCRIPTED = frozenset("python node ruby perl php deno bun tsx".split())
_LOOKING = frozenset(
    "ls cat head tail less more grep egrep rg ag ugrep find fd echo printf pwd which type whereis ps top df du stat"
    " file wc diff tree man sleep date history jq yq awk sort uniq cut tr tee column nl od xxd strings basename"
    " dirname realpath readlink id whoami uname hostname lsof netstat ss printenv read seq clear pgrep tmux screen zellij".split()
)
# A command with nothing in it that a shell reads otherwise than as words.
_AS_IT_IS = Pattern(r"[\w@%+=:,./ -]+$")
# These may fail for a reason.
_ASKING = frozenset("curl wget nc ping dig nslookup sqlite3 open".split())
_LOOKING_WORDS = frozenset(
    "status log logs diff show ps ls list info version help inspect view describe search outdated tree blame reflog"
    " tasks rev-parse ls-files ls-tree ls-remote doc why whoami check-ignore cat-file shortlog merge-base images history"
    " cherry name-rev for-each-ref --version --help -version".split()
)
_DATABASES = (("psql",), ("mysql",), ("mariadb",))
_QUESTION = Pattern(r"\s*(?:(?:select|show|explain|describe)\s|\\[dlx])", 2)  # re.I
_GETTERS = frozenset("kubectl helm oc az gcloud aws gh npm pip".split())
_DANGEROUS_OPTIONS = frozenset(
    "--force --no-verify --hard --force-with-lease --no-gpg-sign --break-system-packages --insecure --delete -delete"
    " --trusted-host --allow-root --no-check-certificate".split()
)
_DANGEROUS = frozenset(
    "rm rmdir unlink shred dd mkfs shutdown reboot truncate dropdb dropuser setenforce".split()
)
# To end a process by its name or number helps once; to end what holds a port helps again.
_ENDING = frozenset("kill pkill killall taskkill fkill".split())
_DANGEROUS_WORDS = {
    "git": frozenset("stash clean restore rm filter-branch".split()),
    "docker": frozenset("prune rm rmi kill".split()),
    "kubectl": frozenset(("delete",)),
    "terraform": frozenset("destroy force-unlock -auto-approve".split()),
    "tofu": frozenset("destroy force-unlock -auto-approve".split()),
    "helm": frozenset("uninstall delete".split()),
    "gh": frozenset(("delete",)),
    "aws": frozenset("rm rb delete terminate-instances".split()),
    "gsutil": frozenset("rm rb".split()),
    "redis-cli": frozenset("flushall flushdb FLUSHALL FLUSHDB del unlink DEL UNLINK".split()),
    "etcdctl": frozenset(("del",)),
    "ufw": frozenset(("disable",)),
}
# What any program calls to throw something away: `kind delete cluster`, `aws s3api delete-object`.
_NAMING = frozenset("git grep rg ag cargo go pytest jest vitest cd".split())  # take names
_THROWING = Pattern(r"(?:delete|destroy|purge|wipe|unpublish)(?:-[a-z-]+)?$")
_DANGEROUS_TEXT = (
    "drop table", "drop database", "drop schema", "drop index", "drop column", "truncate table", "'truncate ", '"truncate ', "delete from",
    "db:drop", "db:reset", "migrate:fresh", "migrate:reset", "migrate reset", "manage.py flush", "downgrade base", "mkfs.",
    "| sh ", "| bash ", "| sudo sh ", "| sudo bash ", "chmod 777", "chmod -r 777",
    "sslverify=false", "sslverify false", "strict-ssl false", "tls_reject_unauthorized", "ssl_no_verify", "husky=0",
    "skip=", "push -f", "git restore ", "checkout -f", "checkout -- ", "checkout .", "branch -d", "down -v", "eval ",
)  # fmt: skip


class SimpleCommand(NamedTuple):
    """A simple command of a command line: `PORT=0 npm test 2>&1`."""

    words: "tuple[str, ...]"  # without quotes and redirections
    ends: str  # what stands behind it: && || | & ; or nothing
    text: str  # as it was written
    writes: str  # the file to which it writes its output


def parts_of(command: str) -> list[SimpleCommand]:
    """The simple commands in a command line; none of a script with a text in it."""
    return _Parser(command).parts if "<<" not in command else []


def proven(command: str, *, through_pipes: bool = False) -> "list[SimpleCommand]":
    """The parts of a command line that must have worked if the whole has.

    What stands before a pipe may have failed, unless such failures were seen (`pipefail`).
    """
    parts = parts_of(command)
    found: list[SimpleCommand] = []
    for part in reversed(parts):
        if part.ends in ("", "&&", *(("|",) if through_pipes else ())) or (
            part.ends == ";" and not found and part is parts[-1]
        ):
            found.append(part)
        elif part.ends != "|":
            break
    return found[::-1]


_SIGNS = frozenset("\"'\\>$ \t\n;|&")


class _Parser:
    """Cuts a command line as a shell does, as far as that tells which programs it runs."""

    def __init__(self, command: str) -> None:
        self.parts: list[SimpleCommand] = []
        self._words: list[str] = []
        self._word: str | None = None
        self._skips, self._writes = False, ""
        self._start = n = 0
        while n < len(command):
            n = self._take(command, n)
        self._end(command, n, "")

    def _take(self, command: str, n: int) -> int:
        """Take in the character at `n` and what belongs to it; gives where the next one stands."""
        char = command[n]
        if char in "\"'":
            end = command.find(char, n + 1)
            end = end if end >= 0 else len(command)
            self._word = (self._word or "") + command[n + 1 : end]
            return end + 1
        if char == "\\" and n + 1 < len(command):
            if command[n + 1] != "\n":
                self._word = (self._word or "") + command[n + 1]
            return n + 2
        if char == ">":
            return self._redirect(command, n)
        if command.startswith("$(", n):
            end = _end_of_group(command, n + 1)
            self._word = (self._word or "") + command[n:end]
            return end
        if char in " \t":
            self._end_word()
        elif char in "\n;|&":
            twice = char in "|&" and command[n + 1 : n + 2] == char
            self._end(command, n, char * (1 + twice))
            return n + 1 + twice
        else:
            start = n
            while n + 1 < len(command) and command[n + 1] not in _SIGNS:
                n += 1
            self._word = (self._word or "") + command[start : n + 1]
        return n + 1

    def _redirect(self, command: str, n: int) -> int:
        if (self._word or "").isdigit():
            self._word = None
        self._end_word()
        end = n
        while command[end : end + 1] in (">", "&", "|") and end < len(command):
            end += 1
        target = command[end:].split(None, 1)[:1]
        to = target[0] if target else ""
        self._skips = True
        if not (to[:1].isdigit() or to.startswith("/dev/")):
            self._writes = to.strip("\"'") or self._writes
        return end + (len(command[end:]) - len(command[end:].lstrip(" ")))

    def _end_word(self) -> None:
        if self._word is not None:
            if not self._skips:
                self._words.append(self._word)
            self._word, self._skips = None, False

    def _end(self, command: str, n: int, ends: str) -> None:
        self._end_word()
        if self._words:
            text = command[self._start : n].strip()
            self.parts.append(
                SimpleCommand(tuple(self._words), ends.replace("\n", ";"), text, self._writes)
            )
        self._words, self._skips, self._writes = [], False, ""
        self._start = n + max(len(ends), 1)


def _end_of_group(command: str, n: int) -> int:
    """Where the group ends that begins with the bracket at `n`."""
    depth = 0
    for at in range(n, len(command)):
        depth += (command[at] == "(") - (command[at] == ")")
        if not depth:
            return at + 1
    return len(command)


def _is_assigned(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def unwrapped(words: "tuple[str, ...]") -> "tuple[str, ...]":
    """A simple command without settings and wrappers: `sudo -E X=1 apt install` → `apt install`."""
    n, wrapped = 0, ""
    while n < len(words):
        word = words[n]
        is_part_of_wrapper = wrapped and (
            word.startswith("-") or (wrapped == "timeout" and word[0].isdigit())
        )
        if word in _WRAPPERS:
            wrapped = word
        elif not (_is_assigned(word) or is_part_of_wrapper or word in ("(", "{", "!")):
            break
        n += 1
    return words[n:]


def name_of(word: str) -> str:
    """The name of a program, whatever its folder and version: `/usr/bin/python3.12` → `python`."""
    name = word.replace("\\", "/").rsplit("/", 1)[-1].lower()[:40]
    for end in (".exe", ".cmd", ".bat", ".sh"):
        name = name.removesuffix(end) or name
    bare = name.rstrip("0123456789.-")
    return bare if bare in _NUMBERED else _SAME.get(name, name)


def _runs_its_last_word(shell: str, rest: "tuple[str, ...]") -> bool:
    """Whether a shell runs the last word: `bash -c 'make'`, `sg docker -c 'make'`, not `bash run.sh -c x`."""
    options = [word for word in rest[:-1] if word.startswith("-")]
    is_last = len(rest) > 1 and rest[-2].startswith("-") and rest[-2].endswith("c")
    return is_last and (shell in ("sg", "su") or len(options) == len(rest) - 1)


def core_of(words: "tuple[str, ...]") -> "tuple[str, ...]":
    """What a simple command runs in the end, by its name: `npx tsc -p x` → `tsc -p x`."""
    words = unwrapped(words)
    while len(words) > 1:
        name, rest = name_of(words[0]), words[1:]
        if name in _SHELLS and _runs_its_last_word(name, rest):
            inner = tuple(rest[-1].split()) if _AS_IT_IS.match(rest[-1]) else ()
        elif name in _RUNNERS:
            inner = rest
        elif name in _RUNNING and rest[0] == _RUNNING[name]:
            inner = rest[1:]
        else:
            break
        while inner and inner[0].startswith("-"):
            inner = inner[2:] if inner[0] in _VALUED else inner[1:]
        if not inner:
            break
        words = unwrapped(inner)
    return (name_of(words[0]), *words[1:]) if words else ()


def is_program(words: "tuple[str, ...]") -> bool:
    """Whether a simple command runs a program: `export` and `source` only set what another needs."""
    core = core_of(words)
    return bool(core) and core[0] not in _NO_PROGRAMS


def programs_of(command: str) -> "set[str]":
    """The programs that a command line runs, and the wrappers that it runs them by."""
    found = set()
    for part in parts_of(command) or parts_of(command.partition("<<")[0]):
        bare, core = unwrapped(part.words), core_of(part.words)
        found |= {name_of(bare[0]), core[0]} if bare and core else set()
    return found - _NO_PROGRAMS - {""}


def is_looking(words: "tuple[str, ...]") -> bool:
    """Whether a simple command changes nothing: it looks, prints or goes somewhere."""
    core = core_of(words)
    if not core or core[0] in _NO_PROGRAMS:
        return core[:1] not in _SETTING
    name, said = core[0], core[1:3]
    if name in ("find", "sed"):
        return not any(word.startswith(("-exec", "-i", "--in-place")) for word in core)
    if name in _LOOKING or not _LOOKING_WORDS.isdisjoint(said):
        return True
    if name in _GETTERS and not {"get", "api", "checks"}.isdisjoint(said):
        return {"-X", "--method", "-f", "-F", "--field"}.isdisjoint(core)
    if name == "git":
        return said[:1] in (("branch",), ("remote",), ("tag",)) and len(core) < 4
    return name in _SCRIPTED and not {"-c", "-e", "-p"}.isdisjoint(said)


def is_asking(words: "tuple[str, ...]") -> bool:
    """Whether a simple command only asks a server or a database: it mends nothing, but may fail."""
    core = core_of(words)
    if core[:1] in _DATABASES:
        return any(map(_QUESTION.match, core))
    return bool(core) and core[0] in _ASKING


def is_idle(part: SimpleCommand) -> bool:
    """Whether a simple command mends nothing: it looks or asks, and writes no file."""
    return not part.writes and (is_looking(part.words) or is_asking(part.words))


# `git checkout web/last-run.json` takes back what was changed there.
_OF_A_FILE = Pattern(r"\bgit checkout (?:[^-\s]\S* )?[^-\s]\S*\.[a-z]{2,5}\s")


def _throws(words: "tuple[str, ...]") -> bool:
    """Whether a program is called to throw something away: not `-k delete`, which selects."""
    for word in words:
        if word.startswith("-") and "=" not in word:
            return False
        if _THROWING.match(word):
            return True
    return False


def is_dangerous(command: str) -> bool:
    """Whether a command line throws something away or gets around a safeguard."""
    low = f"{' '.join(command.lower().split())} "
    if any(text in low for text in _DANGEROUS_TEXT) or _OF_A_FILE.search(low):
        return True
    once = _DANGEROUS if "lsof " in low else _DANGEROUS | _ENDING
    for part in parts_of(command) or parts_of(command.partition("<<")[0]):
        bare = unwrapped(part.words)
        name = name_of(bare[0]) if bare else ""
        said = set(bare[1:])
        if name in once or (name == "xargs" and not said.isdisjoint(once)):
            return True
        if name not in _NAMING and _throws(bare[1:4]):
            return True
        if name in _SHELLS and any(" " in word and is_dangerous(word) for word in said):
            return True
        if not said.isdisjoint(_DANGEROUS_OPTIONS) or not said.isdisjoint(
            _DANGEROUS_WORDS.get(name, ())
        ):
            return True
    return False


_CODE_FILES = frozenset(
    "py pyi js ts tsx jsx mjs cjs go rs java kt c h cc cpp hpp rb php cs swift sh css scss html vue svelte ex exs lua dart scala".split()
)
_CONFIGS = Pattern(
    r"(?:conftest|setup|settings|noxfile|manage)\.py$|.*(?:config|rc)\.\w+$",
    2,  # re.I
)


def is_code_file(path: str) -> bool:
    """Whether a file is part of a program, and not of how it is built, run or checked."""
    name = path.rsplit("/", 1)[-1]
    return name.rpartition(".")[2].lower() in _CODE_FILES and not _CONFIGS.match(name)


# ------------------------------------------------------------------------ the same, in another way

# Options that change what is said of a run, and those that change what is run.
_OUTPUT = frozenset("-v -vv -vvv -q -qq -s -x -i -it -n -count=1".split())
_LONG_OUTPUT = (
    "--verbose", "--quiet", "--silent", "--no-color", "--color", "--tb", "--json", "--bail", "--maxfail",
    "--reporter", "--no-progress", "--progress",
)  # fmt: skip
_SELECTS = frozenset(
    "-k -run --run -t --grep --filter --tests --testNamePattern --ignore --deselect --lf --exclude --skip -short --only".split()
)
_SCRIPT_OPTIONS = frozenset("-c -e --command --execute --eval".split())
_FAMILIES = tuple(
    frozenset(names.split())
    for names in ("npm pnpm yarn bun", "pip uv pipx poetry conda", "docker podman nerdctl", "make gmake", "gradle mvn",
                  "node tsx ts-node deno bun", "vim nvim", "apt apt-get brew dnf yum")
)  # fmt: skip


def is_same(one: "tuple[str, ...]", other: "tuple[str, ...]") -> bool:
    """Whether two simple commands are the same apart from how they are run."""
    first, second = (
        [word for word in words if word not in _OUTPUT and not word.startswith(_LONG_OUTPUT)]
        for words in (one, other)
    )
    return first == second


def is_variant(one: "tuple[str, ...]", other: "tuple[str, ...]", *, instead: bool = False) -> bool:
    """Whether a simple command does the same as another with other options, settings or a wrapper.

    With `instead` also by another program: that of the first is not there.
    """
    old, new = core_of(one), core_of(other)
    if not old or not new or one == other:
        return False
    is_wrapped = new[-len(old) :] == old
    is_replaced = len(old) > 1 and new[1 - len(old) :] == old[1:]
    are_kin = any({old[0], new[0]} <= family for family in _FAMILIES)
    if is_wrapped or (is_replaced and (instead or are_kin)):
        return True
    if old[0] != new[0] or _selected(old) != _selected(new) or _has_script(old) != _has_script(new):
        return False
    if old[0] == "git" and len(_positional(old)) < 3 and new[: len(old)] == old:
        return new[len(old)].startswith("-")
    return any(_positional(old, valued=v) == _positional(new, valued=v) for v in (False, True))


def _selected(core: "tuple[str, ...]") -> "list[str]":
    """The part of the work that a command selects: `-k name`."""
    pairs = zip(core, (*core[1:], ""), strict=True)
    return [f"{word} {value}" for word, value in pairs if word.partition("=")[0] in _SELECTS]


def _has_script(core: "tuple[str, ...]") -> bool:
    """Whether a command is told on its line what to do, and not by a file: `psql -c 'select 1'`."""
    pairs = zip(core, (*core[1:], ""), strict=True)
    return any(
        word in _SCRIPT_OPTIONS and (" " in told or told[:1] == "\\") and not _is_assigned(told)
        for word, told in pairs
    )


def _positional(core: "tuple[str, ...]", *, valued: bool = False) -> "list[str]":
    """The arguments of a command: words that are no options, nor values of options if `valued`."""
    return [
        word
        for word, prior in zip(core, ("", *core), strict=False)
        if not word.startswith("-") and not (valued and prior.startswith("-") and "=" not in prior)
    ]
