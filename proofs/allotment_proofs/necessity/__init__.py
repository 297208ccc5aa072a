"""Necessity: for each wrong rule a smallest case on which it answers otherwise than the spec.

The cases are found by a bounded search, in the order of hosts, then jobs, then amounts, and each
is run on the model. (What Z3 finds about wrong rules are the values in `allotment prove`.)
"""
