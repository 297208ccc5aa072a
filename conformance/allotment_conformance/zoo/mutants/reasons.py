"""Faults of what is told, and of selects."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.selects import LeftOutError, Select, Value
from allotment_conformance.zoo.workbench.things import Job, Primary


class StaleNever(Workbench):
    """Whether a job is never placeable is worked out once, whatever changes later."""

    name = "stale-never"
    breaks = "WHY-2"
    kind = "stale"

    def restart(self, cluster: Json) -> None:
        """Nothing is known."""
        super().restart(cluster)
        self.known: dict[str, bool] = {}

    def is_never(self, job: Job) -> bool:
        """What was said the first time."""
        if job.name not in self.known:
            self.known[job.name] = super().is_never(job)
        return self.known[job.name]


class NeverBesideWhatRuns(Workbench):
    """A job never fits if it does not fit beside what runs now."""

    name = "never-beside-what-runs"
    breaks = "WHY-2"
    kind = "reason"

    def is_never(self, job: Job) -> bool:
        """In the present books."""
        return all(
            any(not self.would_be_placed(part, job, is_open=True) for part in parts)
            for parts in job.request
        )


class ReasonOfTheFirstAlternative(Workbench):
    """The reported category is that of the first alternative."""

    name = "reason-of-the-first-alternative"
    breaks = "WHY-1"
    kind = "reason"

    def place_compound(self, job: Job, number: int) -> tuple[str, bool] | None:
        """Remembers the first failure, and repeats it."""
        failure = super().place_compound(job, number)
        if number == 0:
            self.first = failure
        return self.first if failure else None

    first: tuple[str, bool] | None = None


class ReasonWithoutEarlierParts(Workbench):
    """The category of a part is worked out without the parts before it."""

    name = "reason-without-earlier-parts"
    breaks = "WHY-1"
    kind = "reason"

    def reason(self, primary: Primary, job: Job) -> str:
        """In the ledger from before the attempt."""
        self.hold(job, held=False)
        reason = super().reason(primary, job)
        self.hold(job, held=True)
        return reason

    def hold(self, job: Job, *, held: bool) -> None:
        """The claims of earlier parts in the ledger, or out of it."""
        for claim in (claim for claims in job.claims for claim in claims):
            if held:
                claim.held = True
                self.debit(claim)
            else:
                self.reverse(claim)


class SelectOfOpenHosts(Workbench):
    """A select that only closed hosts pass counts as one that none does."""

    name = "select-of-open-hosts"
    breaks = "WHY-1"
    kind = "reason"

    def reason(self, primary: Primary, job: Job) -> str:
        """`select`, where no open host passes."""
        reason = super().reason(primary, job)
        open_hosts = [host for host in self.now.hosts.values() if host.open]
        hopeless = not any(self.passes(primary, host) for host in open_hosts)
        return "select" if hopeless and reason != "span" else reason


class _UndefinedIsFalse(Select):
    def value(self, node: Json, attributes: Mapping[str, int | str]) -> Value:
        if node.get("op") != "!":
            return super().value(node, attributes)
        try:
            return super().value(node, attributes)
        except LeftOutError:
            return Fraction(1)


class NotUndefinedPasses(Workbench):
    """What is undefined counts as false under `!`, so its negation passes."""

    name = "not-undefined-passes"
    breaks = "SELECT-4"
    kind = "select-expr"
    select_type = _UndefinedIsFalse


class _BackwardsSelect(Select):
    def logical(
        self, operator: str, left: Json, right: Json, attributes: Mapping[str, int | str]
    ) -> Value:
        return super().logical(operator, right, left, attributes)


class RightSideFirst(Workbench):
    """`&&` and `||` evaluate the right side first."""

    name = "right-side-first"
    breaks = "SELECT-3"
    kind = "select-expr"
    select_type = _BackwardsSelect


class _OperandSelect(Select):
    def logical(
        self, operator: str, left: Json, right: Json, attributes: Mapping[str, int | str]
    ) -> Value:
        first = self.value(left, attributes)
        decides = (first != 0) == (operator == "||")
        return first if decides else self.value(right, attributes)


class OperandForTruth(Workbench):
    """`&&` and `||` yield the operand that decided, not 1 or 0."""

    name = "operand-for-truth"
    breaks = "SELECT-2 SELECT-3"
    kind = "select-expr"
    select_type = _OperandSelect


class _EmptyTextSelect(Select):
    def attribute(self, name: str, attributes: Mapping[str, int | str]) -> Value:
        if attributes.get(name) == "":
            raise LeftOutError
        return super().attribute(name, attributes)


class EmptyTextIsUndefined(Workbench):
    """An attribute that is the empty text counts as undefined."""

    name = "empty-text-is-undefined"
    breaks = "SELECT-4"
    kind = "degenerate"
    select_type = _EmptyTextSelect


class _ZeroSelect(Select):
    def value(self, node: Json, attributes: Mapping[str, int | str]) -> Value:
        if "defined" in node:
            return Fraction(bool(attributes.get(node["defined"])))
        return super().value(node, attributes)


class ZeroIsUndefined(Workbench):
    """`defined` asks whether the value is anything: zero and the empty text are not."""

    name = "zero-is-undefined"
    breaks = "SELECT-4"
    kind = "degenerate"
    select_type = _ZeroSelect


class _QuietDivision(Select):
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        if operator == "/" and right == 0:
            return Fraction(0)
        return super().binary(operator, left, right)


class DivisionByZeroIsZero(Workbench):
    """A division by zero yields zero."""

    name = "division-by-zero-is-zero"
    breaks = "SELECT-4"
    kind = "select-expr"
    select_type = _QuietDivision


class PartsMerged(Workbench):
    """The slots of a host that two parts share are reported once, with the first part."""

    name = "parts-merged"
    breaks = "PAR-3"
    kind = "reason"

    def attempt(self, job: Job) -> dict[str, Any]:
        """Later mentions of a host are added to the first one."""
        told = super().attempt(job)
        first: dict[str, list[Any]] = {}
        for number, part in enumerate(told.get("parts", [])):
            kept = []
            for entry in part:
                known = first.setdefault(entry[0], entry)
                if known is entry:
                    kept.append(entry)
                else:
                    known[1] += entry[1]
            told["parts"][number] = kept
        return told


class BooksOfOneHolder(Workbench):
    """The use of limits is reported for the first holder only."""

    name = "books-of-one-holder"
    breaks = "LIMIT-2"
    kind = "reason"

    def reported(self, answer: Json) -> Json:
        """One use a limit."""
        told = super().reported(answer)
        if "books" in told:
            first: dict[str, Json] = {}
            for use in told["books"]["limits"]:
                name = str({field: use.get(field) for field in ("kind", "name", "resource")})
                first.setdefault(name + use["scope"], use)
            told["books"]["limits"] = list(first.values())
        return told


class SharedBeforeSpan(Workbench):
    """An empty pool is told before the request is asked whether it has any plan."""

    name = "shared-before-span"
    breaks = "WHY-1"
    kind = "reason"

    def reason(self, primary: Primary, job: Job) -> str:
        """The pools first."""
        wants = self.shared_claim(primary, job).wants.items()
        lacks = not self.fit({account: n for account, n in wants if account[2] is None})
        return "shared" if lacks else super().reason(primary, job)
