"""What makes cases: directed cases, the bulk generator, Hypothesis strategies and a machine.

An engine answers nothing. It makes cases as SPEC.md 2.1 describes them, in plain builtins; the
expected answers come from the model.
"""
