"""Room, claims and limits on one ledger."""

from typing import Any

import pytest

from allotment_impl.accounts import Claim
from allotment_impl.ledger import Ledger
from impl.building import Raw, cluster, demand_of, entry, host, limit, primary
from impl.test_candidates import ledger_of, offered


def claim(ledger: Ledger, raw: Raw, place: int = 0, **identity: Any) -> Claim | None:
    demand = demand_of(raw, **identity)
    return ledger.claim_host(ledger.hosts[place], ledger.bucket(demand, demand.tasks))


def test_exactly_enough_is_enough() -> None:
    ledger = ledger_of(cluster(host("A", 2, 600)))
    assert claim(ledger, primary(2, rusage=[entry("mem", 301)])) is None
    assert claim(ledger, primary(2, rusage=[entry("mem", 300)])) is not None
    assert claim(ledger, primary(1)) is None


def test_a_claim_that_does_not_fit_debits_nothing() -> None:
    ledger = ledger_of(cluster(host("A", 2, 600), limits=(limit(1),)))
    assert claim(ledger, primary(2)) is None
    assert {} == ledger.books().hosts
    assert () == ledger.books().limits


def test_a_claim_and_its_reversal_leave_the_books_equal() -> None:
    caps = (limit(2), limit(600, resource="mem", scope="host", kind="project", name="p"))
    ledger = ledger_of(cluster(host("A", 2, 600), limits=caps))
    empty = ledger.books()
    found = claim(ledger, primary(2, rusage=[entry("mem", 300)]))
    assert found is not None
    assert [("u", None, 2), ("p", "A", 600)] == [
        (one.holder, one.host, one.used) for one in ledger.books().limits
    ]
    found.reverse()
    found.reverse()
    assert empty == ledger.books()


@pytest.mark.parametrize(
    ("cap", "identity", "expected"),
    [
        (limit(1, name="u"), {}, False),
        (limit(1, name="v"), {}, True),
        (limit(1, name="u"), {"user": "v"}, True),
        (limit(1), {"user": "v"}, False),
        (limit(1, kind="queue", name="q"), {}, False),
        (limit(1, kind="project", name="q"), {}, True),
        (limit(1, kind="project", name="p"), {}, False),
        (limit(2, name="u"), {}, True),
        (limit(0, resource="mem"), {}, True),
    ],
)
def test_a_limit_applies_by_kind_and_name(
    cap: Raw, identity: dict[str, Any], expected: bool
) -> None:
    ledger = ledger_of(cluster(host("A", 9), limits=(cap,)))
    assert expected == (claim(ledger, primary(2), **identity) is not None)


def test_a_named_limit_does_not_replace_an_each_limit() -> None:
    ledger = ledger_of(cluster(host("A", 9), limits=(limit(1), limit(5, name="u"))))
    assert claim(ledger, primary(2)) is None


def test_an_each_limit_counts_every_holder_by_itself() -> None:
    ledger = ledger_of(cluster(host("A", 9), limits=(limit(2),)))
    assert claim(ledger, primary(2), user="u") is not None
    assert claim(ledger, primary(2), user="v") is not None
    assert claim(ledger, primary(1), user="u") is None


def test_a_limit_for_each_host_counts_hosts_by_themselves() -> None:
    ledger = ledger_of(cluster(host("A", 9), host("B", 9), limits=(limit(2, scope="host"),)))
    assert claim(ledger, primary(2)) is not None
    assert claim(ledger, primary(1)) is None
    assert claim(ledger, primary(2), place=1) is not None


def test_a_limit_is_asked_afresh_for_each_candidate() -> None:
    ledger = ledger_of(cluster(host("A", 9), host("B", 9), limits=(limit(2, scope="host"),)))
    claim(ledger, primary(1))
    assert ["B"] == offered(ledger, demand_of(primary(2)), 2)


def test_a_want_of_zero_is_never_blocked() -> None:
    ledger = ledger_of(cluster(host("A", 2, 300), limits=(limit(0, resource="mem"),)))
    ledger.amounts.set_capacity(1, 0, 500)
    ledger.amounts.debit([0], ((1, 500),))
    ledger.amounts.set_capacity(1, 0, 300)
    assert ([500], [0]) == (ledger.amounts.used(1), ledger.amounts.free(1))
    assert claim(ledger, primary(2, rusage=[entry("mem", 0)])) is not None


def test_pools_and_their_limits_are_claimed_together() -> None:
    world = cluster(host("A", 2), limits=(limit(5, resource="licence"),))
    ledger = ledger_of(world)
    demand = demand_of(primary(2, rusage=[entry("licence", 1), entry("licence", 2, "task")]))
    assert ledger.claim_pools(demand) is None
    ledger.pools[0].capacity = 9
    found = ledger.claim_pools(demand)
    assert found is not None
    assert {"licence": 5} == ledger.books().pools
    assert [5] == [one.used for one in ledger.books().limits]
    assert ledger.claim_pools(demand) is None
    found.reverse()
    assert {} == ledger.books().pools
