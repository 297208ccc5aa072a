"""The scheduler: sessions, queue, live jobs and books; what an embedder talks to."""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Never, SupportsIndex, TypeVar

from allotment_impl.accounts import Claim
from allotment_impl.allocators import Allocator, Allocators
from allotment_impl.attempt import Attempt, ProtocolEvent
from allotment_impl.books import Books
from allotment_impl.cache import Category, ExhaustedPrimaries
from allotment_impl.cancellation import AttemptCancelledError, CancellationToken
from allotment_impl.composition import Composition, Failure, Placed
from allotment_impl.configuration import Announced, Change, JobFinished
from allotment_impl.decisions import Cancelled, Dispatched, Outcome, Pending, Taken
from allotment_impl.demand import Alternatives
from allotment_impl.engines import EngineKind, make_engine
from allotment_impl.ingest import Ingest
from allotment_impl.ledger import Held, Ledger
from allotment_impl.plans import CannotStartError
from allotment_impl.refusals import AllotmentError, RefusalCode, Refused
from allotment_impl.requests import (
    Cluster,
    Host,
    HostChange,
    HostOrder,
    Identity,
    Job,
    Limit,
    LimitIdentity,
    Per,
)
from allotment_impl.types_given import MistypedError, check_types
from allotment_impl.vocabulary import Vocabulary

Choice = TypeVar("Choice", bound=Enum)


class CacheKind(Enum):
    """Whether hopeless primaries are remembered for the session (CACHE-6)."""

    TRANSPARENT = "transparent"
    NONE = "none"


class RusageDefault(Enum):
    """What a host amount without ``per`` is counted for (RES-3)."""

    TASK = "task"
    HOST = "host"


class JobState(Enum):
    """Where a job is in its life; a refused job has none (SESSION-6).

    A job that is ``FINISHING`` is still live: its finish waits for the next session.
    """

    PENDING = "pending"
    LIVE = "live"
    FINISHING = "finishing"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"


class InvalidClusterError(AllotmentError):
    """A starting configuration names something twice, or breaks a rule for changes (2.1)."""


class BusyError(AllotmentError):
    """An event that came while a run was under way; it changed nothing.

    Where a second exception kept a run from being undone, every event is answered so for ever.
    """


_RUNNING = "a run is under way, in which only `cancel` may be called; send this when it has ended"
_NOT_UNDONE = "a run was cut off, and then the undoing of it; make another Scheduler"


class _QueuedJob:
    """A job that is pending or live, its demands made, with what it holds."""

    __slots__ = ("alternatives", "claims", "identity", "name", "order", "placed", "state")

    def __init__(self, job: Job, number: int, alternatives: Alternatives) -> None:
        self.name = job.name
        self.identity = Identity(job.user, job.queue, job.project)
        self.alternatives = alternatives
        self.order = (-job.priority, number)
        self.state = JobState.PENDING
        self.claims: list[Claim] = []
        self.placed: Placed | None = None


class Scheduler:
    """A cluster with its queue, inside a session from the start.

    Every event of SPEC.md 2.2 is a method. A method that cannot be meant raises ``Refused`` with
    the code, or ``MistypedError`` with the place of a value of a wrong type, and has then changed
    nothing (INGEST-2).

    It serves one thread; of all events only ``cancel`` may come from another, or from an allocator
    or the handler of a signal while a run is under way. The others then raise ``BusyError``. What
    a handler raises is provided for amid a run alone: any other method it may leave half done.

    It can be neither copied nor pickled: an engine shares memory with the books.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        host_order: str = "listed",
        rusage_default: str = "task",
        cache: str = "transparent",
        engine: str = "indexed",
    ) -> None:
        """Start on an empty cluster.

        The engines, ``indexed`` and ``iterative``, differ in speed and protocol events alone.
        Raises ``InvalidClusterError`` for a cluster that is none, ``ValueError`` for an option.
        """
        self._host_order = _choose("host_order", host_order, HostOrder)
        default = _choose("rusage_default", rusage_default, RusageDefault)
        cache_kind = _choose("cache", cache, CacheKind)
        engine_kind = _choose("engine", engine, EngineKind)
        try:
            check_types(cluster, Cluster, "cluster")
            vocabulary = Vocabulary.declare(cluster.resources)
            self._announced = Announced(vocabulary)
            self._waiting = _initial_changes(cluster, self._announced)
        except (Refused, MistypedError, ValueError) as error:
            raise InvalidClusterError(str(error)) from error
        self._ledger = Ledger(vocabulary)
        self._ingest = Ingest(vocabulary, Per(default.value))
        self._engine = make_engine(engine_kind, self._ledger, self._host_order)
        self._allocators = Allocators(*self._engine.allocators)
        self._cache = ExhaustedPrimaries() if cache_kind is CacheKind.TRANSPARENT else None
        self._composition = Composition(self._allocators, self._engine.categorise, self._cache)
        self._jobs: dict[str, _QueuedJob | JobState] = {}
        self._pending: dict[str, _QueuedJob] = {}
        self._live: dict[str, _QueuedJob] = {}
        self._untried: list[_QueuedJob] = []
        self._accepted = 0
        self._token = CancellationToken()
        self._busy: str | None = None
        self.begin_session()

    def __reduce_ex__(self, protocol: SupportsIndex) -> Never:
        """Refuse ``copy``, ``deepcopy`` and ``pickle``, which all ask here; ``TypeError``."""
        raise TypeError(
            "a Scheduler can be neither copied nor pickled; make another one of the same cluster, "
            "and send it the same events"
        )

    def register_allocator(self, allocator: Allocator) -> None:
        """Let an allocator place the primaries it takes, before those that were there already.

        A whole one, which places wide primaries as the built-in walk does::

            class Wide:
                name = "wide"

                def takes(self, demand: Demand) -> bool:
                    return demand.tasks > 1

                def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
                    return place_by_plans(attempt, demand, SplitPlans, CandidateHosts)

        ``place`` gets one primary, its pools debited already. It looks at
        ``attempt.hosts_in_order()``, polls ``attempt.token`` at every step, and claims by
        ``attempt.claim_host(host, attempt.bucket(demand, slots))``, which is None for a host that
        is no candidate. What it claimed since ``attempt.mark()`` it may give back by
        ``attempt.reverse_to(mark)``. It answers with all claims that it holds, in the order of the
        buckets: all tasks, each host once. Or it answers None, and what it holds is given back.
        It must not touch claims of others, change the books in any other way, or call the
        scheduler. The span of the demand is its own to keep. A poll raises
        ``AttemptCancelledError`` when the attempt is cancelled: let it pass. The attempt is
        cancelled also if that is caught, whatever is answered then.

        It stays as long as the scheduler: entries of the cache and live jobs are its answers. One
        that is to be out of use takes nothing more. Raises ``ValueError`` if its name is taken,
        ``MistypedError`` for what is no allocator, such as the class of one.
        """
        self._check_idle()
        self._allocators.register(allocator)

    def begin_session(self) -> None:
        """Credit finished jobs, let changes take effect, empty the cache (SESSION-2, CACHE-2).

        There is no other way to begin a session: the constructor, too, comes through here.
        """
        self._check_idle()
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            self._apply(change)
        # The engine looks at the configuration anew, so all of it has to stand by then.
        if not all(isinstance(change, JobFinished) for change in waiting):
            self._engine.configuration_changed()
        for limit in self._ledger.limits.values():
            limit.forget_unused()
        if self._cache is not None:
            self._cache.clear()
        self._untried = list(self._pending.values())

    def submit(self, job: Job) -> None:
        """Queue a job; it is tried from the next run on, in this session too (INGEST-1)."""
        self._check_idle()
        check_types(job, Job, "job")
        alternatives = self._ingest.demands(job, job.name in self._jobs)
        queued = _QueuedJob(job, self._accepted, alternatives)
        self._accepted += 1
        self._jobs[job.name] = self._pending[job.name] = queued
        self._untried.append(queued)

    def run_session(
        self, cancel_at: int | None = None, *, record_events: bool = False
    ) -> list[Outcome]:
        """Try every pending job that was not tried in this session, once (SESSION-1).

        ``cancel_at`` n cancels the attempt at the poll after n polls of this run (CANCEL-1).
        With ``record_events`` each decision carries the protocol events of its attempt.
        Raises ``ValueError`` for a number of polls below 0.

        If an allocator or the handler of a signal raises, so does the run; its attempt is undone.
        It is ``AllocatorError`` if a registered allocator answers what it must not.
        What was committed before stays so: ``live`` and ``placement_of`` tell it. The next run of
        the session goes on behind that job. A second exception, which cuts off the undoing, leaves
        books that may not be right; from then on every event raises ``BusyError``.
        """
        self._check_idle()
        check_types(cancel_at, int | None, "cancel_at")
        check_types(record_events, bool, "record_events")
        if cancel_at is not None and cancel_at < 0:
            raise ValueError(f"cancel_at is at least 0, not {cancel_at}")
        self._token = CancellationToken(cancel_at)
        try:
            self._busy = _RUNNING
            decisions = self._run(record_events)
            self._busy = None
        except BaseException:
            self._busy = _NOT_UNDONE
            self._recover()
            self._busy = None
            raise
        return decisions

    def cancel(self) -> None:
        """Ask for a cancellation at the next poll of the run under way (CANCEL-1).

        May come from another thread. It cancels the attempt that polls next: where that of the
        moment has been searched to its end, it has its answer, and the next job's is cancelled.
        Behind the last poll of a run, and between runs, it does nothing.
        """
        self._token.cancel()

    def finish(self, name: str) -> None:
        """End a live job; it is charged until the next session begins (SESSION-2)."""
        self._check_idle()
        job = self._known(name)
        if not isinstance(job, _QueuedJob) or job.state is not JobState.LIVE:
            raise Refused(RefusalCode.NOT_RUNNING, f"job {name!r} does not run")
        job.state = JobState.FINISHING
        self._waiting.append(JobFinished(name))

    def withdraw(self, name: str) -> None:
        """Take a pending job out of the queue, at once."""
        self._check_idle()
        job = self._known(name)
        if not isinstance(job, _QueuedJob) or job.state is not JobState.PENDING:
            raise Refused(RefusalCode.NOT_PENDING, f"job {name!r} is not pending")
        job.state = self._jobs[name] = JobState.WITHDRAWN
        del self._pending[name]

    def host_add(self, host: Host) -> None:
        """Add a host behind the others, from the next session on."""
        self._check_idle()
        check_types(host, Host, "host")
        self._waiting.append(self._announced.host_add(host))

    def host_change(self, change: HostChange) -> None:
        """Change what is named of a host, from the next session on (SESSION-5)."""
        self._check_idle()
        check_types(change, HostChange, "change")
        self._waiting.append(self._announced.host_change(change))

    def pool_change(self, pool: str, capacity: int) -> None:
        """Give a pool a new capacity, in thousandths, from the next session on."""
        self._check_idle()
        check_types(pool, str, "pool")
        check_types(capacity, int, "capacity")
        self._waiting.append(self._announced.pool_change(pool, capacity))

    def limit_set(self, limit: Limit) -> None:
        """Set a limit, or a new cap for the same limit, from the next session on."""
        self._check_idle()
        check_types(limit, Limit, "limit")
        self._waiting.append(self._announced.limit_set(limit))

    def limit_remove(self, limit: LimitIdentity) -> None:
        """Remove a limit, from the next session on."""
        self._check_idle()
        check_types(limit, LimitIdentity, "limit")
        self._waiting.append(self._announced.limit_remove(limit))

    def books(self) -> Books:
        """What is in use on each account (SESSION-3)."""
        return self._ledger.books()

    def state_of(self, name: str) -> JobState:
        """Where a job is in its life (SESSION-6); raises ``Refused`` if there was none."""
        job = self._known(name)
        return job.state if isinstance(job, _QueuedJob) else job

    def live(self) -> list[str]:
        """The live jobs, those that are finishing among them, in the order of their commits."""
        return list(self._live)

    def placement_of(self, name: str) -> Dispatched:
        """What the run answered, or would have, that made a job live; without its events.

        Raises ``Refused`` with ``not-running`` if the job is not live.
        """
        job = self._known(name)
        if not isinstance(job, _QueuedJob) or job.placed is None:
            raise Refused(RefusalCode.NOT_RUNNING, f"job {name!r} does not run")
        return _dispatched(name, job.placed, None)

    def pending(self) -> list[str]:
        """The pending jobs, in the order in which they are tried (SESSION-1)."""
        return [job.name for job in sorted(self._pending.values(), key=lambda job: job.order)]

    def _check_idle(self) -> None:
        """Raise ``BusyError`` while a run is under way, or for ever after one that stays so."""
        if self._busy is not None:
            raise BusyError(self._busy)

    def _known(self, name: str) -> "_QueuedJob | JobState":
        check_types(name, str, "name")
        job = self._jobs.get(name)
        if job is None:
            raise Refused(RefusalCode.UNKNOWN_NAME, f"there is no job {name!r}")
        return job

    def _run(self, record_events: bool) -> list[Outcome]:
        """Try what was not tried in this session, those of the highest priority first."""
        self._untried.sort(key=lambda job: job.order, reverse=True)
        # Only an attempt has protocol events, so that with them each job has one.
        hopeless = {} if self._cache is None or record_events else self._cache.requests
        decisions: list[Outcome] = []
        while self._untried:
            job = self._untried.pop()
            if job.state is not JobState.PENDING:
                continue
            if (known := hopeless.get(job.alternatives)) is not None:
                reason, never = known
                decisions.append(Pending(job=job.name, reason=reason, never=never, cached=True))
            else:
                decisions.append(self._try(job, record_events))
        return decisions

    def _try(self, job: _QueuedJob, record_events: bool) -> Outcome:
        """One attempt: it commits, or the ledger is as it was (UNDO-4)."""
        self._ledger.trim_touched()
        events: list[ProtocolEvent] | None = [] if record_events else None
        attempt = Attempt(self._ledger, self._host_order, self._token, events)
        try:
            outcome = self._composition.place(attempt, job.alternatives)
        except AttemptCancelledError:
            attempt.reverse_to(0)
            return Cancelled(job=job.name, events=None if events is None else tuple(events))
        except CannotStartError:
            attempt.reverse_to(0)
            outcome = Failure(Category.ERROR, cached=False)
        if isinstance(outcome, Failure):
            return self._pend(job, outcome, events)
        self._commit(job, attempt, outcome)
        return _dispatched(job.name, outcome, events)

    def _commit(self, job: _QueuedJob, attempt: Attempt, placed: Placed) -> None:
        """The attempt becomes the books, and the job is live (SESSION-3)."""
        job.claims = attempt.held()
        job.placed = placed
        self._live[job.name] = job
        self._settle(job)
        if attempt.events is not None:
            attempt.events.append(("committed",))

    def _settle(self, job: _QueuedJob) -> None:
        """What follows from a job being among the live ones; it may have been done in part."""
        job.state = JobState.LIVE
        job.alternatives = ()
        del self._pending[job.name]

    def _recover(self) -> None:
        """Make all what the live jobs say, wherever in a run an exception came (UNDO-4).

        It may have come between a debit and the record of its claim, or amid a commit. So the
        books are not reversed but counted anew.
        """
        for job in list(self._pending.values()):
            if job.name in self._live:
                self._settle(job)
            else:
                job.placed = None
        self._ledger.recount(claim for _, claim in self._held())
        self._engine.configuration_changed()

    def _pend(
        self, job: _QueuedJob, failure: Failure, events: list[ProtocolEvent] | None
    ) -> Pending:
        """The job waits; whether for ever is asked of the configuration (WHY-2)."""
        never = failure.category is not Category.ERROR and self._never_fits(job.alternatives)
        if self._cache is not None and failure.category is not Category.ERROR:
            self._cache.note(job.alternatives, never)
        return Pending(
            job=job.name,
            reason=failure.category,
            never=never,
            cached=failure.cached,
            events=None if events is None else tuple(events),
        )

    def _never_fits(self, alternatives: Alternatives) -> bool:
        """Whether every alternative has a part that can never be placed by itself (WHY-2)."""
        is_never_placeable = self._engine.is_never_placeable
        for parts in alternatives:
            for demand in parts:
                if is_never_placeable(demand):
                    break
            else:
                return False
        return True

    def _apply(self, change: Change) -> None:
        """Let one change take effect (SESSION-2)."""
        if isinstance(change, JobFinished):
            self._credit(change.job)
        else:
            self._ledger.apply(change, self._held())

    def _credit(self, name: str) -> None:
        """Give back all that a finished job holds (SESSION-4)."""
        for claim in self._live.pop(name).claims:
            claim.reverse()
        self._jobs[name] = JobState.FINISHED

    def _held(self) -> Iterator[Held]:
        """The claims of all live jobs: what a new limit counts (SESSION-3)."""
        for job in self._live.values():
            for claim in job.claims:
                yield job.identity, claim


def _choose(option: str, value: str, choices: type[Choice]) -> Choice:
    """The choice that a value of an option names; raises ``ValueError`` with the legal ones."""
    for choice in choices:
        if choice.value == value:
            return choice
    legal = ", ".join(repr(choice.value) for choice in choices)
    raise ValueError(f"option {option!r} cannot be {value!r}; it is one of {legal}")


def _initial_changes(cluster: Cluster, announced: Announced) -> list[Change]:
    """The changes that make an empty cluster this one; raises if it is none (2.1)."""
    changes: list[Change] = [announced.host_add(host) for host in cluster.hosts]
    changes += [announced.pool_change(pool, size) for pool, size in cluster.pools.items()]
    for limit in cluster.limits:
        if announced.has_limit(limit):
            raise ValueError(f"{limit.in_words()} is there twice")
        changes.append(announced.limit_set(limit))
    return changes


def _dispatched(name: str, placed: Placed, events: list[ProtocolEvent] | None) -> Dispatched:
    return Dispatched(
        job=name,
        alternative=placed.alternative,
        parts=tuple([_taken(part) for part in placed.parts]),
        events=None if events is None else tuple(events),
    )


def _taken(claims: Iterable[Claim]) -> Taken:
    """The hosts of a primary with their slots, in bucket order; each once (PAR-3, HOST-7)."""
    taken = tuple([(claim.host.name, claim.slots) for claim in claims if claim.host is not None])
    assert len(taken) == len(dict(taken))
    return taken
