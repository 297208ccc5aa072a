"""Real logs and simulated time: what an allocator does with the jobs of a cluster's past.

`swf` reads logs, `openb` pod and node `tables`, both from `text_files`, and `hosts` a cluster in
a few characters; what they make is in `jobs`. `sample` made the log that is part of the package.

A `simulation` sends the jobs by `arrivals` in `sessions` to an allocator. A `conversation` holds
what was said; `bookkeeping` keeps `books` to see whether answers can be so at all, `lockstep` has
the model beside it, and `reproduction` makes a short case of a difference. `tally` counts,
`summary` is the result. A `gap` is what two rules cost: `splits` and `compounds`.
"""
