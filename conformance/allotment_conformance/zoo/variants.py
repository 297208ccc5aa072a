"""The model's variants, served like any allocator."""

import msgspec

from allotment_conformance.errors import KitError
from allotment_conformance.wire.legality import with_features
from allotment_conformance.wire.messages import plain, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE, rules_for
from allotment_model.variants import VARIANTS, Variant


class UnknownVariant(KitError):
    """There is no variant of that name."""

    code = "unknown-variant"


class Served(ModelAdapter):
    """The model with one variant's fault, or without any.

    Named on a command line as `allotment_conformance.zoo.variants:Served?variant=no-rollback`, as
    `allotment zoo` lists it; further options are axes of the profile, like `cache=none`, and
    `features`, those that it declares, separated by commas.
    """

    def __init__(self, variant: str = "", features: str | None = None, **axes: str) -> None:
        profile = with_features(read_profile({**plain(MODEL_PROFILE), **axes}), features)
        rules = rules_for(profile)
        if variant:
            wrong = _named(variant)
            rules = wrong.of(rules)
            profile = msgspec.structs.replace(profile, name=f"allotment-model, {wrong.name}")
        super().__init__(rules, profile)


def _named(name: str) -> Variant:
    spelled = name.replace("-", " ")
    found = [variant for variant in VARIANTS if variant.name.replace("-", " ") == spelled]
    if not found:
        raise UnknownVariant(
            f"there is no variant '{name}'",
            remedy="Known variants: " + ", ".join(variant.name for variant in VARIANTS),
        )
    return found[0]
