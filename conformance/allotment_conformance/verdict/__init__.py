"""Verdicts: whether what an allocator answered is what the specification says.

One case is judged. `compare` does it: `received` is what came, `allowed` what may come, `normal`
and `difference` find in what two answers differ, `disagreement` tells it. Where a profile leaves
choices, `instead` finds what could have been answered, and `misplaced` which clause a placement
breaks. `outcome` grades cases by levels, `safety` and `drift` by what wrong answers still keep.
`probe` says which clauses a case exercises, `claims` which ones a profile claims, `why` what
became of jobs that wait.

An order is carried out: a `verification`, a `check` of a program, an `exhaustion`, a `soak`, a
`smoke` test, one case `again`. `work`, `check_work` and `exhaustion_work` do its shares in the
processes of `pool`; `adapter_worker` is what such workers have in common, and `tally` adds up.
`fresh` asks in a process of its own, `ended` looks at a process that an allocator has ended.
`canary` sees whether the kit still finds `planted`, an allocator that is wrong on purpose.
`subject` and `families` serve the tests of others: `assert_conforms` and the plug-in of pytest.
"""
