"""The machine-checked theorems about the specification.

Owns the lifting of model functions into logic, the theorems and their witnesses, and the
contracts on the model's leaf functions. Stands on the model and on no other package of ours.
"""
