"""The host iterator: the candidates for one bucket, one at a time (HOST-1 … HOST-6)."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from allotment_impl.accounts import HostBook
from allotment_impl.cancellation import CancellationToken
from allotment_impl.ledger import Bucket, is_candidate


class HostIterator(Protocol):
    """The contract of whatever offers hosts: a fresh one is started for each bucket (HOST-3)."""

    def start(self, bucket: Bucket, hosts: Sequence[HostBook], token: CancellationToken) -> None:
        """Begin with the first of the hosts, which stand in the order of the profile.

        Raises ``CannotStartError`` if that is not possible (HOST-8).
        """
        ...

    def next(self) -> HostBook | None:
        """Poll the token and offer the next candidate (HOST-1, HOST-5).

        ``None`` ends this one search, and is answered ever after (HOST-2).
        """
        ...

    def close(self) -> None:
        """Release everything; no plan iterator is touched by it (HOST-4)."""
        ...


class CandidateHosts:
    """The built-in host iterator, shared by all allocators: it filters, and claims nothing."""

    __slots__ = ("_candidates", "_token")

    def __init__(self) -> None:
        self._candidates: Iterator[HostBook] = iter(())
        self._token: CancellationToken | None = None

    def start(self, bucket: Bucket, hosts: Sequence[HostBook], token: CancellationToken) -> None:
        """Begin with the first host (HOST-3)."""
        self._candidates = (host for host in hosts if is_candidate(host, bucket))
        self._token = token

    def next(self) -> HostBook | None:
        """The next host that is open, passes the select and has room (HOST-1)."""
        if self._token is None:
            return None
        self._token.poll()
        return next(self._candidates, None)

    def close(self) -> None:
        """Let go of the hosts (HOST-4)."""
        self._candidates = iter(())
        self._token = None
