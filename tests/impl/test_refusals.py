"""Every refusal code is given, in order of precedence, and changes nothing."""

import re
from pathlib import Path
from typing import Any

import pytest

from allotment_impl import Adapter, RefusalCode, Refused
from allotment_impl.refusals import HINTS, Findings
from impl.building import (
    BEGIN,
    RUN,
    Raw,
    cluster,
    entry,
    host,
    job,
    limit,
    primary,
    submit,
    tasks,
)
from impl.test_expressions import nested

BIG = 2**53
SPEC = (Path(__file__).parents[2] / "SPEC.md").read_text("utf-8")

WORLD = cluster(
    host("A", 2, 1000, attributes={"speed": 1, "os": "linux"}),
    host("B", 2),
    licence=1000,
    limits=(limit(3, kind="queue", name="q"),),
)
BEFORE = [
    submit("live", [primary(1, rusage=[entry("licence", 500)])]),
    submit("finishing", [primary(1)]),
    RUN,
    {"event": "finish", "job": "finishing"},
    submit("pending", [primary(4)]),
    submit("withdrawn", [primary(1)]),
    {"event": "withdraw", "job": "withdrawn"},
]
"""One job of every state but finished, with a finish that waits."""

PROBES = [
    submit("probe", [primary(2)], priority=-1),
    RUN,
    {"event": "host_add", "host": host("C", 1)},
    BEGIN,
    RUN,
    BEGIN,
    RUN,
]


def rusage(*entries: Raw, most: int = 1) -> Raw:
    return submit("new", [primary(most, rusage=list(entries))])


def select(raw: Raw) -> Raw:
    return submit("new", [primary(1, select=raw)])


def set_limit(cap: int = 1, **fields: Any) -> Raw:
    return {"event": "limit_set", "limit": limit(cap, **fields)}


def remove_limit(**fields: Any) -> Raw:
    found = limit(0, **fields)
    return {"event": "limit_remove", "limit": {k: v for k, v in found.items() if k != "cap"}}


def add(**fields: Any) -> Raw:
    return {"event": "host_add", "host": {"name": "new", "capacity": {}, **fields}}


def change(name: str = "A", **fields: Any) -> Raw:
    return {"event": "host_change", "host": name, **fields}


def pool(name: str, capacity: int) -> Raw:
    return {"event": "pool_change", "pool": name, "capacity": capacity}


REFUSED = [
    ("duplicate-name", submit("live", [primary(1)])),
    ("duplicate-name", submit("pending", [primary(1)])),
    ("duplicate-name", submit("withdrawn", [primary(1)], user="")),
    ("duplicate-name", add(name="A")),
    ("unknown-name", {"event": "finish", "job": "nobody"}),
    ("unknown-name", {"event": "withdraw", "job": "nobody"}),
    ("unknown-name", change("nothing", capacity={"nothing": BIG})),
    ("unknown-name", remove_limit(resource="nothing")),
    ("unknown-name", remove_limit(kind="queue")),
    ("not-running", {"event": "finish", "job": "pending"}),
    ("not-running", {"event": "finish", "job": "finishing"}),
    ("not-running", {"event": "finish", "job": "withdrawn"}),
    ("not-pending", {"event": "withdraw", "job": "live"}),
    ("not-pending", {"event": "withdraw", "job": "finishing"}),
    ("not-pending", {"event": "withdraw", "job": "withdrawn"}),
    ("identity-missing", submit("new", [primary(1)], user="")),
    ("identity-missing", submit("new", [primary(0)], queue="")),
    ("identity-missing", submit("new", [], project="")),
    ("identity-missing", set_limit(name="", resource="nothing")),
    ("empty-compound", submit("new")),
    ("empty-compound", submit("new", [primary(0)], [])),
    ("tasks-range", submit("new", [primary(0)])),
    ("tasks-range", submit("new", [primary(2**20 + 1)])),
    ("tasks-range", submit("new", [{"tasks": tasks(1, 2)}])),
    ("tasks-range", submit("new", [primary(1)], tasks=tasks(-1))),
    ("counts", submit("new", [{}])),
    ("counts", submit("new", [primary(1, span={"ptile": 0})], tasks=tasks(2))),
    ("span-range", submit("new", [primary(1, span={"ptile": 0})])),
    ("span-range", submit("new", [primary(1, span={"hosts_min": 0})])),
    ("span-range", submit("new", [primary(1, span={"hosts_max": 2**20 + 1})])),
    ("span-range", submit("new", [primary(1, span={"tasks_per_host": -1})])),
    ("slots-in-rusage", rusage(entry("nothing", 1), entry("slots", 1))),
    ("unknown-resource", rusage(entry("nothing", BIG))),
    ("unknown-resource", rusage(entry("speed", 1))),
    ("unknown-resource", select({"attribute": "nothing"})),
    ("unknown-resource", add(capacity={"licence": 1})),
    ("unknown-resource", add(capacity={"speed": 1})),
    ("unknown-resource", add(attributes={"mem": "text"})),
    ("unknown-resource", change(capacity={"nothing": BIG})),
    ("unknown-resource", change(attributes={"nothing": None})),
    ("unknown-resource", pool("mem", 1)),
    ("unknown-resource", pool("slots", -1)),
    ("unknown-resource", set_limit(resource="speed", scope="host")),
    ("not-an-attribute", select({"defined": "slots"})),
    ("type", select({"text": "linux"})),
    ("type", add(attributes={"speed": "1"})),
    ("type", add(attributes={"os": BIG})),
    ("type", change(attributes={"os": 1, "speed": None})),
    ("per-host-on-pool", rusage(entry("licence", 1, "host"), entry("mem", 1, "job"))),
    ("per-host-on-pool", set_limit(BIG, resource="licence", scope="host")),
    ("per-job-on-host", rusage(entry("mem", BIG, "job"))),
    ("amount-range", rusage(entry("mem", -1))),
    ("amount-range", rusage(entry("mem", BIG))),
    ("amount-range", rusage(entry("mem", BIG // 2), most=2)),
    ("amount-range", rusage(entry("mem", BIG // 2, "host"), entry("mem", BIG // 2))),
    ("amount-range", rusage(entry("licence", BIG // 2, "job"), most=2)),
    ("amount-range", add(capacity={"slots": BIG})),
    ("amount-range", add(capacity={"mem": -1})),
    ("amount-range", add(attributes={"speed": -BIG})),
    ("amount-range", change(attributes={"speed": BIG})),
    ("amount-range", change(capacity={"slots": -1})),
    ("amount-range", pool("licence", BIG)),
    ("amount-range", set_limit(-1)),
    ("amount-range", select({"op": "!", "args": [{"number": BIG}]})),
    ("syntax", select(nested(101))),
]


def test_the_codes_are_those_of_the_page_in_its_order() -> None:
    [table] = re.findall(r"### 2\.3 .*?\n### 2\.4", SPEC, re.S)
    codes = re.findall(r"^\| `([a-z-]+)` \|", table, re.M)
    assert codes == [code.value for code in RefusalCode]


def test_every_code_is_given_below_and_has_a_hint() -> None:
    assert {code.value for code in RefusalCode} == {code for code, _ in REFUSED}
    assert set(RefusalCode) == set(HINTS)


@pytest.mark.parametrize(("code", "event"), REFUSED)
@pytest.mark.parametrize("cache", ["transparent", "none"])
def test_a_refused_event_changes_nothing(code: str, event: Raw, cache: str) -> None:
    plain, disturbed = Adapter(cache=cache), Adapter(cache=cache)
    for adapter in (plain, disturbed):
        adapter.run({"cluster": WORLD, "events": BEFORE})
    reports = ["books", "events"]
    pending = disturbed._scheduler.pending() if disturbed._scheduler else []
    [answer] = disturbed.run({"events": [event], "report": reports})
    assert {"answer": "refused", "code": code} == {k: answer[k] for k in ("answer", "code")}
    assert disturbed._scheduler is not None
    assert ["pending"] == pending == disturbed._scheduler.pending()
    probes = {"events": PROBES, "report": reports}
    assert plain.run(probes) == disturbed.run(probes)


@pytest.mark.parametrize(
    "event",
    [
        submit("finished", [primary(1)]),
        {"event": "finish", "job": "finished"},
        {"event": "withdraw", "job": "finished"},
    ],
)
def test_the_name_of_a_finished_job_is_kept(event: Raw) -> None:
    before = [
        submit("finished", [primary(1)]),
        RUN,
        {"event": "finish", "job": "finished"},
        BEGIN,
    ]
    answer = Adapter().run({"cluster": WORLD, "events": [*before, event]})[-1]
    expected = {"submit": "duplicate-name", "finish": "not-running", "withdraw": "not-pending"}
    assert {"answer": "refused", "code": expected[event["event"]]} == answer


def test_a_refusal_takes_no_name_and_no_number() -> None:
    answers = Adapter().run(
        {
            "cluster": cluster(host("A", 1)),
            "events": [
                submit("a", [primary(0)]),
                submit("b", [primary(1)]),
                submit("a", [primary(1)]),
                RUN,
            ],
        }
    )
    assert ["b", "a"] == [entry["job"] for entry in answers[-1]["jobs"]]


def test_the_first_of_the_table_wins_wherever_it_stands() -> None:
    findings = Findings()
    findings.note(RefusalCode.SYNTAX, "deep")
    findings.note(RefusalCode.COUNTS, "first")
    findings.note(RefusalCode.COUNTS, "second")
    findings.note(RefusalCode.TYPE, "text")
    with pytest.raises(Refused) as raised:
        findings.raise_first()
    assert (RefusalCode.COUNTS, "first") == (raised.value.code, raised.value.detail)
    assert HINTS[RefusalCode.COUNTS] == raised.value.hint
    assert "counts: first" == str(raised.value)


def test_nothing_found_is_nothing_raised() -> None:
    Findings().raise_first()


def test_a_job_is_judged_by_all_its_primaries() -> None:
    raw = job("j", [primary(1), primary(1, span={"ptile": 0})], [primary(2), primary(0)])
    answers = Adapter().run({"cluster": WORLD, "events": [{"event": "submit", "job": raw}]})
    assert [{"answer": "refused", "code": "tasks-range"}] == answers
