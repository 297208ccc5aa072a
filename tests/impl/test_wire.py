"""Cases are read strictly, and what is wrong is named with its place."""

from typing import Any

import pytest

from allotment_impl import (
    Adapter,
    Counts,
    Job,
    MalformedCaseError,
    Primary,
    RefusalCode,
    Refused,
)
from allotment_impl.expressions import LEVELS_READ, Expression, Number, Operation, Operator
from impl.building import RUN, Raw, cluster, host, limit, primary, scheduler, submit, waits
from impl.test_expressions import nested

GOOD: Raw = {"cluster": cluster(host("A", 1)), "events": []}


def with_event(**fields: Any) -> Raw:
    return {**GOOD, "events": [RUN, fields]}


def with_primary(**fields: Any) -> Raw:
    return with_event(**submit("j", [fields]))


def with_limit(**fields: Any) -> Raw:
    return with_event(event="limit_set", limit=fields)


BARE = {"kind": "user", "scope": "cluster", "resource": "slots", "cap": 1}


@pytest.mark.parametrize(
    ("case", "place"),
    [
        ({}, "events"),
        ({**GOOD, "events": {}}, r"\$\.events"),
        ({**GOOD, "answers": []}, "answers"),
        ({**GOOD, "report": ["book"]}, r"\$\.report\[0\]"),
        ({**GOOD, "cluster": {}}, "hosts"),
        ({**GOOD, "cluster": {"hosts": [{"name": "A"}]}}, r"\$\.cluster\.hosts\[0\]"),
        (with_event(event="start"), r"\$\.events\[1\]"),
        (with_event(), r"\$\.events\[1\]"),
        (with_event(event="run_session", cancel_at=-1), "cancel_at"),
        (with_event(event="run_session", cancel_at=1.0), r"\$\.events\[1\]\.cancel_at"),
        (with_event(event="run_session", cancel_at=True), r"\$\.events\[1\]\.cancel_at"),
        (with_event(event="begin_session", now=1), "now"),
        (with_event(event="finish"), "job"),
        (with_event(event="submit", job={"name": "j"}), r"\$\.events\[1\]\.job"),
        (with_event(event="pool_change", pool="licence", capacity="1"), "capacity"),
        (with_event(event="pool_change", pool="licence", capacity=1.5), "capacity"),
        (with_event(event="host_change", host="A", name="B"), "name"),
        (with_event(event="host_change", host="A", attributes={"os": 1.0}), "attributes"),
        (with_event(event="limit_remove", limit=limit(1)), "cap"),
        (with_limit(**BARE), "exactly one"),
        (with_limit(**BARE, each=True, name="u"), "exactly one"),
        (with_limit(**BARE, each=False), "exactly one"),
        (with_limit(**{**BARE, "kind": "group"}, each=True), "kind"),
        (with_limit(**{**BARE, "scope": "pool"}, each=True), "scope"),
        (with_primary(tasks={"min": 1}), "tasks"),
        (with_primary(tasks={"min": 1, "max": 1.0}), "tasks"),
        (with_primary(rusage=[{"resource": "mem"}]), "rusage"),
        (with_primary(rusage=[{"resource": "mem", "amount": 1, "per": "slot"}]), "per"),
        (with_primary(span={"hosts": 1}), "span"),
        (with_primary(same="rack"), "same"),
        (with_primary(select={"op": "&", "args": []}), r"select has no operator '&'.*\.select"),
        (with_primary(select={"op": "!", "args": [{"number": 1.5}]}), r"integer.*\.select"),
    ],
)
def test_what_is_no_case_is_told_with_its_place(case: Raw, place: str) -> None:
    with pytest.raises(MalformedCaseError, match=place):
        Adapter().run(case)


def test_a_case_that_is_none_changes_nothing() -> None:
    adapter = Adapter()
    adapter.run({**GOOD, "events": [submit("j", [primary(2)])]})
    for raw in (
        with_event(event="start") | {"cluster": cluster()},
        {"events": [{"event": "withdraw", "job": "j"}, {"event": "start"}]},
        {"cluster": cluster(host("A", 1), host("A", 1)), "events": []},
    ):
        with pytest.raises(MalformedCaseError):
            adapter.run(raw)
    answers = adapter.run({"events": [RUN]})
    assert [{"answer": "ran", "jobs": [waits("j", "capacity", never=True)]}] == answers


@pytest.mark.parametrize(
    ("case", "place"),
    [
        (with_primary(select=None), "select"),
        (with_primary(span={"ptile": None}), r"span\.ptile"),
        (with_event(event="run_session", cancel_at=None), r"`\$\.events\[1\]\.cancel_at`"),
        (with_event(event="host_change", host="A", open=None), "open"),
        ({**GOOD, "cluster": None}, r"`\$\.cluster`"),
        (with_limit(**BARE, name="u", each=False), r"`\$\.events\[1\]\.limit\.each`"),
        (with_limit(**BARE, name=None, each=True), "name"),
        (with_limit(**{**BARE, "cap": 10**30}, name="u", each=False), "each"),
    ],
)
def test_what_is_left_out_is_not_null_or_false(case: Raw, place: str) -> None:
    with pytest.raises(MalformedCaseError, match=place):
        Adapter().run(case)


def test_attribute_that_goes_away_is_null() -> None:
    change = {"event": "host_change", "host": "A", "attributes": {"os": None}}
    assert [{"answer": "ok"}] == Adapter().run({**GOOD, "events": [change]})


def test_huge_integers_are_refused_not_malformed() -> None:
    raw = primary(1, rusage=[{"resource": "mem", "amount": 10**40}])
    answers = Adapter().run({**GOOD, "events": [submit("j", [raw], priority=-(10**40))]})
    assert [{"answer": "refused", "code": "amount-range"}] == answers


def test_priorities_have_no_bounds() -> None:
    jobs = [submit(str(size), [primary(2)], priority=size) for size in (-(10**30), 0, 10**30)]
    answers = Adapter().run({**GOOD, "events": [*jobs, RUN]})
    assert [str(10**30), "0", str(-(10**30))] == [one["job"] for one in answers[-1]["jobs"]]


def test_a_deep_select_is_refused_as_long_as_it_is_in_a_case() -> None:
    deepest, deeper, deep = (
        {**GOOD, "events": [submit("j", [primary(1, select=nested(levels))])]}
        for levels in (LEVELS_READ, LEVELS_READ + 1, 100_000)
    )
    assert [{"answer": "refused", "code": "syntax"}] == Adapter().run(deepest)
    for case in (deeper, deep):
        with pytest.raises(MalformedCaseError, match="nested more than 500 levels deep - at `"):
            Adapter().run(case)


def test_a_select_of_any_depth_that_no_case_brings_is_refused() -> None:
    tree: Expression = Number(1)
    for _ in range(100_000):
        tree = Operation(Operator.NOT, (tree,))
    found = scheduler(cluster(host("A", 1)))
    one = Primary(tasks=Counts(min=1, max=1), select=tree)
    asked = Job(name="j", user="u", queue="q", project="p", request=((one,),))
    with pytest.raises(Refused) as caught:
        found.submit(asked)
    assert RefusalCode.SYNTAX is caught.value.code
