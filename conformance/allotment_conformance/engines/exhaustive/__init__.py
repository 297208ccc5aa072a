"""The exhaustive small world: every case of some shape up to a bound, the smallest first.

`bounds` says how large each slice is; `worlds` enumerates, `slices` says what a point of each
world means as a case. `recount` counts the same again from the bounds alone. `running` asks an
allocator every case on all processors, and `smallest` says what makes a difference smallest.
"""
