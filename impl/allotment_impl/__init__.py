"""The production allocator that a scheduler embeds.

Owns sessions, allocators, the per-session cache, the resource-requirement language and cluster
files. Imports nothing else of this project: it is written from SPEC.md, and being checked against
the model means something only because it shares no code with it.
"""
