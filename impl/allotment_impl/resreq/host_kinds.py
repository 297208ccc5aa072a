"""Host types and host models, as far as their names tell them apart.

A ``ptile`` may have a value for each host type or for each host model, and never both. LSF knows
which is which from its configuration. A text alone tells it only by the names that LSF itself
gives to types and to models; any other name may be either.
"""

import re
from enum import Enum


class HostKind(Enum):
    """What a host is counted by, under its name in ``same``."""

    TYPE = "type"
    MODEL = "model"


_USUAL_NAMES = {
    HostKind.TYPE: re.compile(
        r"LINUX\w*|X86_64|AIX\w*|HP|HPPA\w*|SGI\w*|SOL64|SOLSPARC|NTX86|NTX64|NTIA64", re.ASCII
    ),
    HostKind.MODEL: re.compile(r"PC\d+|Sparc\w*|Ultra\w*|PowerPC|Opteron\w*|Intel_\w+", re.ASCII),
}


def kinds_meant(ptile: str, same: str | None) -> set[HostKind]:
    """The kinds that the names of a ptile have, and the one that ``same`` asks for alone."""
    names = re.findall(r"([\w.]+):", ptile)
    meant = {
        kind for kind, usual in _USUAL_NAMES.items() if any(usual.fullmatch(one) for one in names)
    }
    asked = {kind for kind in HostKind if same and kind.value in map(str.strip, same.split(":"))}
    return meant | asked if meant and len(asked) == 1 else meant
