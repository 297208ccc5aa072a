"""The books as a report: what is in use on each account (SESSION-3)."""

from collections.abc import Mapping
from dataclasses import dataclass

from allotment_impl.requests import LimitIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitUse:
    """What one limit counts for one holder, on one host if it is a limit for each host."""

    limit: LimitIdentity
    holder: str
    host: str | None
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """What is in use: whole slots, amounts in thousandths; no account with nothing in use."""

    hosts: Mapping[str, Mapping[str, int]]
    pools: Mapping[str, int]
    limits: tuple[LimitUse, ...]
