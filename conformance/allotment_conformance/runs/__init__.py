"""Runs: an order carried out on an allocator, from its first case to one result.

An order is carried out: a `verification`, a `check` of a program, an `exhaustion`, a `soak`, a
`smoke` test, one case `again`. `work`, `check_work` and `exhaustion_work` do its shares in the
processes of `pool`; `adapter_worker` is what such workers have in common, and `tally` adds up.
`fresh` asks in a process of its own, `ended` looks at a process that an allocator has ended.
`canary` sees whether the kit still finds `planted`, an allocator that is wrong on purpose.
`subject` and `families` serve the tests of others: `assert_conforms` and the plug-in of pytest.
"""
