"""The directed cases as a run asks them, by their numbers."""

from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.engines.directed.case import Directed
from allotment_conformance.engines.edges import EDGES
from allotment_conformance.engines.features import reports_of
from allotment_conformance.engines.parts import PARTS
from allotment_conformance.engines.several import SEVERAL
from allotment_conformance.engines.sizes import QUICK_SIZES
from allotment_conformance.engines.texts import TEXTS
from allotment_conformance.wire.messages import Json, Profile

BEFORE_PARTS = DIRECTED + QUICK_SIZES + TEXTS

ALL_DIRECTED = BEFORE_PARTS + PARTS + EDGES + SEVERAL
"""The directed cases in the order of being asked. Those of sizes, texts, parts, edges and
several are not probed: the directed cases of their clauses are."""

ONE_IN = 3
"""Of the directed cases that tell faults apart: enough where one fails three hundred, one four."""

SAMPLE = (
    *range(0, len(DIRECTED), ONE_IN),
    *range(len(BEFORE_PARTS), len(BEFORE_PARTS) + len(PARTS)),
)
"""The numbers of those on which faults are compared: all parts, for what is wrong in these alone
is seen nowhere else. Sizes and edges would take each fault seconds."""


def as_asked(one: Directed, profile: Profile) -> Json:
    """The case with all reports that the profile has."""
    return {**one.case, "report": reports_of(profile.features)}
