"""Counterexamples name what is wrong: the account, the amounts, the event, the invariant."""

import inspect
import re
from types import FunctionType

import pytest

from allotment_model import (
    accounts,
    books,
    cache,
    changes,
    ingest,
    runs,
    scheduler,
    search,
    select,
    why,
)
from allotment_model.attempt import attempt, place_part
from allotment_model.cache import Key
from allotment_proofs.mutants import node_of
from allotment_proofs.prover import Refuted, outcome_under
from allotment_proofs.statement import Lifting, Theorem
from allotment_proofs.theorems import THEOREMS


def theorem_of(begins: str) -> Theorem:
    [found] = [one for one in THEOREMS if one.name.startswith(begins)]
    return found


EDITS = (
    (
        *("A bucket has room", accounts.bucket_amounts, "in key.rusage", "in key.rusage[:1]"),
        r"tasks on [AB], room is True; by SPEC.md too little is left of \w+ on [AB]: \d",
    ),
    (
        *("Shared wants have", accounts.shared_wants, "in key.rusage", "in key.rusage[:3]"),
        r"by SPEC.md too little is left of token .*: \d+ wanted, \d+ of \d+ in use",
    ),
    (
        *("Shared wants have", accounts.capacity, "cluster.limits[account.limit]", "0"),
        "by the model too little is left of (licence|token) of",
    ),
    (
        *("Jobs that finish", books.end_jobs, ", amount)", ", amount) if account.host else 0"),
        r"then, in use of (licence|token) .*: \d+, and it should be \d+",
    ),
    (
        *("Jobs that finish", books.charges, "placement.claims)", "placement.claims[:2])"),
        r"then, in use of \w+ on [ABC]: \d+, and it should be \d+",
    ),
    (
        *("Books are the sums", books.end_jobs, ", amount)", ", amount if account.host else 0)"),
        r"after BeginSession: SESSION-3: the books say \d+ for licence .*, live jobs hold \d+",
    ),
    (
        *("A rusage is summed", cache.normal_rusage, "sorted(sums)", "sorted(sums)[:2]"),
        r"the sum of \w+, per_\w+, is \d+, and should be \d+",
    ),
    (
        *("An event is refused", ingest.names_slots, "return any(", "return False and any("),
        "slots in a rusage: the answer is accepted, and should be slots-in-rusage",
    ),
    (
        *("An event is refused", scheduler.accept_change, "(change, state.coming)"),
        *("(change, state.cluster)", "the answer is accepted, and should be duplicate-name"),
    ),
    (
        *("At a session's begin", changes.changed_host, "**host.capacity,", ""),
        "and a session begins.*: wrong is the configuration",
    ),
    (
        *("At a session's begin", scheduler.begin_session, "tried=", "pending={}, tried="),
        "then nothing and a session begins: wrong is the queue",
    ),
    (
        *("No event between runs", scheduler.accept_change, "replace(state, coming"),
        *("replace(end_jobs(state, rules), coming", "other than it was is the books"),
    ),
    (
        *("No event between runs", scheduler.withdraw, "withdrawn=", "next_number=0, withdrawn="),
        "then withdraw: other than it was is the next number",
    ),
    (
        *("A run tries", scheduler.step, "run_session(state, rules)"),
        *("run_session(end_jobs(state, rules), rules)", "other than the attempts one by one is "),
    ),
    (
        *("A run tries", scheduler.submit, "Queued(job=job", "Queued(job=replace(job, priority=0)"),
        "other than the attempts one by one is ",
    ),
    (
        *("A job pends", scheduler.submit, "keys=keys,", "keys=keys[::-1],"),
        "or else their sum: wrong is its keys",
    ),
    (
        *("Counts are accepted", ingest.counts_disagree, "total != expected", "False"),
        "the answer is accepted, and should be counts",
    ),
    (
        *("Jobs that finish", books.end_jobs, "amount)"),
        "amount if not account.host or state.cluster.hosts[account.host].open else 0)",
        "which hosts are open, now and then: A (True|False) and (True|False); B ",
    ),
    (
        *("A per-host limit", accounts.limit_account, "where = host", "where = 'B'"),
        r"a bucket on A does not ask for \w+ of \w+ \w+ on A, by the limit on",
    ),
    (
        *("A run tries", runs.queue, "queued.number)", "queued.job.name)"),
        r"attempts one by one is which job is tried: \w, and it should be \w",
    ),
    (
        *("The queue is in one", runs.queue, "name not in state.tried", "name in state.tried"),
        "jobs 1, 2 and 3 with priority .* are tried in the order tried$",
    ),
    (
        *("The first plan", search.listed, "list(ledger.cluster.hosts.values())"),
        "[ledger.cluster.hosts[name] for name in sorted(ledger.cluster.hosts)]",
        r"B has 3 slots and 7 memory and .* takes 2 on B, .*, and not the first plan that holds",
    ),
    (
        *("With most_free", search.most_free, "-slots[host.name])"),
        *(
            "(-slots[host.name], host.name))",
            r"B has \d+ slots with \d.* the order is .*, and not that",
        ),
    ),
    (
        *("A request fails", why.has_room_in_pools, "of_pools, ledger"),
        "of_pools, replace(ledger, used=ledger.at_start)",
        "the pool has 1 licence.*: it is pending, capacity, and should be pending, shared",
    ),
    (
        *("A request fails", why.category, "without_limits(ledger)"),
        "without_limits(replace(ledger, used=ledger.at_start))",
        "it is pending, limit, and should be pending, capacity",
    ),
    (
        *("A request fails", why.category, "ledger.cluster.limits and"),
        *(
            "len(ledger.cluster.limits) > 1 and",
            "it is pending, capacity, and should be pending, limit",
        ),
    ),
    (
        *("A search that cannot start", attempt, "ledger=at_start, cache=cache"),
        *("ledger=at_start, cache={}", "after an error wrong is the cache"),
    ),
    (
        *("A search that cannot start", runs.try_job, "tried=tried)"),
        *("tried=state.tried)", "after an error wrong is which jobs were tried"),
    ),
    (
        *("A run tries", runs.dispatch, "=won.alternative", "=min(won.alternative, 1)"),
        "the answer to .: dispatched by alternative 2: 1 on B, and it should be dispatched by alt",
    ),
    (
        *("The second of two", place_part, "rules.may_fill(part):"),
        "rules.may_fill(part) and reason is not Category.SPAN:",
        "the answer to .: pending, span, never, and it should be pending, span, never, by a hit",
    ),
    (
        *("The second of two", runs.try_job, "cached=cached)"),
        "cached=cached and reason is not Category.SELECT)",
        "the answer to .: pending, select, never, and it should be pending, select, never, by a",
    ),
    (
        *("The second of two", place_part, "{**cache, rules.cache_key(key): reason}"),
        "{**dict([*cache.items()][-1:]), rules.cache_key(key): reason}",
        "two licences .*: wrong of the job that repeats the first is the answer to",
    ),
    (
        *("Numbers go with", select.type_of, '("==", "!=")', '("==", "!=", "!")'),
        "`!` of a text has the type number, and should have no type",
    ),
    (
        *("The first plan", search.candidates, "rules.passes(key.select, host.attributes)"),
        "(not host.attributes or rules.passes(key.select, host.attributes))",
        "some of them closed or not selected: .* C has 1 slots, .* takes 1 on C, and not",
    ),
    (
        *("A request fails", why.category, "rules.passes(key.select, host.attributes)"),
        "(not host.attributes or rules.passes(key.select, host.attributes))",
        "it is pending, capacity, and should be pending, select",
    ),
    (
        *("Never is said of a primary exactly", why.emptiest, "replace(host, open=True)"),
        "(host if host.attributes else replace(host, open=True))",
        "is open: False, x is 1000 / 1000; .*: never is True, and with all hosts open .* is True",
    ),
    (
        *("Never is said of a primary exactly", why.emptiest, "replace(host, open=True)"),
        "(replace(host, open=True) if host.attributes else host)",
        r"A has \d slots with \d in use, is open: False: never is True, and with all .* is True",
    ),
    (
        *("A run tries", runs.dispatch, "=state.pending[name].job.identity"),
        "=replace(state.pending[name].job.identity, queue='q')",
        "is what live jobs hold, k, identity, queue: q, and it should be r",
    ),
    (
        *("A run tries", runs.dispatch, "=state.pending[name].job.identity"),
        "=replace(state.pending[name].job.identity, project='p')",
        r"is what live jobs hold, \w, identity, project: p, and it should be [st]",
    ),
    (
        *("The first plan", search.give_back_all, "claim.wants,"),
        "{a: n for a, n in claim.wants.items() if a.host or not (a.limit and a.limit.name)},",
        "queue q may hold 5 slots: .* takes nothing, and not the first plan that holds",
    ),
    (
        *("A job pends", cache.key_of, "=job.identity"),
        (
            "=job.identity if primary.rusage else Identity(user=job.identity.user, "
            "queue=job.identity.queue, project='p')"
        ),
        "its keys, 3, 1, identity, project: ",
    ),
    (
        *("The first plan", accounts.bucket_amounts, "in key.rusage", "in key.rusage[:9]"),
        "5 tasks on 4 hosts, .* and not the first plan that holds",
    ),
    (
        *("The first plan", accounts.shared_wants, "in key.rusage", "in key.rusage[:4]"),
        "5 tasks on 4 hosts, .* and not the first plan that holds",
    ),
    (
        *("A rusage is summed", cache.normal_rusage, "sorted(sums)", "sorted(sums)[:4]"),
        r"the sum of swap, per_task, is 0, and should be 5",
    ),
)
"""Edits of a function, and a pattern of what is told: Z3 finds other values in another order."""


@pytest.mark.parametrize(("theorem", "function", "before", "after", "told"), EDITS)
def test_counterexample_names_what_is_wrong(
    theorem: str, function: FunctionType, before: str, after: str, told: str
) -> None:
    source = inspect.getsource(function)
    assert before in source
    changed = node_of(function, source.replace(before, after, 1))
    outcome = outcome_under(theorem_of(theorem), Lifting(), changed={function: changed})
    assert isinstance(outcome, Refuted)
    assert re.search(told, f"{outcome.case}: {outcome.told}")


def test_class_that_is_compared_by_identity_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Key, "__eq__")
    outcome = outcome_under(theorem_of("Requests have one key"), Lifting())
    assert isinstance(outcome, Refuted)
    line = inspect.getsourcelines(Key)[1]
    assert "requests that agree in every field have two keys" in outcome.told
    assert f"cache.py:{line}: Key is compared by identity" in outcome.told


@pytest.mark.parametrize(
    ("bound", "value", "begins"),
    [
        ("LARGEST_AMOUNT", 2**53, "An event is refused"),
        ("LARGEST_TASKS", 2**21, "An event is refused"),
        ("DEEPEST_SELECT", 101, "An event is refused"),
    ],
)
def test_bound_that_is_another_is_refuted(
    bound: str, value: int, begins: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, bound, value)
    assert isinstance(outcome_under(theorem_of(begins), Lifting()), Refuted)
