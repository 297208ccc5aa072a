"""What the model must not hold: planted by wrong rules, for tests that read the sources."""


def is_preempting(mode: str) -> bool:
    """Compares the mode (MODE-1 broken)."""
    return mode == "preempt"


def half(amount: int) -> float:
    """Makes a float (AMOUNT-1 broken)."""
    return amount / 2
