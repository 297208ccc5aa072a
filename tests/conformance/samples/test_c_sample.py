"""The C sample answers as the specification says, and its faults show where they must.

Every test runs twice: against the plain build, and against one that stops at undefined
behaviour, at a wrong address and at memory that was not given back.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.counterexample.diagnosis import Failing, diagnose
from allotment_conformance.engines.all_directed import ALL_DIRECTED, as_asked
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.messages import read_profile
from house.sources import ROOT

# One worker builds for all of these tests.
pytestmark = pytest.mark.xdist_group("c-sample")

SAMPLE = ROOT / "conformance" / "samples" / "c"
EXAMPLE = re.compile(r"^```json example\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [
    json.loads(block) for block in EXAMPLE.findall((ROOT / "SPEC.md").read_text(encoding="utf-8"))
]
ANSWER_LIMIT_SECONDS = 60
"""Enough for a sanitized build on a busy machine; what hangs ends here."""

Json = dict[str, Any]


class Conversation:
    """One process of the sample, spoken with line by line."""

    def __init__(self, *words: str | Path) -> None:
        """Run the program and start the protocol."""
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._sent = 0
        self.profile: Json = self._ask({"cmd": "start", "version": 1})["profile"]

    def run(self, case: Json) -> Json:
        """Send one case; the message that answers it."""
        self._sent += 1
        name = f"case {self._sent}"
        answer = self._ask({"cmd": "run", "id": name, "case": case})
        assert name == answer.pop("id")
        return answer

    def stop(self) -> int:
        """Send the end; the status of the program."""
        rest, _ = self._process.communicate(b'{"cmd": "stop"}\n', timeout=ANSWER_LIMIT_SECONDS)
        assert rest == b""
        return self._process.returncode

    def _ask(self, message: Json) -> Json:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        answer: Json = json.loads(self._process.stdout.readline())
        return answer


def missing_tool() -> str | None:
    """Why the sample cannot be built here; None if it can."""
    compiler = shutil.which("cc")
    if compiler is None or shutil.which("make") is None:
        return "there is no C compiler or no make"
    probe = [compiler, "-E", "-x", "c", "-"]
    source = b"#include <jansson.h>\n"
    found = subprocess.run(probe, input=source, capture_output=True, check=False)
    return None if found.returncode == 0 else "the header of Jansson is missing (libjansson-dev)"


@pytest.fixture(scope="module", params=["allotment_sample", "allotment_sample_sanitized"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built sample."""
    if reason := missing_tool():
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    built = tmp_path_factory.mktemp("sample") / str(request.param)
    target = ["make", "-C", str(SAMPLE), f"BUILD={built.parent}", str(built)]
    completed = subprocess.run(target, capture_output=True, text=True, check=False)
    assert 0 == completed.returncode, completed.stdout + completed.stderr
    return built


@pytest.fixture
def converse(program: Path) -> Iterator[Callable[..., Conversation]]:
    """Starts conversations, and has each end well."""
    begun = []

    def begin(*words: str) -> Conversation:
        begun.append(Conversation(program, *words))
        return begun[-1]

    yield begin
    assert [0] * len(begun) == [conversation.stop() for conversation in begun]


def speak(program: Path, text: bytes) -> "subprocess.CompletedProcess[bytes]":
    """Send a whole input and its end."""
    return subprocess.run(
        [program], input=text, capture_output=True, check=False, timeout=ANSWER_LIMIT_SECONDS
    )


def cluster(*slots: int, **rest: Any) -> Json:
    """Hosts A, B, … of so many slots."""
    names = "ABCDEFGH"[: len(slots)]
    hosts = [{"name": n, "capacity": {"slots": s}} for n, s in zip(names, slots, strict=True)]
    return {"hosts": hosts, **rest}


def job(name: str, *tasks: int, **fields: Any) -> Json:
    """The submission of a compound with so many tasks in each part."""
    parts = [{"tasks": {"min": count, "max": count}, **fields} for count in tasks]
    return submission(name, [parts])


def submission(name: str, request: list[list[Json]]) -> Json:
    """The submission of a job with this request."""
    identity = {"user": "u", "queue": "q", "project": "p"}
    return {"event": "submit", "job": {"name": name, **identity, "request": request}}


def ran(conversation: Conversation, case: Json) -> list[Json]:
    """The entries of the last run of a case."""
    entries: list[Json] = conversation.run(case)["answers"][-1]["jobs"]
    return entries


RUN = {"event": "run_session"}


def test_profile_declares_every_feature_but_text(converse: Callable[..., Conversation]) -> None:
    profile = converse().profile
    features = "compound alter select rusage span ptile shared limits priorities host-changes"
    assert [*features.split(), "cancel", "events", "books"] == profile["features"]
    choices = ("listed", "balanced", "transparent", "task")
    axes = ("host_order", "split", "cache", "rusage_default")
    assert choices == tuple(profile[axis] for axis in axes)
    assert ["reason", "never", "cached"] == profile["declares"]


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_worked_example_is_answered(converse: Callable[..., Conversation], number: int) -> None:
    example = dict(EXAMPLES[number])
    expected = example.pop("answers")
    assert {"answers": expected} == converse().run(example)


def test_examples_were_found() -> None:
    assert len(EXAMPLES) >= 15


def test_case_without_cluster_goes_on(converse: Callable[..., Conversation]) -> None:
    conversation = converse()
    conversation.run({"cluster": cluster(1), "events": [job("a", 1), RUN]})
    entry = {"job": "b", "answer": "pending", "reason": "capacity", "never": False, "cached": False}
    assert [entry] == ran(conversation, {"events": [job("b", 1), RUN]})
    again = [{"event": "finish", "job": "a"}, {"event": "begin_session"}, RUN]
    assert "dispatched" == ran(conversation, {"events": again})[0]["answer"]


def test_events_of_an_attempt_are_told(converse: Callable[..., Conversation]) -> None:
    case = {"cluster": cluster(1, 2), "events": [job("j", 3), RUN], "report": ["events"]}
    expected = [
        ["primary", 0, 0],
        ["plan", [3]],
        ["plan", [2, 1]],
        ["offered", "B"],
        ["claimed", "B", 2],
        ["offered", "A"],
        ["claimed", "A", 1],
        ["committed"],
    ]
    assert expected == ran(converse(), case)[0]["events"]


def test_claimed_host_is_refused_and_reversed(converse: Callable[..., Conversation]) -> None:
    case = {"cluster": cluster(3, 1), "events": [job("j", 4), RUN], "report": ["events"]}
    expected = [
        ["primary", 0, 0],
        ["plan", [4]],
        ["plan", [2, 2]],
        ["offered", "A"],
        ["claimed", "A", 2],
        ["reversed", "A", 2],
        ["filled", "capacity"],
    ]
    assert expected == ran(converse(), case)[0]["events"]
    events = [job("k", 2, rusage=[{"resource": "mem", "amount": 1}]), RUN]
    amounts = {"resources": {"host": ["mem"]}, **cluster(3)}
    amounts["hosts"][0]["capacity"]["mem"] = 1
    told = ran(converse(), {"cluster": amounts, "events": events, "report": ["events"]})
    assert ["filled", "capacity"] == told[0]["events"][-1]


@pytest.mark.parametrize(("surplus", "answer"), [(0, "pending"), (1, "dispatched")])
def test_select_is_exact_beyond_any_width(
    converse: Callable[..., Conversation], surplus: int, answer: str
) -> None:
    """Products of sixty factors of 53 bits that differ by a thousandth of one factor."""
    largest = {"attribute": "large"}
    product: Json = largest
    for _ in range(60):
        product = {"op": "*", "args": [product, largest]}
    more = {"op": "+", "args": [product, {"number": surplus}]}
    hosts = [{"name": "A", "capacity": {"slots": 1}, "attributes": {"large": 2**53 - 1}}]
    case = {
        "cluster": {"resources": {"attributes": {"large": "number"}}, "hosts": hosts},
        "events": [job("j", 1, select={"op": ">", "args": [more, product]}), RUN],
    }
    assert answer == ran(converse(), case)[0]["answer"]


@pytest.mark.parametrize("polls", range(12))
def test_cancelled_attempt_leaves_nothing(
    converse: Callable[..., Conversation], polls: int
) -> None:
    events = [job("a", 2, 2), job("b", 1), {"event": "run_session", "cancel_at": polls}]
    case = {"cluster": cluster(1, 1, 2), "events": events, "report": ["books"]}
    answer = converse().run(case)["answers"][-1]
    cancelled = [entry["job"] for entry in answer["jobs"] if entry["answer"] == "cancelled"]
    assert len(cancelled) <= 1
    held = {
        (host, slots)
        for entry in answer["jobs"]
        for part in entry.get("parts", [])
        for host, slots in part
    }
    used = {(host, books["slots"]) for host, books in answer["books"]["hosts"].items()}
    assert held == used


BROKEN: list[Json] = [
    {"event": "nothing"},
    {"event": "submit"},
    {"event": "submit", "job": {"name": "j"}},
    {"event": "run_session", "cancel_at": -1},
    {"event": "run_session", "job": "j"},
    {"event": "host_add", "host": {"name": "B"}},
    {"event": "host_change", "host": "A", "capacity": {"slots": "one"}},
    {"event": "limit_set", "limit": {"kind": "user", "scope": "cluster", "resource": "slots"}},
    job("j", 1, rusage=[{"resource": "slots", "amount": 1.5}]),
    job("j", 1, select={"op": "!", "args": []}),
    job("j", 1, select={"op": "?", "args": [{"number": 1}]}),
    job("j", 1, gpu=1),
    job("j", 1, span=[]),
]


@pytest.mark.parametrize("event", BROKEN)
def test_broken_event_is_an_error(converse: Callable[..., Conversation], event: Json) -> None:
    conversation = converse()
    answer = conversation.run({"cluster": cluster(1), "events": [job("a", 1), event, RUN]})
    assert ["error"] == list(answer)
    assert ["error"] == list(conversation.run({"events": [RUN]}))
    after = {"cluster": cluster(1), "events": [job("a", 1), RUN]}
    assert "dispatched" == ran(conversation, after)[0]["answer"]


BROKEN_CLUSTERS: list[Json] = [
    {},
    cluster(1) | {"racks": []},
    {"hosts": [*cluster(1)["hosts"], *cluster(1)["hosts"]]},
    cluster(-1),
    cluster(1, pools={"lic": 1}),
    cluster(1, resources={"host": ["mem", "mem"]}),
    cluster(1, resources={"shared": ["slots"]}),
    cluster(1, resources={"attributes": {"gen": "date"}}),
]


@pytest.mark.parametrize("broken", BROKEN_CLUSTERS)
def test_broken_cluster_is_an_error(converse: Callable[..., Conversation], broken: Json) -> None:
    assert ["error"] == list(converse().run({"cluster": broken, "events": []}))


def test_other_version_is_not_supported(program: Path) -> None:
    ended = speak(program, b'{"cmd": "start", "version": 2}\n')
    assert 0 == ended.returncode
    assert {"version", "unsupported"} == set(json.loads(ended.stdout))


def test_end_of_input_means_stop(program: Path) -> None:
    ended = speak(program, b'{"cmd": "start", "version": 1}\n')
    assert 0 == ended.returncode
    assert 1 == len(ended.stdout.splitlines())


def test_pipelined_requests_keep_their_ids(program: Path) -> None:
    names = ["", '"\\\n', "\u00e9\U0001f331", "x" * 100_000]
    messages: list[Json] = [{"cmd": "start", "version": 1}]
    for name in names:
        case = {"cluster": cluster(1), "events": [job("j", 1), RUN]}
        messages.append({"cmd": "run", "id": name, "case": case})
    ended = speak(program, b"".join(json.dumps(m).encode() + b"\n" for m in messages))
    answers = [json.loads(line) for line in ended.stdout.splitlines()[1:]]
    assert names == [answer["id"] for answer in answers]
    assert all("answers" in answer for answer in answers)


def test_run_before_start_is_an_error(program: Path) -> None:
    ended = speak(program, b'{"cmd": "run", "id": "a", "case": {}}\n')
    assert {"id": "a", "error": "run before start"} == json.loads(ended.stdout)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"slots",
        b"[]",
        b"\xff\xfe",
        b'{"cmd": "dance"}',
        b'{"cmd": "run", "id": 1, "case": {}}',
        b'{"cmd": "stop", "now": true}',
        b"[" * 100_000,
        b'{"cmd": "start", "version": 1}\n{"cmd": "start", "version": 1}',
    ],
)
def test_what_has_no_id_ends_with_a_message(program: Path, line: bytes) -> None:
    ended = speak(program, line + b"\n")
    assert 2 == ended.returncode
    assert ended.stderr.startswith(b"allotment_sample: ")


def test_help_lists_every_fault(program: Path) -> None:
    shown = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    assert all(f"  {fault} " in shown for fault in FAULTS)


def test_unknown_fault_is_refused(program: Path) -> None:
    for words in (["--fault"], ["--fault", "laziness"], ["--bench"]):
        ended = subprocess.run([program, *words], capture_output=True, check=False)
        assert (2, b"") == (ended.returncode, ended.stdout)


MEMORY = cluster(2, 1, resources={"host": ["mem"]})
MEMORY["hosts"][0]["capacity"]["mem"] = 600


def memory(tasks: int, amount: int) -> Json:
    """A primary of so many tasks with so much memory for each."""
    usage = [{"resource": "mem", "amount": amount, "per": "task"}]
    return {"tasks": {"min": tasks, "max": tasks}, "rusage": usage}


ONE = {"tasks": {"min": 1, "max": 1}}

FAULTS: dict[str, tuple[Json, Json]] = {
    # HOST-3: the second bucket must find A, over which the first passed.
    "shared-cursor": (
        {"cluster": cluster(1, 2), "events": [job("j", 3), RUN]},
        {"job": "j", "answer": "dispatched", "alternative": 0, "parts": [[["B", 2], ["A", 1]]]},
    ),
    # CACHE-8: the second of two equal primaries that fail is a hit.
    "key-padding": (
        {"cluster": cluster(1), "events": [job("j", 2), job("k", 2), RUN]},
        {"job": "k", "answer": "pending", "reason": "capacity", "never": True, "cached": True},
    ),
    # E2: the second alternative needs exactly the half that is left.
    "float-ledger": (
        {
            "cluster": MEMORY,
            "events": [
                submission("a", [[memory(1, 100)]]),
                submission("b", [[memory(2, 200)], [memory(1, 500), ONE]]),
                RUN,
            ],
        },
        {"job": "b", "answer": "dispatched", "alternative": 1, "parts": [[["A", 1]], [["B", 1]]]},
    ),
    # E1: what failed behind a debit of its own compound is not hopeless.
    "literal-cache": (
        {"cluster": cluster(1), "events": [job("one", 1, 1), job("two", 1), RUN]},
        {"job": "two", "answer": "dispatched", "alternative": 0, "parts": [[["A", 1]]]},
    ),
}
"""For each fault a case, and the specification's answer for its last job."""


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_shows_and_is_not_declared(converse: Callable[..., Conversation], fault: str) -> None:
    case, right = FAULTS[fault]
    sound, faulty = converse(), converse("--fault", fault)
    assert sound.profile == faulty.profile
    assert right == ran(sound, case)[-1]
    assert right != ran(faulty, case)[-1]


def test_float_ledger_is_told_for_what_it_is(converse: Callable[..., Conversation]) -> None:
    """AMOUNT-1, as the README says, and not as a plan or a host that was chosen badly."""
    faulty = converse("--fault", "float-ledger")
    profile = read_profile(faulty.profile)
    cases = [
        as_asked(one, profile)
        for one in ALL_DIRECTED
        if one.name in ("exact-reversal", "key-largest-amounts")
    ]
    failing = [Failing(case=case, answers=faulty.run(case)["answers"]) for case in cases]
    found = Oracle(profile).judge(failing[0].case, failing[0].answers).disagreement
    assert found is not None
    told = diagnose(failing, found, profile)
    assert (("AMOUNT-1",), ("float64-sums",)) == (told.clauses, told.faults)


def test_literal_hit_pends_the_whole_job(converse: Callable[..., Conversation]) -> None:
    """E10: that the first alternative is hopeless says nothing about the second."""
    hopeless = [memory(1, 601)]
    events = [submission("a", [hopeless]), submission("b", [hopeless, [ONE]]), RUN]
    case = {"cluster": MEMORY, "events": events}
    assert "dispatched" == ran(converse(), case)[-1]["answer"]
    assert "pending" == ran(converse("--fault", "literal-cache"), case)[-1]["answer"]
