"""The process adapter survives all that a program can do, and tells each thing by its name."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from allotment_conformance.errors import KitError
from allotment_conformance.wire import session_processes
from allotment_conformance.wire.child import CannotRun
from allotment_conformance.wire.failure import AdapterFailed, Ending, Failure, Fault
from allotment_conformance.wire.legality import IllegalProfile
from allotment_conformance.wire.limits import MIB, Limits
from allotment_conformance.wire.messages import Json, NotACase
from allotment_conformance.wire.process import ProcessAdapter, Unsupported

FAKE = Path(__file__).parent / "fakes" / "fake.py"
CASE: Json = {"cluster": {"hosts": []}, "events": [{"event": "begin_session"}]}
OK = [{"answer": "ok"}]

# What waits for something to go wrong waits briefly; what must go well may take long.
PATIENT = Limits(start_seconds=60, answer_seconds=60, stop_seconds=60)
BRIEF = Limits(start_seconds=60, answer_seconds=0.3, stop_seconds=60, memory_bytes=200 * MIB)

PATIENT_BUT_SMALL = replace(PATIENT, memory_bytes=200 * MIB)

needs_proc = pytest.mark.skipif(
    not session_processes.ARE_SEEN, reason="this system has no /proc to see processes in"
)


Told = tuple[str, Ending, Fault | None]
"""What a fake does, how that ends, and what is wrong with its message if it sent one."""

AT_A_CASE: list[Told] = [
    ("error", Ending.ERROR, None),
    ("silence", Ending.TIMEOUT, None),
    ("exit", Ending.CRASH, None),
    ("segv", Ending.CRASH, None),
    ("kill", Ending.CRASH, None),
    ("child-stays", Ending.CRASH, None),
    ("endless-lines", Ending.PROTOCOL, Fault.JSON),
    ("endless-line", Ending.PROTOCOL, Fault.LONG_LINE),
    ("gigabyte", Ending.PROTOCOL, Fault.LONG_LINE),
    ("utf8", Ending.PROTOCOL, Fault.UTF8),
    ("json", Ending.PROTOCOL, Fault.JSON),
    ("empty-line", Ending.PROTOCOL, Fault.JSON),
    ("deep", Ending.PROTOCOL, Fault.JSON),
    ("502-levels", Ending.PROTOCOL, Fault.JSON),
    ("shape", Ending.PROTOCOL, Fault.SHAPE),
    ("no-answers", Ending.PROTOCOL, Fault.SHAPE),
    ("shape-inside", Ending.PROTOCOL, Fault.SHAPE),
    ("float", Ending.PROTOCOL, Fault.SHAPE),
    ("named-twice", Ending.PROTOCOL, Fault.SHAPE),
    ("id-number", Ending.PROTOCOL, Fault.SHAPE),
    ("nan", Ending.PROTOCOL, Fault.NUMBER),
    ("infinity", Ending.PROTOCOL, Fault.NUMBER),
    ("huge", Ending.PROTOCOL, Fault.NUMBER),
    ("count", Ending.PROTOCOL, Fault.COUNT),
    ("unknown-id", Ending.PROTOCOL, Fault.UNKNOWN_ID),
    ("twice", Ending.PROTOCOL, Fault.TWICE),
    ("stderr", Ending.TIMEOUT, None),
]

AT_START: list[Told] = [
    ("start-silence", Ending.TIMEOUT, None),
    ("start-exit", Ending.CRASH, None),
    ("start-segv", Ending.CRASH, None),
    ("start-garbage", Ending.PROTOCOL, Fault.JSON),
    ("start-shape", Ending.PROTOCOL, Fault.SHAPE),
    ("start-version", Ending.PROTOCOL, Fault.SHAPE),
]

AT_STOP: list[Told] = [
    ("stop-ignored", Ending.TIMEOUT, None),
    ("stop-output", Ending.PROTOCOL, Fault.OUTPUT_AFTER_STOP),
    ("stop-status", Ending.CRASH, None),
]

IN_PROC: list[Told] = [("memory", Ending.MEMORY, None), ("stop-child", Ending.LEFT_BEHIND, None)]
"""What shows only where processes are seen."""

WAITED_FOR = {
    "start-silence": replace(PATIENT, start_seconds=0.5),
    "silence": BRIEF,
    "stderr": BRIEF,
    "stop-ignored": replace(PATIENT, stop_seconds=0.3),
}
"""How long, where only time shows that something is wrong."""


def command(*words: object) -> list[str]:
    """The words that run the fake."""
    return [sys.executable, "-I", "-S", str(FAKE), *map(str, words)]


@pytest.fixture
def adapter() -> Iterator[Callable[..., ProcessAdapter]]:
    """Makes adapters, and closes them when the test is over."""
    made: list[ProcessAdapter] = []

    def make(*words: object, limits: Limits = PATIENT) -> ProcessAdapter:
        made.append(ProcessAdapter(command(*words), limits=limits))
        return made[-1]

    yield make
    for one in made:
        one.close()


def session_of(adapter: ProcessAdapter) -> int:
    """The session in which the program runs."""
    assert adapter._child is not None
    return adapter._child.session


def living(session: int) -> list[int]:
    """The processes of a session that still run."""
    return [one.pid for one in session_processes.members(session) if not one.ended]


def test_answers_come_in_the_order_of_asking(adapter: Callable[..., ProcessAdapter]) -> None:
    one = adapter("well")
    assert "fake" == one.start()["name"]
    assert [OK] * 100 == list(one.replies([CASE] * 100))
    assert OK == one.run(CASE)
    one.close()
    assert (None, 1, 0) == (one.stop_failure, one.starts, one.asked_again)


def test_replies_out_of_order_are_allowed(adapter: Callable[..., ProcessAdapter]) -> None:
    two_events = {**CASE, "events": CASE["events"] * 2}
    one = adapter("reverse", 2)
    assert [OK, OK * 2] * 10 == list(one.replies([CASE, two_events] * 10))
    assert 1 == one.starts


def test_unknown_fields_are_ignored(adapter: Callable[..., ProcessAdapter]) -> None:
    assert [OK, OK] == list(adapter("extra-fields", 1).replies([CASE, CASE]))
    assert "licence" not in adapter("start-extra").start()


@pytest.mark.parametrize(
    ("mode", "ending", "fault"),
    [*AT_A_CASE, pytest.param("memory", Ending.MEMORY, None, marks=needs_proc)],
)
def test_failure_at_a_case_is_told_and_the_run_goes_on(
    adapter: Callable[..., ProcessAdapter],
    tmp_path: Path,
    mode: str,
    ending: Ending,
    fault: Fault | None,
) -> None:
    limits = WAITED_FOR.get(mode, PATIENT_BUT_SMALL)
    one = adapter(mode, 3, tmp_path / "seen", limits=limits)
    came = list(one.replies([CASE] * 6))
    failed = [number for number, reply in enumerate(came) if isinstance(reply, Failure)]
    assert [2] == failed, came
    failure = came[2]
    assert isinstance(failure, Failure)
    assert (ending, fault) == (failure.ending, failure.fault), failure
    assert [OK] * 5 == [reply for reply in came if isinstance(reply, list)]


@needs_proc
def test_all_fakes_end_as_they_must_within_half_a_minute(
    adapter: Callable[..., ProcessAdapter],
) -> None:
    fakes = [*AT_START, *AT_A_CASE, *AT_STOP, *IN_PROC]
    began, ends = time.monotonic(), []
    for mode, _ending, _fault in fakes:
        failure = how_it_fails(adapter(mode, limits=WAITED_FOR.get(mode, PATIENT_BUT_SMALL)))
        assert failure is not None, mode
        ends.append((mode, failure.ending, failure.fault))
    assert fakes == ends
    assert time.monotonic() - began <= 30


def how_it_fails(one: ProcessAdapter) -> Failure | None:
    """What is told of a program that is started, asked a case, and stopped."""
    try:
        one.start()
        one.run(CASE)
    except AdapterFailed as failed:
        return failed.failure
    one.close()
    return one.stop_failure


def test_output_that_is_closed_is_a_crash(adapter: Callable[..., ProcessAdapter]) -> None:
    limits = Limits(stop_seconds=0.2, answer_seconds=60)
    with pytest.raises(AdapterFailed) as failed:
        adapter("close-output", limits=limits).run(CASE)
    assert Ending.CRASH is failed.value.failure.ending
    assert "closed its standard output" in failed.value.failure.words


@pytest.mark.parametrize(("mode", "fault"), [("goes-on", Fault.JSON), ("twice", Fault.TWICE)])
def test_more_than_was_asked_is_a_fault_of_the_last_case(
    adapter: Callable[..., ProcessAdapter], mode: str, fault: Fault
) -> None:
    one = adapter(mode)
    with pytest.raises(AdapterFailed) as failed:
        one.run(CASE)
    assert fault is failed.value.failure.fault
    assert 0 == one.asked_again


def test_crash_tells_status_and_standard_error(adapter: Callable[..., ProcessAdapter]) -> None:
    with pytest.raises(AdapterFailed) as failed:
        adapter("exit").run(CASE)
    assert "it ended with status 3" == failed.value.failure.words
    assert "out of luck" == failed.value.failure.stderr
    assert "out of luck" in failed.value.remedy
    with pytest.raises(AdapterFailed, match="SIGSEGV"):
        adapter("segv").run(CASE)


@pytest.mark.parametrize(
    ("mode", "said"),
    [("exit", "out of luck"), ("error", ""), ("segv", ""), ("twice", ""), ("shape-inside", "")],
)
def test_standard_error_of_earlier_cases_is_not_told(
    adapter: Callable[..., ProcessAdapter], mode: str, said: str
) -> None:
    one = adapter(f"{mode}+talkative", "3")
    assert [OK, OK] == [one.run(CASE), one.run(CASE)]
    with pytest.raises(AdapterFailed) as failed:
        one.run(CASE)
    assert said == failed.value.failure.stderr


def test_standard_error_of_a_stop_is_that_since_it(adapter: Callable[..., ProcessAdapter]) -> None:
    one = adapter("stop-status+talkative", "9")
    one.run(CASE)
    one.close()
    assert one.stop_failure is not None
    assert ("after `stop` it ended with status 6", "") == (
        one.stop_failure.words,
        one.stop_failure.stderr,
    )


def test_each_process_may_fail_again(adapter: Callable[..., ProcessAdapter]) -> None:
    one = adapter("exit", 2)
    kinds = ["crash" if isinstance(reply, Failure) else "ok" for reply in one.replies([CASE] * 6)]
    assert ["ok", "crash"] * 3 == kinds
    assert 3 == one.starts
    assert one.asked_again > 0


@pytest.mark.parametrize(("mode", "ending", "fault"), AT_START)
def test_failure_at_start_is_told(
    adapter: Callable[..., ProcessAdapter], mode: str, ending: Ending, fault: Fault | None
) -> None:
    with pytest.raises(AdapterFailed) as failed:
        adapter(mode, limits=WAITED_FOR.get(mode, PATIENT)).start()
    failure = failed.value.failure
    assert (ending, fault, True) == (failure.ending, failure.fault, failure.at_start)


@pytest.mark.parametrize(
    ("mode", "refusal"), [("start-unsupported", Unsupported), ("start-profile", IllegalProfile)]
)
def test_what_cannot_be_checked_is_refused(
    adapter: Callable[..., ProcessAdapter], mode: str, refusal: type[KitError]
) -> None:
    with pytest.raises(refusal):
        adapter(mode).start()


def test_slow_start_is_waited_for(adapter: Callable[..., ProcessAdapter]) -> None:
    assert "fake" == adapter("start-slow").start()["name"]


def test_command_that_is_not_there_is_refused() -> None:
    with pytest.raises(CannotRun, match="cannot be run: No such file"):
        ProcessAdapter(["no-such-program"]).start()


def test_other_profile_after_a_new_start_is_told(adapter: Callable[..., ProcessAdapter]) -> None:
    one = adapter("start-other")
    one.start()
    os.killpg(session_of(one), 9)
    came = list(one.replies([CASE] * 2))
    assert ["crash", "protocol error: another profile after a new start"] == [
        reply.name for reply in came if isinstance(reply, Failure)
    ]


@pytest.mark.parametrize(
    ("mode", "ending", "fault"),
    [*AT_STOP, pytest.param("stop-child", Ending.LEFT_BEHIND, None, marks=needs_proc)],
)
def test_failure_at_stop_is_told_and_nothing_is_left(
    adapter: Callable[..., ProcessAdapter], mode: str, ending: Ending, fault: Fault | None
) -> None:
    one = adapter(mode, limits=WAITED_FOR.get(mode, PATIENT))
    one.start()
    session = session_of(one)
    one.close()
    assert one.stop_failure is not None
    assert (ending, fault) == (one.stop_failure.ending, one.stop_failure.fault)
    assert [] == living(session)


@needs_proc
def test_grandchildren_end_with_a_program_that_failed(
    adapter: Callable[..., ProcessAdapter],
) -> None:
    one = adapter("child-stays")
    one.start()
    session = session_of(one)
    with pytest.raises(AdapterFailed):
        one.run(CASE)
    assert [] == living(session)


@needs_proc
def test_no_zombie_is_left(adapter: Callable[..., ProcessAdapter]) -> None:
    one = adapter("exit", 1)
    for reply in one.replies([CASE] * 3):
        assert isinstance(reply, Failure)
    one.close()
    with suppress(ChildProcessError):
        pid, _status = os.waitpid(-1, os.WNOHANG)
        assert 0 == pid


def test_run_survives_being_killed_at_any_moment(adapter: Callable[..., ProcessAdapter]) -> None:
    one = adapter("well")
    one.start()
    done = threading.Event()

    def kill_now_and_then() -> None:
        while not done.wait(0.1):
            with suppress(AssertionError, ProcessLookupError):
                os.kill(session_of(one), 9)

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    came = []
    for reply in one.replies([CASE] * 60):
        came.append(reply)
        time.sleep(0.005)
    done.set()
    killer.join()
    assert 60 == len(came)
    failures = [reply for reply in came if isinstance(reply, Failure)]
    assert {"crash"} == {failure.name for failure in failures}
    assert len(failures) < 60


def test_program_that_is_not_stopped_ends_with_the_adapter() -> None:
    one = ProcessAdapter(command("well"), limits=PATIENT)
    one.start()
    session = session_of(one)
    del one
    assert [] == living(session)


def test_case_that_is_none_is_not_sent_when_validating(
    adapter: Callable[..., ProcessAdapter],
) -> None:
    one = adapter("well")
    one.validate = True
    with pytest.raises(NotACase):
        one.run({"events": [{"event": "dance"}]})
    assert OK == one.run(CASE)


def test_busy_program_is_not_asked_to_stop(adapter: Callable[..., ProcessAdapter]) -> None:
    one = adapter("silence", 2)
    replies = one.replies([CASE] * 3)
    assert OK == next(replies)
    one.close()
    assert one.stop_failure is None


@needs_proc
def test_time_of_the_program_is_seen(adapter: Callable[..., ProcessAdapter]) -> None:
    one = adapter("well")
    one.start()
    one.close()
    assert one.seconds_used >= 0.0
