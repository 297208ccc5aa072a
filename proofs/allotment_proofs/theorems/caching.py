"""Theorems about the cache and its keys (CACHE, TASKS-1).

`fails(key, used)` is left open but for one thing: a primary that fails still fails where more is
in use, which follows from the theorem that less use never means less room. `used` stands for the
use of every account.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path

import z3

from allotment_model.answers import Category
from allotment_model.cache import Key, Need
from allotment_model.cluster import Identity, Resources
from allotment_model.ingest import keys_of
from allotment_model.request import Job, Per, Primary, RusageEntry, Span, Tasks
from allotment_model.rules import Rules
from allotment_proofs.statement import Case, Lifting, Term, Theorem

USED, DEBITS, AMOUNT, PARTS_BEFORE = z3.Ints("used debits amount parts_before")
FAILS = z3.Function("fails", z3.IntSort(), z3.BoolSort())
CATEGORY = z3.String("category")
RESOURCES = Resources(host=frozenset({"memory"}), attributes={})
SHOWN = {"used": USED, "debits": DEBITS, "amount": AMOUNT, "before": PARTS_BEFORE}


def _still_fails(less: Term, more: Term) -> Term:
    return z3.Implies(z3.And(FAILS(less), less <= more), FAILS(more))


def _filled_only_when_true(lifting: Lifting) -> Iterator[Case]:
    """Every cached key fails against the books: one case for each thing that may change that."""
    ledger = z3.If(PARTS_BEFORE == 0, USED, USED + DEBITS)
    yield Case(
        name="filled",
        assumptions=(PARTS_BEFORE >= 0, DEBITS > 0, FAILS(ledger)),
        claim=z3.Implies(lifting.may_fill(PARTS_BEFORE), FAILS(USED)),
        told="{used} in use, {before} parts before have taken {debits}: the key that failed in "
        "this ledger is filled in, and may be placed against the books",
        values=SHOWN,
    )
    after = lifting.debit(USED, AMOUNT)
    yield Case(
        name="dispatched",
        assumptions=(FAILS(USED), AMOUNT >= 0, _still_fails(USED, after)),
        claim=FAILS(after),
        told="{used} in use: a commit of {amount} lets a cached key be placed",
        values=SHOWN,
    )
    yield Case(
        name="failed attempt",
        assumptions=(FAILS(USED), USED >= 0, DEBITS > 0),
        claim=FAILS(lifting.settle(USED, USED + DEBITS, False)),
        told="{used} in use: a failed attempt that had taken {debits} changes the books",
        values=SHOWN,
    )
    at_once = lifting.finish_takes_effect_at_once(), lifting.change_takes_effect_at_once()
    yield Case(
        name="finish or change",
        claim=z3.BoolVal(not any(at_once)),
        told="books or capacities change within a session, while keys are cached",
    )
    yield Case(
        name="session begins",
        claim=z3.BoolVal(not lifting.emptied({"key": Category.CAPACITY})),
        told="a key of the last session is in the cache, while books and capacities change",
    )


def _filled_whenever_alone(lifting: Lifting) -> Iterator[Case]:
    yield Case(
        assumptions=(PARTS_BEFORE == 0,),
        claim=lifting.may_fill(PARTS_BEFORE),
        told="a first part fails and its key is not filled in",
    )


def _transparent(lifting: Lifting) -> Iterator[Case]:
    """A hit answers what the search would: the primary fails, and the ledger stays."""
    yield Case(
        name="hit in any ledger",
        assumptions=(FAILS(USED), DEBITS >= 0, _still_fails(USED, lifting.debit(USED, DEBITS))),
        claim=FAILS(lifting.debit(USED, DEBITS)),
        told="{used} in use, {debits} taken by parts before: a hit fails what would be placed",
        values=SHOWN,
    )
    yield Case(
        name="the attempt goes on",
        claim=z3.BoolVal(not lifting.hit_ends_attempt()),
        told="a hit ends the attempt, where a failure would not",
    )
    yield Case(
        name="category",
        claim=lifting.category_of_hit(CATEGORY) == CATEGORY,
        told="a hit on a key that failed for {category} reports {told}",
        values={"category": CATEGORY, "told": lifting.category_of_hit(CATEGORY)},
    )
    hit = z3.Bool("hit")
    yield Case(
        name="told",
        claim=lifting.is_cached(hit) == hit,
        told="the answer says the reverse of whether its category came from a hit",
    )


def _key(number: int) -> Key:
    """A key whose every field is a term."""
    least, most = z3.Ints(f"least_{number} most_{number}")
    select, rusage, span = (
        z3.Const(f"{name}_{number}", z3.DeclareSort(name)) for name in ("Select", "Rusage", "Span")
    )
    user, queue, project = (z3.String(f"{name}_{number}") for name in ("user", "queue", "project"))
    return Key(
        tasks_min=least,
        tasks_max=most,
        select=select,
        rusage=rusage,
        span=span,
        identity=Identity(user=user, queue=queue, project=project),
    )


def _fields(key: Key) -> tuple[Term, ...]:
    """All that the search reads of a key; tests hold this against its source."""
    who = key.identity
    return (key.tasks_max, key.select, key.rusage, key.span, who.user, who.queue, who.project)


def _equal_keys(one: Key, other: Key) -> Term:
    fields = zip((one.tasks_min, *_fields(one)), (other.tasks_min, *_fields(other)), strict=True)
    return z3.And(*(first == second for first, second in fields))


def _verdicts(lifting: Lifting) -> Iterator[Case]:
    one, other = _key(1), _key(2)
    sorts = [field.sort() for field in _fields(one)]
    verdict = z3.Function("verdict", *sorts, z3.BoolSort())
    yield Case(
        assumptions=(_equal_keys(lifting.cache_key(one), lifting.cache_key(other)),),
        claim=verdict(*_fields(one)) == verdict(*_fields(other)),
        told="requests of {most_1} and {most_2} tasks have one key and two verdicts",
        values={"most_1": one.tasks_max, "most_2": other.tasks_max},
    )


BOUNDS = ("hosts_min", "hosts_max", "tasks_per_host", "ptile")
AMOUNTS = {"per_task": Per.TASK, "per_host": Per.HOST}


def _job(number: int) -> tuple[Job, dict[str, Term]]:
    """A job of one primary in which every field that may matter is a term; and these by name."""
    names = ("tasks_min", "tasks_max", *BOUNDS, *AMOUNTS)
    terms = {name: z3.Int(f"{name}_{number}") for name in names}
    terms["select"] = z3.Const(f"select_{number}", z3.DeclareSort("Select"))
    terms |= {name: z3.String(f"{name}_{number}") for name in ("user", "queue", "project")}
    entries = tuple(
        RusageEntry(resource="memory", amount=terms[name], per=per) for name, per in AMOUNTS.items()
    )
    primary = Primary(
        tasks=Tasks(min=terms["tasks_min"], max=terms["tasks_max"]),
        select=terms["select"],
        rusage=entries,
        span=Span(**{name: terms[name] for name in BOUNDS}),
    )
    identity = Identity(**{name: terms[name] for name in ("user", "queue", "project")})
    return Job(name=f"j{number}", identity=identity, request=((primary,),)), terms


def _have_one_key(one: Job, other: Job, rules: Rules) -> bool:
    """Whether the only primaries of two jobs have the same key."""
    [[first]], [[second]] = (keys_of(job, RESOURCES, rules) for job in (one, other))
    return bool(rules.cache_key(first) == rules.cache_key(second))


def _content(lifting: Lifting) -> Iterator[Case]:
    (one, firsts), (other, seconds) = _job(1), _job(2)
    same = lifting.of(_have_one_key, one, other, lifting.rules)
    yield Case(
        name="content",
        assumptions=tuple(first == seconds[name] for name, first in firsts.items()),
        claim=same,
        told=f"requests that agree in every field have two keys{_by_identity()}",
    )
    for name, first in firsts.items():
        yield Case(
            name=name,
            assumptions=(same,),
            claim=first == seconds[name],
            told=f"requests that differ in {name} have one key",
        )


def _by_identity() -> str:
    """Which parts of a key are compared by identity, each with its place; empty if none is."""
    told = ""
    for kind in (Key, Need, Span, Identity):
        if "__eq__" not in vars(kind):
            source, (_lines, line) = inspect.getsourcefile(kind), inspect.getsourcelines(kind)
            told += f"; {Path(str(source)).name}:{line}: {kind.__name__} is compared by identity"
    return told


THEOREMS = (
    Theorem(
        name="Every cached key fails against the present books",
        clauses=("CACHE-9", "CACHE-2", "CACHE-3", "SESSION-2"),
        scope="all amounts, by induction over events; of `may_fill`, `settle` and others alone, "
        "that a failure lasts is a theorem of its own",
        cases=_filled_only_when_true,
    ),
    Theorem(
        name="A primary that fails with no part before it is filled in",
        clauses=("CACHE-8", "CACHE-3"),
        scope="all counts, of `may_fill` alone",
        cases=_filled_whenever_alone,
    ),
    Theorem(
        name="A hit answers what the search would, also inside a compound",
        clauses=("CACHE-6", "CACHE-4", "CACHE-5", "WHY-3"),
        scope="all amounts, of `debit`, `hit_ends_attempt` and others alone; for keys that fail "
        "against the books, as all cached keys do",
        cases=_transparent,
    ),
    Theorem(
        name="Equal keys have equal verdicts, whatever the ledger",
        clauses=("CACHE-1", "TASKS-1"),
        scope="all keys, of `cache_key` alone; that the search reads nothing else of a job is "
        "tested on its source",
        cases=_verdicts,
    ),
    Theorem(
        name="Requests have one key exactly if they agree in every field",
        clauses=("CACHE-1",),
        scope="all requests of one primary with counts, a select, a span, memory for each task and "
        "host, and an identity; `keys_of` run whole",
        cases=_content,
    ),
)
"""The theorems of this module."""
