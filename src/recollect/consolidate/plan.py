"""Plan a consolidation: from episodes and files to a list of actions.

The order of the input makes no difference. Newer episodes are read first. An episode is archived
only when each of its claims is in the result or was settled. A newer claim replaces an older one
only if it is trusted no less; otherwise, or if the contradiction is uncertain, a person decides.
Private episodes are left alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from recollect._fastimport import NamedTuple
from recollect.consolidate.actions import (
    FEEDBACK,
    FILE,
    Absorb,
    Action,
    Archive,
    Merge,
    NoteOldRule,
    PlanRules,
    Renew,
    Replace,
    Retire,
    Start,
    Wait,
    can_turn,
    conflict_key,
)
from recollect.consolidate.claims import BEHAVIOURAL, Claim, is_claim
from recollect.consolidate.edit import can_replace, fits_in_place
from recollect.consolidate.pages import (
    ClaimFiles,
    ClaimIndex,
    EpisodeClaim,
    FileClaim,
    FileSummary,
    episode_claim,
    is_claim_source,
)
from recollect.model import document as codec
from recollect.model import layers
from recollect.model.claim_key import reversed_comment, reversed_key
from recollect.model.conflicts import Conflict, Priority, is_newer, keeping_subject
from recollect.model.document import stem_of
from recollect.model.footnotes import Mark, title_in_note
from recollect.model.memory import LEVELS, TRUSTS, Memory, free_name, slug_of
from recollect.model.page_form import NOTED, RULE_OF, title_for
from recollect.model.tags import LEAST_COMMON
from recollect.text.tokens import plain_words, stem

# -------------------- Which file a claim belongs into.


EARNS_A_PAGE = 3  # entries that name the same subject
LONGEST_SUBJECT = 3  # words of a page's title that names a subject


class Placing:
    """Finds places on a shelf, and starts new files on it."""

    def __init__(self, shelf: ClaimIndex, rules: PlanRules) -> None:
        """On this shelf, by these rules."""
        self.shelf = shelf
        self.rules = rules
        self.subject = ""  # the page that the writer names
        self._known: dict[tuple[str, str], str] = {}
        self._titles: dict[
            str, tuple[str, frozenset[str]]
        ] = {}  # of pages of a subject of their own
        for page in shelf.pages.values():
            self._take_title(page.path, page.title)

    def _take_title(self, path: str, title: str) -> None:
        words = frozenset(map(stem, plain_words(title)))
        is_page = path.startswith("semantic/") and path.count("/") == 1
        is_named = 0 < len(words) <= LONGEST_SUBJECT and not layers.is_subject(title)
        if is_page and is_named and not is_claim(title):
            self._titles[path] = title, words

    def place_for(self, episode: Memory, claim: Claim, mark: Mark) -> tuple[list[Start], str, str]:
        """`(new files, path, heading)` for a claim."""
        is_zh = self.rules.lang == "zh"
        if claim.kind == "behavioural":
            start = self._rules_file(mark)
            heading = title_for(claim.text, RULE_OF[claim.trust][is_zh])
        else:
            heading = NOTED[claim.trust][is_zh]
            if best := self._best(episode, claim):
                return [], best, heading
            start = self._facts_file(mark, claim.text)
        if self._takes_in(start.path, claim.trust):
            return [], start.path, heading
        path = self._free_path(start.path)
        start = start._replace(path=path, id=stem_of(path))
        self._open(start)
        return [start], path, heading

    def _takes(self, page: FileSummary, trust: str) -> bool:
        is_trusted = TRUSTS.index(page.trust) >= TRUSTS.index(trust)
        return page.is_open and is_trusted

    def _best(self, episode: Memory, claim: Claim) -> str:
        """The page that a claim goes to as it is: of the subject that it names, or by its writer's tags."""
        if self.subject:
            return self._of_subject(claim.trust)
        named = layers.named_subject(claim.text).casefold()
        words = set(map(stem, plain_words(claim.text)))
        about = [
            (title.casefold() == named, len(said), path)
            for path, (title, said) in self._titles.items()
            if (title.casefold() == named or said <= words) and self._takes_in(path, claim.trust)
        ]
        if about:
            return max(about)[2]
        key = episode.id, claim.trust
        known = self._known.get(key, "")
        if not known or known not in self.shelf.pages:
            known = self._known[key] = self._tagged(episode, claim.trust)
        return known

    def _of_subject(self, trust: str) -> str:
        """The page that has the subject for its title."""
        wanted = self.subject.casefold()
        pages = (
            page.path
            for page in self.shelf.pages.values()
            if page.title.casefold() == wanted
            and page.layer == "semantic"
            and page.path.count("/") == 1
            and self._takes(page, trust)
        )
        return min(pages, default="")

    def _takes_in(self, path: str, trust: str) -> bool:
        page = self.shelf.pages.get(path)
        return page is not None and self._takes(page, trust)

    def _tagged(self, episode: Memory, trust: str) -> str:
        """The page with most of an episode's tags; those of a session are words of its title."""
        tags = frozenset(tag.casefold() for tag in episode.tags if episode.kind != "session")
        fitting = [
            (common, LEVELS.index(page.salience), page.last_accessed, page.path)
            for path, common in self.shelf.common_tags(tags).items()
            if common >= LEAST_COMMON
            and (page := self.shelf.pages[path]).layer == "semantic"
            and self._takes(page, trust)
        ]
        if not fitting:
            return ""
        most = max(row[:3] for row in fitting)
        return min(row[3] for row in fitting if row[:3] == most)

    def _rules_file(self, mark: Mark) -> Start:
        # The file is the person's; each line in it says where it comes from.
        own = mark._replace(trust="user", source="instructed")
        title = layers.SHARED_TITLES[self.rules.lang][FEEDBACK]
        return Start(FEEDBACK, "", title, "procedural", "rule", (), own)

    def _facts_file(self, mark: Mark, text: str) -> Start:
        """The page of the subject that three entries name, else of one that every project has."""
        named = layers.named_subject(text)
        title = self.subject or layers.subject_of(text, self.rules.lang)
        if not self.subject and named and self.shelf.named[named.casefold()] >= EARNS_A_PAGE:
            title = named
        path = f"semantic/{slug_of(title)}.md"
        # The page is for everybody's entries; each says whose it is.
        own = mark._replace(trust="user", source="observed")
        return Start(path, "", title, "semantic", "fact", (), own)

    def _free_path(self, wanted: str) -> str:
        folder, _, name = wanted.removesuffix(".md").rpartition("/")

        def is_taken(name: str) -> bool:
            return f"{folder}/{name}.md" in self.shelf.paths or self.rules.is_taken(name)

        return f"{folder}/{free_name(name, is_taken)}.md"

    def _open(self, start: Start) -> None:
        self._take_title(start.path, start.title)
        self.shelf.add_page(
            FileSummary(
                start.path,
                start.title,
                start.layer,
                frozenset(tag.casefold() for tag in start.tags),
                "medium",
                start.mark.trust,
                start.mark.date[:10],
                0,
                is_open=True,
            )
        )


MOST_ROUNDS = 8
LEAST_SHARED = 2  # claims that two files have in common before a merge is proposed
LEAST_SHARE = 0.6  # of the smaller one


def plan(episodes: Iterable[Memory], files: ClaimFiles, rules: PlanRules) -> tuple[Action, ...]:
    """What consolidation will do, in the order in which it is safe to do it."""
    heard = sorted(filter(is_claim_source, episodes), key=lambda e: (e.created, e.id), reverse=True)
    planner = _Planner(files, rules, {one.id: files.claims_of(one) for one in heard})
    pending = planner.absorb_all(heard)
    return (*planner.actions, *planner.merges(), *planner.archived(heard, pending))


def plan_claim(
    episode: Memory, claim: Claim, files: ClaimFiles, rules: PlanRules
) -> tuple[Action, ...]:
    """What consolidation will do about one claim of an episode, and nothing else."""
    planner = _Planner(files, rules, {episode.id: [episode_claim(claim)]})
    planner.absorb_all([episode])
    return tuple(planner.actions)


def plan_entry(
    heard: EpisodeClaim, mark: Mark, files: ClaimFiles, rules: PlanRules, *, subject: str
) -> tuple[Action, ...]:
    """What becomes of one statement that somebody writes now, on the page of this subject if named."""
    episode = Memory(mark.episode, "", "episodic", "", "", created=mark.date)
    planner = _Planner(files, rules, {episode.id: [heard]})
    planner.placing.subject, planner.is_said_now = subject, True
    planner.absorb_all([episode])
    return tuple(planner.actions)


class PagePlan(NamedTuple):
    """What a statement does to others that gets a page of its own."""

    text: str  # with what it is about, where only what gives way says so
    losers: tuple[Replace | Retire, ...]
    wordings: tuple[str, ...]  # those of the losers
    waits: tuple[FileClaim, ...]  # what it may contradict, or what somebody trusted more said


def plan_page(heard: EpisodeClaim, mark: Mark, files: ClaimFiles, rules: PlanRules) -> PagePlan:
    """What gives way to one statement that somebody writes now on a page of its own, or waits."""
    planner = _Planner(files, rules, {mark.episode: [heard]})
    planner.is_said_now = True
    losers: list[tuple[FileClaim, Conflict]] = []
    waits: list[FileClaim] = []
    for held, conflict, verdict in planner.verdicts(heard, mark):
        is_sure = conflict.certainty == "sure"
        is_trusted = TRUSTS.index(mark.trust) >= TRUSTS.index(held.trust)
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


def plan_moves(
    moves: Iterable[tuple[FileClaim, str]], files: ClaimFiles, rules: PlanRules
) -> tuple[Action, ...]:
    """How statements come to the pages of other subjects, each as it stands, with its origin."""
    planner = _Planner(files, rules, {})
    actions: list[Action] = []
    for held, subject in moves:
        if held.mark is None:
            continue
        claim = Claim(held.text, source=held.mark.source, trust=held.trust)
        episode = Memory(held.mark.episode, "", "episodic", "", "", created=held.mark.date)
        planner.placing.subject = subject
        starts, path, heading = planner.placing.place_for(episode, claim, held.mark)
        if path != held.path:
            taken_out = Replace(held.path, held.text, "", held.mark)
            actions += [taken_out, *starts, Absorb(path, heading, claim, held.mark)]
    return tuple(actions)


class _Planner:
    """A plan in the making."""

    def __init__(
        self, files: ClaimFiles, rules: PlanRules, said: Mapping[str, Sequence[EpisodeClaim]]
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
        self.shelf = ClaimIndex(files.readings(), {heard.key for heard in every}, topics)
        self.shelf.count_subjects((heard.claim.text, heard.key) for heard in every)
        self.placing = Placing(self.shelf, rules)
        self.is_said_now = False  # whether it is newer than all there is, whatever the clock says
        self.actions: list[Action] = []
        self.waiting: set[str] = set(rules.waiting)
        # A person's line has no mark that says when it was last said again: an episode that says it
        # stays as long as another one that contradicts it.
        self._said_again: dict[tuple[str, str], str] = {}
        # For each episode whose statement waits: the episodes that say the opposite, and its key.
        self._needed: dict[str, set[tuple[str, str]]] = {}
        self._stood: set[tuple[str, str, str]] = set()  # what stands: episode, near key, trust

    def absorb_all(self, episodes: list[Memory]) -> dict[str, list[EpisodeClaim]]:
        """Plan for the claims of all episodes; gives those that wait, by episode."""
        left: dict[str, list[EpisodeClaim]] = {}
        for _ in range(MOST_ROUNDS):  # what comes later may contradict, or free, what came before
            planned, before = len(self.actions), self.shelf.changed
            self.shelf.changed = set()
            for one in episodes:
                left[one.id] = [
                    heard
                    for heard in self.said[one.id]
                    if not (self._stands_still(one, heard, before) or self._take(one, heard))
                ]
            if planned == len(self.actions):
                break
        return left

    def _stands_still(self, episode: Memory, heard: EpisodeClaim, before: Container[str]) -> bool:
        """Whether a claim stood when it was last looked at, and nothing has come of it since."""
        if (episode.id, heard.key, heard.claim.trust) not in self._stood:
            return False
        return heard.key not in before and heard.key not in self.shelf.changed

    def _take(self, episode: Memory, heard: EpisodeClaim) -> bool:
        """Plan for one claim; whether it is settled."""
        claim, key, _ = heard
        mark = _mark(episode, claim)
        about = key, claim.trust
        if (held := self.shelf.holding(*about)) or self.shelf.is_whole(*about):
            if held:
                self._restated(held, mark)
            self._stood.add((episode.id, key, claim.trust))
            return True
        if self.shelf.with_subject(claim.text, heard.topics, episode.id):
            return True
        self._stood.discard((episode.id, key, claim.trust))
        verdicts = self.verdicts(heard, mark)
        said = {verdict for _, _, verdict in verdicts}
        if self._is_removed(key, mark) or "neither" in said or "old" in said:
            self._pass_over(claim, mark, verdicts)
            return True
        if "wait" in said:
            for held, conflict, verdict in verdicts:
                if verdict == "wait":
                    self._wait(claim, mark, held, conflict)
            return False
        losers = [(held, conflict) for held, conflict, verdict in verdicts if verdict == "new"]
        if losers:
            text = keeping_subject(losers[0][0].text, claim.text)
            heard = heard if text == claim.text else episode_claim(claim._replace(text=text))
        if not self._replace(losers, heard, mark):
            self._put(episode, heard, mark)
        return True

    def _pass_over(
        self, claim: Claim, mark: Mark, verdicts: Iterable[tuple[FileClaim, Conflict, str]]
    ) -> None:
        """Plan for what a claim leaves behind that is not taken in itself."""
        for held, conflict, verdict in verdicts:
            if verdict == "neither":
                self.give_way(held, mark, conflict, None)
            elif verdict == "old" and (conflict.is_reversal or claim.kind == BEHAVIOURAL):
                self._keep_old_rule(self._with_subject(held, claim), claim)

    def _with_subject(self, held: FileClaim, older: Claim) -> FileClaim:
        """A claim that overtook an older one, which alone says what it is about: now both do."""
        text = keeping_subject(older.text, held.text)
        if text == held.text or not held.mark or not held.is_alone or not self._may_go(held):
            return held
        new = episode_claim(Claim(text, trust=held.trust, source=held.mark.source))
        self.actions.append(Replace(held.path, held.text, text, held.mark, "", held.title))
        self.shelf.give_up(held)
        made = _learned(held.path, new, held.mark)._replace(is_item=held.is_item)
        self.shelf.add(made)
        return made

    def _stands(self, heard: EpisodeClaim) -> bool:
        """Whether a file says this already, in a line or as a whole."""
        about = heard.key, heard.claim.trust
        return self.shelf.holding(*about) is not None or self.shelf.is_whole(*about)

    def _is_removed(self, key: str, mark: Mark) -> bool:
        """Whether a claim was taken out since it was said: it is not put back."""
        day = self.rules.removed.get(key)
        return day is not None and day >= mark.date and not self.shelf.has(key)

    # ----------------------------------------------------------------------------- conflicts

    def verdicts(self, heard: EpisodeClaim, mark: Mark) -> list[tuple[FileClaim, Conflict, str]]:
        """What contradicts a claim, and who wins (see `_verdict`)."""
        clashing = self.shelf.clashing(heard.claim.text, heard.topics)
        return [
            (held, conflict, self._verdict(heard.claim, mark, held, conflict))
            for held, conflict in clashing
        ]

    def _verdict(self, claim: Claim, mark: Mark, held: FileClaim, conflict: Conflict) -> str:
        """Who wins: old, new, both, neither; or wait."""
        ruled = self.rules.rulings.get(conflict_key(claim.text, held.text))
        if ruled:
            return ruled if ruled in ("old", "both") or self._may_go(held, is_ruled=True) else "old"
        back = self.rules.rulings.get(conflict_key(held.text, claim.text))
        if back:
            turned = {"old": "new", "new": "old"}.get(back, back)
            is_kept = turned in ("old", "both") or self._may_go(held, is_ruled=True)
            return turned if is_kept else "old"
        if conflict.certainty != "sure":
            return "wait"
        standing = Priority(mark.date, mark.salience, mark.date)
        newer = self.is_said_now or is_newer(standing, held.standing)
        if newer is None:
            return "wait"
        if not newer:
            if again := self._said_again.get((held.path, held.key)):
                self._needed.setdefault(mark.episode, set()).add((again, held.key))
            return "old" if TRUSTS.index(held.trust) >= TRUSTS.index(claim.trust) else "wait"
        is_trusted = TRUSTS.index(claim.trust) >= TRUSTS.index(held.trust)
        return "new" if is_trusted and self._may_go(held) else "wait"

    def _may_go(self, held: FileClaim, *, is_ruled: bool = False) -> bool:
        """Whether a claim can be taken out of its file; a title with its reasons, by a person only."""
        if not self.shelf.pages[held.path].is_open:
            return False
        if held.has_reasons and not is_ruled:
            return False
        if held.mark or held.title == FILE or self._is_whole(held):
            return True
        body = codec.body_of(self.files[held.path])
        return can_turn(body, held.text) if held.title else can_replace(body, held.text)

    def _is_whole(self, held: FileClaim) -> bool:
        """Whether a claim is all that a person's file says, or goes with all that it says."""
        page = self.shelf.pages[held.path]
        if held.title == FILE:
            return page.size == 1 + page.own
        return page.size == 1 and held.mark is None and page.layer == "semantic"

    def _wait(self, claim: Claim, mark: Mark, held: FileClaim, conflict: Conflict) -> None:
        wait = Wait(
            "",
            held.path,
            held.text,
            claim,
            mark,
            conflict.certainty,
            conflict.why,
            held.standing.date,
        )
        key = conflict_key(wait.new, wait.old)
        if key not in self.waiting:
            self.waiting.add(key)
            self.actions.append(wait._replace(key=key))

    def _replace(
        self, losers: list[tuple[FileClaim, Conflict]], heard: EpisodeClaim, mark: Mark
    ) -> bool:
        """Let all losers go; whether the claim took the place of one of them."""
        stands = False
        for held, conflict in losers:
            in_place = (
                not stands
                and self.shelf.holds(held)
                and held.trust == heard.claim.trust
                and held.is_alone
                and held.title != FILE
                and not self._is_whole(held)
                and fits_in_place(heard.claim.text, is_item=held.is_item)
            )
            self.give_way(held, mark, conflict, heard if in_place else None)
            stands = stands or in_place
        return stands

    def give_way(
        self, held: FileClaim, mark: Mark, conflict: Conflict, new: EpisodeClaim | None
    ) -> None:
        """Plan to take out a claim, or to put a new one in its place."""
        if not self.shelf.holds(held):
            return  # it went with its title
        if self._is_whole(held):
            self.actions.append(Retire(held.path, mark.episode))
            self.shelf.retire(held)
            return
        is_rule = self.shelf.pages[held.path].layer == "procedural"
        is_kept = conflict.is_reversal or is_rule
        past = reversed_comment(mark.date, held.text) if is_kept else ""
        wording = new.claim.text if new else ""
        self.actions.append(Replace(held.path, held.text, wording, mark, past, held.title))
        self.shelf.give_up(held)
        if past:
            self.shelf.past.add(reversed_key(held.text))
        if new:
            self.shelf.add(_learned(held.path, new, mark)._replace(is_item=held.is_item))

    def _keep_old_rule(self, held: FileClaim, claim: Claim) -> None:
        """A rule that was overtaken before it was heard is kept as a comment, like any other."""
        key = reversed_key(claim.text)
        if held.mark and key not in self.shelf.past and self.shelf.pages[held.path].is_open:
            self.shelf.past.add(key)
            comment = reversed_comment(held.standing.date, claim.text)
            self.actions.append(NoteOldRule(held.path, held.text, comment))

    # --------------------------------------------------------------------------------- claims

    def _restated(self, held: FileClaim, mark: Mark) -> None:
        """A known claim was said again: against others it counts from then on."""
        if mark.date <= held.standing.date or TRUSTS.index(mark.trust) < TRUSTS.index(held.trust):
            return
        if not held.topics:
            return
        renewed = mark._replace(
            trust=held.trust, source=held.mark.source if held.mark else "observed"
        )
        newer = held._replace(standing=Priority(mark.date, mark.salience, mark.date))
        if held.mark and self.shelf.pages[held.path].is_open:
            self.actions.append(Renew(held.path, held.text, renewed))
            newer = newer._replace(mark=renewed)
        else:
            self._said_again[held.path, held.key] = mark.episode
        self.shelf.drop(held)
        self.shelf.add(newer)

    def _put(self, episode: Memory, heard: EpisodeClaim, mark: Mark) -> None:
        starts, path, heading = self.placing.place_for(episode, heard.claim, mark)
        self.actions += starts
        self.actions.append(Absorb(path, heading, heard.claim, mark))
        self.shelf.add(_learned(path, heard, mark))

    def _is_found(self, episode: Memory, heard: EpisodeClaim) -> bool:
        """Whether a claim is found in what the plan leaves behind, or was settled."""
        claim, key, _ = heard
        mark = _mark(episode, claim)
        if self._is_removed(key, mark) or self._stands(heard):
            return True
        if self.shelf.with_subject(claim.text, heard.topics, episode.id):
            return True
        verdicts = {row[2] for row in self.verdicts(heard, mark)}
        return bool(verdicts & {"old", "neither"})

    # ---------------------------------------------------------------------------- at the end

    def merges(self) -> list[Merge]:
        """Pairs of files that say much the same."""
        found = []
        for one, other, shared in self.shelf.shared():
            pages = self.shelf.pages[one], self.shelf.pages[other]
            smaller = min(page.size for page in pages)
            if shared < LEAST_SHARED or shared < LEAST_SHARE * smaller:
                continue
            proposal = Merge(one, other, shared)
            if FEEDBACK not in (one, other):
                found += [] if proposal.key in self.waiting else [proposal]
        return found

    def archived(
        self, heard: list[Memory], pending: Mapping[str, list[EpisodeClaim]]
    ) -> list[Archive]:
        """The episodes past their time of which nothing would be lost."""
        gone = {
            episode.id: Archive(episode.id, episode.path)
            for episode in reversed(heard)
            if not episode.archived
            and episode.decay_after
            and episode.decay_after < self.rules.today
            and not pending[episode.id]
            and all(self._is_found(episode, one) for one in self.said[episode.id])
        }
        size = -1
        while size != len(gone):
            size = len(gone)
            staying = (self._needed.get(one.id, set()) for one in heard if one.id not in gone)
            for needed, key in set().union(*staying):
                if not self.shelf.has_mark(key):  # else an entry says it, with its own date
                    gone.pop(needed, None)
        return list(gone.values())


def _mark(episode: Memory, claim: Claim) -> Mark:
    title = title_in_note(episode.title)
    return Mark(episode.id, episode.created, claim.trust, claim.source, episode.salience, title)


def _learned(path: str, heard: EpisodeClaim, mark: Mark) -> FileClaim:
    standing = Priority(mark.date, mark.salience, mark.date)
    text, topics = heard.claim.text, heard.topics
    return FileClaim(path, text, heard.key, standing, mark.trust, mark, topics=topics)
