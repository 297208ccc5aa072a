"""Mutation of the model against the proofs alone: would a theorem notice a changed rule?

Cosmic Ray changes the functions that theorems run, one operator or number at a time; `judge` asks
those theorems about each change; `python -m allotment_proofs.mutation` writes docs/mutation.md.
"""
