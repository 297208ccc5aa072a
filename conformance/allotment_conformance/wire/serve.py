"""The program's side of docs/protocol.md: any adapter of this process, served over two streams."""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from allotment_conformance.errors import KitError
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.envelope import VERSION
from allotment_conformance.wire.json_texts import LongNumber, read_json
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.nesting import TOO_DEEP, cut_short, is_too_deep


class KitFault(KitError):
    """A request that the protocol does not know, or not at this point."""

    code = "kit-fault"


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """A `run` whose case cannot be read, and why."""

    name: str
    words: str


def serve(
    adapter: Adapter,
    lines: Iterable[bytes],
    say: Callable[[bytes], None],
    beside: Callable[[Json], Json] | None = None,
) -> None:
    """Answer every request until `stop` or the end. Raises `KitFault`; `say` takes whole lines.

    `beside` makes from a case that was answered the fields that its message has beside the answers.
    """
    requests = map(_read, lines)
    first = next(requests, None)
    match first:
        case None:
            return
        case {"cmd": "start", "version": 1, **rest} if not rest:
            say(_line({"version": VERSION, "profile": adapter.start()}))
        case {"cmd": "start", "version": other} if other != VERSION:
            told = f"version {json.dumps(other)} of the protocol"
            say(_line({"version": VERSION, "unsupported": told}))
            return
        case _:
            raise _fault("the first request is not `start`")
    _answer_cases(adapter, requests, say, beside)
    adapter.close()


def serve_here(adapter: Adapter, beside: Callable[[Json], Json] | None = None) -> None:
    """`serve` over the standard streams of this process."""
    serve(adapter, sys.stdin.buffer, _say, beside)


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def _answer_cases(
    adapter: Adapter,
    requests: Iterable[Any],
    say: Callable[[bytes], None],
    beside: Callable[[Json], Json] | None,
) -> None:
    has_scheduler = False
    for request in requests:
        match request:
            case {"cmd": "run", "id": str(name), "case": dict(case), **rest} if not rest:
                reply = _reply(adapter, case, has_scheduler)
                has_scheduler = "answers" in reply
                more = beside(case) if beside and has_scheduler else {}
                say(_line({"id": name, **reply, **more}))
            case _Unreadable(name, words):
                has_scheduler = False
                say(_line({"id": name, "error": words}))
            case {"cmd": "stop", **rest} if not rest:
                return
            case _:
                raise _fault("a request is neither `run` nor `stop`, or holds unknown fields")


def _reply(adapter: Adapter, case: Json, has_scheduler: bool) -> Json:
    """The answers, or why there are none. After an error only a case with a cluster can follow."""
    if "cluster" not in case and not has_scheduler:
        return {"error": "no `cluster`, and no scheduler to go on with"}
    if is_too_deep(case):
        return {"error": f"the case is {TOO_DEEP}"}
    try:
        return {"answers": adapter.run(case)}
    except KitError as refused:
        return {"error": str(refused)}
    except Exception as raised:
        return {"error": f"{type(raised).__name__}: {raised}"}


def _read(line: bytes) -> Any:
    try:
        return read_json(line)
    except LongNumber as wrong:
        return _unreadable(wrong.value, f"not a case: {wrong}", f"a request holds {wrong}")
    except ValueError as wrong:
        raise _fault(f"a request is not JSON: {wrong}") from wrong
    except RecursionError:
        return _unreadable(_shallow(line), f"the case is {TOO_DEEP}", f"a request is {TOO_DEEP}")


def _shallow(line: bytes) -> Any:
    """A request of which the depths are left out; nothing if it is none."""
    try:
        return read_json(cut_short(line))
    except ValueError:
        return None


def _unreadable(request: Any, case: str, words: str) -> _Unreadable:
    """The `run` of which the case is wrong; raises `KitFault` if it is none."""
    match request:
        case {"cmd": "run", "id": str(name), "case": dict(), **rest} if not rest:
            return _Unreadable(name, case)
    raise _fault(words)


def _line(message: Json) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _fault(words: str) -> KitFault:
    return KitFault(words, remedy="docs/protocol.md lists the requests.")
