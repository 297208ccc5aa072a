"""Following: one job's answer, through all the choices that a profile leaves open.

Where a profile leaves hosts or splits open, an attempt may come to many ends. An alternative that
an answer passed over must have been able to fail, and what it left in the cache goes on with it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from allotment_model.accounts import Ledger, open_ledger
from allotment_model.answers import Category, Dispatched, JobAnswer, Part, Pending
from allotment_model.attempt import After, Failed, Won
from allotment_model.cache import Key
from allotment_model.oracle import choices
from allotment_model.oracle.choices import Budget
from allotment_model.oracle.profile import HostOrder, Profile, Split
from allotment_model.rules import Rules
from allotment_model.runs import as_tried, dispatch
from allotment_model.state import State
from allotment_model.why import Keys

Entries = frozenset[tuple[Key, Category]]
"""A cache, by content."""

End = tuple[Failed, Entries]
"""How an alternative or an attempt failed, and the cache after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """All that may come of one attempt under a profile. Raises TooManyChoicesError."""

    profile: Profile
    rules: Rules
    budget: Budget

    def states(self, state: State, name: str, answer: JobAnswer) -> list[State]:
        """The states that the answer implies, one a cache: none if no choices lead to it."""
        match answer:
            case Dispatched():
                return list(self.dispatched(state, name, answer))
            case Pending():
                return list(self.pending(state, name, answer))
            case _:
                return []

    def pending(self, state: State, name: str, answer: Pending) -> Iterator[State]:
        """WHY-1, WHY-2, WHY-3: the states after a failure that the answer tells of."""
        keys = state.pending[name].keys
        never = self.rules.is_never(keys, state.cluster, self.rules)
        for failed, entries in self.ends(keys, state):
            one = Pending(reason=failed.reason, never=never, cached=failed.cached)
            if agree(one, answer, self.profile):
                yield as_tried(replace(state, caches=(dict(entries),)), name)

    def dispatched(self, state: State, name: str, answer: Dispatched) -> Iterator[State]:
        """ALTER-1: the states in which the hosts that the answer names are charged."""
        keys, ledger = state.pending[name].keys, open_ledger(state.cluster, state.books)
        if not 0 <= answer.alternative < len(keys):
            return
        for entries in self.going_on(keys[: answer.alternative], state):
            won = self.placed(keys[answer.alternative], answer, ledger, entries)
            if won is not None:
                yield dispatch(state, name, won[0], won[1], self.rules)[0]

    def going_on(self, passed: Keys, state: State) -> set[Entries]:
        """CACHE-4: the caches with which an attempt goes on after these alternatives failed."""
        ledger = open_ledger(state.cluster, state.books)
        caches = {frozenset(state.caches[0].items())}
        for parts in passed:
            ends = self.all_failures(parts, ledger, caches)
            caches = {entries for failed, entries in ends if not self.is_last(failed)}
        return caches

    def ends(self, keys: Keys, state: State) -> set[End]:
        """The ways in which an attempt can fail."""
        ledger, ends = open_ledger(state.cluster, state.books), set[End]()
        for alternative, parts in enumerate(keys):
            failures = self.all_failures(parts, ledger, self.going_on(keys[:alternative], state))
            is_last = alternative == len(keys) - 1
            ends |= {end for end in failures if is_last or self.is_last(end[0])}
        return ends

    def is_last(self, failed: Failed) -> bool:
        """Whether the attempt ends here: with cache `literal`, at a hit (E10)."""
        return failed.cached and self.rules.hit_ends_attempt()

    def cancelled(self, keys: Keys, state: State) -> Iterator[Entries]:
        """CANCEL-1, UNDO-4: the caches that a cancelled attempt may leave.

        They are those with which an alternative may begin: the primary that was being searched
        fills nothing, and only the first one of an alternative ever does.
        """
        for alternative in range(len(keys)):
            yield from self.going_on(keys[:alternative], state)

    def all_failures(
        self, parts: tuple[Key, ...], ledger: Ledger, caches: Iterable[Entries]
    ) -> set[End]:
        """The ways in which an alternative can fail, from any of these caches."""
        return {end for cache in caches for end in self.failures(parts, 0, ledger, cache)}

    def failures(
        self, parts: tuple[Key, ...], part: int, ledger: Ledger, entries: Entries
    ) -> set[End]:
        """The ways in which an alternative can fail from this part on."""
        key, cache = parts[part], dict(entries)
        if key in cache:
            return {(Failed(reason=cache[key], cached=True), entries)}
        if not self.rules.is_placeable(key, ledger, self.rules):
            reason = self.rules.category(key, ledger, self.rules)
            filled = entries | {(key, reason)} if self.rules.may_fill(part) else entries
            return {(Failed(reason=reason), filled)}
        if part + 1 == len(parts):
            return set()
        placed = choices.placements(key, ledger, self.rules, self.enumerate_for(key), self.budget)
        return {
            end
            for _placement, after in placed
            for end in self.failures(parts, part + 1, after, entries)
        }

    def enumerate_for(self, key: Key) -> choices.Enumerate:
        """PLAN-11, HOST-9: what the profile leaves open for this primary."""
        if self.profile.split is Split.ANY and key.span.ptile is None:
            return choices.splits
        unspecified = self.profile.host_order is HostOrder.UNSPECIFIED
        return choices.orders if unspecified else choices.canonical

    def placed(
        self, keys: tuple[Key, ...], answer: Dispatched, ledger: Ledger, entries: Entries
    ) -> tuple[After, Won] | None:
        """The alternative on the hosts that the answer names; None if that is not allowed."""
        cache, placements = dict(entries), []
        if len(keys) != len(answer.parts) or any(key in cache for key in keys):
            return None
        for key, part in zip(keys, answer.parts, strict=True):
            step = choices.placed_as(key, part, ledger, self.rules)
            if step is None or not self.is_allowed(key, part, ledger):
                return None
            placement, ledger = step
            placements.append(placement)
        won = Won(alternative=answer.alternative, placements=tuple(placements))
        return After(result=won, ledger=ledger, cache=cache), won

    def is_allowed(self, key: Key, part: Part, ledger: Ledger) -> bool:
        """PLAN-2, PLAN-11, HOST-9: whether the profile allows these buckets on these hosts."""
        if self.enumerate_for(key) is choices.splits:
            return choices.is_any_split(key, part)
        if self.enumerate_for(key) is choices.canonical:
            return part in choices.canonical(key, ledger, self.rules, self.budget)
        plan = choices.first_plan_that_holds(key, ledger, self.rules)
        return plan == tuple(slots for _host, slots in part)


def agree(expected: JobAnswer, answer: JobAnswer, profile: Profile) -> bool:
    """Whether two answers say the same in all that the profile declares."""
    if not (isinstance(expected, Pending) and isinstance(answer, Pending)):
        return expected == answer
    return all(getattr(expected, field) == getattr(answer, field) for field in profile.declares)
