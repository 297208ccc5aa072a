"""Options that choose among the profiles that the model can answer for."""

from enum import StrEnum
from typing import Annotated

import msgspec
import typer

from allotment_conformance.wire.messages import Profile
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_model.oracle.profile import CacheKind, HostOrder, Split


class RusageDefault(StrEnum):
    """What `per` means when it is left out for a host amount."""

    HOST = "host"
    TASK = "task"


Order = Annotated[HostOrder, typer.Option(help="In which order hosts are searched.")]
Splits = Annotated[Split, typer.Option("--split", help="In which buckets tasks may be split.")]
Cache = Annotated[CacheKind, typer.Option(help="How hopeless requests are remembered.")]
Per = Annotated[RusageDefault, typer.Option(help="What an amount without `per` is meant for.")]


def model_profile(
    host_order: HostOrder, cache: CacheKind, per: RusageDefault, split: Split = Split.BALANCED
) -> Profile:
    """The model's profile with these choices."""
    return msgspec.structs.replace(
        MODEL_PROFILE,
        host_order=str(host_order),
        split=str(split),
        cache=str(cache),
        rusage_default=str(per),
    )
