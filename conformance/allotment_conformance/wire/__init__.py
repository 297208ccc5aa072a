"""The wire: the messages of SPEC.md 2, their translation to the model, and the adapters.

`messages` are those of SPEC.md 2, `envelope` what docs/protocol.md puts around them, `schemas`
both for other languages; `legal_values` tells those of which a value should be one, `json_texts`
and `nesting` bound what is read. `to_model` and `from_model` translate. `profiles` says what a
profile means for the model, `legality` whether it is one. In the kit alone a case may be in `parts`
or have requests as texts, which `request_texts` writes.

`adapter` is the protocol of all adapters, and finds them by name. `guarded` holds one of this
process, `model_adapter` the model. `process` speaks with a program: `child` has its pipes,
`asked` a case on its way, `failure` how it can fail, `limits` how much it may take,
`session_processes` what it has started. `serve` is the side of the program.
"""
