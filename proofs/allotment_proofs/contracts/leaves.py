"""Contracts on the integer leaves of the model."""

from allotment_model.arithmetic import (
    bucket_size,
    fits,
    free,
    is_whole,
    may_fill,
    may_hold,
    ptile_bucket_size,
    ptile_hosts,
    queue_order,
    reverse,
    settle,
    shared_want,
    want,
)


def buckets_descend_by_at_most_one(tasks: int, hosts: int, index: int) -> bool:
    """A bucket has as many tasks as the next, or one more (PLAN-2, PLAN-3).

    pre: 1 <= hosts <= tasks
    pre: hosts <= 8
    pre: 0 <= index < hosts - 1
    post: __return__
    """
    larger, smaller = (bucket_size(tasks, hosts, one) for one in (index, index + 1))
    return larger in (smaller, smaller + 1)


def ptile_leaves_the_rest_to_the_last(tasks: int, ptile: int) -> bool:
    """All hosts but the last are full, the last has what remains (PLAN-10).

    pre: 1 <= tasks
    pre: 1 <= ptile <= 8
    post: __return__
    """
    last = ptile_hosts(tasks, ptile) - 1
    rest = ptile_bucket_size(tasks, ptile, last)
    return 1 <= rest <= ptile and last * ptile + rest == tasks


def plans_beyond_the_hosts_do_not_hold(buckets: int, hosts: int, more: int) -> bool:
    """Where the search stops, no later plan has as few buckets as there are hosts (PAR-2).

    pre: 0 <= hosts and 1 <= buckets <= more
    post: __return__
    """
    return may_hold(buckets, hosts) or more > hosts


def want_never_shrinks(per_task: int, per_host: int, fewer: int, slots: int) -> bool:
    """A larger bucket wants at least as much (WANT-3).

    pre: 0 <= per_task and 0 <= per_host
    pre: 0 <= fewer <= slots <= 8
    post: __return__
    """
    return want(per_task, per_host, fewer) <= want(per_task, per_host, slots)


def as_many_fit_as_division_says(per_task: int, slots: int, left: int) -> bool:
    """s tasks of a each fit into f exactly if a is 0 or s is at most f div a (WANT-4).

    pre: 0 <= per_task and 0 <= slots and 0 <= left
    post: __return__ == (per_task == 0 or slots <= left // per_task)
    """
    return fits(want(per_task, 0, slots), left)


def exactly_enough_is_enough(wanted: int, capacity: int, used: int) -> bool:
    """What is wanted fits exactly if it is nothing or within the capacity (WANT-4, LIMIT-3).

    pre: 0 <= wanted and 0 <= capacity and 0 <= used
    post: __return__ == (wanted == 0 or used + wanted <= capacity)
    """
    return fits(wanted, free(capacity, used))


def shared_want_counts_the_job_once(per_job: int, per_task: int, tasks: int) -> int:
    """What a pool is asked for grows by `per_task` with each task, and by no more (SHARED-1).

    pre: 0 <= per_job and 0 <= per_task and 1 <= tasks
    post: __return__ == per_task
    """
    return shared_want(per_job, per_task, tasks + 1) - shared_want(per_job, per_task, tasks)


def reversed_twice_is_reversed_once(used: int, amount: int) -> tuple[int, bool]:
    """A second reversal changes nothing (UNDO-1, UNDO-2).

    pre: 0 <= used and 0 <= amount
    post: __return__ == (used, False)
    """
    now, held = reverse(used + amount, amount, True)
    return reverse(now, amount, held)


def reversals_of_two_amounts_commute(used: int, one: int, other: int) -> bool:
    """The order of two reversals does not matter (UNDO-3).

    pre: 0 <= used and 0 <= one and 0 <= other
    post: __return__
    """
    start = used + one + other
    first = reverse(reverse(start, one, True)[0], other, True)[0]
    return first == reverse(reverse(start, other, True)[0], one, True)[0] == used


def settling_is_all_or_nothing(before: int, after: int, placed: int, parts: int) -> int:
    """A compound leaves what it debited if all its parts are placed, else nothing (COMPOUND-3).

    pre: 0 <= placed <= parts
    post: __return__ == (after if placed == parts else before)
    """
    return settle(before, after, is_whole(placed, parts))


def only_a_first_part_fills(parts_before: int) -> bool:
    """A key is filled in exactly where no part is before it (CACHE-3).

    pre: 0 <= parts_before
    post: __return__ == (parts_before == 0)
    """
    return may_fill(parts_before)


def queue_is_one_strict_order(priority: int, number: int, other: int, others: int) -> bool:
    """Of two jobs one goes first: the higher priority, else the earlier one (SESSION-1).

    pre: number != others
    post: __return__ == (priority > other or (priority == other and number < others))
    """
    return queue_order(priority, number) < queue_order(other, others)
