"""Faults that show only where several fields, names or features meet."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.mutants.caches import SortingReader
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.intake import limit_id
from allotment_conformance.zoo.workbench.selects import Attributes, Select, Value
from allotment_conformance.zoo.workbench.things import (
    Account,
    Configuration,
    Host,
    Job,
    Primary,
    Reader,
    bounds,
)


class _OneFieldConfiguration(Configuration):
    def change_host(self, host: Host, event: Json) -> None:
        named = [field for field in ("capacity", "attributes", "open") if field in event]
        super().change_host(host, {field: event[field] for field in named[:1]})


class OneChangeAtATime(Workbench):
    """Of a host, one thing changes: the capacity, else the attributes, else whether it is open."""

    name = "one-change-at-a-time"
    breaks = "SESSION-2"
    kind = "combined"
    configuration_type = _OneFieldConfiguration


class _SettingConfiguration(Configuration):
    def change_host(self, host: Host, event: Json) -> None:
        attributes = event.get("attributes", {})
        given = {name: value for name, value in attributes.items() if value is not None}
        super().change_host(host, {**event, "attributes": given or attributes})


class NullBesideAValueStays(Workbench):
    """An attribute is taken away only by a change that sets no other one."""

    name = "null-beside-a-value-stays"
    breaks = "SESSION-2 SELECT-4"
    kind = "combined"
    configuration_type = _SettingConfiguration


class LowerCapStays(Workbench):
    """A limit that was removed and is set again has the lower one of its two caps."""

    name = "lower-cap-stays"
    breaks = "SESSION-5 SESSION-2"
    kind = "stale"

    def restart(self, cluster: Json) -> None:
        """No limit was removed."""
        super().restart(cluster)
        self.caps_before: dict[object, int] = {}

    def take_effect(self, event: Json) -> None:
        """The cap of a limit that goes is remembered."""
        if event["event"] == "limit_remove":
            limit = limit_id(event["limit"])
            self.caps_before[limit] = self.now.limits[limit]
        super().take_effect(event)
        if event["event"] == "limit_set":
            limit = limit_id(event["limit"])
            cap = self.now.limits[limit]
            self.now.limits[limit] = min(cap, self.caps_before.get(limit, cap))


class BoundAgainstPtile(Workbench):
    """The tasks per host are compared with the ptile, not with the largest bucket there is."""

    name = "bound-against-ptile"
    breaks = "PLAN-10 PLAN-9"
    kind = "combined"

    def plans(self, primary: Primary) -> Iterator[list[int]]:
        """None where the ptile is beyond the bound."""
        _hosts_min, _hosts_max, per_host, ptile = bounds(primary.span)
        return iter(()) if ptile > per_host else super().plans(primary)


class PtileBeyondTheCount(Workbench):
    """A ptile beyond the number of tasks leaves no plan: no host can be filled."""

    name = "ptile-beyond-the-count"
    breaks = "PLAN-10"
    kind = "false-infeasible"

    def plans(self, primary: Primary) -> Iterator[list[int]]:
        """None for such a ptile."""
        return iter(()) if [*bounds(primary.span)][3] > primary.tasks else super().plans(primary)


class PtileIsFilled(Workbench):
    """A host takes as many tasks as the ptile says or none, also where there are fewer in all."""

    name = "ptile-is-filled"
    breaks = "PLAN-10"
    kind = "false-infeasible"

    def place(self, primary: Primary, job: Job) -> bool:
        """Never, where the tasks fill no host."""
        fills = [*bounds(primary.span)][3] <= primary.tasks
        return fills and super().place(primary, job)


class _TextReader(Reader):
    def key(self, part: Primary, holders: Mapping[str, str]) -> object:
        needs = [f"{name}{''.join(map(str, of))}" for name, of in sorted(part.needs.items())]
        span, select = "".join(map(str, bounds(part.span))), part.select
        return f"{part.tasks_min}{part.tasks}{select}{''.join(needs)}{span}" + "".join(
            holders.values()
        )


class KeyAsOneText(Workbench):
    """The key is one text in which the fields follow each other, with nothing between them."""

    name = "key-as-one-text"
    breaks = "CACHE-1"
    kind = "key-field"
    reader_type = _TextReader


class _SetReader(Reader):
    def key(self, part: Primary, holders: Mapping[str, str]) -> object:
        return super().key(part, {name: name for name in sorted(holders.values())})


class KeyWithASetOfHolders(Workbench):
    """The key has the names of user, queue and project, and not which is which."""

    name = "key-with-a-set-of-holders"
    breaks = "CACHE-1"
    kind = "key-field"
    reader_type = _SetReader


class _AlgebraReader(SortingReader):
    def sorts(self, operator: str) -> bool:
        return operator in ("+", "*", "==", "!=", "&&", "||")


class KeyByAlgebra(Workbench):
    """Selects that are equal but for the sides of a sum, an equality or the like are one key."""

    name = "key-by-algebra"
    breaks = "CACHE-1"
    kind = "key-field"
    reader_type = _AlgebraReader


class LimitsByNameAlone(Workbench):
    """A limit of a name applies to whoever has a user, a queue or a project of that name."""

    name = "limits-by-name-alone"
    breaks = "LIMIT-1"
    kind = "identity"

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        """What is asked of the limits, whatever their kind."""
        wants = super().limit_wants(job, host, amounts)
        for kind in ("user", "queue", "project"):
            holders = dict.fromkeys(job.holders, job.holders[kind])
            alike = job.as_held_by(holders)
            for account, want in super().limit_wants(alike, host, amounts).items():
                if account[2] is not None and account[2][1] is not None:
                    wants[account] = want
        return wants


class LimitBlamedForFreeSlots(Workbench):
    """A limit is blamed where the free slots of all hosts together would do, split or not."""

    name = "limit-blamed-for-free-slots"
    breaks = "WHY-1"
    kind = "reason"

    def fits_without_limits(self, primary: Primary, job: Job) -> bool:
        """By the sum, if there are limits at all."""
        free = sum(self.slots_free(host) for host in self.now.hosts.values() if host.open)
        by_sum = bool(self.now.limits) and primary.tasks <= free
        return by_sum or super().fits_without_limits(primary, job)


class _WholeTruths(Select):
    def passes(self, select: Json | None, attributes: Attributes) -> bool:
        return super().passes(None if select is None else _truth(select), attributes)

    def unary(self, operator: str, operand: Value) -> Value:
        return super().unary(operator, Fraction(int(operand)) if operator == "!" else operand)

    def logical(self, operator: str, left: Json, right: Json, attributes: Attributes) -> Value:
        return super().logical(operator, _truth(left), _truth(right), attributes)


def _truth(node: Json) -> Json:
    """1 or 0, by a negation of its negation."""
    return {"op": "!", "args": [{"op": "!", "args": [node]}]}


class WholeTruths(Workbench):
    """Truth is that of the whole part: one half is false."""

    name = "whole-truths"
    breaks = "SELECT-2 SELECT-5"
    kind = "select-expr"
    select_type = _WholeTruths


class _RoundedProducts(Select):
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        value = super().binary(operator, left, right)
        return Fraction(int(Fraction(value) * 1000), 1000) if operator == "*" else value


class ProductsInThousandths(Workbench):
    """A product of numbers in a select is cut to thousandths, as its operands are."""

    name = "products-in-thousandths"
    breaks = "SELECT-1"
    kind = "select-expr"
    select_type = _RoundedProducts


class _WrappingSelect(Select):
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        value = super().binary(operator, left, right)
        if operator != "*":
            return value
        product = Fraction(value)
        return Fraction((product.numerator + 2**63) % 2**64 - 2**63, product.denominator)


class ProductsIn64Bits(Workbench):
    """Products in a select wrap at 64 bits."""

    name = "products-in-64-bits"
    breaks = "SELECT-1"
    kind = "arith-int"
    select_type = _WrappingSelect


class _NumericTexts(Select):
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        return super().binary(operator, _as_number(left), _as_number(right))


def _as_number(value: Value) -> Value:
    """A text of a number as that number, written in one way."""
    if isinstance(value, str) and value.replace(".", "", 1).isdecimal():
        return str(float(value))
    return value


class TextsReadAsNumbers(Workbench):
    """Texts that read as numbers are compared as numbers: `1` is `1.0`."""

    name = "texts-read-as-numbers"
    breaks = "SELECT-2"
    kind = "select-expr"
    select_type = _NumericTexts


class _ShortTexts(Select):
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        return super().binary(
            operator,
            left[:40] if isinstance(left, str) else left,
            right[:40] if isinstance(right, str) else right,
        )


class TextsOf40Letters(Workbench):
    """Texts are compared in their first forty letters."""

    name = "texts-of-40-letters"
    breaks = "SELECT-2"
    kind = "select-expr"
    select_type = _ShortTexts
