"""The catalogue of the zoo: every wrong allocator, with what is wrong and how to call it.

Two kinds of fault. A *rule* is missed by a variant of the model: the specification with one
sentence broken. Faults of *state and number* are mutants of the workbench.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import getdoc
from urllib.parse import urlencode

from allotment_conformance.errors import KitError
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.zoo.mutants import BENCH_MUTANTS
from allotment_conformance.zoo.variants import Served
from allotment_conformance.zoo.workbench import Workbench
from allotment_model.variants import VARIANTS, Variant

RULE = "rule"
"""The kind of a variant of the model."""


class UnknownMutant(KitError):
    """The zoo has no allocator of that name."""

    code = "unknown-mutant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Specimen:
    """A wrong allocator: the clauses that it breaks first, its kind of fault, the fault in words.

    `make` takes axes of the profile, such as `cache="none"`, as far as it has them.
    """

    id: str
    clauses: tuple[str, ...]
    kind: str
    what: str
    make: Callable[..., Adapter]

    @property
    def adapter(self) -> str:
        """The name by which every command of the kit can be given this allocator."""
        return f"allotment_conformance.zoo.served:Mutant?{urlencode({'name': self.id})}"


def _of_variant(variant: Variant) -> Specimen:
    [rule] = variant.replaced.values() if len(variant.replaced) == 1 else [None]
    words = (getattr(rule, "__doc__", None) or "").partition(" broken: ")[2]
    return Specimen(
        id=variant.name.replace(" ", "-"),
        clauses=variant.breaks,
        kind=RULE,
        what=_sentence(words or variant.name),
        make=partial(Served, variant.name),
    )


def _of_bench(mutant: type[Workbench]) -> Specimen:
    return Specimen(
        id=mutant.name,
        clauses=tuple(mutant.breaks.split()),
        kind=mutant.kind,
        what=" ".join((getdoc(mutant) or "").split()),
        make=mutant,
    )


def _sentence(words: str) -> str:
    words = words.strip().rstrip(".")
    return f"{words[:1].upper()}{words[1:]}."


SAME_AS_THE_SPEC: Mapping[str, str] = {
    "zero want blocked": "CACHE-1 drops zero amounts, so no want of zero is ever compared",
    "free goes negative": "every want is positive, and exceeds zero as it exceeds less",
}
"""Variants that no case can tell from the specification, and why; they are not in the zoo."""

MUTANTS: tuple[Specimen, ...] = (
    *(_of_variant(one) for one in VARIANTS if one.name not in SAME_AS_THE_SPEC),
    *map(_of_bench, BENCH_MUTANTS),
)
"""All of them: rules first, in the order of the clauses that they break."""

BY_ID: Mapping[str, Specimen] = {one.id: one for one in MUTANTS}


def mutant(name: str) -> Specimen:
    """The wrong allocator of that name."""
    if name not in BY_ID:
        raise UnknownMutant(
            f"the zoo has no '{name}'", remedy="docs/zoo.md lists the names of all its mutants."
        )
    return BY_ID[name]
