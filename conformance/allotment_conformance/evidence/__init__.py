"""What speaks for each clause of SPEC.md: code, theorem, case or test, and wrong rule."""
