"""Mutation of the model against the proofs alone: would a theorem notice a changed leaf?

Cosmic Ray changes a copy of the model, one operator or number at a time; `judge` is what it runs
on each change; the driver (`python -m allotment_proofs.mutation`) writes docs/mutation.md.
"""
