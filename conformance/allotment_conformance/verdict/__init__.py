"""Verdicts: whether what an allocator answered is what the specification says."""
