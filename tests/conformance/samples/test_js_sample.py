"""The JavaScript sample, driven as the kit would drive it: JSON Lines through its pipes."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from house.sources import ROOT

SAMPLE = ROOT / "conformance" / "samples" / "js" / "allotment-sample.js"
SPECIFICATION = (ROOT / "SPEC.md").read_text(encoding="utf-8")
EXAMPLES = [
    json.loads(block)
    for block in re.findall(r"^```json example\n(.*?)^```", SPECIFICATION, re.DOTALL | re.MULTILINE)
]
START = {"cmd": "start", "version": 1}
STOP = {"cmd": "stop"}
LARGEST = 2**53 - 1
ONE_HOST: dict[str, Any] = {"hosts": [{"name": "A", "capacity": {"slots": 2}}]}

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A program that has ended: its status, the messages it wrote, and its complaints."""

    status: int
    messages: list[Message]
    complaints: str


Talk = Callable[..., Finished]


def line_of(message: Message) -> bytes:
    """A message as it is sent."""
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def run_of(case: Message, ident: str = "1") -> Message:
    """The request to treat a case."""
    return {"cmd": "run", "id": ident, "case": case}


def submit(name: str, *parts: Message, **fields: Any) -> Message:
    """A submission of one alternative with these parts."""
    job = {"name": name, "user": "u", "queue": "q", "project": "p", "request": [list(parts)]}
    return {"event": "submit", "job": job | fields}


def primary(tasks: int, **fields: Any) -> Message:
    """A primary of so many tasks."""
    return {"tasks": {"min": tasks, "max": tasks}, **fields}


RUN: Message = {"event": "run_session"}


@pytest.fixture(scope="module")
def node() -> str:
    """Where Node is; CI must have it."""
    found = shutil.which("node")
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("node is not installed, and CI must not skip the sample")
    if found is None:
        pytest.skip("node is not installed")
    return found


@pytest.fixture
def talk(node: str) -> Talk:
    """Send all messages or raw lines, read meanwhile, and wait for the end."""

    def talk(sent: Iterable[Message | bytes], *switches: str) -> Finished:
        lines = [item if isinstance(item, bytes) else line_of(item) for item in sent]
        command = [node, str(SAMPLE), *switches]
        ended = subprocess.run(command, input=b"".join(lines), capture_output=True, timeout=120)
        messages = [json.loads(line) for line in ended.stdout.splitlines()]
        complaints = ended.stderr.decode()
        return Finished(status=ended.returncode, messages=messages, complaints=complaints)

    return talk


def answers(talk: Talk, case: Message, *switches: str) -> list[Message]:
    """The answers to one case."""
    ended = talk([START, run_of(case), STOP], *switches)
    assert ended.status == 0, ended.complaints
    result = ended.messages[1]["answers"]
    assert isinstance(result, list)
    return result


def test_examples_are_answered_exactly(talk: Talk) -> None:
    cases = [{k: v for k, v in example.items() if k != "answers"} for example in EXAMPLES]
    ended = talk([START, *(run_of(case, str(i)) for i, case in enumerate(cases)), STOP])
    expected = [{"id": str(i), "answers": one["answers"]} for i, one in enumerate(EXAMPLES)]
    assert expected == ended.messages[1:]
    assert len(EXAMPLES) == SPECIFICATION.count("```json example")
    assert len(EXAMPLES) > 10


def test_start_declares_the_profile(talk: Talk) -> None:
    switches = ("--host-order", "most_free", "--rusage-default", "host")
    [plain] = talk([START]).messages
    [switched] = talk([START], *switches).messages
    assert 1 == plain["version"]
    assert {"host_order": "listed", "rusage_default": "task"}.items() <= plain["profile"].items()
    changed = {"host_order": "most_free", "rusage_default": "host"}
    assert plain["profile"] | changed == switched["profile"]
    assert "text" not in plain["profile"]["features"]


def test_unknown_version_is_declined(talk: Talk) -> None:
    ended = talk([{"cmd": "start", "version": 2}, run_of({"cluster": ONE_HOST, "events": []})])
    assert 0 == ended.status
    [declined] = ended.messages
    assert {"version", "unsupported"} == declined.keys()


@pytest.mark.parametrize("last", [[STOP], [STOP, START], []])
def test_stop_and_end_of_input_end_it(talk: Talk, last: list[Message]) -> None:
    ended = talk([START, run_of({"cluster": ONE_HOST, "events": []}, "a"), *last])
    assert (0, "") == (ended.status, ended.complaints)
    assert {"id": "a", "answers": []} == ended.messages[-1]


def test_each_answer_is_written_at_once(node: str) -> None:
    with subprocess.Popen(
        [node, str(SAMPLE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for ident in ("ä", "ö"):
            program.stdin.write(line_of(run_of({"cluster": ONE_HOST, "events": []}, ident)))
            program.stdin.flush()
            assert {"id": ident, "answers": []} == json.loads(program.stdout.readline())
        program.stdin.close()
        assert 0 == program.wait(timeout=60)


@pytest.mark.parametrize(
    "line",
    [b"{\n", b"\n", b"[]\n", b"1\n", b'{"cmd":"run"}\n', b'{"cmd":"x","id":1}\n', b'"\xff"\n'],
)
def test_line_without_id_ends_it(talk: Talk, line: bytes) -> None:
    ended = talk([START, line, STOP])
    assert 1 == ended.status
    assert 1 == len(ended.messages)
    assert ended.complaints.startswith("allotment-sample.js: ")


WRONG_CASES: dict[str, Message] = {
    "unknown field": {"cluster": ONE_HOST, "events": [], "extra": 1},
    "no events": {"cluster": ONE_HOST},
    "unknown event": {"events": [{"event": "sleep"}]},
    "no integer": {"events": [submit("j", primary(1), priority=0.5)]},
    "text request": {"events": [submit("j", primary(1), request="slots=1")]},
    "late mistake": {"events": [submit("late", primary(1)), {"event": "finish"}]},
    "no user": {"events": [{"event": "submit", "job": {"name": "j", "request": [[primary(1)]]}}]},
    "half a count": {"events": [submit("j", {"tasks": {"max": 1}})]},
    "wrong arity": {"events": [submit("j", primary(1, select={"op": "!", "args": []}))]},
    "two leaves": {"events": [submit("j", primary(1, select={"number": 1, "text": "x"}))]},
    "host twice": {"cluster": {"hosts": ONE_HOST["hosts"] * 2}, "events": []},
    "resource twice": {"cluster": {"resources": {"host": ["slots"]}, "hosts": []}, "events": []},
    "undeclared pool": {"cluster": {"hosts": [], "pools": {"lic": 1}}, "events": []},
}


@pytest.mark.parametrize("wrong", WRONG_CASES.values(), ids=WRONG_CASES.keys())
def test_wrong_case_is_an_error_that_changes_nothing(talk: Talk, wrong: Message) -> None:
    first = {"cluster": ONE_HOST, "events": [submit("j", primary(1))]}
    again = {"events": [submit("late", primary(1)), submit("j", primary(1)), RUN]}
    ended = talk([START, run_of(first), run_of(wrong, "w"), run_of(again)])
    assert 0 == ended.status
    assert {"id", "error"} == ended.messages[2].keys()
    assert "w" == ended.messages[2]["id"]
    results = ended.messages[3]["answers"]
    codes = [result.get("code", result["answer"]) for result in results]
    assert ["ok", "duplicate-name", "ran"] == codes
    assert ["j", "late"] == [job["job"] for job in results[2]["jobs"]]


def test_case_goes_on_with_the_scheduler_before(talk: Talk) -> None:
    ended = talk(
        [
            START,
            run_of({"events": []}),
            run_of({"cluster": ONE_HOST, "events": [submit("j", primary(2)), RUN]}),
            run_of({"report": ["books"], "events": [{"event": "finish", "job": "j"}]}),
        ]
    )
    assert "error" in ended.messages[1]
    in_use = {"hosts": {"A": {"slots": 2}}, "pools": {}, "limits": []}
    assert [{"answer": "ok", "books": in_use}] == ended.messages[3]["answers"]


def test_thousand_pipelined_cases_are_answered(talk: Talk) -> None:
    hosts = [{"name": f"host-{i}", "capacity": {"slots": 1}} for i in range(40)]
    events = [submit("j", primary(40)), RUN]
    case = {"cluster": {"hosts": hosts}, "report": ["books", "events"], "events": events}
    ended = talk([START, *(run_of(case, str(i)) for i in range(1000)), STOP])
    assert 0 == ended.status
    assert [str(i) for i in range(1000)] == [message["id"] for message in ended.messages[1:]]
    entries = [message["answers"][1]["jobs"][0] for message in ended.messages[1:]]
    assert {"dispatched"} == {entry["answer"] for entry in entries}


def test_large_answer_is_flushed_before_the_end(talk: Talk) -> None:
    hosts = [{"name": f"{i:->500}", "capacity": {"slots": 1}} for i in range(2000)]
    events = [submit("j", primary(2000, span={"ptile": 1})), RUN, RUN]
    case = {"cluster": {"hosts": hosts}, "report": ["books"], "events": events}
    assert 2000 == len(answers(talk, case)[2]["books"]["hosts"])


def test_separators_of_unicode_end_no_line(talk: Talk) -> None:
    name = "a\u2028b\u0085c\U0001f331"
    cluster = {"hosts": [{"name": name, "capacity": {"slots": 1}}]}
    case = {"cluster": cluster, "events": [submit("j", primary(1)), RUN]}
    assert [[[name, 1]]] == answers(talk, case)[1]["jobs"][0]["parts"]


def test_names_of_object_members_are_names(talk: Talk) -> None:
    host = {"name": "__proto__", "capacity": {"slots": 1, "constructor": 5}}
    cluster = {"resources": {"host": ["constructor", "toString"]}, "hosts": [host]}
    wanted = [{"resource": "constructor", "amount": 5}]
    events = [submit("hasOwnProperty", primary(1, rusage=wanted)), RUN]
    last = answers(talk, {"cluster": cluster, "report": ["books"], "events": events})[1]
    assert {"__proto__": {"slots": 1, "constructor": 5}} == last["books"]["hosts"]


def test_sum_beyond_the_largest_amount_is_exact(talk: Talk) -> None:
    hosts = [{"name": name, "capacity": {"slots": 1, "mem": LARGEST}} for name in "ABC"]
    limit = {"kind": "user", "each": True, "scope": "cluster", "resource": "mem"}
    case = {
        "cluster": {"resources": {"host": ["mem"]}, "hosts": hosts},
        "report": ["books"],
        "events": [
            submit("j", primary(3, rusage=[{"resource": "mem", "amount": LARGEST // 3}])),
            *(
                submit(name, primary(1, rusage=[{"resource": "mem", "amount": LARGEST}]))
                for name in "abc"
            ),
            {"event": "withdraw", "job": "j"},
            RUN,
            {"event": "limit_set", "limit": limit | {"cap": 1}},
            {"event": "begin_session"},
        ],
    }
    [used] = answers(talk, case)[-1]["books"]["limits"]
    assert limit | {"holder": "u", "host": None, "used": 3 * LARGEST} == used


@pytest.mark.parametrize(
    ("tasks", "amounts", "expected"),
    [
        (1, [LARGEST], "ok"),
        (1, [LARGEST, 1], "amount-range"),
        (3, [LARGEST // 3], "ok"),
        (3, [LARGEST // 3 + 1], "amount-range"),
        (2**20, [2**33 - 1], "ok"),
        (2**20, [2**33], "amount-range"),
        (1, [10**400], "amount-range"),
    ],
)
def test_totals_are_judged_exactly(
    talk: Talk, tasks: int, amounts: list[int], expected: str
) -> None:
    rusage = [{"resource": "mem", "amount": amount} for amount in amounts]
    cluster = {"resources": {"host": ["mem"]}, "hosts": []}
    case = {"cluster": cluster, "events": [submit("j", primary(tasks, rusage=rusage))]}
    [result] = answers(talk, case)
    assert expected == result.get("code", result["answer"])


@pytest.mark.parametrize(("levels", "expected"), [(100, "ok"), (101, "syntax"), (9000, "syntax")])
def test_select_has_hundred_levels_at_most(talk: Talk, levels: int, expected: str) -> None:
    nots = levels - 1
    select = '{"op":"!","args":[' * nots + '{"number":1000}' + "]}" * nots
    request = line_of(run_of({"cluster": ONE_HOST, "events": [submit("j", primary(1, select=0))]}))
    ended = talk([START, request.replace(b'"select": 0', f'"select": {select}'.encode())])
    [result] = ended.messages[1]["answers"]
    assert expected == result.get("code", result["answer"])


def test_quotient_is_not_rounded(talk: Talk) -> None:
    def number(thousandths: int) -> Message:
        return {"number": thousandths}

    def applied(op: str, *args: Message) -> Message:
        return {"op": op, "args": list(args)}

    third = applied("/", number(1000), number(3000))
    exact = applied("==", applied("*", third, number(3000)), number(1000))
    large = applied("/", number(LARGEST), number(LARGEST - 1))
    apart = applied("!=", large, number(1000))
    events = [submit("j", primary(1, select=applied("&&", exact, apart))), RUN]
    last = answers(talk, {"cluster": ONE_HOST, "events": events})[-1]
    assert "dispatched" == last["jobs"][0]["answer"]


def test_cancelled_attempt_leaves_nothing(talk: Talk) -> None:
    hosts = [{"name": name, "capacity": {"slots": 1}} for name in "ABC"]
    events = [submit("a", primary(2), primary(1)), submit("b", primary(3))]
    cluster = {"hosts": hosts}
    cases = [
        {
            "cluster": cluster,
            "report": ["books"],
            "events": [*events, RUN | {"cancel_at": poll}, {"event": "begin_session"}, RUN],
        }
        for poll in range(16)
    ]
    ended = talk([START, *(run_of(case) for case in cases), STOP])
    cancelled = []
    for message in ended.messages[1:]:
        first, _, second = message["answers"][2:]
        outcomes = {job["job"]: job["answer"] for job in first["jobs"]}
        cancelled += [name for name, outcome in outcomes.items() if outcome == "cancelled"]
        placed = "dispatched" in outcomes.values()
        assert (3 if placed else 0) == len(first["books"]["hosts"])
        assert 3 == len(second["books"]["hosts"])
    assert ["a"] * cancelled.count("a") + ["b"] * cancelled.count("b") == cancelled
    assert {"a", "b"} == set(cancelled)


def test_order_most_free_takes_the_emptiest(talk: Talk) -> None:
    hosts = [
        {"name": name, "capacity": {"slots": slots}}
        for name, slots in {"A": 2, "B": 3, "C": 3}.items()
    ]
    case = {"cluster": {"hosts": hosts}, "events": [submit("j", primary(1)), RUN]}
    expected = {"listed": "A", "most_free": "B"}
    for order, host in expected.items():
        last = answers(talk, case, "--host-order", order)[-1]
        assert [[[host, 1]]] == last["jobs"][0]["parts"]


def test_default_of_rusage_is_switched(talk: Talk) -> None:
    host = {"name": "A", "capacity": {"slots": 2, "mem": 1}}
    cluster = {"resources": {"host": ["mem"]}, "hosts": [host]}
    events = [submit("j", primary(2, rusage=[{"resource": "mem", "amount": 1}])), RUN]
    for default, expected in {"task": "pending", "host": "dispatched"}.items():
        case = {"cluster": cluster, "events": events}
        last = answers(talk, case, "--rusage-default", default)[-1]
        assert expected == last["jobs"][0]["answer"]


@pytest.mark.parametrize("switches", [["--host-order", "random"], ["--what"], ["file"]])
def test_wrong_switch_shows_the_usage(talk: Talk, switches: list[str]) -> None:
    ended = talk([], *switches)
    assert (1, []) == (ended.status, ended.messages)
    assert "usage: allotment-sample.js" in ended.complaints


def test_sources_stay_short() -> None:
    sources = sorted(SAMPLE.parent.glob("*.js"))
    assert SAMPLE in sources
    long = [
        f"{source.name}:{number}"
        for source in sources
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > 100 or number > 500
    ]
    assert [] == long
