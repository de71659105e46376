"""A store as it should be, beside the real one: a plain dict of ids and bodies."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.services.project import Project

from recollect.app import App
from recollect.capture import save_memory as save_module
from recollect.capture.save_memory import Draft
from recollect.features import memories as writing
from recollect.model.facts import same_words
from recollect.model.memory import Change, Filter
from recollect.ops import repair
from recollect.store.history import bring_back, history, undo, undo_to
from recollect.store.store import OpenStore

TITLES = st.sampled_from(["One", "Two", "two", "日志", "A | b", "constructor", "../up", "$&"])
WORDS = st.text("ab 中\n#-`$\\é", min_size=1, max_size=30).map(lambda text: f"Says {text}.")


class StoreMachine(RuleBasedStateMachine):
    """Everything a person, an agent or an editor may do; files and index follow the model."""

    ids = Bundle("ids")
    sequences = steps = 0  # of all machines

    def __init__(self) -> None:
        super().__init__()
        place = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-model-", dir=place))
        self.project = Project(self.folder)
        self.model: dict[str, bytes] = {}  # every file, as it should be
        self.points: list[tuple[str, dict[str, bytes]]] = []
        self.brought_back: set[str] = set()  # changes whose undoing takes a file away again
        self.by_hand = 0  # how many points cannot be gone back to exactly

    def teardown(self) -> None:
        StoreMachine.sequences += 1
        shutil.rmtree(self.folder, ignore_errors=True)

    # ------------------------------------------------------------------------------- the writes

    def took_place(self, store: OpenStore) -> None:
        """The files are what the command made of them; the point may be gone back to."""
        self.model = self.project.files()
        newest = history(store)
        if newest and (not self.points or self.points[-1][0] != newest[0].id):
            self.points.append((newest[0].id, dict(self.model)))

    def last_points(self) -> list[str]:
        """The two newest points, the newest first; a command may have made several changes."""
        return [point for point, _ in reversed(self.points[-2:])]

    @initialize(target=ids, title=TITLES)
    def first(self, title: str) -> str:
        return self.saved(title, "Says the first.")

    @rule(target=ids, title=TITLES, body=WORDS)
    def save(self, title: str, body: str) -> str:
        return self.saved(title, body)

    def saved(self, title: str, body: str) -> str:
        before = self.project.files()
        with self.project.opened() as store:
            done = save_module.save(store, Draft(title, body, kind="fact"))
            self.took_place(store)
        if done.what == "unchanged":  # told before, in the same words
            assert self.model == before
            assert self.says(done.path, title, body)
            return done.id
        assert set(before.items()) < set(self.model.items())  # nothing was replaced
        assert done.path not in before
        return done.id

    def says(self, path: str, title: str, body: str) -> bool:
        """Whether a file says all these words, however they are spaced."""
        said = same_words(self.model[path].decode())
        return same_words(title) in said and same_words(body) in said

    @rule(body=WORDS)
    def save_rule(self, body: str) -> None:
        with self.project.opened() as store:
            save_module.save(store, Draft("Always be kind", body, kind="rule"))
            self.took_place(store)
        text = same_words(self.model["procedural/feedback.md"].decode())
        for line in body.split("\n"):  # a heading in it is one of the section: it gets a sign more
            said = line.lstrip("#")
            assert same_words(said) in text or not any(c.isalnum() for c in said)

    @rule(name=ids, body=WORDS)
    def edit(self, name: str, body: str) -> None:
        with self.project.opened() as store:
            entry = store.index.entry(name)
            if entry is None:
                return
            writing.edit(store, name, append=body)
            self.took_place(store)
            assert body.strip() in self.model[entry.path].decode()

    @rule(name=ids, level=st.sampled_from(["low", "high"]))
    def set_field(self, name: str, level: str) -> None:
        with self.project.opened() as store:
            if store.index.entry(name):
                writing.set_fields(store, name, {"salience": level})
                self.took_place(store)

    @rule(name=consumes(ids))
    def forget(self, name: str) -> None:
        with self.project.opened() as store:
            if store.index.entry(name):
                writing.forget(store, name)
                self.took_place(store)

    @rule(name=ids)
    def archive_or_activate(self, name: str) -> None:
        with self.project.opened() as store:
            entry = store.index.entry(name)
            if entry is None:
                return
            cold = entry.path.startswith("archive/")
            to = entry.path.removeprefix("archive/") if cold else f"archive/{entry.path}"
            if store.files.exists(to):
                return
            move = Change("move", entry.path, entry.id, entry.stamp, to=to)
            store.commit(lambda: [move], cause="activate" if cold else "archive")
            self.took_place(store)

    # ------------------------------------------------------------------------------- the way back

    @rule()
    def undo_last(self) -> None:
        with self.project.opened() as store:
            pasts = history(store)
            last = pasts[0] if pasts else None
            if (
                last is None
                or last.undone
                or last.undoes
                or self.by_hand
                or (last.id in self.brought_back)
            ):
                return
            undo(store, last.id)
            found = self.project.files()
            if len(self.points) > 1 and [p.id for p in pasts[:2]] == self.last_points():
                assert found == self.points[-2][1]
            self.took_place(store)

    @precondition(lambda self: self.points and not self.by_hand)
    @rule(n=st.integers(0, 1000))
    def undo_to_a_point(self, n: int) -> None:
        point, files = self.points[n % len(self.points)]
        with self.project.opened() as store:
            done = undo_to(store, point)
            assert done.left == []
            assert self.project.files() == files
            self.took_place(store)

    # ------------------------------------------------------------------------------- from outside

    @rule(name=ids, text=WORDS)
    def an_editor_writes(self, name: str, text: str) -> None:
        with self.project.opened() as store:
            entry = store.index.entry(name)
        if entry is not None:
            whole = (self.model[entry.path].decode() + f"\n{text}\n").encode()
            self.project.write(entry.path, whole)
            self.model[entry.path] = whole
            self.by_hand += 1

    @rule(name=ids)
    def a_file_goes_away_and_comes_back(self, name: str) -> None:
        with self.project.opened() as store:
            entry = store.index.entry(name)
        if entry is None or self.by_hand:
            return
        (self.project.root / entry.path).unlink()
        with self.project.opened() as store:
            assert store.index.entry(name) is None
            assert bring_back(store) == [entry.path]
            change = history(store)[0].id
            self.brought_back.add(change)
            self.points.append((change, dict(self.model)))

    # ------------------------------------------------------------------------------- the machinery

    @rule()
    def the_index_is_made_anew(self) -> None:
        with self.project.opened() as store:
            store.index.wipe()
            store.freshen()

    @rule()
    def the_cache_is_lost(self) -> None:
        shutil.rmtree(self.project.home / ".cache", ignore_errors=True)

    @rule()
    def somebody_repairs(self) -> None:
        app = App(str(self.project.folder), self.project.env)
        try:
            done = repair.mend(app, app.store("project"))
        finally:
            app.close()
        assert not done.lowered
        assert not done.lines

    # ------------------------------------------------------------------------------- what holds

    @invariant()
    def the_files_are_those_of_the_model(self) -> None:
        StoreMachine.steps += 1
        assert self.project.files() == self.model

    @invariant()
    def the_index_says_what_the_files_say(self) -> None:
        with self.project.opened() as store:
            seen = {one.path for one in store.files.scan()}
            assert store.index.known().keys() == seen
            names = [
                e.id for kind in (False, True) for e in store.index.entries(Filter(archived=kind))
            ]
            assert len(names) == len(set(names))
            assert store.problems == []

    @invariant()
    def the_journal_can_be_read_and_has_nothing_unsettled(self) -> None:
        with self.project.opened() as store:
            store.journal.ops()
            assert store.journal.problems == []
            assert store.journal.unsettled({})[0] == []
