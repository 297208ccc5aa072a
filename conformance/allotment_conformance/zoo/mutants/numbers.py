"""Faults of numbers: amounts that are no exact integers, and counts that end too early."""

import struct
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.selects import Select
from allotment_conformance.zoo.workbench.things import Account, Host, Job, Ledger, Primary, Reader

WRAP = 2**32


def _single(value: float) -> float:
    """The nearest number of 32 bits."""
    near: float = struct.unpack("f", struct.pack("f", value))[0]
    return near


def _signed(value: int) -> int:
    """What a signed integer of 32 bits makes of it."""
    return (value + WRAP // 2) % WRAP - WRAP // 2


class _FloatLedger(Ledger):
    def held(self, value: float) -> float:
        return value

    def in_use(self, account: Account) -> int:
        amount: float = self.used.get(account, 0.0)
        return round(amount * 1000 / _scale(account))

    def debit(self, account: Account, amount: int) -> None:
        now = self.used.get(account, 0.0)
        self.used[account] = self.held(now + self.held(amount * _scale(account) / 1000))

    def credit(self, account: Account, amount: int) -> None:
        now = self.used.get(account, 0.0)
        self.used[account] = self.held(now - self.held(amount * _scale(account) / 1000))

    def free(self, account: Account, capacity: int) -> Any:
        size = _scale(account)
        return max(0.0, self.held(capacity * size / 1000) - self.used.get(account, 0.0))

    def fits(self, account: Account, want: int, capacity: int) -> bool:
        return bool(self.held(want * _scale(account) / 1000) <= self.free(account, capacity))


def _scale(account: Account) -> int:
    """Slots are whole already."""
    return 1000 if account[0] == "slots" else 1


class _SingleLedger(_FloatLedger):
    def held(self, value: float) -> float:
        return _single(value)


class Float64Ledger(Workbench):
    """The ledger holds doubles, and a reversal subtracts what a debit added."""

    name = "float64-ledger"
    breaks = "AMOUNT-1 UNDO-1"
    kind = "arith-float"
    ledger_type = _FloatLedger


class _SummingLedger(Ledger):
    """The books are exact; room is looked for by doubles beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.near: dict[Account, float] = {}

    def debit(self, account: Account, amount: int) -> None:
        super().debit(account, amount)
        self.near[account] = self.near.get(account, 0.0) + amount / 1000

    def credit(self, account: Account, amount: int) -> None:
        super().credit(account, amount)
        self.near[account] = self.near.get(account, 0.0) - amount / 1000

    def fits(self, account: Account, want: int, capacity: int) -> bool:
        resource, host, limit, _holder = account
        if resource == "slots" or host is None or limit is not None:
            return super().fits(account, want, capacity)
        return self.near.get(account, 0.0) + want / 1000 <= capacity / 1000


class Float64Sums(Workbench):
    """In doubles, what is in use of a host and what is wanted are added, and then compared."""

    name = "float64-sums"
    breaks = "AMOUNT-1 UNDO-1"
    kind = "arith-float"
    ledger_type = _SummingLedger


class Float32Ledger(Workbench):
    """The ledger holds floating numbers of 32 bits."""

    name = "float32-ledger"
    breaks = "AMOUNT-1 UNDO-1"
    kind = "arith-float"
    ledger_type = _SingleLedger


class _WholeReader(Reader):
    def amount(self, entry: Json) -> int:
        return int(entry["amount"]) // 1000 * 1000


class FractionsDropped(Workbench):
    """Amounts are cut to whole units when they are read, so a small one is a debit of zero."""

    name = "fractions-dropped"
    breaks = "AMOUNT-1"
    kind = "arith-float"
    reader_type = _WholeReader


class _HundredthReader(Reader):
    def amount(self, entry: Json) -> int:
        return (int(entry["amount"]) + 5) // 10 * 10


class TwoDecimals(Workbench):
    """Amounts are rounded to two decimals when they are read."""

    name = "two-decimals"
    breaks = "AMOUNT-1"
    kind = "arith-float"
    reader_type = _HundredthReader


class _WrappingLedger(Ledger):
    def debit(self, account: Account, amount: int) -> None:
        self.used[account] = _signed(self.used.get(account, 0) + amount)

    def credit(self, account: Account, amount: int) -> None:
        self.used[account] = _signed(self.used.get(account, 0) - amount)


class Int32Ledger(Workbench):
    """What is in use wraps at 2^31, and a negative use is much room."""

    name = "int32-ledger"
    breaks = "AMOUNT-1 SESSION-3"
    kind = "arith-int"
    ledger_type = _WrappingLedger


class Int32Want(Workbench):
    """The product of slots and amount is taken in 32 bits; what is negative fits anywhere."""

    name = "int32-want"
    breaks = "AMOUNT-1 WANT-1"
    kind = "arith-int"

    def want(self, per_task: int, per_host: int, slots: int) -> int:
        """The low half of the product."""
        return _signed(super().want(per_task, per_host, slots))


class _SaturatingLedger(Ledger):
    def debit(self, account: Account, amount: int) -> None:
        self.used[account] = min(2**31 - 1, self.used.get(account, 0) + amount)


class SaturatingLedger(Workbench):
    """What is in use stops at 2^31 − 1, and the credit takes back more than was counted."""

    name = "saturating-ledger"
    breaks = "AMOUNT-1 UNDO-1"
    kind = "arith-int"
    ledger_type = _SaturatingLedger


class _UnsignedLedger(Ledger):
    def free(self, account: Account, capacity: int) -> int:
        return (capacity - int(self.used.get(account, 0))) % 2**64


class UnsignedFree(Workbench):
    """Free is an unsigned difference: a capacity cut below its use leaves nearly 2^64."""

    name = "unsigned-free"
    breaks = "SESSION-5"
    kind = "overalloc"
    ledger_type = _UnsignedLedger


class UnsignedPriority(Workbench):
    """Priorities are unsigned: a negative one goes first."""

    name = "unsigned-priority"
    breaks = "SESSION-1"
    kind = "arith-int"

    def rank(self, job: Job) -> tuple[int, int]:
        """By the low half of the priority."""
        return -(job.priority % WRAP), job.number


class Int32Priority(Workbench):
    """Priorities are integers of 32 bits: 2^31 is the lowest."""

    name = "int32-priority"
    breaks = "SESSION-1"
    kind = "arith-int"

    def rank(self, job: Job) -> tuple[int, int]:
        """By what is left of the priority."""
        return -_signed(job.priority), job.number


class Int8Priority(Workbench):
    """Priorities are bytes: those beyond 127 are 127, those below −128 are −128."""

    name = "int8-priority"
    breaks = "SESSION-1"
    kind = "arith-int"

    def rank(self, job: Job) -> tuple[int, int]:
        """By the nearest byte."""
        return -max(-128, min(job.priority, 127)), job.number


class Float32Priority(Workbench):
    """Priorities are floating numbers of 32 bits: 2^24 and the next one are the same."""

    name = "float32-priority"
    breaks = "SESSION-1"
    kind = "arith-float"

    def rank(self, job: Job) -> tuple[int, int]:
        """By the nearest such number, which is whole where it is large."""
        return -int(_single(job.priority)), job.number


class ShortSlots(Workbench):
    """The slots of a host are kept in 16 bits."""

    name = "short-slots"
    breaks = "HOST-1"
    kind = "arith-int"

    def capacity(self, account: Account) -> int:
        """Slots without what 16 bits cannot hold."""
        whole = super().capacity(account)
        is_slots = account[0] == "slots" and account[2] is None
        return whole % 2**16 if is_slots else whole


class ChunkOf4096(Workbench):
    """Counts are worked on in chunks of 4,096; the first task of the second chunk is lost."""

    name = "chunk-of-4096"
    breaks = "PLAN-2"
    kind = "split"

    def split(self, tasks: int, hosts: int) -> list[int]:
        """One task too few when a count is one more than a chunk."""
        return super().split(tasks - (tasks == 4097), hosts)


class HostsOfThreeDigits(Workbench):
    """The place of a host in the order has three digits: from the thousandth on, none is seen."""

    name = "hosts-of-three-digits"
    breaks = "HOST-1"
    kind = "degenerate"

    def hosts_in_order(self) -> list[Host]:
        """The first 999."""
        return super().hosts_in_order()[:999]


class QueueOf32(Workbench):
    """The queue is a ring of 32 places; those behind are tried in the next session."""

    name = "queue-of-32"
    breaks = "SESSION-1"
    kind = "degenerate"

    def queue(self) -> list[Job]:
        """The first 32."""
        return super().queue()[:32]


class _DoubleSelect(Select):
    def number(self, thousandths: int) -> Fraction:
        return Fraction(thousandths / 1000)

    def quotient(self, left: Fraction, right: Fraction) -> Fraction:
        return Fraction(float(left) / float(right))

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        value = super().binary(operator, left, right)
        return Fraction(float(value)) if isinstance(value, Fraction) else value


class SelectInDoubles(Workbench):
    """Selects are worked out in doubles, in which 0.1 + 0.2 is not 0.3."""

    name = "select-in-doubles"
    breaks = "SELECT-1"
    kind = "arith-float"
    select_type = _DoubleSelect


class _WholeSelect(Select):
    def quotient(self, left: Fraction, right: Fraction) -> Fraction:
        return Fraction(int(left / right))


class WholeQuotients(Workbench):
    """A quotient in a select is cut to a whole number."""

    name = "whole-quotients"
    breaks = "SELECT-1"
    kind = "select-expr"
    select_type = _WholeSelect


class EmptyLastBucket(Workbench):
    """A ptile that divides the count makes one more bucket, of nothing, which needs a host."""

    name = "empty-last-bucket"
    breaks = "PLAN-10"
    kind = "false-infeasible"

    def ptile_split(self, tasks: int, ptile: int) -> list[int]:
        """With what remains, also if it is nothing."""
        full, rest = divmod(tasks, ptile)
        return [ptile] * full + [rest]


class FreeTogether(Workbench):
    """What a primary never gets is judged by the sum over hosts: a split that is none counts."""

    name = "free-together"
    breaks = "WHY-2"
    kind = "false-feasible"

    def is_never(self, job: Job) -> bool:
        """By the slots of all hosts together."""
        slots = sum(host.capacity.get("slots", 0) for host in self.now.hosts.values())
        return super().is_never(job) and all(
            any(part.tasks > slots for part in parts) for parts in job.request
        )


class RoundedRoom(Workbench):
    """How often an amount fits is free ÷ amount, rounded: two and a half are three."""

    name = "rounded-room"
    breaks = "WANT-4"
    kind = "overalloc"

    def room(self, host: Host, slots: int, primary: Primary, job: Job) -> bool:
        """Slots and limits exactly, amounts as if half of one more were free."""
        wants = self.claim(host.name, slots, primary, job).wants
        return all(
            self.ledger.fits(account, want - self._half(account, primary), self.capacity(account))
            for account, want in wants.items()
        )

    def _half(self, account: Account, primary: Primary) -> int:
        return 0 if account[2] else primary.needs.get(account[0], (0, 0, 0))[0] // 2


class LargestIsNone(Workbench):
    """An amount of 2^53 − 1 is the mark of a capacity that nobody gave."""

    name = "largest-is-none"
    breaks = "AMOUNT-1"
    kind = "degenerate"

    def capacity(self, account: Account) -> int:
        """Nothing, where the largest amount is."""
        whole = super().capacity(account)
        return 0 if whole == 2**53 - 1 else whole


class PlansOfThreeHosts(Workbench):
    """A plan has room for three hosts: wider splits are not looked at."""

    name = "plans-of-three-hosts"
    breaks = "PLAN-1 PAR-2"
    kind = "false-infeasible"

    def plans(self, primary: Primary) -> Iterator[list[int]]:
        """The narrow ones, but for one that is asked for."""
        for plan in super().plans(primary):
            if len(plan) > 3 and "hosts_min" not in primary.span:
                return
            yield plan
