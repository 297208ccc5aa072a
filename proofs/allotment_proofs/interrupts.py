"""An interrupt is kept until the next safe place.

Python raises it wherever it is, and where that is the clean-up of a term of Z3, it is lost.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_WAITING: list[int] = []


@contextmanager
def kept() -> Iterator[None]:
    """Meanwhile an interrupt waits for `raise_if_waiting`."""
    before = signal.signal(signal.SIGINT, lambda number, _frame: _WAITING.append(number))
    try:
        yield
        raise_if_waiting()
    finally:
        signal.signal(signal.SIGINT, before)
        _WAITING.clear()


def raise_if_waiting() -> None:
    """The interrupt that has come, if one has."""
    if _WAITING:
        raise KeyboardInterrupt
