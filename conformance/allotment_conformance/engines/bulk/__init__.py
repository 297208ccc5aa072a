"""The bulk generator: many small cases, fast, each of them a function of seed and index alone.

`shapes` says how large a cluster is, `world` makes it, `requests` and `selects` what is asked of
it, `changes` and `refusals` the other events, `sessions` their order. All draw from one `Draw`. No
model is stepped: which jobs are live is guessed from their slots, and a wrong guess is one more
refusal.
"""

from allotment_conformance.engines.bulk.sessions import case_of, cases

__all__ = ["case_of", "cases"]
