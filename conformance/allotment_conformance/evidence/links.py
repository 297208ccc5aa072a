"""What a link from a clause to its evidence is."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a clause can be linked to."""

    MODEL = "model function"
    THEOREM = "theorem"
    SHOWN = "case or test"
    WRONG = "wrong rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One piece of evidence for a clause.

    `broken` says why the link does not hold; it is empty if it does. `seen_in` names, for a case
    or test, the wrong rules under which it fails; for a wrong rule, the cases and tests that do.
    """

    clause: str
    kind: Kind
    name: str
    broken: str = ""
    seen_in: tuple[str, ...] = ()
