"""A case on its way to a program: the messages in which it is sent, and what came of it."""

from dataclasses import dataclass, field

from allotment_conformance.wire.envelope import run_line
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.parts import parts_of
from allotment_conformance.wire.request_texts import with_texts


@dataclass(slots=True, kw_only=True)
class Asked:
    """A case that is asked: its lines, one a part, and how many answers belong to each, by its id.

    `came` is what came of it: its answers, or how it failed; None until each part has its reply.
    `stderr_start` is how many bytes the program had written to standard error when it was sent.
    """

    lines: bytes
    events: dict[str, int]
    replies: dict[str, list[Json] | Failure] = field(default_factory=dict)
    came: list[Json] | Failure | None = None
    stderr_start: int = 0

    @classmethod
    def of(cls, case: Json, first: int) -> "Asked":
        """A case whose messages are numbered from `first` on."""
        parts = {str(first + n): part for n, part in enumerate(parts_of(with_texts(case)))}
        return cls(
            lines=b"".join(run_line(name, part) for name, part in parts.items()),
            events={name: len(part["events"]) for name, part in parts.items()},
        )

    def take(self, name: str, reply: list[Json] | Failure) -> None:
        """What was replied to one part. The first part that failed is how the case failed.

        Parts behind it have lost their scheduler: what is replied to them says nothing.
        """
        self.replies[name] = reply
        if len(self.replies) == len(self.events):
            self.came = self._failure() or self._answers()

    def fail(self, failure: Failure) -> None:
        """Some parts have no reply and will have none; an earlier failure stands."""
        self.came = self._failure() or failure

    def _failure(self) -> Failure | None:
        replies = (self.replies.get(name) for name in self.events)
        return next((one for one in replies if isinstance(one, Failure)), None)

    def _answers(self) -> list[Json]:
        told = (self.replies[name] for name in self.events)
        return [answer for one in told if not isinstance(one, Failure) for answer in one]
