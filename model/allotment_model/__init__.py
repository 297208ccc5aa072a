"""The executable specification of slot allocation.

Owns the rules of SPEC.md as pure functions over frozen values, the rule variants that break one
clause each, and the list of clauses. Imports the standard library only, so that the kit and the
proofs can both stand on it.
"""
