"""The processes that do shares of work: none is left behind."""

import signal
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import active_children
from time import monotonic, sleep

import pytest

from allotment_conformance.runs.pool import NOTHING_YET, AtWork, Crew, interrupts_held
from allotment_conformance.runs.work import Worker, shares
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter


class Hanging(ModelAdapter):
    """Does not come to an end."""

    def run(self, case: Json) -> list[Json]:
        while True:
            sleep(0.1)


@pytest.fixture
def interrupted_soon() -> Iterator[None]:
    """Whoever waits is interrupted, as by Ctrl-C, when the timer has run out."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("interrupted_soon")
def test_interrupt_while_processes_are_ended_leaves_none_behind() -> None:
    others, start = {*active_children()}, monotonic()

    def pulse(at_work: Sequence[AtWork]) -> None:
        if all(one.item != NOTHING_YET for one in at_work):
            assert 2 == len({*active_children()} - others)
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            raise InterruptedError

    def begin_and_leave() -> None:
        name = "conformance.runs.test_pool:Hanging"
        with Crew(2, Worker, (name,), pulse=pulse, grace=60.0) as crew:
            list(crew.in_order(Worker.do, shares(0, 1)))

    with pytest.raises(KeyboardInterrupt):
        begin_and_leave()
    assert others == {*active_children()}
    assert monotonic() - start < 50


def test_interrupt_while_a_process_is_started_is_heard_when_it_is() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    started: list[str] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            _start_interrupted(started)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ["started"] == started


def _start_interrupted(started: list[str]) -> None:
    with interrupts_held():
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        started.append("started")
