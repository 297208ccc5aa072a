"""Counterexamples: making a disagreement small, and saying it in words."""
