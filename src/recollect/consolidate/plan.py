"""Plan a consolidation: from episodes and files to a list of actions.

The order of the input makes no difference. Newer episodes are read first. An episode is archived
only when each of its claims is in the result or was settled. A newer claim replaces an older one
only if it is trusted no less; otherwise, or if the contradiction is uncertain, a person decides.
Private episodes are left alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from recollect._fastimport import NamedTuple
from recollect.consolidate.actions import (
    FEEDBACK,
    FILE,
    Action,
    AddClaim,
    Archive,
    AskPerson,
    MarkFiled,
    Merge,
    NoteOldRule,
    PlanRules,
    RefreshDate,
    Replace,
    Retire,
    can_replace_section,
    conflict_key,
)
from recollect.consolidate.claims import BEHAVIOURAL, Claim, is_trusted_like
from recollect.consolidate.edit import can_replace, fits_in_place
from recollect.consolidate.gather import Files
from recollect.consolidate.pages import (
    ClaimIndex,
    EpisodeClaim,
    FileClaim,
    PagePlacer,
    episode_claim,
    is_claim_source,
    priority_of,
)
from recollect.model import document
from recollect.model.claim_key import reversed_comment, reversed_key
from recollect.model.conflicts import (
    Conflict,
    conflict_between,
    is_newer,
    keeping_subject,
)
from recollect.model.filing_marks import FILED, WAITS
from recollect.model.footnotes import Mark, title_in_note
from recollect.model.memory import SESSION_KINDS, TRUSTS, Memory
from recollect.search.rank import is_queued

MOST_ROUNDS = 8
ROUNDS_FOR_OLDER = 4  # in which a newer statement lets an older one go first
LEAST_SHARED = 2  # claims that two files have in common before a merge is proposed
LEAST_SHARE = 0.6  # of the smaller one


def plan(episodes: Iterable[Memory], files: Files, rules: PlanRules) -> tuple[Action, ...]:
    """What consolidation will do, in the order in which it is safe to do it."""
    sources = filter(is_claim_source, episodes)
    newest_first = sorted(sources, key=lambda one: (one.created, one.id), reverse=True)
    planner = _Planner(files, rules, {one.id: files.claims_of(one) for one in newest_first})
    pending = planner.absorb_all(newest_first)
    return (
        *planner.actions,
        *planner.marks(newest_first),
        *planner.merges(),
        *planner.archived(newest_first, pending),
    )


def plan_claim(episode: Memory, claim: Claim, files: Files, rules: PlanRules) -> tuple[Action, ...]:
    """What consolidation will do about one claim of an episode, and nothing else."""
    planner = _Planner(files, rules, {episode.id: [episode_claim(claim)]})
    planner.absorb_all([episode])
    return (*planner.actions, *planner.marks([episode]))


def plan_entry(
    heard: EpisodeClaim, mark: Mark, files: Files, rules: PlanRules, *, subject: str
) -> tuple[Action, ...]:
    """What becomes of one statement that somebody writes now, on the page of this subject if named."""
    episode = Memory(mark.episode, "", "episodic", "", "", created=mark.date)
    planner = _Planner(files, rules, {episode.id: [heard]})
    planner.placing.subject, planner.is_said_now = subject, True
    planner.absorb_all([episode])
    return tuple(planner.actions)


class PagePlan(NamedTuple):
    """What a statement that gets a page of its own does to others."""

    text: str  # with what it is about, where only what gives way says so
    losers: tuple[Replace | Retire, ...]
    wordings: tuple[str, ...]  # those of the losers
    waits: tuple[FileClaim, ...]  # what it may contradict, or what somebody trusted more said


def plan_page(heard: EpisodeClaim, mark: Mark, files: Files, rules: PlanRules) -> PagePlan:
    """What gives way to one statement that somebody writes now on a page of its own, or waits."""
    planner = _Planner(files, rules, {mark.episode: [heard]})
    planner.is_said_now = True
    losers: list[tuple[FileClaim, Conflict]] = []
    waits: list[FileClaim] = []
    for held, conflict, verdict in planner.verdicts(heard, mark):
        is_sure = conflict.certainty == "sure"
        is_trusted = is_trusted_like(mark.trust, held.trust)
        if verdict == "new" or (
            verdict == "wait" and is_sure and is_trusted and held.title == FILE
        ):
            losers.append((held, conflict))
        elif verdict == "wait" and not (is_sure and is_trusted):
            waits.append(held)
    if waits:
        return PagePlan(heard.claim.text, (), (), tuple(waits))
    for held, conflict in losers:
        planner.give_way(held, mark, conflict, None)
    text = keeping_subject(losers[0][0].text, heard.claim.text) if losers else heard.claim.text
    actions = tuple(one for one in planner.actions if isinstance(one, (Replace, Retire)))
    return PagePlan(text, actions, tuple(held.text for held, _ in losers), ())


class _Planner:
    """A plan in the making."""

    def __init__(
        self, files: Files, rules: PlanRules, said: Mapping[str, Sequence[EpisodeClaim]]
    ) -> None:
        self.files = files
        self.rules = rules
        # The most trusted first: what the person said is not taken for a repetition of the agent.
        self.said = {
            name: sorted(row, key=lambda heard: -TRUSTS.index(heard.claim.trust))
            for name, row in said.items()
        }
        every = [heard for row in said.values() for heard in row]
        topics = frozenset(topic for heard in every for topic in heard.topics)
        self.index = ClaimIndex(files.readings(), {heard.key for heard in every}, topics)
        self.index.count_subjects((heard.claim.text, heard.key) for heard in every)
        self.placing = PagePlacer(self.index, rules)
        self.is_said_now = False  # whether it counts as newest, even if the clock says otherwise
        self.actions: list[Action] = []
        self.waiting: set[str] = set(rules.waiting)
        # A person's line has no mark that says when it was last said again: an episode that says it
        # stays as long as another one that contradicts it.
        self._said_again: dict[tuple[str, str], str] = {}
        # For each episode whose statement waits: the episodes that say the opposite, and its key.
        self._needed: dict[str, set[tuple[str, str]]] = {}
        self._stood: set[tuple[str, str, str]] = set()  # what stands: episode, near key, trust
        # What was said and not looked at yet, by topic; how often a newer statement let it go first.
        self._unsettled: dict[str, list[tuple[Memory, EpisodeClaim]]] = {}
        self._let_first = 0
        # What became of the statements of an episode: its mark, and the page.
        self._stages: dict[tuple[str, str], tuple[str, str]] = {}

    def absorb_all(self, episodes: list[Memory]) -> dict[str, list[EpisodeClaim]]:
        """Plan for the claims of all episodes; gives those that wait, by episode."""
        left: dict[str, list[EpisodeClaim]] = {}
        for one in episodes:
            for heard in self.said[one.id]:
                for topic in heard.topics if heard.claim.stage != FILED else ():
                    self._unsettled.setdefault(topic, []).append((one, heard))
        for n in range(MOST_ROUNDS):  # what comes later may contradict, or free, what came before
            planned, before = len(self.actions), self.index.changed
            self.index.changed = set()
            if n == ROUNDS_FOR_OLDER:
                self._unsettled.clear()
            let_first = self._let_first
            for one in episodes:
                left[one.id] = [
                    heard
                    for heard in self.said[one.id]
                    if not (self._stands_still(one, heard, before) or self._take(one, heard))
                ]
            if planned == len(self.actions) and let_first == self._let_first:
                break
        return left

    def _lets_first(self, episode: Memory, heard: EpisodeClaim) -> bool:
        """Whether an older statement that it may contradict is still to come: that one holds until a ruling."""
        near = (row for topic in heard.topics for row in self._unsettled.get(topic, ()))
        for one, other in near:
            if (one.id, other.claim.text) in self._stages or not one.created < episode.created:
                continue
            if not is_trusted_like(other.claim.trust, heard.claim.trust):
                continue
            found = conflict_between(heard.claim.text, other.claim.text)
            key = conflict_key(heard.claim.text, other.claim.text)
            if found and found.certainty != "sure" and key not in self.rules.rulings:
                self._let_first += 1
                return True
        return False

    def _stands_still(self, episode: Memory, heard: EpisodeClaim, before: Container[str]) -> bool:
        """Whether a claim was in the result in the last round, and nothing has touched it since."""
        if (episode.id, heard.key, heard.claim.trust) not in self._stood:
            return False
        return heard.key not in before and heard.key not in self.index.changed

    def _take(self, episode: Memory, heard: EpisodeClaim) -> bool:
        """Plan for one claim; whether it is settled."""
        stage, page = self._settle(episode, heard)
        if stage:
            self._stages[episode.id, heard.claim.text] = stage, page
        return stage == FILED

    def marks(self, episodes: Iterable[Memory]) -> Iterator[MarkFiled]:
        """What the memories of sessions are to say of their statements, and do not say yet."""
        for one in episodes:
            for claim, _, _ in self.said[one.id]:
                stage, page = self._stages.get((one.id, claim.text), ("", ""))
                if stage and claim.stage and claim.stage != stage:
                    yield MarkFiled(one.path, claim.text, stage, page)

    def _settle(self, episode: Memory, heard: EpisodeClaim) -> tuple[str, str]:
        """Plan for one claim: its stage, and the page; nothing if another one comes first."""
        claim, key, _ = heard
        mark = _mark(episode, claim)
        about = key, claim.trust
        if (held := self.index.holding(*about)) or self.index.is_whole(*about):
            if held:
                self._restated(held, mark)
            self._stood.add((episode.id, key, claim.trust))
            return FILED, held.path if held else ""
        if claim.stage == FILED or self.index.with_subject(claim.text, heard.topics, episode.id):
            return FILED, ""
        self._stood.discard((episode.id, key, claim.trust))
        verdicts = self.verdicts(heard, mark)
        said = {verdict for _, _, verdict in verdicts}
        is_over = bool(said & {"neither", "old"})
        if is_over or self._is_removed(key, mark):
            self._pass_over(claim, mark, verdicts)
            is_told = not is_over and key in self.rules.undone  # by its session, as before
            page = next((one.path for one, _, verdict in verdicts if verdict == "old"), "")
            return "" if is_told else FILED, page
        if "wait" in said:
            for one, conflict, verdict in verdicts:
                if verdict == "wait":
                    self._wait(claim, mark, one, conflict)
            return WAITS, ""
        if self._lets_first(episode, heard):
            return "", ""
        losers = [(one, conflict) for one, conflict, verdict in verdicts if verdict == "new"]
        if losers:
            text = keeping_subject(losers[0][0].text, claim.text)
            heard = heard if text == claim.text else episode_claim(claim._replace(text=text))
        path = self._replace(losers, heard, mark) or self._put(episode, heard, mark)
        return FILED, path

    def _pass_over(
        self, claim: Claim, mark: Mark, verdicts: Iterable[tuple[FileClaim, Conflict, str]]
    ) -> None:
        """Plan for what follows from a claim that is not taken in."""
        for held, conflict, verdict in verdicts:
            if verdict == "neither":
                self.give_way(held, mark, conflict, None)
            elif verdict == "old" and (conflict.is_reversal or claim.kind == BEHAVIOURAL):
                self._keep_old_rule(self._with_subject(held, claim), claim)

    def _with_subject(self, held: FileClaim, older: Claim) -> FileClaim:
        """A newer claim, with the subject that only the older one names."""
        text = keeping_subject(older.text, held.text)
        if text == held.text or not held.mark or not held.is_alone or not self._may_go(held):
            return held
        new = episode_claim(Claim(text, trust=held.trust, source=held.mark.source))
        self.actions.append(Replace(held.path, held.text, text, held.mark, "", held.title))
        self.index.give_up(held)
        made = _learned(held.path, new, held.mark)._replace(is_item=held.is_item)
        self.index.add(made)
        return made

    def _is_removed(self, key: str, mark: Mark) -> bool:
        """Whether a claim was taken out since it was said: it is not put back."""
        day = self.rules.removed.get(key)
        return day is not None and day >= mark.date and not self.index.has(key)

    # ----------------------------------------------------------------------------- conflicts

    def verdicts(self, heard: EpisodeClaim, mark: Mark) -> list[tuple[FileClaim, Conflict, str]]:
        """What contradicts a claim, and who wins (see `_verdict`)."""
        clashing = self.index.clashing(heard.claim.text, heard.topics)
        return [
            (held, conflict, self._verdict(heard.claim, mark, held, conflict))
            for held, conflict in clashing
        ]

    def _verdict(self, claim: Claim, mark: Mark, held: FileClaim, conflict: Conflict) -> str:
        """Who wins: old, new, both, neither; or wait."""
        ruled = self.rules.rulings.get(conflict_key(claim.text, held.text))
        if not ruled:
            back = self.rules.rulings.get(conflict_key(held.text, claim.text), "")
            ruled = {"old": "new", "new": "old"}.get(back, back)
        if ruled:
            return ruled if ruled in ("old", "both") or self._may_go(held, is_ruled=True) else "old"
        if conflict.certainty != "sure":
            return "wait"
        newer = self.is_said_now or is_newer(priority_of(mark), held.standing)
        if newer is None:
            return "wait"
        if not newer:
            if again := self._said_again.get((held.path, held.key)):
                self._needed.setdefault(mark.episode, set()).add((again, held.key))
            return "old" if is_trusted_like(held.trust, claim.trust) else "wait"
        return "new" if is_trusted_like(claim.trust, held.trust) and self._may_go(held) else "wait"

    def _may_go(self, held: FileClaim, *, is_ruled: bool = False) -> bool:
        """Whether a claim can be taken out of its file; a title with its reasons, by a person only."""
        if not self.index.pages[held.path].is_open:
            return False
        if held.has_reasons and not is_ruled and not (self.is_said_now and held.title == FILE):
            return False
        if held.mark or held.title == FILE or self._is_whole(held):
            return True
        body = document.body_of(self.files[held.path])
        return can_replace_section(body, held.text) if held.title else can_replace(body, held.text)

    def _is_whole(self, held: FileClaim) -> bool:
        """Whether a claim is all that a person's file says, or goes with all that it says."""
        page = self.index.pages[held.path]
        if held.title == FILE:
            return page.size == 1 + page.own
        return page.size == 1 and held.mark is None and page.layer == "semantic"

    def _wait(self, claim: Claim, mark: Mark, held: FileClaim, conflict: Conflict) -> None:
        found = conflict.certainty, conflict.why, held.standing.date
        wait = AskPerson("", held.path, held.text, claim, mark, *found)
        key = conflict_key(wait.new, wait.old)
        # Which of both is the newer one may change: the session that said one again is archived.
        if self.waiting.isdisjoint((key, conflict_key(wait.old, wait.new))):
            self.waiting.add(key)
            self.actions.append(wait._replace(key=key))

    def _replace(
        self, losers: list[tuple[FileClaim, Conflict]], heard: EpisodeClaim, mark: Mark
    ) -> str:
        """Let all losers go; the page on which the claim took the place of one of them."""
        stands = ""
        for held, conflict in losers:
            in_place = (
                not stands
                and self.index.holds(held)
                and held.trust == heard.claim.trust
                and held.is_alone
                and held.title != FILE
                and not self._is_whole(held)
                and fits_in_place(heard.claim.text, is_item=held.is_item)
            )
            self.give_way(held, mark, conflict, heard if in_place else None)
            stands = held.path if in_place else stands
        return stands

    def give_way(
        self, held: FileClaim, mark: Mark, conflict: Conflict, new: EpisodeClaim | None
    ) -> None:
        """Plan to take out a claim, or to put a new one in its place."""
        if not self.index.holds(held):
            return  # it went with its title
        if self._is_whole(held):
            self.actions.append(Retire(held.path, mark.episode))
            self.index.retire(held)
            return
        is_rule = self.index.pages[held.path].layer == "procedural"
        is_kept = conflict.is_reversal or is_rule
        past = reversed_comment(mark.date, held.text) if is_kept else ""
        wording = new.claim.text if new else ""
        self.actions.append(Replace(held.path, held.text, wording, mark, past, held.title))
        self.index.give_up(held)
        if past:
            self.index.past.add(reversed_key(held.text))
        if new:
            self.index.add(_learned(held.path, new, mark)._replace(is_item=held.is_item))

    def _keep_old_rule(self, held: FileClaim, claim: Claim) -> None:
        """A rule that was replaced before it was read is kept as a comment, like any other."""
        key = reversed_key(claim.text)
        if held.mark and key not in self.index.past and self.index.pages[held.path].is_open:
            self.index.past.add(key)
            comment = reversed_comment(held.standing.date, claim.text)
            self.actions.append(NoteOldRule(held.path, held.text, comment))

    # --------------------------------------------------------------------------------- claims

    def _restated(self, held: FileClaim, mark: Mark) -> None:
        """A known claim was said again: against others it counts from then on."""
        is_later = mark.date > held.standing.date and is_trusted_like(mark.trust, held.trust)
        if not is_later or not held.topics:
            return
        renewed = mark._replace(
            trust=held.trust,
            source=held.mark.source if held.mark else "observed",
            kind=held.mark.kind if held.mark else mark.kind,
        )
        newer = held._replace(standing=priority_of(mark))
        if held.mark and self.index.pages[held.path].is_open:
            self.actions.append(RefreshDate(held.path, held.text, renewed))
            newer = newer._replace(mark=renewed)
        else:
            self._said_again[held.path, held.key] = mark.episode
        self.index.drop(held)
        self.index.add(newer)

    def _put(self, episode: Memory, heard: EpisodeClaim, mark: Mark) -> str:
        starts, path, heading = self.placing.place_for(episode, heard.claim, mark)
        self.actions += starts
        self.actions.append(AddClaim(path, heading, heard.claim, mark))
        self.index.add(_learned(path, heard, mark))
        return path

    def _is_found(self, episode: Memory, heard: EpisodeClaim) -> bool:
        """Whether a claim is found in what the plan leaves behind, or was settled."""
        claim, key, _ = heard
        mark = _mark(episode, claim)
        if claim.stage == FILED or self._is_removed(key, mark):
            return claim.stage == FILED or key not in self.rules.undone
        if self.index.holding(key, claim.trust) or self.index.is_whole(key, claim.trust):
            return True
        if self.index.with_subject(claim.text, heard.topics, episode.id):
            return True
        verdicts = {row[2] for row in self.verdicts(heard, mark)}
        return bool(verdicts & {"old", "neither"})

    # ---------------------------------------------------------------------------- at the end

    def merges(self) -> list[Merge]:
        """Pairs of files that say much the same."""
        found = []
        for one, other, shared in self.index.shared():
            pages = self.index.pages[one], self.index.pages[other]
            smaller = min(page.size for page in pages)
            if shared < LEAST_SHARED or shared < LEAST_SHARE * smaller:
                continue
            proposal = Merge(one, other, shared)
            if FEEDBACK not in (one, other):
                found += [] if proposal.key in self.waiting else [proposal]
        return found

    def _waited(self, episode: Memory) -> bool:
        """Whether an episode is the note of a statement that had to wait, and has nothing else to do."""
        is_note = is_queued(episode.layer, episode.status) and episode.kind not in SESSION_KINDS
        return is_note and bool(self.said[episode.id])

    def archived(
        self, episodes: list[Memory], pending: Mapping[str, list[EpisodeClaim]]
    ) -> list[Archive]:
        """The episodes past their time, and notes that wait no more, that nothing would be lost with."""
        gone = {
            episode.id: Archive(episode.id, episode.path)
            for episode in reversed(episodes)
            if not episode.archived
            and ("" < episode.decay_after < self.rules.today or self._waited(episode))
            and not pending[episode.id]
            and all(self._is_found(episode, one) for one in self.said[episode.id])
        }
        size = -1
        while size != len(gone):
            size = len(gone)
            staying = (self._needed.get(one.id, set()) for one in episodes if one.id not in gone)
            for needed, key in set().union(*staying):
                if not self.index.has_mark(key):  # else an entry says it, with its own date
                    gone.pop(needed, None)
        return list(gone.values())


def _mark(episode: Memory, claim: Claim) -> Mark:
    title = title_in_note(episode.title)
    source, kind = claim.source, claim.listed
    date = claim.said or episode.created
    return Mark(episode.id, date, claim.trust, source, episode.salience, title, kind)


def _learned(path: str, heard: EpisodeClaim, mark: Mark) -> FileClaim:
    text, topics = heard.claim.text, heard.topics
    return FileClaim(path, text, heard.key, priority_of(mark), mark.trust, mark, topics=topics)
