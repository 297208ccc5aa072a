"""Cluster files: a starting configuration as TOML or JSON, its hosts in groups.

``load_cluster`` reads a file wholly or raises ``ClusterFileError``; docs/cluster-files.md is the
format. Amounts are decimals in the unit of their resource, slots are whole. What is read is as
exact as it is written: no number passes through a float (AMOUNT-1).
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import msgspec

from allotment_impl.file_lines import Place
from allotment_impl.file_reading import Document, EndlessNumber, FileFault, read_document
from allotment_impl.refusals import AMOUNT_LARGEST, AllotmentError
from allotment_impl.requests import (
    AttributeType,
    Cluster,
    Host,
    Limit,
    LimitIdentity,
    LimitKind,
    LimitScope,
    Resources,
    Value,
)
from allotment_impl.types_given import MistypedError
from allotment_impl.vocabulary import SLOTS, Vocabulary

HOSTS_LARGEST = 2**20
"""The most hosts that the groups of a file may come to: ten times the largest cluster in use."""

_QUOTED_LARGEST = 40
"""The first characters of a hostile number: those that a message shows."""

_PLACEHOLDER = re.compile(r"\{(?::0([1-9]))?\}")
_PLACED = re.compile(r"(?P<what>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?", re.DOTALL)
_STEP = re.compile(r"\.([\w-]+)|\[(\d+)\]")
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`")


class ClusterFileError(AllotmentError):
    """A file that describes no cluster: which, where in it, what is wrong, and what to do.

    ``line`` is None where the fault has none.
    """

    def __init__(self, file: str, line: int | None, problem: str, remedy: str) -> None:
        place = file if line is None else f"{file}, line {line}"
        super().__init__(f"{place}: {problem} ({remedy})")
        self.file = file
        self.line = line
        self.problem = problem
        self.remedy = remedy


class Amount:
    """A number of a file, as it was read: an integer, a decimal, or by mistake anything else."""

    __slots__ = ("raw",)

    def __init__(self, raw: object) -> None:
        self.raw = raw


class AttributeValue(Amount):
    """A number, or a text."""

    __slots__ = ()


class HostGroup(Value, frozen=True, kw_only=True):
    """Equal hosts: one of this name or, with ``count``, so many, numbered from ``first`` on."""

    name: str
    capacity: dict[str, Amount]
    count: Annotated[int, msgspec.Meta(ge=1, le=HOSTS_LARGEST)] | None = None
    first: Annotated[int, msgspec.Meta(ge=0, le=10**9)] | None = None
    attributes: dict[str, AttributeValue] = msgspec.field(default_factory=dict)
    open: bool = True


class LimitEntry(Value, frozen=True, kw_only=True):
    """A limit as a file has it: its cap is a decimal."""

    kind: LimitKind
    scope: LimitScope
    resource: str
    cap: Amount
    name: str | None = None
    each: bool = False


class ClusterFile(Value, frozen=True, kw_only=True):
    """What a cluster file holds."""

    hosts: tuple[HostGroup, ...]
    resources: Resources = Resources()
    pools: dict[str, Amount] = msgspec.field(default_factory=dict)
    limits: tuple[LimitEntry, ...] = ()


def load_cluster(path: str | PathLike[str]) -> Cluster:
    """The cluster that a TOML or JSON file describes; raises ``ClusterFileError``.

    Raises ``MistypedError`` for a path that is none.
    """
    if not isinstance(path, str | PathLike):
        raise MistypedError("path", "a str or a path", path)
    document: Document | None = None
    try:
        document = read_document(Path(path))
        _check_texts(document.content)
        return _Builder(_convert(document.content)).cluster()
    except FileFault as fault:
        line = fault.line
        if line is None and document is not None:
            line = document.line(fault.place)
        raise ClusterFileError(str(path), line, fault.problem, fault.remedy) from None


def _check_texts(content: object) -> None:
    """Refuse a name or text, wherever it stands, that no terminal, file or message can hold."""
    to_see: list[tuple[object, Place]] = [(content, ())]
    while to_see:
        value, place = to_see.pop()
        match value:
            case str() if _NO_TEXT.search(value):
                problem = f"{_name(place)} holds a control character or half of one: {value!a}"
                raise FileFault(place, problem, "write it without")
            case dict():
                to_see += [(key, place) for key in value]
                to_see += [(inner, (*place, key)) for key, inner in value.items()]
            case list():
                to_see += [(inner, (*place, index)) for index, inner in enumerate(value)]
            case _:
                pass


def cluster_schema() -> dict[str, Any]:
    """The JSON schema of a cluster file."""
    return msgspec.json.schema(ClusterFile, schema_hook=_schema_of)


def _schema_of(kind: type) -> dict[str, Any]:
    number = {"type": "number", "multipleOf": 0.001}
    if kind is AttributeValue:
        return {"anyOf": [number, {"type": "string"}]}
    assert kind is Amount
    return {**number, "minimum": 0}


def _convert(content: object) -> ClusterFile:
    """The file as typed values, its numbers not yet looked at."""
    try:
        return msgspec.convert(content, ClusterFile, dec_hook=lambda kind, raw: kind(raw))
    except msgspec.ValidationError as error:
        placed = _PLACED.fullmatch(str(error))
        assert placed is not None
        steps = _STEP.findall(placed["path"] or "")
        place: Place = tuple(key or int(index) for key, index in steps)
        unknown = _UNKNOWN_FIELD.fullmatch(placed["what"])
        if unknown is not None:
            problem = f"there is no key {unknown[1]!r} in {_name(place)}"
            raise FileFault((*place, unknown[1]), problem, "see docs/cluster-files.md") from None
        problem = f"{_name(place)}: {placed['what'][:1].lower()}{placed['what'][1:]}"
        raise FileFault(place, problem, "see docs/cluster-files.md") from None


def _name(place: Place) -> str:
    """A place as a person reads it."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return "".join(steps).removeprefix(".") or "the file"


class _Builder:
    """Makes the cluster of one file; raises ``FileFault`` at the first thing that is wrong."""

    def __init__(self, file: ClusterFile) -> None:
        self._file = file
        try:
            self._vocabulary = Vocabulary.declare(file.resources)
        except ValueError as error:
            remedy = "give each resource a name of its own; slots need not be declared"
            raise FileFault(("resources",), str(error), remedy) from None

    def cluster(self) -> Cluster:
        """The whole cluster."""
        pools = {
            name: self._amount(amount, ("pools", name), self._vocabulary.shared, "shared amount")
            for name, amount in self._file.pools.items()
        }
        return Cluster(
            resources=self._file.resources,
            hosts=self._hosts(),
            pools=pools,
            limits=self._limits(),
        )

    def _hosts(self) -> tuple[Host, ...]:
        hosts: list[Host] = []
        groups: dict[str, int] = {}
        for index, group in enumerate(self._file.hosts):
            place: Place = ("hosts", index)
            capacity = {
                name: self._amount(
                    amount, (*place, "capacity", name), self._vocabulary.host, "host amount"
                )
                for name, amount in group.capacity.items()
            }
            attributes = {
                name: self._attribute(name, value, (*place, "attributes", name))
                for name, value in group.attributes.items()
            }
            for name in _names(group, place, HOSTS_LARGEST - len(hosts)):
                if name in groups:
                    problem = f"host {name!r} is in hosts[{groups[name]}] and in hosts[{index}]"
                    raise FileFault((*place, "name"), problem, "give each host a name of its own")
                groups[name] = index
                hosts.append(
                    Host(name=name, capacity=capacity, attributes=attributes, open=group.open)
                )
        return tuple(hosts)

    def _amount(self, amount: Amount, place: Place, declared: Mapping[str, int], kind: str) -> int:
        """A capacity: whole slots, or thousandths of a declared amount."""
        name = place[-1]
        if name not in declared:
            remedy = f"declare it under resources.{kind.partition(' ')[0]}, or mend the name"
            raise FileFault(place, f"{name!r} is no {kind}", remedy)
        return _within(amount, place, whole=name == SLOTS)

    def _attribute(self, name: str, value: AttributeValue, place: Place) -> int | str:
        declared = self._vocabulary.attributes.get(name)
        if declared is None:
            remedy = "declare it under resources.attributes, or mend the name"
            raise FileFault(place, f"{name!r} is no attribute", remedy)
        if declared is AttributeType.TEXT:
            if isinstance(value.raw, str):
                return value.raw
            remedy = "write the value in quotes, or declare the attribute as a number"
            raise FileFault(place, f"attribute {name!r} is declared as a text", remedy)
        return _exact(value, place, digits=3)

    def _limits(self) -> tuple[Limit, ...]:
        seen: set[LimitIdentity] = set()
        limits = []
        for index, entry in enumerate(self._file.limits):
            place: Place = ("limits", index)
            limit = self._limit(entry, place)
            if limit.identity in seen:
                raise FileFault(place, f"{_name(place)} is there before", "keep one of the two")
            seen.add(limit.identity)
            limits.append(limit)
        return tuple(limits)

    def _limit(self, entry: LimitEntry, place: Place) -> Limit:
        if entry.each == (entry.name is not None) or entry.name == "":
            remedy = f"name the {entry.kind.value}, or write each = true"
            raise FileFault(place, f"{_name(place)} does not say whom it caps", remedy)
        if entry.resource in self._vocabulary.shared:
            if entry.scope is LimitScope.HOST:
                problem = f"{entry.resource!r} is a shared amount, which no host has"
                raise FileFault((*place, "scope"), problem, 'write scope = "cluster"')
        elif entry.resource not in self._vocabulary.host:
            remedy = "name slots or a declared amount"
            raise FileFault((*place, "resource"), f"{entry.resource!r} is no amount", remedy)
        return Limit(
            kind=entry.kind,
            scope=entry.scope,
            resource=entry.resource,
            name=entry.name,
            each=entry.each,
            cap=_within(entry.cap, (*place, "cap"), whole=entry.resource == SLOTS),
        )


def _names(group: HostGroup, place: Place, room: int) -> list[str]:
    """The names of a group's hosts, in order."""
    place = (*place, "name")
    if group.count is None:
        if not group.name or "{" in group.name or group.first is not None:
            remedy = "give a name, or a count with a name that has one {}"
            raise FileFault(place, f"{group.name!r} is no name of one host", remedy)
        return [group.name]
    before, *rest = _PLACEHOLDER.split(group.name)
    if len(rest) != 2 or "{" in before or "{" in rest[1]:
        remedy = 'write one {}, as in "node{}", or {:04} for four digits'
        raise FileFault(place, f"{group.name!r} does not number {group.count} hosts", remedy)
    if group.count > room:
        remedy = "mend the count"
        raise FileFault(place, f"there are more than {HOSTS_LARGEST} hosts", remedy)
    digits, after = int(rest[0] or 0), rest[1]
    first = 1 if group.first is None else group.first
    return [f"{before}{number:0{digits}}{after}" for number in range(first, first + group.count)]


def _within(amount: Amount, place: Place, *, whole: bool) -> int:
    """Slots, or thousandths, that are not negative."""
    number = _exact(amount, place, digits=0 if whole else 3)
    if number < 0:
        raise FileFault(place, f"{_name(place)} is negative", "write 0 or more")
    return number


def _exact(amount: Amount, place: Place, *, digits: int) -> int:
    """A number in units of so many digits behind the point, exactly, and within the bound
    (AMOUNT-1).
    """
    raw = amount.raw
    if isinstance(raw, EndlessNumber):
        problem = f"{_name(place)} is {raw.written[:_QUOTED_LARGEST]}, which no computer can hold"
        raise FileFault(place, problem, "write the digits, without an exponent")
    if isinstance(raw, bool) or not isinstance(raw, int | Decimal):
        raise FileFault(place, f"{_name(place)} is no number", "write a number, without quotes")
    decimal = Decimal(raw)
    exponent = decimal.as_tuple().exponent
    if not isinstance(exponent, int):
        raise FileFault(place, f"{_name(place)} is {raw}", "write a number")
    if not decimal or decimal.adjusted() <= len(str(AMOUNT_LARGEST)):
        if digits and exponent < -digits:
            problem = f"{_name(place)} has {-exponent} digits behind the point"
            raise FileFault(place, problem, f"write at most {digits}, or use a smaller unit")
        if not digits and decimal != int(decimal):
            raise FileFault(place, f"{_name(place)} is not whole", "write a whole number of slots")
        number = int(decimal.scaleb(digits)) if decimal else 0
        if abs(number) <= AMOUNT_LARGEST:
            return number
    largest = Decimal(AMOUNT_LARGEST).scaleb(-digits)
    raise FileFault(place, f"{_name(place)} is too large", f"write at most {largest}")
