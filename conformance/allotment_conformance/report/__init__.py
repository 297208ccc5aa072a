"""Reports: what a run has shown, for a terminal and for programs.

A run is written down while it goes on: `stream` has its records, `records` and `verdict` make
them of the state of things, `clauses` the rows of clauses; `recorder` keeps them, `plain` does so
for runs without clauses. `summary` folds them together again, and of that alone `terminal`,
`markdown` and `junit` are made. `visible` makes words of others fit to be shown, `progress` tells
how far a run has come.

The others turn the result of one command into words and into what `--json` writes:
`verification`, `check`, `exhaustion`, `soak`, `again`, `simulation`, `gap`, `evidence`,
`explanation`.
"""
