"""The host iterator's contract, and which hosts it offers."""

from collections.abc import Sequence

import pytest

from allotment_impl.accounts import HostBook
from allotment_impl.cancellation import AttemptCancelledError, CancellationToken
from allotment_impl.candidates import CandidateHosts
from allotment_impl.configuration import Announced
from allotment_impl.demand import Demand
from allotment_impl.ledger import Ledger
from allotment_impl.plans import SplitPlans
from allotment_impl.vocabulary import Vocabulary
from impl.building import Raw, cluster, demand_of, entry, host, primary, read_cluster

TWO = demand_of(primary(2))


def ledger_of(raw: Raw) -> Ledger:
    given = read_cluster(raw)
    vocabulary = Vocabulary.declare(given.resources)
    announced, ledger = Announced(vocabulary), Ledger(vocabulary)
    for one in given.hosts:
        ledger.apply(announced.host_add(one), ())
    for one_limit in given.limits:
        ledger.apply(announced.limit_set(one_limit), ())
    return ledger


def search(
    ledger: Ledger, demand: Demand, slots: int, token: CancellationToken | None = None
) -> CandidateHosts:
    hosts = CandidateHosts()
    hosts.start(ledger.bucket(demand, slots), ledger.hosts, token or CancellationToken())
    return hosts


def offered(ledger: Ledger, demand: Demand, slots: int) -> list[str]:
    hosts, found = search(ledger, demand, slots), []
    while (one := hosts.next()) is not None:
        found.append(one.name)
    return found


def test_closed_hosts_and_full_ones_are_not_offered() -> None:
    ledger = ledger_of(cluster(host("A", 2), host("B", 3, open=False), host("C", 1), host("D", 2)))
    assert ["A", "D"] == offered(ledger, TWO, 2)


def test_hosts_that_fail_the_select_are_not_offered() -> None:
    select = {"op": ">", "args": [{"attribute": "speed"}, {"number": 1500}]}
    ledger = ledger_of(
        cluster(
            host("A", 2, attributes={"speed": 1500}),
            host("B", 2),
            host("C", 2, attributes={"speed": 1501}),
        )
    )
    assert ["C"] == offered(ledger, demand_of(primary(1, select=select)), 1)


def test_amounts_count_by_task_and_by_host() -> None:
    ledger = ledger_of(cluster(host("A", 4, 500), host("B", 4, 499)))
    wants = [entry("mem", 100, "task"), entry("mem", 300, "host")]
    assert ["A"] == offered(ledger, demand_of(primary(2, rusage=wants)), 2)
    assert ["A", "B"] == offered(ledger, demand_of(primary(2, rusage=wants)), 1)


def test_a_host_too_small_for_one_search_is_offered_to_a_smaller_one() -> None:
    ledger = ledger_of(cluster(host("A", 1), host("B", 2)))
    assert ["B"] == offered(ledger, TWO, 2)
    assert ["A", "B"] == offered(ledger, TWO, 1)


def test_the_end_of_one_search_says_nothing_about_another() -> None:
    ledger = ledger_of(cluster(host("A", 1), host("B", 2)))
    first, second = search(ledger, TWO, 2), search(ledger, TWO, 1)
    assert [True, False, False] == [first.next() is not None for _ in range(3)]
    assert [True, True, False, False] == [second.next() is not None for _ in range(4)]


def test_closing_before_the_start_is_allowed() -> None:
    hosts = CandidateHosts()
    hosts.close()
    assert hosts.next() is None


def test_closing_twice_or_midway_releases_everything() -> None:
    hosts = search(ledger_of(cluster(host("A", 2), host("B", 2))), TWO, 1)
    hosts.next()
    hosts.close()
    hosts.close()
    assert hosts.next() is None
    assert [] == list(hosts._candidates)


@pytest.mark.clause("HOST-4", broken_by="closing hosts closes plans")
def test_closing_one_iterator_leaves_the_other() -> None:
    ledger = ledger_of(cluster(host("A", 2), host("B", 2)))
    plans = SplitPlans()
    plans.start(TWO, CancellationToken())
    plans.next()
    hosts = search(ledger, TWO, 1)
    hosts.next()
    hosts.close()
    second = plans.next()
    assert second is not None
    assert (1, 1) == second.buckets()
    hosts = search(ledger, TWO, 1)
    plans.close()
    assert ["A", "B"] == [one.name for one in (hosts.next(), hosts.next()) if one is not None]


@pytest.mark.clause("HOST-5", broken_by="hosts do not poll the token")
def test_every_call_polls_once_also_after_the_end() -> None:
    token = CancellationToken()
    hosts = search(ledger_of(cluster(host("A", 2), host("B", 1))), TWO, 2, token)
    assert 0 == token.polls
    for calls in range(1, 5):
        hosts.next()
        assert calls == token.polls


def test_a_cancellation_stops_the_next_call() -> None:
    ledger = ledger_of(cluster(host("A", 2), host("B", 2)))
    hosts = search(ledger, TWO, 1, CancellationToken(1))
    hosts.next()
    with pytest.raises(AttemptCancelledError):
        hosts.next()


def test_hosts_are_looked_at_one_at_a_time() -> None:
    class Watched(Sequence[HostBook]):
        def __init__(self, hosts: Sequence[HostBook]) -> None:
            self.hosts, self.seen = hosts, 0

        def __len__(self) -> int:
            return len(self.hosts)

        def __getitem__(self, place: int) -> HostBook:  # type: ignore[override]
            self.seen = max(self.seen, place + 1)
            return self.hosts[place]

    ledger = ledger_of(cluster(*(host(name, 2) for name in "ABCDE")))
    watched, hosts = Watched(ledger.hosts), CandidateHosts()
    hosts.start(ledger.bucket(TWO, 2), watched, CancellationToken())
    assert 0 == watched.seen
    for calls in range(1, 4):
        hosts.next()
        assert calls == watched.seen
