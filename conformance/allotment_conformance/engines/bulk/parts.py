"""Bulk cases in parts: the same events, sent as several cases (SPEC.md 2.1)."""

from allotment_conformance.engines.bulk.draw import Draw
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.parts import beginning_case

SHARE_IN_PARTS = 0.125
"""Of the bulk cases: enough to find in a second or two what is lost between cases."""

SHARE_OF_EVENTS = 0.3
"""Of the events of such a case as many begin a part: few enough for parts of several events."""


def perhaps_in_parts(draw: Draw, events: list[Json]) -> list[Json]:
    """The events, some of them each as the first of a part in a small share of cases."""
    if not draw.chance(SHARE_IN_PARTS):
        return events
    return [beginning_case(event) if draw.chance(SHARE_OF_EVENTS) else event for event in events]
