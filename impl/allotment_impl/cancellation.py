"""Cancellation: a token that is polled at every step of both iterators (PLAN-7, HOST-5)."""

import sys

from allotment_impl.refusals import AllotmentError


class AttemptCancelledError(AllotmentError):
    """Raised by a poll when cancellation was asked for; the attempt is undone (CANCEL-1).

    An allocator lets it pass. One that catches it places nothing any more: whatever it answers
    then, its attempt is cancelled.
    """


class CancellationToken:
    """Counts the polls of one run, and cancels one attempt when it was asked to.

    ``cancel_at`` n asks for a cancellation at the poll that follows n polls, once (CANCEL-1).
    A poll at which ``polls`` is at least ``patience`` is the one that cancels. ``fired`` says how
    often one did.
    """

    __slots__ = ("fired", "patience", "polls")

    def __init__(self, cancel_at: int | None = None) -> None:
        self.polls = self.fired = 0
        self.patience = sys.maxsize if cancel_at is None else cancel_at

    def cancel(self) -> None:
        """Ask for a cancellation at the next poll; may be called from another thread."""
        self.patience = 0

    def poll(self, times: int = 1) -> None:
        """Poll so many times; raises ``AttemptCancelledError`` at the first that is due."""
        if self.polls + times <= self.patience:
            self.polls += times
            return
        self.polls = max(self.polls, self.patience) + 1
        self.patience = sys.maxsize
        self.fired += 1
        raise AttemptCancelledError
