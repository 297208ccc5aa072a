"""Vectors: cases with their permitted answers, as data for any language."""
