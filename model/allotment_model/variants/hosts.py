"""Wrong rules for hosts, wants, limits and the ledger (HOST, WANT, LIMIT, UNDO, SHARED)."""

from collections.abc import Callable, Iterable, Mapping

from allotment_model import accounts, search
from allotment_model.accounts import Account, Ledger
from allotment_model.cluster import Cluster, Host, Identity, IdentityKind, LimitId, Scope
from allotment_model.request import Expression
from allotment_model.rules import Rules


def passes_all(expression: Expression | None, attributes: Mapping[str, int | str]) -> bool:
    """HOST-1 broken: the select is not looked at."""
    return True


def shared_cursor(hosts: list[Host], looked_at: tuple[str, ...]) -> list[Host]:
    """HOST-3 broken: one cursor for all buckets of a plan."""
    return [host for host in hosts if host.name not in looked_at]


def never_passed_over(host: str, claimed: set[str]) -> bool:
    """HOST-7 broken: two buckets may take one host."""
    return False


def last_first(ledger: Ledger, rules: Rules) -> list[Host]:
    """SEQ-1 broken: the last candidate is taken."""
    return search.listed(ledger, rules)[::-1]


def least_free(ledger: Ledger, rules: Rules) -> list[Host]:
    """HOST-9 broken: fullest host first."""
    return search.most_free(ledger, rules)[::-1]


def always_open(host: Host) -> bool:
    """SESSION-5 broken: a closed host takes new work."""
    return True


def per_host_for_each_task(per_task: int, per_host: int, slots: int) -> int:
    """WANT-1 broken: a per-host amount is charged for each task."""
    return slots * (per_task + per_host)


def per_task_once(per_task: int, per_host: int, slots: int) -> int:
    """WANT-1 broken: the want of one task whatever the bucket; slots are still counted."""
    return slots if (per_task, per_host) == (1, 0) else per_task + per_host


def last_entry(total: int, amount: int) -> int:
    """WANT-2 broken: a later entry of the same resource replaces the earlier."""
    return amount


def entry_twice(total: int, amount: int) -> int:
    """WANT-2 broken: two hooks store the want, and it is asked for twice."""
    return total + 2 * amount


def smallest_entry(total: int, amount: int) -> int:
    """LIMIT-3, SESSION-5 broken: a zero amount is asked as a thousandth, and can be blocked."""
    return total + max(1, amount)


def fits_strictly(wanted: int, left: int) -> bool:
    """WANT-4 broken: exactly enough is not enough."""
    return wanted == 0 or wanted < left


def fits_if_something_is_left(wanted: int, left: int) -> bool:
    """LIMIT-3 broken: a want of zero is blocked where nothing is left."""
    return wanted <= left and left > 0


def first_host(candidate: str, first: str) -> str:
    """WANT-5 broken: the want on per-host limits is computed once, for the first host."""
    return first


def limits_but_of(kind: IdentityKind) -> Callable[[Iterable[LimitId], Identity], list[LimitId]]:
    """LIMIT-1 broken: limits of one kind are not looked at."""

    def applying(limits: Iterable[LimitId], identity: Identity) -> list[LimitId]:
        others = [limit for limit in limits if limit.kind is not kind]
        return accounts.limits_that_apply(others, identity)

    return applying


def named_hides_each(limits: Iterable[LimitId], identity: Identity) -> list[LimitId]:
    """LIMIT-1 broken: a named limit replaces the *each* limit."""
    applying = accounts.limits_that_apply(limits, identity)
    named = {(limit.kind, limit.scope, limit.resource) for limit in applying if limit.name}
    return [
        limit
        for limit in applying
        if limit.name or (limit.kind, limit.scope, limit.resource) not in named
    ]


def over_the_cluster(limit: LimitId) -> Scope:
    """LIMIT-2 broken: a per-host limit counts over the cluster."""
    return Scope.CLUSTER


def unlimited_where_lacking(cluster: Cluster, account: Account) -> int:
    """RES-2 broken: an amount that a host does not name is there without end."""
    if account.host is not None and account.limit is None:
        return cluster.hosts[account.host].capacity.get(account.resource, 2**60)
    return accounts.capacity(cluster, account)


def negative_free(capacity: int, used: int) -> int:
    """SESSION-5 broken: a capacity cut below its use leaves less than nothing."""
    return capacity - used


def used_at_start(now: int, at_start: int) -> int:
    """The debits of the attempt so far are not seen."""
    return at_start


def one_more_in_use(now: int, at_start: int) -> int:
    """LIMIT-3 broken: the cap itself cannot be reached."""
    return now + 1


def not_reversed(used: int, amount: int, held: bool) -> tuple[int, bool]:
    """UNDO-1 broken: a failed plan keeps its debits."""
    return used, held


def settle_all(before: Ledger, after: Ledger, placed: bool) -> Ledger:
    """ALTER-2, COMPOUND-3, UNDO-4 broken: what failed keeps its debits."""
    return after


def job_amount_for_each_task(per_job: int, per_task: int, tasks: int) -> int:
    """SHARED-1 broken: a per-job amount is charged for each task."""
    return tasks * (per_job + per_task)


def task_amount_once(per_job: int, per_task: int, tasks: int) -> int:
    """SHARED-1 broken: a per-task amount on a pool is charged once."""
    return per_job + per_task
