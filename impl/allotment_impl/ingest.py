"""Submission: a job is checked wholly, then turned into demands (INGEST-1 … 3)."""

from collections.abc import Sequence

from allotment_impl.demand import Alternatives, CacheKey, Demand, HostWant, Shape, SpanBounds
from allotment_impl.expressions import Expression
from allotment_impl.refusals import AMOUNT_LARGEST, TASKS_LARGEST, Findings, RefusalCode, Refused
from allotment_impl.requests import (
    Counts,
    Identity,
    Job,
    Per,
    Primary,
    Request,
    Resources,
    RusageEntry,
    Span,
)
from allotment_impl.resreq.errors import ResreqError
from allotment_impl.resreq.texts import RequestTexts
from allotment_impl.selectors import Selector, Selectors, check_select
from allotment_impl.vocabulary import SLOTS, Vocabulary

REQUESTS_KEPT = 4096
"""How many requests that were accepted keep their demands: equal jobs then share them."""

SHAPES_KEPT = 4096
"""How many shapes are interned: several times the distinct requests of a busy cluster."""


class Ingest:
    """Checks the jobs of one cluster and makes their demands."""

    __slots__ = ("_accepted", "_rusage_default", "_selectors", "_shapes", "_texts", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary, rusage_default: Per) -> None:
        self._vocabulary = vocabulary
        self._selectors = Selectors(vocabulary)
        self._shapes: dict[tuple[tuple[HostWant, ...], Selector | None], Shape] = {}
        self._rusage_default = rusage_default
        self._texts = RequestTexts(vocabulary.resources)
        self._accepted: dict[tuple[object, ...], Alternatives] = {}

    def demands(self, job: Job, name_is_taken: bool) -> Alternatives:
        """The demands of each alternative; raises ``Refused`` by the table of SPEC.md 2.3.

        Two jobs that ask alike share their demands, whose keys are then the same object: what was
        accepted once is accepted again, unless the name is taken.
        """
        content = (job.request, job.tasks, job.user, job.queue, job.project)
        try:
            known = self._accepted.get(content)
        except TypeError:  # A request of lists has no hash, and is as good as any other.
            return self._checked(job, name_is_taken)
        if known is not None and not name_is_taken:
            return known
        demands = self._checked(job, name_is_taken)
        if len(self._accepted) >= REQUESTS_KEPT:
            del self._accepted[next(iter(self._accepted))]
        self._accepted[content] = demands
        return demands

    def _checked(self, job: Job, name_is_taken: bool) -> Alternatives:
        findings = Findings()
        if name_is_taken:
            findings.note(RefusalCode.DUPLICATE_NAME, f"there was a job {job.name!r} before")
        for kind in ("user", "queue", "project"):
            if not getattr(job, kind):
                findings.note(RefusalCode.IDENTITY_MISSING, f"the {kind} is empty")
        request = self._request(job, findings)
        _check_counts_range(job.tasks, request, findings)
        reconciled = _reconcile(job.tasks, request, findings)
        for parts, counts in zip(request, reconciled, strict=True):
            for primary, tasks in zip(parts, counts, strict=True):
                self._check_primary(primary, tasks, findings)
        findings.raise_first()
        identity = Identity(job.user, job.queue, job.project)
        return tuple(
            [
                tuple([self._demand(*part, identity) for part in zip(parts, counts, strict=True)])
                for parts, counts in zip(request, reconciled, strict=True)
            ]
        )

    def _request(self, job: Job, findings: Findings) -> Request:
        """The request of a job, read if it is a text; nothing if it is none."""
        request = job.request
        if isinstance(request, str):
            try:
                return self._texts.read(request)
            except ResreqError as error:
                findings.note(error.code, str(error))
                return ()
        if not request or not all(request):
            findings.note(RefusalCode.EMPTY_COMPOUND, "an alternative has no primary")
        return request

    def _check_primary(self, primary: Primary, tasks: Counts | None, findings: Findings) -> None:
        if primary.span is not None:
            _check_span(primary.span, findings)
        if primary.select is not None:
            check_select(primary.select, self._vocabulary, findings)
        totals: dict[str, int] = {}
        for entry in primary.rusage:
            self._check_entry(entry, findings)
            totals[entry.resource] = totals.get(entry.resource, 0) + entry.amount
        if tasks is not None:
            for resource, total in totals.items():
                if tasks.max * total > AMOUNT_LARGEST:
                    detail = f"{tasks.max} tasks ask for {total} thousandths of {resource!r} each"
                    findings.note(RefusalCode.AMOUNT_RANGE, detail)

    def _check_entry(self, entry: RusageEntry, findings: Findings) -> None:
        """One entry of a rusage: its resource, its ``per``, its amount (RES-1, RES-3)."""
        resource = entry.resource
        findings.note_amount(entry.amount, f"the amount of {resource!r}")
        if resource == SLOTS:
            findings.note(RefusalCode.SLOTS_IN_RUSAGE, "the rusage asks for slots")
        elif resource in self._vocabulary.shared:
            if entry.per is Per.HOST:
                findings.note(RefusalCode.PER_HOST_ON_POOL, f"{resource!r} is a shared amount")
        elif resource not in self._vocabulary.host:
            findings.note(RefusalCode.UNKNOWN_RESOURCE, f"the rusage asks for {resource!r}")
        elif entry.per is Per.JOB:
            findings.note(RefusalCode.PER_JOB_ON_HOST, f"{resource!r} is a host amount")

    def _demand(self, primary: Primary, tasks: Counts | None, identity: Identity) -> Demand:
        assert tasks is not None
        sums = self._sums(primary.rusage)
        span = SpanBounds.fill(primary.span)
        select = primary.select
        return Demand(
            tasks=tasks.max,
            identity=identity,
            shape=self._shape(sums, None if select is None else self._selectors.of(select)),
            shared_wants=self._shared_wants(sums, tasks.max),
            span=span,
            key=_key(tasks, select, sums, span, identity),
        )

    def _shape(self, sums: dict[tuple[str, Per], int], selector: Selector | None) -> Shape:
        """The one shape of equal wants and select, while it is kept."""
        content = (self._host_wants(sums), selector)
        shape = self._shapes.pop(content, None)
        if shape is None:
            shape = Shape(*content)
            if len(self._shapes) >= SHAPES_KEPT:
                del self._shapes[next(iter(self._shapes))]
        self._shapes[content] = shape
        return shape

    def _sums(self, rusage: Sequence[RusageEntry]) -> dict[tuple[str, Per], int]:
        """Amounts by resource and ``per``: summed, defaults filled in, no zeros (WANT-2)."""
        sums: dict[tuple[str, Per], int] = {}
        for entry in rusage:
            per = entry.per
            if per is None:
                shared = entry.resource in self._vocabulary.shared
                per = Per.JOB if shared else self._rusage_default
            if entry.amount:
                place = (entry.resource, per)
                sums[place] = sums.get(place, 0) + entry.amount
        return sums

    def _host_wants(self, sums: dict[tuple[str, Per], int]) -> tuple[HostWant, ...]:
        wants = [HostWant(0, 1, 0)]
        if sums:
            for name, place in self._vocabulary.host.items():
                per_task, per_host = sums.get((name, Per.TASK), 0), sums.get((name, Per.HOST), 0)
                if per_task or per_host:
                    wants.append(HostWant(place, per_task, per_host))
        return tuple(wants)

    def _shared_wants(
        self, sums: dict[tuple[str, Per], int], tasks: int
    ) -> tuple[tuple[int, int], ...]:
        """What the primary wants of each pool, whatever its plan (SHARED-1)."""
        wants = []
        if sums:
            for name, place in self._vocabulary.shared.items():
                want = sums.get((name, Per.JOB), 0) + tasks * sums.get((name, Per.TASK), 0)
                if want:
                    wants.append((place, want))
        return tuple(wants)


def refusal_of(request: Request, resources: Resources) -> Refused | None:
    """What a scheduler of a cluster with these resources says against a request, if anything.

    A request that leaves its counts to the job is judged for the counts that its first alternative
    adds up to or, if that has none, for one task.
    """
    ingest = Ingest(Vocabulary.declare(resources), Per.HOST)
    for parts in request:
        given = [primary.tasks for primary in parts if primary.tasks is not None]
        if len(given) == len(parts):
            low, high = sum([one.min for one in given]), sum([one.max for one in given])
            break
    else:
        low = high = 1
    job = Job(
        name="j", user="u", queue="q", project="p", request=request, tasks=Counts(min=low, max=high)
    )
    try:
        ingest.demands(job, name_is_taken=False)
    except Refused as refused:
        return refused
    return None


def _key(
    tasks: Counts,
    select: Expression | None,
    sums: dict[tuple[str, Per], int],
    span: SpanBounds,
    identity: Identity,
) -> CacheKey:
    """Content that tells primaries apart, in the order of CACHE-1."""
    return CacheKey((tasks.min, tasks.max, select, frozenset(sums.items()), span, identity))


def _check_counts_range(total: Counts | None, request: Request, findings: Findings) -> None:
    """Every count that is given lies within its range, the least first (2.3)."""
    given = [total, *(primary.tasks for parts in request for primary in parts)]
    for counts in given:
        if counts is not None and not 1 <= counts.min <= counts.max <= TASKS_LARGEST:
            findings.note(RefusalCode.TASKS_RANGE, f"counts {counts.min} … {counts.max}")


def _check_span(span: Span, findings: Findings) -> None:
    for bound in (span.hosts_min, span.hosts_max, span.tasks_per_host, span.ptile):
        if bound is not None and not 1 <= bound <= TASKS_LARGEST:
            findings.note(RefusalCode.SPAN_RANGE, f"a bound of a span is {bound}")


def _reconcile(
    total: Counts | None, request: Request, findings: Findings
) -> list[list[Counts | None]]:
    """The counts of each primary, those of the job filled in, once and for all (INGEST-1)."""
    reconciled: list[list[Counts | None]] = []
    given_to_job = total
    for index, parts in enumerate(request):
        if len(parts) == 1:
            counts = [parts[0].tasks or given_to_job]
        else:
            counts = [primary.tasks for primary in parts]
        reconciled.append(counts)
        if not parts:
            continue
        given = [part for part in counts if part is not None]
        if len(given) < len(counts):
            findings.note(RefusalCode.COUNTS, f"alternative {index} has a primary without counts")
            continue
        own = Counts(min=sum([part.min for part in given]), max=sum([part.max for part in given]))
        if total is None:
            total = own
        elif own != total:
            wanted = f"{total.min} … {total.max}"
            detail = f"alternative {index} has {own.min} … {own.max} tasks, not {wanted}"
            findings.note(RefusalCode.COUNTS, detail)
    return reconciled
