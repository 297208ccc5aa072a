"""How many there are of a kind."""

from allotment_conformance.engines.notation import number

MOST = 18
"""More than an edge at 16 or 17 leaves right."""

MANY = range(2, MOST + 1)
"""Each number of a kind: who is wrong at one of them alone is told, too. Where so many of them
stand in one case, what is unlike is mostly the last: all others stand before it in some job."""

NOWHERE = number(0)
"""No host passes."""
