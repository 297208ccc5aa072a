"""The profile: what an implementation declares, and the rules that follow from it."""

import functools
from dataclasses import dataclass, replace
from enum import StrEnum

from allotment_model.request import Per
from allotment_model.rules import SPEC, Rules
from allotment_model.search import listed, most_free
from allotment_model.variants.attempts import fill_always, fill_never, hit_pends_the_job


class HostOrder(StrEnum):
    """In which order hosts are searched (HOST-9)."""

    LISTED = "listed"
    MOST_FREE = "most_free"
    UNSPECIFIED = "unspecified"


class Split(StrEnum):
    """Which splits are tried (PLAN-2, PLAN-11)."""

    BALANCED = "balanced"
    ANY = "any"


class CacheKind(StrEnum):
    """How hopeless requests are remembered; LITERAL is the seeds' rule, with E1 and E10."""

    NONE = "none"
    TRANSPARENT = "transparent"
    LITERAL = "literal"


DECLARABLE = frozenset({"reason", "never", "cached"})
"""The fields of a pending answer that an implementation may mean or leave open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The axes of SPEC.md 2.4 that decide which answers are allowed."""

    host_order: HostOrder = HostOrder.LISTED
    split: Split = Split.BALANCED
    cache: CacheKind = CacheKind.TRANSPARENT
    rusage_default: Per = Per.TASK
    declares: frozenset[str] = DECLARABLE


@functools.cache
def rules_for(profile: Profile) -> Rules:
    """The rules of a profile. HOST-9, RES-3; caches `none` and `literal`.

    For `unspecified` and `any` they give one allowed answer; `accepts` knows the others.
    """
    rules = replace(
        SPEC,
        host_order=most_free if profile.host_order is HostOrder.MOST_FREE else listed,
        rusage_default=profile.rusage_default,
    )
    match profile.cache:
        case CacheKind.NONE:
            return replace(rules, may_fill=fill_never)
        case CacheKind.TRANSPARENT:
            return rules
        case CacheKind.LITERAL:
            return replace(rules, may_fill=fill_always, hit_ends_attempt=hit_pends_the_job)
