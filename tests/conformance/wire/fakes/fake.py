"""A program that speaks the protocol and goes wrong in the way that its first argument names.

It knows sessions without jobs only: every event is answered `ok`. The second argument says at which
case it goes wrong, counted from 1 over this process (two modes with a `+` between them: the second
is what it does at all others); from the second process on it is well, if the
third argument names a file that it can mark as seen.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROFILE = {
    "name": "fake",
    "version": "1",
    "features": [],
    "host_order": "listed",
    "split": "balanced",
    "cache": "none",
    "rusage_default": "task",
    "declares": [],
    "largest": {"tasks": 1, "hosts": 1, "amount": 1},
}
LONG = 3600

Json = dict[str, Any]


def say(message: object) -> None:
    """One line of JSON."""
    write(json.dumps(message).encode() + b"\n")


def write(piece: bytes) -> None:
    """Bytes on standard output, at once."""
    sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def answer(message: Json) -> None:
    """Answer as one should."""
    say({"id": message["id"], "answers": [{"answer": "ok"} for _ in message["case"]["events"]]})


def die(signal_number: int) -> None:
    """End by a signal."""
    os.kill(os.getpid(), signal_number)
    time.sleep(LONG)


def leave_in_the_middle(message: Json) -> None:
    """Write half an answer, then end."""
    write(json.dumps({"id": message["id"]}).encode()[:5])
    print("out of luck", file=sys.stderr, flush=True)
    os._exit(3)


def write_without_end(piece: bytes) -> None:
    """Write the same for ever."""
    many = piece * 1000
    while True:
        write(many)


def write_gigabyte(_message: Json) -> None:
    """One line of 1 GB, or as much of it as is read."""
    for _ in range(1024):
        write(b"a" * 2**20)
    write(b"\n")


def grow(_message: Json) -> None:
    """Take memory and touch it."""
    kept = []
    while True:
        kept.append(b"x" * 2**22)
        time.sleep(0.005)


def raw(text: bytes) -> Callable[[Json], None]:
    """Answer with these bytes; `ID` stands for the id."""
    return lambda message: write(text.replace(b"ID", message["id"].encode()) + b"\n")


def twice(message: Json) -> None:
    """Two replies to one case."""
    line = json.dumps({"id": message["id"], "answers": [{"answer": "ok"}]}).encode() + b"\n"
    write(line + line)


def go_on(message: Json) -> None:
    """The right reply, and in the same breath a line that is none."""
    line = json.dumps({"id": message["id"], "answers": [{"answer": "ok"}]}).encode() + b"\n"
    write(line + b"and so on\n")


def bury(_message: Json) -> None:
    """Flood standard error, then say nothing."""
    while True:
        sys.stderr.write("e" * 2**16)


def say_and_answer(message: Json) -> None:
    """Something for whoever reads standard error, and the right answer."""
    print("all is well", file=sys.stderr, flush=True)
    answer(message)


def close_output(_message: Json) -> None:
    """Close standard output, and go on."""
    os.close(1)
    time.sleep(LONG)


def leave_a_child(message: Json) -> None:
    """End with a child that holds all pipes."""
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG})"])
    os._exit(4)


def start_slowly() -> None:
    """Answer `start` late, but in time."""
    time.sleep(0.5)
    say({"version": 1, "profile": PROFILE})


FAULTS: dict[str, Callable[[Json], None]] = {
    "well": answer,
    "error": lambda message: say({"id": message["id"], "error": "no idea"}),
    "silence": lambda message: time.sleep(LONG),
    "exit": leave_in_the_middle,
    "segv": lambda message: die(signal.SIGSEGV),
    "kill": lambda message: die(signal.SIGKILL),
    "endless-lines": lambda message: write_without_end(b"and so on\n"),
    "endless-line": lambda message: write_without_end(b"and so on"),
    "gigabyte": write_gigabyte,
    "utf8": raw(b'{"id": "ID", "error": "\xff\xfe"}'),
    "json": raw(b'{"id": "ID", "answers": [}'),
    "empty-line": raw(b""),
    "502-levels": raw(b'{"id": "ID", "answers": ' + b"[" * 501 + b"]" * 501 + b"}"),
    "deep": raw(b'{"id": "ID", "answers": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "shape": raw(b"[1, 2, 3]"),
    "no-answers": raw(b'{"id": "ID"}'),
    "shape-inside": raw(b'{"id": "ID", "answers": [{"answer": "perhaps"}]}'),
    "float": raw(
        b'{"id": "ID", "answers": [{"answer": "ran", "jobs": [{"job": "j", '
        b'"answer": "dispatched", "alternative": 0.0, "parts": []}]}]}'
    ),
    "nan": raw(b'{"id": "ID", "answers": [NaN]}'),
    "infinity": raw(b'{"id": "ID", "answers": [1e999]}'),
    "huge": raw(
        b'{"id": "ID", "answers": [{"answer": "ran", "jobs": [{"job": "j", "answer": '
        b'"dispatched", "alternative": 9007199254740993, "parts": []}]}]}'
    ),
    "count": raw(b'{"id": "ID", "answers": [{"answer": "ok"}, {"answer": "ok"}]}'),
    "named-twice": raw(
        b'{"id": "ID", "answers": [{"answer": "refused", "code": "type", "answer": "ok"}]}'
    ),
    "unknown-id": raw(b'{"id": "ID?", "answers": [{"answer": "ok"}]}'),
    "id-number": raw(b'{"id": 1, "answers": [{"answer": "ok"}]}'),
    "twice": twice,
    "goes-on": go_on,
    "memory": grow,
    "stderr": bury,
    "talkative": say_and_answer,
    "close-output": close_output,
    "child-stays": leave_a_child,
    "extra-fields": raw(b'{"id": "ID", "took": 1.5, "answers": [{"answer": "ok", "why": null}]}'),
}
AT_START: dict[str, Callable[[], None]] = {
    "start-silence": lambda: time.sleep(LONG),
    "start-exit": lambda: os._exit(5),
    "start-segv": lambda: die(signal.SIGSEGV),
    "start-garbage": lambda: write(b"Welcome!\n"),
    "start-shape": lambda: say({"version": 1}),
    "start-unsupported": lambda: say({"version": 1, "unsupported": "I speak version 0"}),
    "start-version": lambda: say({"version": 2, "profile": PROFILE}),
    "start-profile": lambda: say({"version": 1, "profile": {**PROFILE, "cache": "some"}}),
    "start-slow": start_slowly,
    "start-other": lambda: say({"version": 1, "profile": {**PROFILE, "version": str(os.getpid())}}),
    "start-extra": lambda: say({"version": 1, "by": "me", "profile": {**PROFILE, "licence": "-"}}),
}


def start(mode: str) -> None:
    """Answer `start`."""
    json.loads(sys.stdin.buffer.readline())
    AT_START.get(mode, lambda: say({"version": 1, "profile": PROFILE}))()


def stop(mode: str) -> None:
    """End as `stop` asks, or not."""
    if mode == "stop-ignored":
        time.sleep(LONG)
    if mode == "stop-output":
        say({"bye": True})
    if mode == "stop-child":
        subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG})"])
    sys.exit(6 if mode == "stop-status" else 0)


def converse(mode: str, at: int) -> None:
    """Answer case by case; with `reverse` and `batch` several at a time."""
    held: list[Json] = []
    mode, _, others = mode.partition("+")
    others = others or "well"
    for number, line in enumerate(sys.stdin.buffer, start=1):
        message = json.loads(line)
        if message["cmd"] == "stop":
            break
        held.append(message)
        if mode == "reverse":
            if len(held) < at:
                continue
            held.reverse()
        for one in held:
            (FAULTS.get(mode, answer) if number == at else FAULTS[others])(one)
        held.clear()
    stop(mode)


def main(mode: str, at: str = "1", seen: str | None = None) -> None:
    """Go wrong once, if a file can remember it; else in each process."""
    start(mode)
    if seen is not None and Path(seen).exists():
        mode = "well"
    elif seen is not None:
        Path(seen).touch()
    converse(mode, int(at))


if __name__ == "__main__":
    main(*sys.argv[1:])
