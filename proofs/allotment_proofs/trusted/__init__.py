"""All that must be believed, beside Z3: how a function of the model becomes terms of Z3.

Tests run each lifted term and its Python function on the same values.
"""
