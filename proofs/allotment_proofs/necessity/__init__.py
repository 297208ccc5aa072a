"""Necessity: for each wrong rule a smallest case on which it answers otherwise than the spec.

The hosts, jobs and events of a case are found by a search through all of a slice, from the fewest.
Its amounts are found by Z3, with no bound: the least at which these events tell the rule. Each case
is run on the model.
"""
