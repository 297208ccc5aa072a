"""Verdicts: whether what an allocator answered is what the specification says.

One case is judged. `compare` does it: `received` is what came, `allowed` what may come, `normal`
and `difference` find in what two answers differ, `disagreement` tells it. Where a profile leaves
choices, `instead` finds what could have been answered, and `misplaced` which clause a placement
breaks. `outcome` grades cases by levels, `safety` and `drift` by what wrong answers still keep.
`probe` says which clauses a case exercises, `claims` which ones a profile claims, `why` what
became of jobs that wait.
"""
