"""What went wrong where these rules come from, one test for each implementation note.

The origin's allocator had every fault below at some time; none may come back unseen.
"""

from collections.abc import Sequence

import pytest

from allotment_impl import Adapter, CandidateHosts, CannotStartError, Dispatched, Pending
from allotment_impl.accounts import Claim, HostBook
from allotment_impl.allocators import (
    Allocators,
    ParallelAllocator,
    SequentialAllocator,
    place_by_plans,
)
from allotment_impl.attempt import Attempt
from allotment_impl.cancellation import CancellationToken
from allotment_impl.demand import Demand
from allotment_impl.ingest import Ingest
from allotment_impl.ledger import Bucket, Ledger, has_room, is_candidate
from allotment_impl.plans import SplitPlans
from allotment_impl.requests import HostOrder, Per
from allotment_impl.scheduler import Scheduler
from allotment_impl.vocabulary import Vocabulary
from impl.building import (
    BEGIN,
    RUN,
    cluster,
    demand_of,
    entry,
    host,
    job,
    limit,
    outcomes,
    placed,
    primary,
    read_cluster,
    read_job,
    run,
    scheduler,
    submit,
    tasks,
    waits,
)
from impl.test_candidates import ledger_of


def attempt_on(ledger: Ledger) -> Attempt:
    return Attempt(ledger, HostOrder.LISTED, CancellationToken(), None)


def taken(claims: Sequence[Claim] | None) -> list[tuple[str, int]]:
    return [(one.host.name, one.slots) for one in claims or () if one.host is not None]


class EveryHost:
    """A host iterator without a filter: it offers whatever there is."""

    def __init__(self) -> None:
        self.hosts: list[HostBook] = []

    def start(self, bucket: Bucket, hosts: Sequence[HostBook], token: CancellationToken) -> None:
        self.hosts = list(reversed(hosts))

    def next(self) -> HostBook | None:
        return self.hosts.pop() if self.hosts else None

    def close(self) -> None:
        self.hosts = []


class TestStaleWant:
    """Each bucket's search filters by that bucket's own want (note 4.2)."""

    WANTS = primary(3, rusage=[entry("mem", 100)])

    def test_a_smaller_bucket_is_not_filtered_by_a_larger_want(self) -> None:
        ledger = ledger_of(cluster(host("A", 1, 100), host("B", 2, 200)))
        claims = ParallelAllocator().place(attempt_on(ledger), demand_of(self.WANTS))
        assert [("B", 2), ("A", 1)] == taken(claims)

    def test_a_larger_bucket_is_not_filtered_by_a_smaller_want(self) -> None:
        ledger = ledger_of(cluster(host("A", 3, 299)))
        demand = demand_of(self.WANTS)
        small, large = ledger.bucket(demand, 2), ledger.bucket(demand, 3)
        assert [True, False] == [has_room(ledger.hosts[0], one) for one in (small, large)]
        assert ((0, 3), (1, 300)) == large.wants


class TestDoubleWant:
    """A resource is asked for once, whoever prepares the want (criterion 4.6)."""

    def test_two_entries_of_one_resource_are_one_debit(self) -> None:
        raw = primary(
            2, rusage=[entry("mem", 100), entry("mem", 50, "task"), entry("mem", 7, "host")]
        )
        answer = run(cluster(host("A", 2, 307)), submit("j", [raw]), RUN, report=("books",))[-1]
        assert {"A": {"slots": 2, "mem": 307}} == answer["books"]["hosts"]

    def test_two_allocators_that_both_take_it_debit_once(self) -> None:
        class Another(ParallelAllocator):
            name = "another"

        found = scheduler(cluster(host("A", 2, 200)))
        found.register_allocator(Another())
        found.submit(read_job(job("j", [primary(2, rusage=[entry("mem", 100)])])))
        found.run_session()
        assert {"A": {"slots": 2, "mem": 200}} == found.books().hosts


class TestOneTaskGuard:
    """`seqjob` and `parjob` place their own kind only, whoever calls them (note 4.2)."""

    def test_each_places_its_own_kind(self) -> None:
        one, two = demand_of(primary(1)), demand_of(primary(2))
        for allocator, own, other in (
            (SequentialAllocator(), one, two),
            (ParallelAllocator(), two, one),
        ):
            ledger = ledger_of(cluster(host("A", 2)))
            attempt = attempt_on(ledger)
            assert allocator.place(attempt, other) is None
            assert [0] == ledger.amounts.used(0)
            assert [("A", own.tasks)] == taken(allocator.place(attempt, own))

    def test_each_is_chosen_for_its_own_kind(self) -> None:
        allocators = Allocators(SequentialAllocator(), ParallelAllocator())
        assert "seqjob" == allocators.choose(demand_of(primary(1))).name
        assert "parjob" == allocators.choose(demand_of(primary(2))).name


class TestNestedPrimaries:
    """A primary inside a compound or an alter meets every check of a bare one (bug-1768)."""

    UNFIT = (
        primary(3),
        primary(1, rusage=[entry("mem", 101)]),
        primary(1, rusage=[entry("licence", 11)]),
        primary(1, select={"defined": "speed"}),
        primary(1, span={"hosts_min": 2}),
        primary(2),
    )
    WORLD = cluster(host("A", 2, 100), licence=10, limits=(limit(1),))

    @pytest.mark.parametrize("raw", UNFIT)
    def test_checked_bare(self, raw: dict[str, object]) -> None:
        assert "pending" == outcomes(self.WORLD, submit("j", [raw]), RUN)[0]["answer"]

    @pytest.mark.parametrize("raw", UNFIT)
    def test_checked_in_a_compound(self, raw: dict[str, object]) -> None:
        found = outcomes(self.WORLD, submit("j", [raw, primary(1)]), RUN)
        assert "pending" == found[0]["answer"]

    @pytest.mark.parametrize("raw", UNFIT)
    def test_checked_in_an_alter(self, raw: dict[str, object]) -> None:
        demand = demand_of(raw)
        other = [primary(1)] if demand.tasks == 1 else [raw]
        found = outcomes(self.WORLD, submit("j", [raw], other), RUN)
        expected = "dispatched" if demand.tasks == 1 else "pending"
        assert expected == found[0]["answer"]
        assert 1 == found[0].get("alternative", 1)


class TestPartialCompound:
    """A compound that fails in a later part leaves nothing behind (bug-1766)."""

    def test_neither_books_nor_parts_stay(self) -> None:
        raw = [primary(1, rusage=[entry("licence", 4)]), primary(1), primary(9)]
        world = cluster(host("A", 3), licence=4)
        answers = run(world, submit("j", raw), RUN, report=("books",))
        assert [waits("j", "capacity", never=True)] == answers[-1]["jobs"]
        assert {"hosts": {}, "pools": {}, "limits": []} == answers[-1]["books"]

    def test_the_next_alternative_finds_all_free(self) -> None:
        raw = [[primary(1), primary(2)], [primary(3, span={"ptile": 1})]]
        world = cluster(host("A", 1), host("B", 1), host("C", 1))
        found = outcomes(world, submit("j", *raw), RUN)
        whole = [("A", 1), ("B", 1), ("C", 1)]
        assert [placed("j", [("A", 1)], [("B", 1), ("C", 1)])] == found
        raw[0][1] = primary(2, span={"hosts_max": 1})
        assert [placed("j", whole, alternative=1)] == outcomes(world, submit("j", *raw), RUN)


class TestCounts:
    """Counts that never arrive, or arrive as zero, are told (bug-1767, bug-1770)."""

    def test_counts_of_the_job_reach_its_primary(self) -> None:
        found = outcomes(cluster(host("A", 3)), submit("j", [{}], tasks=tasks(3)), RUN)
        assert [placed("j", [("A", 3)])] == found

    def test_counts_of_the_request_stand_without_the_job_s(self) -> None:
        found = outcomes(cluster(host("A", 3)), submit("j", [primary(3)]), RUN)
        assert [placed("j", [("A", 3)])] == found

    @pytest.mark.parametrize("nested", [True, False])
    def test_zero_is_refused(self, nested: bool) -> None:
        event = submit("j", [primary(0)]) if nested else submit("j", [{}], tasks=tasks(0))
        assert [{"answer": "refused", "code": "tasks-range"}] == run(cluster(), event)


class TestKeyAtSubmission:
    """Every primary has its key from submission on, nested ones too (note 1.2)."""

    def test_a_bare_primary_hits_at_the_second_try(self) -> None:
        both = [submit("i", [primary(2)]), submit("j", [primary(2)])]
        found = outcomes(cluster(host("A", 1)), *both, RUN)
        assert [False, True] == [one["cached"] for one in found]

    def test_a_nested_primary_hits_what_a_bare_one_filled(self) -> None:
        world = cluster(host("A", 1))
        nested = submit("j", [primary(1), primary(2)])
        found = outcomes(world, submit("i", [primary(2)]), nested, RUN)
        assert [False, True] == [one["cached"] for one in found]

    def test_keys_of_one_job_are_told_apart(self) -> None:
        vocabulary = Vocabulary.declare(read_cluster(cluster()).resources)
        raw = read_job(job("j", [primary(1), primary(2)]))
        [[first, second]] = Ingest(vocabulary, Per.TASK).demands(raw, name_is_taken=False)
        assert first.key != second.key


class TestTwoGuards:
    """The iterator's filter and the ledger's check each do without the other (note 3.2)."""

    WORLD = cluster(
        host("A", 9, 9, open=False),
        host("B", 9, 9),
        host("C", 1, 9, attributes={"speed": 1}),
        host("D", 2, 1, attributes={"speed": 1}),
        host("E", 2, 2, attributes={"speed": 1}),
        limits=(limit(2, scope="host"),),
    )
    RAW = primary(2, select={"defined": "speed"}, rusage=[entry("mem", 1)])

    def test_the_ledger_refuses_what_an_unfiltered_iterator_offers(self) -> None:
        ledger, demand = ledger_of(self.WORLD), demand_of(self.RAW)
        claims = place_by_plans(attempt_on(ledger), demand, SplitPlans, EveryHost)
        assert [("E", 2)] == taken(claims)
        assert [0, 0, 0, 0, 2] == ledger.amounts.used(0)

    def test_the_iterator_offers_only_what_an_unguarded_ledger_may_take(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("allotment_impl.ledger.is_candidate", lambda *_: True)
        ledger, demand = ledger_of(self.WORLD), demand_of(self.RAW)
        assert ledger.claim_host(ledger.hosts[0], ledger.bucket(demand, 2)) is not None
        ledger = ledger_of(self.WORLD)
        claims = place_by_plans(attempt_on(ledger), demand, SplitPlans, CandidateHosts)
        assert [("E", 2)] == taken(claims)

    def test_without_either_the_wrong_host_is_taken(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("allotment_impl.ledger.is_candidate", lambda *_: True)
        ledger, demand = ledger_of(self.WORLD), demand_of(self.RAW)
        claims = place_by_plans(attempt_on(ledger), demand, SplitPlans, EveryHost)
        assert [("A", 2)] == taken(claims)

    def test_both_ask_the_same_question(self) -> None:
        ledger, demand = ledger_of(self.WORLD), demand_of(self.RAW)
        bucket = ledger.bucket(demand, 2)
        verdicts = [is_candidate(one, bucket) for one in ledger.hosts]
        assert verdicts == [ledger.claim_host(one, bucket) is not None for one in ledger.hosts]


class TestEveryDriverClearsTheCache:
    """There is one way to begin a session, and it empties the cache (note 5.2)."""

    def test_by_adapter_and_by_method(self) -> None:
        adapter = Adapter()
        fill = [submit("i", [primary(2)]), RUN]
        adapter.run({"cluster": cluster(host("A", 1)), "events": fill})
        found = adapter._scheduler
        assert found is not None
        assert found._cache is not None
        assert 1 == len(found._cache)
        adapter.run({"events": [BEGIN]})
        assert 0 == len(found._cache)
        adapter.run({"events": [RUN]})
        assert 1 == len(found._cache)
        found.begin_session()
        assert 0 == len(found._cache)

    def test_also_the_constructor_comes_through_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        begun = []
        original = Scheduler.begin_session

        def counted(self: Scheduler) -> None:
            begun.append(self)
            original(self)

        monkeypatch.setattr(Scheduler, "begin_session", counted)
        found = scheduler(cluster(host("A", 1)))
        assert [found] == begun


class TestAlterIsAnAlter:
    """The request that is to cover ALTER has the shape of one (bug-1769)."""

    def test_the_tree_has_a_compound_and_two_primaries(self) -> None:
        one = {"hosts_max": 1}
        parts = [primary(3, span=one), primary(1)]
        raw = job("j", parts, [primary(4, span=one)], [primary(4)])
        assert [2, 1, 1] == [len(parts) for parts in read_job(raw).request]
        events = [{"event": "submit", "job": raw}, RUN]
        found = outcomes(cluster(host("A", 2), host("B", 2)), *events)
        assert [placed("j", [("A", 2), ("B", 2)], alternative=2)] == found


class TestWithoutAQueue:
    """A job without a queue is refused instead of crashing the run (bug-1771)."""

    def test_an_empty_queue_is_refused(self) -> None:
        answers = run(cluster(host("A", 1)), submit("j", [primary(1)], queue=""), RUN)
        assert [{"answer": "refused", "code": "identity-missing"}] == answers[:1]
        assert {"answer": "ran", "jobs": []} == answers[1]


class TestFailingStart:
    """An iterator that cannot start is an error of the attempt (E11)."""

    class NoPlans(SplitPlans):
        """Cannot start."""

        def start(self, demand: Demand, token: CancellationToken) -> None:
            raise CannotStartError("no plans")

    class SecondFails(CandidateHosts):
        """Starts once."""

        started = 0

        def start(
            self, bucket: Bucket, hosts: Sequence[HostBook], token: CancellationToken
        ) -> None:
            TestFailingStart.SecondFails.started += 1
            if TestFailingStart.SecondFails.started > 1:
                raise CannotStartError("no hosts")
            super().start(bucket, hosts, token)

    def scheduler(self, allocator: ParallelAllocator) -> Scheduler:
        allocator.name = "failing"
        found = scheduler(cluster(host("A", 2), host("B", 2), licence=5))
        found.register_allocator(allocator)
        return found

    @pytest.mark.parametrize("which", ["plans", "hosts"])
    def test_all_is_reversed_and_nothing_is_cached(self, which: str) -> None:
        TestFailingStart.SecondFails.started = 0
        allocator = (
            ParallelAllocator(plans=self.NoPlans)
            if which == "plans"
            else ParallelAllocator(hosts=self.SecondFails)
        )
        found = self.scheduler(allocator)
        part = primary(4, rusage=[entry("licence", 1)])
        found.submit(read_job(job("j", [primary(1), part], [primary(1), primary(2), primary(2)])))
        [outcome] = found.run_session(record_events=True)
        assert isinstance(outcome, Pending)
        assert ("error", False, False) == (outcome.reason.value, outcome.never, outcome.cached)
        assert ["j"] == found.pending()
        assert ({}, {}) == (found.books().hosts, found.books().pools)
        assert found._cache is not None
        assert 0 == len(found._cache)
        events = outcome.events or ()
        assert {0} == {one[1] for one in events if one[0] == "primary"}
        claimed = [one[1:] for one in events if one[0] == "claimed"]
        assert sorted(claimed) == sorted(one[1:] for one in events if one[0] == "reversed")
        assert len(claimed) >= 1

    def test_an_equal_job_behind_it_is_placed(self) -> None:
        class FirstFails(CandidateHosts):
            started = 0

            def start(
                self, bucket: Bucket, hosts: Sequence[HostBook], token: CancellationToken
            ) -> None:
                FirstFails.started += 1
                if FirstFails.started == 1:
                    raise CannotStartError("no memory, once")
                super().start(bucket, hosts, token)

        found = self.scheduler(ParallelAllocator(hosts=FirstFails))
        for name in ("i", "j"):
            found.submit(read_job(job(name, [primary(2)])))
        first, second = found.run_session()
        assert isinstance(first, Pending)
        assert "error" == first.reason.value
        assert Dispatched(job="j", alternative=0, parts=((("A", 2),),)) == second
