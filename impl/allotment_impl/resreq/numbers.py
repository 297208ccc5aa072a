"""Numbers of a text, read exactly into thousandths, and written back (AMOUNT-1).

A bare number counts in the unit of the resource, which for memory is MB. A suffix is a power of
1024 around M: 1G is 1024, 1M is 1, 512K is 0.5. The letter B behind it changes nothing.
"""

import re
from fractions import Fraction

from allotment_impl.resreq.errors import BadNumber, Position, TooManyDigits

DIGITS_LARGEST = 24
"""No amount within bounds has more; what is longer is refused before it is calculated with."""

_NUMBER = re.compile(r"([0-9]*)(?:\.([0-9]+))?([A-Za-z_][A-Za-z0-9_]*)?")
_POWERS = {"K": -1, "M": 0, "G": 1, "T": 2, "P": 3, "E": 4}
_FACTORS = {
    suffix: 1000 * Fraction(1024) ** power
    for unit, power in _POWERS.items()
    for suffix in (unit, f"{unit}B")
}


def read_thousandths(text: str, position: Position) -> int:
    """The thousandths that a number with an optional unit means.

    Raises ``BadNumber`` or ``TooManyDigits`` with the position.
    """
    if len(text) > DIGITS_LARGEST:
        raise TooManyDigits(f"a number of {len(text)} characters", position)
    if text.isdecimal():
        return int(text) * 1000
    read = _NUMBER.fullmatch(text)
    if read is None:
        raise BadNumber(f"{text!r} is no number", position)
    whole, fraction, suffix = read[1], read[2] or "", read[3]
    if len(fraction) > 3:
        raise TooManyDigits(f"{text!r} has {len(fraction)} digits behind the point", position)
    if suffix is None:
        return int(f"{whole}{fraction:0<3}")
    factor = _FACTORS.get(suffix)
    if factor is None:
        raise BadNumber(_about_suffix(text, suffix), position)
    exact = Fraction(int(f"{whole}{fraction:0<3}"), 1000) * factor
    if exact.denominator != 1:
        raise TooManyDigits(f"{text!r} is no whole number of thousandths of M", position)
    return exact.numerator


def _about_suffix(text: str, suffix: str) -> str:
    if re.fullmatch(r"[eE][0-9]+", suffix):
        return f"{text!r} has an exponent"
    if suffix.upper() in _FACTORS:
        return f"the unit of {text!r} is not in capitals"
    return f"{text!r} has no known unit"


def write_thousandths(thousandths: int) -> str:
    """The shortest decimal that means so many thousandths."""
    sign = "-" if thousandths < 0 else ""
    whole, rest = divmod(abs(thousandths), 1000)
    return f"{sign}{whole}.{rest:03}".rstrip("0").rstrip(".") if rest else f"{sign}{whole}"
