"""A guard around an adapter in this process: what it does amiss never ends the kit."""

import sys
from copy import deepcopy
from typing import TYPE_CHECKING

import msgspec

from allotment_conformance.errors import KitError
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.messages import Json, too_deep
from allotment_conformance.wire.process import ProcessAdapter
from allotment_conformance.wire.request_texts import with_texts

if TYPE_CHECKING:
    from allotment_conformance.wire.adapter import Adapter


class AdapterNotStarted(KitError):
    """An adapter could not be made or started."""

    code = "adapter-not-started"


class AdapterLeft(Exception):
    """An adapter tried to end the process, as `sys.exit` does; that is a crash of its own."""


def failed(what: str, raised: BaseException) -> AdapterNotStarted:
    """The refusal to go on with an adapter that raised before the first case."""
    return AdapterNotStarted(
        f"{what}: {type(raised).__name__}: {raised}",
        remedy="Mend the adapter, or check its options; `allotment check` runs it as a program.",
    )


def left_at_start(name: str, words: str) -> AdapterNotStarted:
    """The refusal to go on with an adapter whose process did not live to its first case."""
    return AdapterNotStarted(
        f"'{name}' does not start: {words}",
        remedy="Mend the adapter, or run it as a program with `allotment check`.",
    )


def copied(case: Json) -> Json:
    """The same case, which shares nothing with it. Raises `NotACase` if it is too deep."""
    try:
        copy: Json = msgspec.json.decode(msgspec.json.encode(case))
    except (OverflowError, UnicodeEncodeError):
        # Integers beyond 64 bits, and halves of surrogate pairs.
        copy = deepcopy(case)
    except RecursionError:
        raise too_deep() from None
    return copy


class Guarded:
    """An adapter whose attempts to leave are exceptions that the kit counts (SPEC.md 2.1)."""

    def __init__(self, adapter: "Adapter", name: str) -> None:
        """Guard the adapter of that name."""
        self.adapter = adapter
        self._name = name
        self._closed = False

    def start(self) -> Json:
        """The profile. Raises AdapterNotStarted if the adapter raises."""
        try:
            return self.adapter.start()
        except (KeyboardInterrupt, KitError):
            raise
        except BaseException as raised:
            raise failed(f"'{self._name}' does not start", raised) from raised

    def run(self, case: Json) -> list[Json]:
        """The answers to the case, requests as texts where it says so.

        An exception of the adapter goes through, an exit becomes one. The adapter gets a case of
        its own, and may do with it what it likes.
        """
        own = copied(with_texts(case))
        try:
            return self.adapter.run(own)
        except (KeyboardInterrupt, Exception):
            raise
        except BaseException as left:
            raise AdapterLeft(f"it ended itself with {type(left).__name__}({left})") from left

    @property
    def stop_failure(self) -> Failure | None:
        """What was wrong with the end of a program; None for other adapters, and before it."""
        return self.adapter.stop_failure if isinstance(self.adapter, ProcessAdapter) else None

    def close(self) -> None:
        """Close it, once; what it raises then is told, and changes no result."""
        if self._closed:
            return
        self._closed = True
        try:
            self.adapter.close()
        except KeyboardInterrupt:
            raise
        except BaseException as raised:
            words = f"'{self._name}' raised at close: {type(raised).__name__}: {raised}"
            print(words, file=sys.stderr)
