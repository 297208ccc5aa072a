"""Where a clause has no evidence of some kind, and why none is to be had.

A mark on a clause that has such evidence after all is itself a gap.
"""

from collections.abc import Mapping

from allotment_conformance.evidence.links import Kind

BY_TESTS = "because it is about the life of an iterator object, which tests drive"
OF_A_TREE = "because it is about recursion over a tree of any depth, which no run on symbols ends"

NOT_APPLICABLE: Mapping[tuple[str, Kind], str] = {
    **{
        (clause, Kind.THEOREM): reason
        for reason, clauses in {
            BY_TESTS: "PLAN-4 PLAN-5 PLAN-6 PLAN-7 HOST-2 HOST-4 HOST-5 CANCEL-1",
            OF_A_TREE: "SELECT-1 SELECT-3 SELECT-4 SELECT-5",
            "because a function's parameters show what it can look at": "PLAN-8",
            "because the profile leaves the answer open: there is no rule to lift": "PLAN-11",
            "because nothing is kept: there is no snapshot to speak about": "CACHE-7",
            "because it is about the text of the code": "MODE-1",
        }.items()
        for clause in clauses.split()
    },
}
"""By clause and kind of evidence."""

SEEN_BY_NO_CASE: Mapping[str, str] = dict.fromkeys(
    ("zero want blocked", "free goes negative"),
    "because it answers as the specification does: no want of zero is ever asked",
)
"""Wrong rules of the model that no case can show."""
