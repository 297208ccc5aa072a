"""Work that several processes do, with the results in the order of the work."""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any, TypeVar

Share = TypeVar("Share")
Result = TypeVar("Result")

GRACE = 5.0
"""Seconds that a process may go on after the run has ended: a share takes one or two."""

SHARES_AHEAD = 3
"""Shares given out to each process at a time: it never waits, and little is done in vain."""


@contextmanager
def results_in_order(
    processes: int,
    start_worker: Callable[..., None],
    told: tuple[Any, ...],
    do: Callable[[Share], Result],
    work: Iterable[Share],
) -> Iterator[Iterator[Result]]:
    """The results of all shares, in order; each process is made ready once, by what it is told.

    Processes that are not needed any more may end what they are doing, for `GRACE` seconds.
    """
    pool = ProcessPoolExecutor(
        max_workers=processes,
        mp_context=get_context("spawn"),
        initializer=_begin,
        initargs=(start_worker, told),
    )
    try:
        yield _in_order(pool, do, work, processes * SHARES_AHEAD)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        _ended(active_children(), monotonic() + GRACE)


def _ended(children: Iterable[BaseProcess], deadline: float) -> None:
    """See the processes end; one that hangs in an allocator is killed at the deadline."""
    for child in children:
        child.join(max(0.0, deadline - monotonic()))
        if child.is_alive():
            child.kill()
            child.join()


def _begin(start_worker: Callable[..., None], told: tuple[Any, ...]) -> None:
    """Make this process ready, and let it end when the one that gives out work is gone."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    start_worker(*told)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None, "whoever does shares was started for it"
    parent.join()
    os._exit(1)


def _in_order(
    pool: ProcessPoolExecutor,
    do: Callable[[Share], Result],
    work: Iterable[Share],
    ahead: int,
) -> Iterator[Result]:
    """The results in the order of the work, with so many shares given out ahead."""
    rest = iter(work)
    with _interrupts_ignored():
        waiting: deque[Future[Result]] = deque(
            pool.submit(do, share) for share in islice(rest, ahead)
        )
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(pool.submit(do, share) for share in islice(rest, 1))


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started here inherit that Ctrl-C is ignored; it is for this process to react."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
