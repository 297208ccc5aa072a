"""What is wrong on purpose: a run in which CrossHair does not say so has checked nothing."""

from allotment_model.arithmetic import debit


def debit_never_makes_twelve(used: int, amount: int) -> int:
    """A contract that fails for some of all numbers.

    pre: 0 <= used and 0 <= amount
    post: __return__ != 12
    """
    return debit(used, amount)


def model_debit(used: int, amount: int) -> int:
    """A sum."""
    return debit(used, amount)


def impl_debit(used: int, amount: int) -> int:
    """The same sum, but for one amount."""
    return debit(used, amount) if amount != 12 else used
