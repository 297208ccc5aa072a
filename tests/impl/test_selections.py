"""What selects say of kinds of hosts: asked once, kept within a bound, true of the present."""

from collections.abc import Callable
from typing import Any

import pytest

from allotment_impl import HostChange, selections
from allotment_impl.selections import Selections
from allotment_impl.selectors import Selector
from impl.building import RUN, Raw, cluster, host, outcomes, primary, read_job, scheduler, submit
from impl.building import job as job_of

SPEED: Raw = {"op": "==", "args": [{"attribute": "speed"}, {"number": 7}]}
ENGINES = ["indexed", "iterative"]


def counting(calls: list[object]) -> Callable[[Any], bool]:
    def verdict(attributes: Any) -> bool:
        calls.append(attributes)
        return bool(attributes)

    return verdict


def test_a_kind_is_asked_once() -> None:
    calls: list[object] = []
    found, selector = Selections(), Selector(counting(calls))
    some, none, same = (found.kind_of(one) for one in ({"x": 1}, {}, {"x": 1}))
    assert some == same != none
    assert [True, True] == [found.of(selector).passes(some) for _ in range(2)]
    assert 1 == len(calls)
    assert [1, 0] == found.of(selector).by_kind().tolist()
    assert 2 == len(calls)
    found.kind_of({"x": 2})
    assert [1, 0, 1] == found.of(selector).by_kind().tolist()
    assert 3 == len(calls)


def test_selections_are_kept_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selections, "SELECTION_BYTES", 40 * selections.SELECTION_OVERHEAD)
    found = Selections()
    asked = [Selector(bool) for _ in range(50)]
    for selector in asked:
        found.of(selector)
        found.of(asked[0])
    assert 40 == len(found)
    first = found.of(asked[0])
    for number in range(selections.SELECTION_OVERHEAD):
        found.kind_of({"x": number})
    assert 20 == len(found)
    assert first is found.of(asked[0])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_select_reads_the_present_attributes(engine: str) -> None:
    world = cluster(host("A", 1, attributes={"speed": 7}), host("B", 1, attributes={"speed": 8}))
    change: Raw = {"event": "host_change", "host": "A", "attributes": {"speed": 8}}
    begin: Raw = {"event": "begin_session"}
    events = [submit("j", [primary(2, select=SPEED)]), RUN, change, begin, RUN]
    assert "select" == outcomes(world, *events, engine=engine)[0]["reason"]
    back = [{**change, "attributes": {"speed": 7}}, begin, RUN]
    assert "capacity" == outcomes(world, *events, *back, engine=engine)[0]["reason"]


@pytest.mark.parametrize("engine", ENGINES)
def test_kinds_without_hosts_are_forgotten(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selections, "KINDS_LEAST", 8)
    found = scheduler(cluster(host("A", 9), host("B", 9, attributes={"speed": 7})), engine=engine)
    for speed in range(100):
        found.host_change(HostChange(host="A", attributes={"speed": speed * 1000}))
        found.begin_session()
        found.submit(read_job(job_of(f"j{speed}", [primary(1, select=SPEED)])))
        [answer] = found.run_session()
        placed = f"j{speed}" in found.live()
        assert placed == (speed < 9), answer
        if placed:
            assert ((("B", 1),),) == found.placement_of(f"j{speed}").parts
        else:
            found.withdraw(f"j{speed}")
    assert len(found._ledger.selections._examples) <= 9
