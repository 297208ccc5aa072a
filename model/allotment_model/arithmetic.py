"""The leaves: straight-line integer arithmetic, which proofs lift from this source.

Amounts are thousandths, slots and counts are whole numbers. Nothing here loops or looks at a
host, so each function can be read, and proved about, by itself.
"""

from typing import TypeVar

Settled = TypeVar("Settled")


def bucket_size(tasks: int, hosts: int, index: int) -> int:
    """PLAN-2, PLAN-3, PAR-4: tasks in bucket `index`, from 0, of the balanced split."""
    return tasks // hosts + (1 if index < tasks % hosts else 0)


def ptile_hosts(tasks: int, ptile: int) -> int:
    """PLAN-10: how many hosts `tasks` take with `ptile` on each."""
    return (tasks + ptile - 1) // ptile


def ptile_bucket_size(tasks: int, ptile: int, index: int) -> int:
    """PLAN-10: tasks in bucket `index` with `ptile` on each host and the rest on the last."""
    return min(ptile, tasks - index * ptile)


def is_admitted(
    hosts: int, largest: int, hosts_min: int, hosts_max: int, tasks_per_host: int
) -> bool:
    """PLAN-9: whether a plan for `hosts` hosts with that largest bucket is within the span."""
    return hosts_min <= hosts and hosts <= hosts_max and largest <= tasks_per_host


def may_hold(buckets: int, hosts: int) -> bool:
    """PAR-2: a plan with more buckets than there are hosts cannot hold, nor can a later one."""
    return buckets <= hosts


def want(per_task: int, per_host: int, slots: int) -> int:
    """WANT-1, WANT-3: what a bucket of `slots` tasks asks of one amount of its host."""
    return slots * per_task + per_host


def shared_want(per_job: int, per_task: int, tasks: int) -> int:
    """SHARED-1: what a primary asks of a pool, whatever the plan."""
    return per_job + tasks * per_task


def add_entry(total: int, amount: int) -> int:
    """WANT-2: entries of one resource, and one `per`, are summed before anything is asked."""
    return total + amount


def free(capacity: int, used: int) -> int:
    """SESSION-5, LIMIT-3: what is left of a capacity or a cap; never negative."""
    return max(0, capacity - used)


def fits(wanted: int, left: int) -> bool:
    """WANT-4, LIMIT-3: exactly enough is enough; a want of zero always fits."""
    return wanted <= left


def used_seen(now: int, at_start: int) -> int:
    """COMPOUND-2, SHARED-2, PAR-1: the use that a check sees: all debits of the attempt so far.

    `at_start` is what was in use when the attempt began; wrong allocators look there.
    """
    return now


def debit(used: int, amount: int) -> int:
    """PAR-1: the ledger after a claim. AMOUNT-1: exact, never a float."""
    return used + amount


def reverse(used: int, amount: int, held: bool) -> tuple[int, bool]:
    """UNDO-1, UNDO-2, UNDO-3: the ledger after a claim is given back, and whether it is held."""
    return (used - amount if held else used), False


def credit(used: int, amount: int) -> int:
    """SESSION-3, SESSION-4: the books after a job that held `amount` has finished."""
    return used - amount


def limit_use_at_begin(recounted: int, before: int) -> int:
    """SESSION-3: the use of a limit is recounted from the live jobs, so new ones are exact."""
    return recounted


def may_fill(parts_before: int) -> bool:
    """CACHE-3, CACHE-8: a part that fails holds no debit if no part is before it."""
    return parts_before == 0


def is_whole(parts_placed: int, parts: int) -> bool:
    """COMPOUND-1: a compound is placed if all its parts are."""
    return parts_placed == parts


def settle(before: Settled, after: Settled, placed: bool) -> Settled:
    """COMPOUND-3, ALTER-2, UNDO-4: what stays of an alternative: all of it or nothing."""
    return after if placed else before


def queue_order(priority: int, number: int) -> tuple[int, int]:
    """SESSION-1: smallest first: higher priority, then earlier submission."""
    return -priority, number
