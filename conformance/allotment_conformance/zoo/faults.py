"""Wrong allocators for the directed cases, beside the model's own variants.

A variant replaces one rule of the model. What is here replaces several, or changes what happens
between events: the faults of a scheduler's shell.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.wrong_selects import WRONG_SELECTS
from allotment_model import accounts, search
from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.answers import Category
from allotment_model.attempt import Won, attempt
from allotment_model.cache import Key
from allotment_model.changes import change_checks
from allotment_model.cluster import Cluster, Host, LimitId, Scope
from allotment_model.events import (
    BeginSession,
    Change,
    Event,
    Finish,
    HostChange,
    LimitRemove,
    RunSession,
    Submit,
    Withdraw,
)
from allotment_model.ingest import first_refusal
from allotment_model.plans import Plan, plans
from allotment_model.request import Span
from allotment_model.rules import SPEC, Rules
from allotment_model.search import outcome
from allotment_model.variants.attempts import fill_never, last_alternative_first
from allotment_model.variants.hosts import not_reversed, settle_all
from allotment_model.why import Keys, category

UNLIMITED = 2**60


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A wrong allocator and the clauses that it breaks."""

    name: str
    breaks: tuple[str, ...]
    make: Callable[[], ModelAdapter]


def _rules(name: str, clauses: str, **replaced: object) -> Fault:
    rules = replace(SPEC, **replaced)  # type: ignore[arg-type]
    return Fault(name=name, breaks=tuple(clauses.split()), make=lambda: ModelAdapter(rules))


def _shell(clauses: str, adapter: type[ModelAdapter]) -> Fault:
    name = (adapter.__doc__ or "").strip()
    return Fault(name=name, breaks=tuple(clauses.split()), make=adapter)


def _partitions(tasks: int, hosts: int, largest: int) -> Iterator[Plan]:
    if hosts == 0:
        yield from [()] if tasks == 0 else []
        return
    for bucket in range(min(largest, tasks), 0, -1):
        for rest in _partitions(tasks - bucket, hosts - 1, bucket):
            yield (bucket, *rest)


def _all_partitions(tasks: int, span: Span) -> Iterator[Plan]:
    for plan in plans(tasks, span):
        yield plan
        if tasks < 9:
            yield from _partitions(tasks, len(plan), tasks)


def _of_other_parts_passed_over(ledger: Ledger, rules: Rules) -> list[Host]:
    """Hosts that this attempt has debited already are left out."""
    slots = {name: Account("slots", name) for name in ledger.cluster.hosts}
    return [
        host
        for host in search.listed(ledger, rules)
        if ledger.used.get(slots[host.name], 0) == ledger.at_start.get(slots[host.name], 0)
    ]


def _only_slots(per_task: int, per_host: int, slots: int) -> int:
    return slots if (per_task, per_host) == (1, 0) else 0


def _one_slot_a_bucket(per_task: int, per_host: int, slots: int) -> int:
    return 1 if (per_task, per_host) == (1, 0) else slots * per_task + per_host


def _scope_host(limit: LimitId) -> Scope:
    return Scope.HOST


def _no_limits_on_pools(cluster: Cluster, account: Account) -> int:
    on_pool = account.limit is not None and account.resource in cluster.resources.shared
    return UNLIMITED if on_pool else accounts.capacity(cluster, account)


def _cap_of_zero_is_none(cluster: Cluster, account: Account) -> int:
    capacity = accounts.capacity(cluster, account)
    return UNLIMITED if account.limit is not None and capacity == 0 else capacity


def _cap_is_not_reached(cluster: Cluster, account: Account) -> int:
    return accounts.capacity(cluster, account) - (account.limit is not None)


def _pool_left_out_is_unlimited(cluster: Cluster, account: Account) -> int:
    is_pool = account.limit is None and account.host is None
    left_out = is_pool and account.resource not in cluster.pools
    return UNLIMITED if left_out else accounts.capacity(cluster, account)


def _distance(capacity: int, used: int) -> int:
    return abs(capacity - used)


def _never_by_one_attempt(keys: Keys, cluster: Cluster, rules: Rules) -> bool:
    ledger = open_ledger(rules.emptiest(cluster), {})
    after, _notes = outcome(attempt(keys, ledger, {}, rules))
    return not isinstance(after.result, Won)


def _nested_select_ignored(rules: Rules, nested: bool) -> Rules:
    return replace(rules, passes=lambda select, attributes: True) if nested else rules


def _nested_span_ignored(rules: Rules, nested: bool) -> Rules:
    without_span = replace(rules, plans=lambda tasks, span: plans(tasks, Span()))
    return without_span if nested else rules


def _nested_fills_nothing(rules: Rules, nested: bool) -> Rules:
    return replace(rules, may_fill=fill_never) if nested else rules


class LonelyKey(Key):
    """A key that equals nothing."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return False


def _key_by_identity(key: Key) -> Key:
    return LonelyKey(**{field.name: getattr(key, field.name) for field in fields(key)})


def _nested_hits_nothing(rules: Rules, nested: bool) -> Rules:
    return replace(rules, cache_key=_key_by_identity) if nested else rules


def _category_of_open_hosts(key: Key, ledger: Ledger, rules: Rules) -> Category:
    any_open = any(host.open for host in ledger.cluster.hosts.values())
    found = category(key, ledger, rules)
    return found if any_open or found is Category.SPAN else Category.SELECT


def _category_in_the_books(key: Key, ledger: Ledger, rules: Rules) -> Category:
    return category(key, open_ledger(ledger.cluster, ledger.at_start), rules)


def _float_debit(used: float, amount: int) -> float:
    return used + amount / 1000


def _float_reverse(used: float, amount: int, held: bool) -> tuple[float, bool]:
    return used - amount / 1000, False


def _float_free(capacity: int, used: float) -> float:
    return max(0.0, capacity / 1000 - used)


def _float_fits(wanted: int, left: float) -> bool:
    return wanted / 1000 <= left


class Shell(ModelAdapter):
    """The model with a hand on each event before it is answered."""

    def answer(self, event: Event, report: tuple[str, ...]) -> Json:
        """The model's answer, unless `_instead` has another."""
        assert self.state is not None, "a case came first"
        told = self._instead(event)
        return super().answer(event, report) if told is None else told

    def _instead(self, event: Event) -> Json | None:
        """What is wrong with this one; None: the model may answer."""
        return None


class CacheOfOneRun(Shell):
    """the cache is emptied by each run"""

    def _instead(self, event: Event) -> Json | None:
        assert self.state is not None
        if isinstance(event, RunSession):
            self.state = replace(self.state, caches=({},))
        return None


class TriedByEachRun(Shell):
    """a job that pends is tried by each run"""

    def _instead(self, event: Event) -> Json | None:
        assert self.state is not None
        if isinstance(event, RunSession):
            self.state = replace(self.state, tried=frozenset())
        return None


class _TriedOnce(Shell):
    """a job that pends is never tried again"""

    def answer(self, event: Event, report: tuple[str, ...]) -> Json:
        assert self.state is not None
        tried = self.state.tried
        told = super().answer(event, report)
        if isinstance(event, BeginSession):
            self.state = replace(self.state, tried=tried)
        return told


class SubmittedForTheNextSession(Shell):
    """a job that is submitted after a run waits for the next session"""

    ran = False

    def _instead(self, event: Event) -> Json | None:
        assert self.state is not None
        if isinstance(event, Submit) and self.ran:
            self.state = replace(self.state, tried=self.state.tried | {event.job.name})
        self.ran = isinstance(event, RunSession) or (
            self.ran and not isinstance(event, BeginSession)
        )
        return None


class _ChangesBackwards(Shell):
    """changes that wait take effect in the wrong order"""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Event] = []

    def _instead(self, event: Event) -> Json | None:
        if isinstance(event, HostChange):
            self.waiting.append(event)
            return {"answer": "ok"}
        if isinstance(event, BeginSession):
            waiting, self.waiting = self.waiting, []
            for change in reversed(waiting):
                super().answer(change, ())
        return None

    def answer(self, event: Event, report: tuple[str, ...]) -> Json:
        told = self._instead(event)
        return ModelAdapter.answer(self, event, report) if told is None else told


class WithdrawnStays(Shell):
    """a withdrawn job stays in the queue"""

    def _instead(self, event: Event) -> Json | None:
        return {"answer": "ok"} if isinstance(event, Withdraw) else None


class PlanlessRefused(Shell):
    """a request without a plan is refused"""

    def _instead(self, event: Event) -> Json | None:
        if not isinstance(event, Submit):
            return None
        for compound in event.job.request:
            for primary in compound:
                tasks = primary.tasks or event.job.tasks
                if tasks and next(iter(plans(tasks.max, primary.span)), None) is None:
                    return {"answer": "refused", "code": "span-range"}
        return None


class _RefusedNameTaken(Shell):
    """the name of a refused job is taken"""

    def __init__(self) -> None:
        super().__init__()
        self.refused: set[str] = set()

    def answer(self, event: Event, report: tuple[str, ...]) -> Json:
        told = super().answer(event, report)
        if isinstance(event, Submit):
            if event.job.name in self.refused:
                return {"answer": "refused", "code": "duplicate-name"}
            if told["answer"] == "refused":
                self.refused.add(event.job.name)
        return told


class _AcceptedInSilence(Shell):
    """an end, a withdrawal or a change that means nothing is accepted and does nothing"""

    def answer(self, event: Event, report: tuple[str, ...]) -> Json:
        told = super().answer(event, report)
        lenient = Finish | Withdraw | HostChange | LimitRemove
        refused = isinstance(event, lenient) and told["answer"] == "refused"
        return {"answer": "ok"} if refused else told


class JudgedByToday(Shell):
    """a change is judged by the present configuration, not by what is coming"""

    def _instead(self, event: Event) -> Json | None:
        assert self.state is not None
        if not isinstance(event, Change):
            return None
        refusal = first_refusal(change_checks(event, self.state.cluster), frozenset())
        return {"answer": "refused", "code": refusal.value} if refusal else {"answer": "ok"}


class RangesEndEarly(Shell):
    """the ends of the ranges, 2^20, 2^53 − 1 and 100 levels, are out of range"""

    def run(self, case: Json) -> list[Json]:
        """The model's answers, but for submissions that go to an end of a range."""
        words = [str(event) for event in case["events"]]
        at_end = [
            any(end in word for end in ("1048576", str(2**53 - 1), str(2 * (2**52 - 1))))
            or word.count("'op'") == 99
            or str(2**52 - 1) in word
            for word in words
        ]
        answers = super().run(case)
        refused = {"answer": "refused", "code": "amount-range"}
        return [refused if end else told for end, told in zip(at_end, answers, strict=True)]


FAULTS = (
    _rules("any partition is a plan", "PLAN-2", plans=_all_partitions),
    _rules("debits leak into the books", "PAR-2 UNDO-4", reverse=not_reversed, settle=settle_all),
    _rules(
        "a ledger of floating numbers, reversed and not restored",
        "UNDO-1 UNDO-4 ALTER-2 AMOUNT-1",
        debit=_float_debit,
        reverse=_float_reverse,
        free=_float_free,
        fits=_float_fits,
        settle=settle_all,
    ),
    _rules("the books are not seen", "HOST-1", host_used_seen=lambda now, at_start: now - at_start),
    _rules("only slots are asked for", "HOST-1 WANT-1", want=_only_slots),
    _rules(
        "hosts of other parts passed over",
        "HOST-7 COMPOUND-2",
        host_order=_of_other_parts_passed_over,
    ),
    _rules("one slot for each bucket", "WANT-1", want=_one_slot_a_bucket),
    _rules("all limits count on each host", "LIMIT-2", limit_scope=_scope_host),
    _rules("limits on pools ignored", "LIMIT-2 SHARED-1", capacity=_no_limits_on_pools),
    _rules("a cap of zero is no limit", "LIMIT-3", capacity=_cap_of_zero_is_none),
    _rules("a cap is never reached", "LIMIT-3", capacity=_cap_is_not_reached),
    _rules("pools are never in use", "SHARED-1", pool_used_seen=lambda now, at_start: 0),
    _rules("a pool left out is endless", "SHARED-1", capacity=_pool_left_out_is_unlimited),
    _rules("overdrawn counts as free", "SESSION-5", free=_distance),
    _rules("never by one attempt", "WHY-2", is_never=_never_by_one_attempt),
    _rules("nested selects ignored", "ALTER-3", rules_for_part=_nested_select_ignored),
    _rules("nested spans ignored", "ALTER-3", rules_for_part=_nested_span_ignored),
    _rules("keys by identity", "CACHE-1 CACHE-8", cache_key=_key_by_identity),
    _rules("nothing filled", "CACHE-3", may_fill=fill_never),
    _rules("nested fills nothing", "CACHE-3 UNDO-4", rules_for_part=_nested_fills_nothing),
    _rules("nested hits nothing", "CACHE-4", rules_for_part=_nested_hits_nothing),
    _rules("category of open hosts", "WHY-1", category=_category_of_open_hosts),
    _rules("category in the books", "WHY-1", category=_category_in_the_books),
    _rules("category of the first", "WHY-1", alternatives_in_order=last_alternative_first),
    *(_rules(name, clauses, passes=passes) for name, clauses, passes in WRONG_SELECTS),
    _shell("CACHE-2", CacheOfOneRun),
    _shell("SESSION-1", TriedByEachRun),
    _shell("SESSION-1", _TriedOnce),
    _shell("SESSION-1", SubmittedForTheNextSession),
    _shell("SESSION-2", _ChangesBackwards),
    _shell("SESSION-6", WithdrawnStays),
    _shell("INGEST-2", PlanlessRefused),
    _shell("SESSION-7 INGEST-2", _RefusedNameTaken),
    _shell("INGEST-2 SESSION-2 SESSION-6", _AcceptedInSilence),
    _shell("SESSION-2", JudgedByToday),
    _shell("INGEST-2 AMOUNT-2", RangesEndEarly),
)
