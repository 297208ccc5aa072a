"""Wrong rules for sessions, answers, ingest and select (SESSION, WHY, INGEST, SELECT)."""

from collections.abc import Mapping

from allotment_model import accounts, search, select, why
from allotment_model.accounts import Ledger
from allotment_model.answers import Category, Part
from allotment_model.cache import Key
from allotment_model.cluster import Cluster
from allotment_model.request import Expression, Job, Primary, Tasks
from allotment_model.rules import Rules
from allotment_model.search import Placement
from allotment_model.select import LeftOutError
from allotment_model.why import Keys

Attributes = Mapping[str, int | str]


def submission_order(priority: int, number: int) -> tuple[int, int]:
    """SESSION-1 broken: priorities are not looked at."""
    return 0, number


def lowest_priority_first(priority: int, number: int) -> tuple[int, int]:
    """SESSION-1 broken: the comparison is the wrong way round."""
    return priority, number


def latest_first(priority: int, number: int) -> tuple[int, int]:
    """SESSION-1 broken: among equals the last submitted goes first."""
    return -priority, -number


def lost_when_pending() -> bool:
    """SESSION-6 broken: a job that could not run is forgotten."""
    return False


def at_once() -> bool:
    """SESSION-2 broken: it does not wait for the next session."""
    return True


def leak(used: int, amount: int) -> int:
    """SESSION-4 broken: what a finished job held is not credited."""
    return used


def credit_twice(used: int, amount: int) -> int:
    """SESSION-3 broken: what a finished job held is credited twice."""
    return used - 2 * amount


def new_limit_from_zero(recounted: int, before: int) -> int:
    """SESSION-3 broken: a new limit does not count what already runs."""
    return before


def parts_backwards(placement: Placement) -> Part:
    """PAR-3 broken: the claims are reported in another order."""
    return search.part_of(placement)[::-1]


def limit_before_shared(key: Key, ledger: Ledger, rules: Rules) -> Category:
    """WHY-1 broken: a limit is blamed although a pool is short."""
    category = why.category(key, ledger, rules)
    applying = accounts.limits_that_apply(ledger.cluster.limits, key.identity)
    return Category.LIMIT if category is Category.SHARED and applying else category


def always_blames_capacity(key: Key, ledger: Ledger, rules: Rules) -> Category:
    """WHY-1 broken: every pend is reported alike."""
    return Category.CAPACITY


def never_of_any_alternative(keys: Keys, cluster: Cluster, rules: Rules) -> bool:
    """WHY-2 broken: one hopeless alternative condemns the request."""
    return any(why.is_never((parts,), cluster, rules) for parts in keys)


def never_of_all_parts(keys: Keys, cluster: Cluster, rules: Rules) -> bool:
    """WHY-2 broken: a compound is hopeless only if each of its parts is."""
    return why.is_never(tuple((part,) for parts in keys for part in parts), cluster, rules)


def never_says_never(keys: Keys, cluster: Cluster, rules: Rules) -> bool:
    """WHY-2 broken: hopeless requests look like waiting ones."""
    return False


def emptiest_as_it_is(cluster: Cluster) -> Cluster:
    """WHY-2 broken: a host that is closed today counts as gone for ever."""
    return cluster


def hit_not_told(hit: bool) -> bool:
    """WHY-3 broken: the answer hides that it came from the cache."""
    return False


def one_task(primary: Primary, job: Job) -> Tasks:
    """INGEST-1 broken: counts never arrive; every primary has one task."""
    return Tasks(min=1, max=1)


def fewest_tasks(primary: Primary, job: Job) -> Tasks:
    """TASKS-1 broken: the minimum is placed."""
    tasks = primary.tasks or job.tasks or Tasks(min=1, max=1)
    return Tasks(min=tasks.min, max=tasks.min)


class UndefinedIsZero(dict[str, int | str]):
    """The attributes of a host; one that is not defined reads as zero."""

    def get(self, name: str, default: object = None) -> int | str:
        """The value, or zero."""
        return super().get(name, 0)


def undefined_is_zero(expression: Expression | None, attributes: Attributes) -> bool:
    """SELECT-4 broken: an undefined attribute is zero."""
    return select.passes(expression, UndefinedIsZero(attributes))


def whole_numbers(expression: Expression | None, attributes: Attributes) -> bool:
    """SELECT-1 broken: attributes are cut to whole numbers."""
    cut = {
        name: value if isinstance(value, str) else value // 1000 * 1000
        for name, value in attributes.items()
    }
    return select.passes(expression, cut)


def no_short_circuit(expression: Expression | None, attributes: Attributes) -> bool:
    """SELECT-3 broken: both sides are always evaluated."""
    if expression is None:
        return True
    try:
        for part in select.parts_of(expression):
            select.evaluate(part, attributes)
    except LeftOutError:
        return False
    return select.passes(expression, attributes)
