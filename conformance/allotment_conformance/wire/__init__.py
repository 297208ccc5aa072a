"""The wire: the messages of SPEC.md 2, their translation to the model, and the adapters."""
