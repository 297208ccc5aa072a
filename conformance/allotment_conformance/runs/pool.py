"""Processes that do shares of work, so that nothing an allocator does there can end the run.

Each process makes one worker and does one share at a time; results come in the order of the work.
While a share is done, the process notes on its `Desk` which item of it is at hand. So when it ends
before its time, or does not come to an end, it is known where it stood.
"""

import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from allotment_conformance.errors import KitError
from allotment_conformance.wire.failure import status_words

Made = TypeVar("Made", bound="Closable")
Share = TypeVar("Share")
Result = TypeVar("Result")

GRACE = 5.0
"""Seconds that a process may go on after the run has ended: a share takes one or two."""

PULSE = 0.5
"""Seconds after which whoever waits for a result is told what is being done."""

NOTHING_YET = -1
"""What a desk shows before the first item: the worker is being made, or nothing was noted."""

SHARES_REMEMBERED = 12
"""Of each process: with fifty cases each more than a search for predecessors looks at."""

CONTEXT = get_context("forkserver")
"""Processes are copies of a clean one, which has imported what the work takes, and nothing else."""

CONTEXT.set_forkserver_preload(
    ["allotment_conformance.runs.check_work", "allotment_conformance.runs.exhaustion_work"]
)


class Closable(Protocol):
    """What is made in a process to do shares there."""

    def close(self) -> None:
        """Give up what is held; no share follows."""


class Desk:
    """What a process and whoever gives it work both see: the item at hand, a wish to stop."""

    def __init__(self) -> None:
        self._seen = CONTEXT.RawArray("q", [NOTHING_YET, 0])

    def note(self, item: int) -> None:
        """From now on this item of the share is at hand."""
        self._seen[0] = item

    @property
    def item(self) -> int:
        """The item that is at hand."""
        return int(self._seen[0])

    def stop(self) -> None:
        """Ask the worker to leave what is left of its share."""
        self._seen[1] = 1

    @property
    def is_stopped(self) -> bool:
        """Whether the worker is asked to leave what is left of its share."""
        return bool(self._seen[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class AtWork:
    """A share that is being done, its item at hand, and for how many seconds that one."""

    share: Any
    item: int
    seconds: float


class Place(NamedTuple):
    """Where a result belongs: to which call for results, and as which of them."""

    call: int
    turn: int


class Lost(Exception):
    """A process ended before its share did; `item` was at hand. `done` are shares it did before."""

    def __init__(self, share: Any, item: int, words: str, done: Sequence[Any] = ()) -> None:
        super().__init__(words)
        self.share = share
        self.item = item
        self.words = words
        self.done = tuple(done)


class WorkerBroken(Exception):
    """A worker raised what it should not: a fault of the kit, with the worker's own traceback."""


class _Process(Generic[Made]):
    """One process, and the share that it does."""

    def __init__(self, make: Callable[..., Made], told: tuple[Any, ...]) -> None:
        self.desk = Desk()
        self.connection, far = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_work, args=(far, self.desk, make, told))
        self.process.start()
        far.close()
        self.place: Place | None = None
        self.share: Any = None
        self.done: deque[Any] = deque(maxlen=SHARES_REMEMBERED)
        self._item, self._since = NOTHING_YET, monotonic()

    def give(self, do: Callable[[Made, Share], Result], place: Place, share: Share) -> None:
        """Have it do a share. If it has just ended, that is seen when its result is waited for."""
        self.place, self.share = place, share
        self.desk.note(NOTHING_YET)
        self._item, self._since = NOTHING_YET, monotonic()
        with suppress(OSError):
            self.connection.send((do, share))

    def at_work(self) -> AtWork:
        """What it does now; an item is as old as it is known to be."""
        if self.desk.item != self._item:
            self._item, self._since = self.desk.item, monotonic()
        return AtWork(share=self.share, item=self._item, seconds=monotonic() - self._since)

    def result(self) -> Any:
        """Its result, or how it was lost. Raises `KitError` and `WorkerBroken` of the worker."""
        try:
            # What an allocator has started may hold the far end open when the process is gone.
            if not self.connection.poll():
                return self._lost()
            refused, came = self.connection.recv()
        except (EOFError, OSError):
            return self._lost()
        if refused:
            raise came
        self.place = None
        self.done.append(self.share)
        return came

    def _lost(self) -> Lost:
        self.end(monotonic() + PULSE)
        words = status_words(self.process.exitcode or 0)
        self.place = None
        return Lost(self.share, self.desk.item, words, self.done)

    def end(self, deadline: float) -> None:
        """See it end; one that hangs in an allocator is killed at the deadline."""
        self.connection.close()
        self.process.join(max(0.0, deadline - monotonic()))
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class Crew(Generic[Made]):
    """Up to so many processes, started when there is work; each makes a worker of what it is told.

    `make` is called with the process's desk and what it is told. `pulse` is told twice a second
    what is being done, while a result is waited for; what it raises ends the waiting.
    """

    def __init__(
        self,
        processes: int,
        make: Callable[..., Made],
        told: tuple[Any, ...] = (),
        *,
        pulse: Callable[[Sequence[AtWork]], None] = lambda at_work: None,
        grace: float = GRACE,
    ) -> None:
        assert processes >= 1, "somebody does the work"
        self._most = processes
        self._make, self._told = make, told
        self._pulse, self._grace = pulse, grace
        self._processes: list[_Process[Made]] = []
        self._call = 0
        self._pulsed = monotonic()

    def __enter__(self) -> "Crew[Made]":
        return self

    def __exit__(self, *_raised: object) -> None:
        deadline = monotonic() + self._grace
        for one in self._processes:
            one.desk.stop()
            one.connection.close()
        try:
            for one in self._processes:
                one.end(deadline)
        finally:  # A Ctrl-C cuts the wait short: then nobody waits for the others either.
            for one in self._processes:
                one.end(monotonic())

    def one(self, do: Callable[[Made, Share], Result], share: Share) -> Result:
        """The result of one share. Raises `Lost`."""
        [result] = self.in_order(do, [share])
        return result

    def in_order(
        self, do: Callable[[Made, Share], Result], work: Iterable[Share]
    ) -> Iterator[Result]:
        """The results of all shares, in order. Raises `Lost` in the place of one that has none."""
        self._call += 1
        call, came = self._call, dict[Place, Any]()
        rest = ((Place(call, turn), share) for turn, share in enumerate(work))
        for turn in count():
            place = Place(call, turn)
            while place not in came:
                self._give_out(do, rest)
                if not self._busy():
                    return
                came.update(self._results())
            result = came.pop(place)
            if isinstance(result, Lost):
                raise result
            yield result

    def of_each(self, do: Callable[[Made, None], Result]) -> list[Result]:
        """What each says that has no share; of those that are lost meanwhile, nothing."""
        self._call += 1
        idle = [one for one in self._processes if one.place is None and one.process.is_alive()]
        for turn, one in enumerate(idle):
            one.give(do, Place(self._call, turn), None)
        came = dict[Place, Any]()
        while self._busy():
            came.update(self._results())
        told = [came[place] for place in sorted(came) if place.call == self._call]
        return [one for one in told if not isinstance(one, Lost)]

    def left_early(self) -> Any:
        """Ask for what there is of a single share; None if nothing comes within the grace."""
        deadline = monotonic() + self._grace
        for one in self._busy():
            one.desk.stop()
            if one.connection.poll(max(0.0, deadline - monotonic())):
                result = one.result()
                return None if isinstance(result, Lost) else result
        return None

    def _busy(self) -> list[_Process[Made]]:
        """Those that do shares of the present call; what others still do is not waited for."""
        return [one for one in self._processes if one.place and one.place.call == self._call]

    def _give_out(
        self, do: Callable[[Made, Share], Result], rest: Iterator[tuple[Place, Share]]
    ) -> None:
        """A share for each process that has none, as long as there are some."""
        while len(self._busy()) < self._most:
            given = next(rest, None)
            if given is None:
                return
            self._idle().give(do, *given)

    def _idle(self) -> _Process[Made]:
        """A process without a share, a new one if there is none."""
        self._processes = [
            one for one in self._processes if one.place is not None or one.process.is_alive()
        ]
        for one in self._processes:
            if one.place is None:
                return one
        with interrupts_held():
            self._processes.append(_Process(self._make, self._told))
        return self._processes[-1]

    def _results(self) -> Iterator[tuple[Place, Any]]:
        """What came, and in which place it belongs, after a pulse at the latest."""
        giving = {one.connection: one for one in self._processes if one.place is not None}
        ready = wait(list(giving), timeout=PULSE)
        for connection, one in giving.items():
            place = one.place
            assert place is not None, "it does a share"
            if connection in ready or not one.process.is_alive():
                yield place, one.result()
        if monotonic() - self._pulsed >= PULSE:
            self._pulsed = monotonic()
            self._pulse([one.at_work() for one in self._busy()])


class Here(Generic[Made]):
    """The same in this process: what an allocator does amiss here can end the run."""

    def __init__(self, make: Callable[..., Made], told: tuple[Any, ...] = ()) -> None:
        self._make, self._told = make, told

    def __enter__(self) -> "Here[Made]":
        self._worker = self._make(Desk(), *self._told)
        return self

    def __exit__(self, *_raised: object) -> None:
        self._worker.close()

    def one(self, do: Callable[[Made, Share], Result], share: Share) -> Result:
        """The result of one share."""
        return do(self._worker, share)

    def in_order(
        self, do: Callable[[Made, Share], Result], work: Iterable[Share]
    ) -> Iterator[Result]:
        """The results of all shares, in order."""
        return (do(self._worker, share) for share in work)

    def of_each(self, do: Callable[[Made, None], Result]) -> list[Result]:
        """What the one worker says."""
        return [do(self._worker, None)]


def _work(
    connection: Connection, desk: Desk, make: Callable[..., Closable], told: tuple[Any, ...]
) -> None:
    """What a process does until nobody gives it shares any more.

    It ignores Ctrl-C, and so does what it starts: the one that gives out work reacts to it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    worker: Closable | None = None
    try:
        worker = make(desk, *told)
        for do, share in _received(connection):
            _send(connection, (False, do(worker, share)))
    except KitError as refused:
        _send(connection, (True, refused))
    except Exception:
        _send(connection, (True, WorkerBroken(traceback.format_exc())))
    if worker is not None:
        worker.close()


def _received(connection: Connection) -> Iterator[Any]:
    """What is given to this process to do."""
    with suppress(EOFError, OSError):
        while True:
            yield connection.recv()


def _send(connection: Connection, message: Any) -> None:
    """Send a result. Nobody waits for it any more when the run has ended."""
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.send(message)


def _end_with_parent() -> None:
    """End this process when the one that gives out work is gone."""
    parent = parent_process()
    assert parent is not None, "whoever does shares was started for it"
    parent.join()
    os._exit(1)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """A Ctrl-C waits for the end of the block. Processes started here inherit that they hold it.

    The first of them takes a second, since it imports all that the others begin with. Where there
    are other threads, one of them may take the Ctrl-C, and then it is heard at once.
    """
    resource_tracker.ensure_running()  # Whoever starts that process lets go of what is held.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
