"""How many there are of a kind."""

from allotment_conformance.engines.notation import number

MOST = 18
"""One more than 17, where the last edge is looked for."""

MANY = range(2, MOST + 1)
"""Each number of a kind: who is wrong at one of them alone is told, too. In most cases what is
unlike the others is the last one, which over all numbers is each place."""

NOWHERE = number(0)
"""No host passes."""
