"""Allocators of the zoo by name, for any command of the kit."""

from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo import calibration, catalogue


class _Kept:
    """Hands everything on to the allocator that it keeps."""

    kept: Adapter

    def start(self) -> Json:
        """The profile that it declares."""
        return self.kept.start()

    def run(self, case: Json) -> list[Json]:
        """The answers to a case's events."""
        return self.kept.run(case)

    def close(self) -> None:
        """No call follows."""
        self.kept.close()


class Mutant(_Kept):
    """A wrong allocator: `allotment_conformance.zoo.served:Mutant?name=int32-ledger`.

    Further options are axes of the profile, like `cache=none`.
    """

    def __init__(self, name: str, **axes: str) -> None:
        self.kept = catalogue.mutant(name).make(**axes)


class Odd(_Kept):
    """A right one that is odd: `allotment_conformance.zoo.served:Odd?name=no-cache`."""

    def __init__(self, name: str) -> None:
        self.kept = calibration.odd(name).make()
