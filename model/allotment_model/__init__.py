"""The specification as a program: state, events, rules, and the answer to each event.

`step` gives the canonical answer; `accepts` says whether another answer is allowed; `explain`
says why a job waits; `check_invariants` looks at a state. `SPEC` holds the rules, `variants`
the wrong ones. Read `search.py` first: it is one allocation.
"""
