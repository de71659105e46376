"""The rest of what can happen to a store: passes that bring it into order, the command line, and death."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, rule
from tests.capture.mortal import FAILED, dying_at
from tests.cli.running import Person

from recollect.app import App
from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.consolidate import apply as archiving
from recollect.errors import RecollectError
from recollect.features import lifecycle
from recollect.features import memories as writing
from recollect.model.memory import Filter
from recollect.store.history import ChangeGroup, forget_old_changes, history, undo
from recollect.store.store import OpenStore

from .model import TITLES, WORDS, StoreMachine

# Some of them contradict each other, some are said twice, one is a rule.
CLAIMS = (
    "The cache port is 8080.",
    "The cache port is 9090.",
    "The cache host is web.",
    "Never push to main.",
    "Always push to main.",
    "The cache is Redis 7.",
)
LONG_AGO = "2025-01-02T10:00:00Z"


class WholeMachine(StoreMachine):
    """As `StoreMachine`, with consolidation, conflicts, the archive, the command line and kills."""

    talks = Bundle("talks")

    # ------------------------------------------------------------------------ bringing into order

    @rule(target=talks, title=TITLES, claims=st.lists(st.sampled_from(CLAIMS), max_size=3))
    def an_old_talk_is_saved(self, title: str, claims: list[str]) -> str:
        body = " ".join(["We talked.", *claims])
        draft = Draft(
            title, body, layer="episodic", tags=("cache", "port"), created=LONG_AGO,
            conversation="### User [1:00]\n\nHi.\n",
        )  # fmt: skip
        with self.project.opened() as store:
            done = save.save(store, draft)
            self.took_place(store)
        return done.id

    @rule(force=st.booleans())
    def it_is_consolidated(self, force: bool) -> None:
        before = self.texts()
        app = App(str(self.project.folder), self.project.env)
        try:
            store = app.store("project")
            lifecycle.consolidate_store(app, store, force_decay=force)
            self.took_place(store)
        finally:
            app.close()
        self.nothing_is_gone(before)

    @rule(ruling=st.sampled_from(["old", "new", "both", "neither"]))
    def a_contradiction_is_settled(self, ruling: str) -> None:
        app = App(str(self.project.folder), self.project.env)
        try:
            waits = lifecycle.conflicts(app, scope="project")
            if not waits:
                return
            lifecycle.settle_conflict(app, waits[0][1].key, ruling, scope="project", dry_run=False)
            left = {wait.key for _, wait in lifecycle.conflicts(app, scope="project")}
            assert waits[0][1].key not in left
            self.took_place(app.store("project"))
        finally:
            app.close()

    @rule(force=st.booleans())
    def what_is_inactive_is_archived(self, force: bool) -> None:
        before = self.texts()
        with self.project.opened() as store:
            gone = archiving.archive(store, force=force)
            self.took_place(store)
            for one in gone:
                assert store.index.entry(one.entry.id)
        assert sorted(before.values()) == sorted(self.texts().values())

    @rule(name=talks)
    def it_is_activated(self, name: str) -> None:
        with self.project.opened() as store:
            entry = store.index.entry(name)
            if entry is None or store.files.exists(entry.path.removeprefix("archive/")):
                return
            archiving.activate(store, name)
            found = store.index.entry(name)
            assert found
            assert not found.archived
            self.took_place(store)

    @rule(most=st.integers(1, 6))
    def old_changes_are_forgotten(self, most: int) -> None:
        with self.project.opened() as store:
            before = history(store)
            forget_old_changes(store, most)
            ids = [past.id for past in before]
            assert [past.id for past in history(store)[:most]] == ids[:most]
        self.points = [point for point in self.points if point[0] in ids[:most]]

    # ----------------------------------------------------------------------------- the command line

    @rule(title=TITLES, body=WORDS)
    def saved_by_command(self, title: str, body: str) -> None:
        before = dict(self.model)
        self.command("save", title, "--body", body, "--kind", "fact")
        with self.project.opened() as store:
            self.took_place(store)
        assert before.items() <= self.model.items()
        if len(self.model) == len(before):  # told before, in the same words
            assert any(self.says(path, title, body) for path in self.model)
        else:
            assert len(self.model) == len(before) + 1

    @rule(words=st.sampled_from([("doctor",), ("consolidate", "--dry-run"), ("search", "push")]))
    def somebody_looks(self, words: tuple[str, ...]) -> None:
        self.command(*words)

    @rule(words=st.sampled_from([("consolidate", "--force-decay"), ("archive",), ("undo",)]))
    def a_command_changes_what_it_may(self, words: tuple[str, ...]) -> None:
        before = self.texts()
        self.command(*words, codes=(0, 1, 10, 12))
        with self.project.opened() as store:
            self.took_place(store)
        if words[0] != "undo":
            self.nothing_is_gone(before)

    def command(self, *words: str, codes: tuple[int, ...] = (0, 1)) -> None:
        done = Person(self.project.home, self.project.folder, self.project.env).run(*words)
        assert done.code in codes, (words, done)

    # ------------------------------------------------------------------------------------- death

    @rule(step=st.integers(0, 25), title=TITLES, body=WORDS)
    def killed_while_it_saves(self, step: int, title: str, body: str) -> None:
        before = dict(self.model)
        self.dies(step, lambda store: save.save(store, Draft(title, body, kind="fact")))
        assert before.items() <= self.model.items()
        assert len(self.model) <= len(before) + 1
        for path in self.model.keys() - before.keys():
            assert body.strip() in self.model[path].decode()

    @rule(step=st.integers(0, 25), name=StoreMachine.ids, body=WORDS)
    def killed_while_it_edits(self, step: int, name: str, body: str) -> None:
        before = dict(self.model)
        path = self.path_of(name)
        if path:
            self.dies(step, lambda store: writing.edit(store, name, append=body))
            assert {p for p in before if before[p] != self.model.get(p)} <= {path}
            changed = self.model[path] != before[path]
            assert not changed or body.strip() in self.model[path].decode()

    @rule(step=st.integers(0, 30), name=StoreMachine.ids | talks)
    def killed_while_it_forgets(self, step: int, name: str) -> None:
        before = dict(self.model)
        path = self.path_of(name)
        if path:
            folder = str(Path(path).parent) + "/" if path.endswith("/summary.md") else path
            self.dies(step, lambda store: writing.forget(store, name))
            own = {one for one in before if one.startswith(folder)}
            left = before.keys() & self.model.keys()
            assert before.keys() - left in (set(), own)
            assert all(before[one] == self.model[one] for one in left)

    @rule(step=st.integers(0, 30))
    def killed_while_it_undoes(self, step: int) -> None:
        with self.project.opened() as store:
            pasts = [one for one in history(store) if self.can_be_undone(store, one)]
        if pasts:
            before, change = dict(self.model), pasts[0].id
            self.dies(step, lambda store: undo(store, change))
            touched = {one for op in pasts[0].ops for one in (op.path, op.to)}
            every = before.keys() | self.model.keys()
            assert {one for one in every if before.get(one) != self.model.get(one)} <= touched

    def can_be_undone(self, store: OpenStore, past: ChangeGroup) -> bool:
        try:
            undo(store, past.id, dry_run=True)
        except RecollectError:  # the file is not as the change left it, or it is too old
            return False
        return not past.undone

    @rule(step=st.integers(0, 60))
    def killed_while_it_consolidates(self, step: int) -> None:
        before = self.texts()

        def consolidate(store: OpenStore) -> None:
            from recollect.consolidate import run as service

            service.consolidate(store, force_decay=True)

        self.dies(step, consolidate)
        self.nothing_is_gone(before)

    @rule(step=st.integers(0, 30))
    def killed_while_it_archives(self, step: int) -> None:
        before = self.texts()
        self.dies(step, lambda store: archiving.archive(store, force=True))
        assert sorted(before.values()) == sorted(self.texts().values())

    def dies(self, step: int, act: Callable[[OpenStore], object]) -> None:
        """Let a process do something and die before its n-th step; the next command mends it."""

        def opened() -> None:
            with self.project.opened() as store:
                act(store)

        code, _ = dying_at(step, opened, self.folder / "steps")
        assert code != FAILED
        with self.project.opened() as store:
            self.took_place(store)

    # ----------------------------------------------------------------------------------- looking

    def path_of(self, name: str) -> str:
        with self.project.opened() as store:
            entry = store.index.entry(name)
        return entry.path if entry else ""

    def texts(self) -> dict[str, str]:
        return {path: data.decode() for path, data in self.model.items()}

    def nothing_is_gone(self, before: dict[str, str]) -> None:
        """Every file is there, in place or in the archive; every claim stands somewhere."""
        paths = {path.removeprefix("archive/") for path in self.model}
        assert {path.removeprefix("archive/") for path in before} <= paths
        after = "\n".join(self.texts().values())
        for claim in CLAIMS:
            assert claim not in "\n".join(before.values()) or claim in after
        with self.project.opened() as store:
            every = [
                e for cold in (False, True) for e in store.index.entries(Filter(archived=cold))
            ]
            assert all(entry.tokens for entry in every)
