"""The texts of one cluster's jobs: each is read once while it is remembered."""

from allotment_impl.requests import Request, Resources
from allotment_impl.resreq.lowering import lower
from allotment_impl.resreq.parser import parse

TEXTS_KEPT = 4096
"""How many texts are remembered: several times the distinct requests of a busy cluster's day.
Past it the oldest is read again when it comes back."""

REMEMBERED_LONGEST = 1024
"""Longer texts are read each time. No text in use is as long, and so the memory that hostile texts
can fill is bounded by a few megabytes of text."""


class RequestTexts:
    """Reads texts under the declared resources of one cluster."""

    __slots__ = ("_requests", "_resources")

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._requests: dict[str, Request] = {}

    def read(self, text: str) -> Request:
        """The request of a text; raises a ``ResreqError`` for a text that is none."""
        request = self._requests.get(text)
        if request is None:
            request = lower(parse(text, zeros=True), self._resources).request
            if len(text) <= REMEMBERED_LONGEST:
                self._remember(text, request)
        return request

    def _remember(self, text: str, request: Request) -> None:
        if len(self._requests) >= TEXTS_KEPT:
            del self._requests[next(iter(self._requests))]
        self._requests[text] = request
