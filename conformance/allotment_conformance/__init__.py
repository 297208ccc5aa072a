"""The conformance kit that checks any allocator against the specification.

Owns the wire protocol, adapters, engines, verdicts, counterexamples, workloads, reports and the
`allotment` command. Stands on the model, and reaches an allocator only through the adapter that
the user names.
"""
