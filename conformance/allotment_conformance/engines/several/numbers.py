"""How many there are of a kind, and where the one stands that is unlike the others."""

from allotment_conformance.engines.notation import number

MANY = (2, 3, 4, 5, 8, 9, 10, 17, 18)
"""How many there are of a kind: an edge is looked for at 2, 3, 4, 8, 9, 16 and 17."""

PLACES = tuple(
    (many, place) for place in (16, 9, 7, 4, 3, 2, 1, 0) for many in (3, 4, 5, 17) if place < many
)
"""How many there are of a kind, and which of them is unlike the others. The first place stands at
the end: what fails there is known, and would be a hit in the other ones."""

NOWHERE = number(0)
"""No host passes."""
