"""An allocator that is a program: the protocol of docs/protocol.md over its pipes.

Cases are sent ahead, so that the program works while its earlier answers are judged. When it fails
in any way, the oldest case without answer is told to have failed in that way, the program is ended
with all that it started, and a new one is asked the cases behind it again.
"""

import shlex
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from time import monotonic
from urllib.parse import quote

from allotment_conformance.errors import KitError
from allotment_conformance.wire import session_processes
from allotment_conformance.wire.asked import Asked
from allotment_conformance.wire.child import Child
from allotment_conformance.wire.envelope import (
    START_LINE,
    STOP_LINE,
    checked_answers,
    read_greeting,
    read_reply,
)
from allotment_conformance.wire.failure import (
    AdapterFailed,
    Ending,
    Failure,
    Fault,
    ProtocolBroken,
    status_words,
)
from allotment_conformance.wire.legality import IllegalProfile, legal_profile
from allotment_conformance.wire.limits import Limits
from allotment_conformance.wire.messages import Json, read_case

TICK_SECONDS = 0.05
"""How often a program that says nothing is looked at: whether it lives, and what it holds."""

MEMORY_SECONDS = 0.1
"""How often its memory is looked at while it answers: listing processes takes a millisecond."""

REMEMBERED_IDS = 1024
"""Ids of answered cases that are kept, to tell a second answer from an unknown id."""


FLUSH = "Does it flush standard output after each line?"
"""Asked where an answer does not come: a line that is written into a buffer is not sent."""


class Unsupported(KitError):
    """The program does not speak this version of the protocol."""

    code = "unsupported"


class ProcessAdapter:
    """A program that is started with `command` and spoken with over its pipes.

    It serves as any adapter; `replies` does the same for many cases and never raises for what the
    program does. `asked_again` counts cases that were sent once more because the program failed at
    one before them, `stop_failure` is what went wrong at the end.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        limits: Limits | None = None,
        validate: bool = False,
        profile: Json | None = None,
    ) -> None:
        """`profile` is what the program has declared elsewhere, and has to declare here, too."""
        assert command, "a command has at least one word"
        self.command = tuple(command)
        self.limits = limits or Limits()
        self.validate = validate
        self.asked_again = self.starts = 0
        self.stop_failure: Failure | None = None
        self._profile = profile
        self._child: Child | None = None
        self._seconds_of_ended = 0.0
        self._sent = 0
        self._waited = 0.0
        self._looked = 0.0
        self._waiting: deque[Asked] = deque()
        self._unanswered: dict[str, Asked] = {}
        self._bytes_ahead = 0
        self._answered: deque[str] = deque(maxlen=REMEMBERED_IDS)

    def start(self) -> Json:
        """The profile that the program declares. Raises `AdapterFailed` and other refusals."""
        if self._child is None:
            failure = self._begin()
            if failure is not None:
                raise AdapterFailed(failure)
        assert self._profile is not None, "a program that was started has declared a profile"
        return self._profile

    def another(self) -> "ProcessAdapter":
        """The same program, to be started anew beside this one."""
        return ProcessAdapter(
            self.command, limits=self.limits, validate=self.validate, profile=self._profile
        )

    def run(self, case: Json) -> list[Json]:
        """The answers to one case. Raises `AdapterFailed` if there are none."""
        [came] = self.replies([case])
        if isinstance(came, Failure):
            raise AdapterFailed(came)
        return came

    def replies(
        self, cases: Iterable[Json], stopped: Callable[[], bool] = lambda: False
    ) -> Generator[list[Json] | Failure, None, None]:
        """What came of each case, in order; cases are taken and sent some way ahead.

        Each of the cases needs a `cluster`, since the program may be started anew between two.
        When `stopped` says so, what is still open is given up.
        """
        source = iter(cases)
        more = True
        try:
            while (more or self._waiting) and not stopped():
                while more and self._has_room():
                    case = next(source, None)
                    more = case is not None
                    if case is not None:
                        self._ask(case)
                if self._waiting and self._waiting[0].came is None:
                    self._advance()
                elif self._waiting:
                    head = self._waiting.popleft()
                    self._bytes_ahead -= len(head.lines)
                    assert head.came is not None, "the head has its reply"
                    yield head.came
        finally:
            self._give_up()

    def close(self) -> None:
        """Ask the program to stop, and end what does not; `stop_failure` says what was wrong.

        A program that is still busy with cases is not asked.
        """
        self._give_up()
        child = self._child
        if child is None:
            return
        child.exchange(0)
        stderr_start = child.stderr_length
        moment = "before" if child.has_ended() else "after"
        child.send(STOP_LINE)
        until = monotonic() + self.limits.stop_seconds
        while not (child.is_sent or child.has_ended()) and monotonic() < until:
            child.exchange(TICK_SECONDS)
        child.close_stdin()
        in_time = child.wait_for_end(max(0.0, until - monotonic()))
        if in_time:
            child.exchange(0)
        output = b"\n".join([*child.lines, child.unfinished_line])
        companions = child.companions() if in_time else 0
        status = self._end_child()
        stderr = child.stderr(stderr_start)
        ended = "" if status == 0 else f"{moment} `stop` {status_words(status)}"
        self.stop_failure = self._stop_failure(in_time, output, companions, ended, stderr)

    def _stop_failure(
        self, in_time: bool, output: bytes, companions: int, ended: str, stderr: str
    ) -> Failure | None:
        """What was wrong with the end of a program; `ended` says so of a status that is not 0."""
        if not in_time:
            words = f"still running {self.limits.stop_seconds:g} s after `stop`"
            return Failure(ending=Ending.TIMEOUT, words=words, stderr=stderr)
        if output:
            words = f"{len(output):,} bytes that nobody asked for"
            fault = Fault.OUTPUT_AFTER_STOP
            return Failure(ending=Ending.PROTOCOL, fault=fault, words=words, stderr=stderr)
        if ended:
            return Failure(ending=Ending.CRASH, words=ended, stderr=stderr)
        if companions:
            processes = "process" if companions == 1 else "processes"
            words = f"{companions} {processes} that it had started went on after its end"
            return Failure(ending=Ending.LEFT_BEHIND, words=words, stderr=stderr)
        return None

    @property
    def seconds_used(self) -> float:
        """Processor time of the program, all its starts together; 0 where it is not seen."""
        running = self._child.used_seconds() if self._child is not None else 0.0
        return self._seconds_of_ended + running

    # Starting and ending.

    def _begin(self) -> Failure | None:
        """Start the program and have it say who it is. Raises what no second try would mend."""
        child = self._child = Child(self.command, self.limits)
        self.starts += 1
        child.send(START_LINE)
        self._waited = 0.0
        while not child.lines:
            failure = self._silence(self.limits.start_seconds, "to `start`")
            if failure is not None:
                self._drop()
                return replace(failure, at_start=True)
        try:
            return self._greeted(child.lines.popleft())
        except ProtocolBroken as broken:
            self._drop()
            return replace(_broken(broken, child.stderr()), at_start=True)

    def _greeted(self, line: bytes) -> Failure | None:
        """Take the profile; a later start must declare the same one."""
        declared = read_greeting(line)
        if isinstance(declared, str):
            self._drop()
            raise Unsupported(
                f"'{shlex.join(self.command)}' does not speak this protocol: {declared}",
                remedy="Use a version of the kit and a version of the program that fit.",
            )
        if self._profile is None:
            try:
                legal_profile(declared)
            except IllegalProfile:
                self._drop()
                raise
            self._profile = declared
        elif declared != self._profile:
            words = "it does not declare what it declared at first"
            raise ProtocolBroken(Fault.OTHER_PROFILE, words)
        self._waited = 0.0
        return None

    def _give_up(self) -> None:
        """Forget the cases that are still open, and end the program that is busy with them."""
        if self._waiting:
            self._waiting.clear()
            self._unanswered.clear()
            self._bytes_ahead = 0
            self._drop()

    def _drop(self) -> None:
        """End the program, if it is not gone already."""
        if self._child is not None:
            self._end_child()

    def _end_child(self) -> int:
        """End the program, keep its processor time, and forget what it was asked; its status."""
        assert self._child is not None, "a program is running"
        status = self._child.end()
        self._seconds_of_ended += self._child.seconds_used
        self._child = None
        self._answered.clear()
        for asked in self._open():
            asked.stderr_start = 0
        return status

    # Asking and being answered.

    def _has_room(self) -> bool:
        """Whether one more case may be sent ahead."""
        return not self._waiting or (
            len(self._waiting) < self.limits.cases_ahead
            and self._bytes_ahead < self.limits.bytes_ahead
        )

    def _ask(self, case: Json) -> None:
        if self.validate:
            read_case(case)
        if not self._unanswered:
            self._waited = 0.0
        asked = Asked.of(case, self._sent + 1)
        self._sent += len(asked.events)
        self._waiting.append(asked)
        self._unanswered.update(dict.fromkeys(asked.events, asked))
        self._bytes_ahead += len(asked.lines)
        if self._child is not None:
            self._send(asked, self._child)
            self._child.exchange(0)

    def _send(self, asked: Asked, child: Child) -> None:
        """Send a case. What standard error has by now is not about it, and not told of it."""
        asked.stderr_start = child.stderr_length
        child.send(asked.lines)

    def _advance(self) -> None:
        """Come nearer to the reply of the oldest case: take lines, or find out why none comes."""
        if self._child is None:
            self._restart()
        elif not self._child.lines:
            failure = self._silence(self.limits.answer_seconds, "to a case")
            if failure is not None:
                self._fail(failure)
        while self._child is not None and self._child.lines:
            self._take(self._child.lines.popleft(), self._child)

    def _restart(self) -> None:
        """A new program, and the cases without reply sent once more."""
        try:
            failure = self._begin()
        except KitError as refused:
            failure = Failure(ending=Ending.CRASH, words=str(refused), at_start=True)
        if failure is not None:
            self._failed(self._oldest(), failure)
            return
        assert self._child is not None, "it was started"
        self._unanswered = {name: asked for asked in self._open() for name in asked.events}
        for asked in self._open():
            asked.replies.clear()
            self._send(asked, self._child)

    def _open(self) -> list[Asked]:
        """The cases of which it is not known what came, in the order of being asked."""
        return [asked for asked in self._waiting if asked.came is None]

    def _oldest(self) -> Asked:
        """The oldest of them; the last case asked if all have their replies."""
        return next(iter(self._unanswered.values()), self._waiting[-1])

    def _stderr_start(self) -> int:
        """How much of standard error is older than the case that nothing came of; 0 at a start."""
        return self._oldest().stderr_start if self._waiting else 0

    def _failed(self, asked: Asked, failure: Failure) -> None:
        """No reply comes any more to what is left of a case."""
        asked.fail(failure)
        for name in asked.events:
            self._unanswered.pop(name, None)

    def _take(self, line: bytes, child: Child) -> None:
        """Give a reply to its case."""
        asked: Asked | None = None
        try:
            reply = read_reply(line)
            asked = self._unanswered.pop(reply.id, None)
            if asked is None:
                asked = next((one for one in self._waiting if reply.id in one.events), None)
                raise self._unexpected(reply.id)
        except ProtocolBroken as broken:
            about = asked or self._oldest()
            self._fail(_broken(broken, child.stderr(about.stderr_start)), about)
            return
        self._answered.append(reply.id)
        self._waited = 0.0
        if isinstance(reply.error, str):
            stderr = child.stderr(asked.stderr_start)
            asked.take(reply.id, Failure(ending=Ending.ERROR, words=reply.error, stderr=stderr))
            return
        assert isinstance(reply.answers, list), "a reply has either"
        try:
            asked.take(reply.id, checked_answers(reply.answers, asked.events[reply.id]))
        except ProtocolBroken as broken:
            # The stream is whole: only this case has no usable answers.
            asked.take(reply.id, _broken(broken, child.stderr(asked.stderr_start)))

    def _unexpected(self, name: str) -> ProtocolBroken:
        if name in self._answered:
            return ProtocolBroken(Fault.TWICE, f"a second reply to id {name!r}")
        return ProtocolBroken(Fault.UNKNOWN_ID, f"a reply to id {name!r}, which nobody asked")

    def _silence(self, limit: float, what: str) -> Failure | None:
        """Wait a little for a line; what is wrong if the program can or may say nothing more."""
        child = self._child
        assert child is not None, "a program is running"
        before = monotonic()
        child.exchange(TICK_SECONDS)
        now = monotonic()
        self._waited += now - before
        if child.is_overlong:
            words = f"a line of more than {self.limits.line_bytes:,} bytes"
            return self._failure(Ending.PROTOCOL, words, Fault.LONG_LINE)
        if now - self._looked >= MEMORY_SECONDS and session_processes.ARE_SEEN:
            self._looked = now
            held = child.resident_bytes()
            if held > self.limits.memory_bytes:
                words = f"{held:,} bytes resident, at most {self.limits.memory_bytes:,}"
                return self._failure(Ending.MEMORY, words)
        if child.lines:
            return None
        if child.is_silent or child.has_ended():
            return self._gone(child)
        if self._waited > limit:
            words = f"no answer {what} within {limit:g} s. {FLUSH}"
            return self._failure(Ending.TIMEOUT, words)
        return None

    def _gone(self, child: Child) -> Failure | None:
        """The program has ended, or closed its output; None if it had a last line to say."""
        in_time = child.wait_for_end(self.limits.stop_seconds)
        child.exchange(0)
        if child.lines:
            return None
        if not in_time:
            return self._failure(Ending.CRASH, "it closed its standard output and ran on")
        start = self._stderr_start()
        words = status_words(self._end_child())
        return Failure(ending=Ending.CRASH, words=words, stderr=child.stderr(start))

    def _fail(self, failure: Failure, asked: Asked | None = None) -> None:
        """One case failed, by default the oldest; those without reply are asked again."""
        self._drop()
        self._failed(asked or self._oldest(), failure)
        self.asked_again += len(self._open())

    def _failure(self, ending: Ending, words: str, fault: Fault | None = None) -> Failure:
        stderr = self._child.stderr(self._stderr_start()) if self._child is not None else ""
        return Failure(ending=ending, fault=fault, words=words, stderr=stderr)


def _broken(broken: ProtocolBroken, stderr: str) -> Failure:
    return Failure(ending=Ending.PROTOCOL, fault=broken.fault, words=broken.words, stderr=stderr)


def program(command: str) -> ProcessAdapter:
    """The program of a command line, for `load_adapter`; quoting is that of a shell."""
    return ProcessAdapter(shlex.split(command))


def program_name(command: Sequence[str]) -> str:
    """The name of a program for `load_adapter`."""
    return f"{__name__}:program?command={quote(shlex.join(command))}"
