"""The least amounts at which a case still tells a wrong rule from the specification.

Hosts, jobs and events stay as they are. Capacities, pools and caps become symbols, the case is run
by both rules, and Z3 finds the least sum of all of them at which some answer differs. No bound is
set to the amounts.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import z3

from allotment_model.answers import Answer, Ran
from allotment_model.cluster import Cluster
from allotment_model.events import Event
from allotment_model.rules import Rules
from allotment_model.scheduler import step
from allotment_model.state import initial
from allotment_proofs.statement import Lifting, Term
from allotment_proofs.trusted.sequences import reading
from allotment_proofs.trusted.symbols import Unsupported


def least_amounts(cluster: Cluster, events: Sequence[Event], wrong: Rules) -> Cluster | None:
    """The cluster with the least amounts; None if the wrong rules cannot be run on symbols."""
    terms: list[Term] = []

    def symbol(_amount: int) -> Term:
        terms.append(z3.Int(f"amount_{len(terms)}"))
        return terms[-1]

    unknown, solver = _with_amounts(cluster, symbol), z3.Optimize()
    try:
        with reading() as found:
            lifting, other = Lifting(), Lifting(wrong)
            differs = lifting.of(_differs, unknown, tuple(events), lifting.rules, other.rules)
            met = (obligation for obligation, _raised in found.obligations)
            solver.add(differs, *met, *(term >= 0 for term in terms))
    except Unsupported:
        return None
    for goal in (z3.Sum(z3.IntVal(0), *terms), *terms):
        solver.minimize(goal)
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    return _with_amounts(unknown, lambda term: model.eval(term, model_completion=True).as_long())


def sum_of_amounts(cluster: Cluster) -> int:
    """All capacities, pools and caps together."""
    found: list[int] = []
    _with_amounts(cluster, found.append)
    return sum(found)


def _with_amounts(cluster: Cluster, change: Callable[[Any], Any]) -> Cluster:
    """The cluster with each amount changed, always in the same order."""
    hosts = {
        name: replace(host, capacity={one: change(held) for one, held in host.capacity.items()})
        for name, host in cluster.hosts.items()
    }
    pools = {name: change(held) for name, held in cluster.pools.items()}
    limits = {limit: change(cap) for limit, cap in cluster.limits.items()}
    return replace(cluster, hosts=hosts, pools=pools, limits=limits)


def _differs(cluster: Cluster, events: tuple[Event, ...], rules: Rules, wrong: Rules) -> bool:
    return _answers(cluster, events, rules) != _answers(cluster, events, wrong)


def _answers(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> list[Answer]:
    state, answers = initial(cluster), list[Answer]()
    for event in events:
        state, answer = step(state, event, rules)
        answers.append(without_notes(answer))
    return answers


def without_notes(answer: Answer) -> Answer:
    """The answer alone: protocol events of an attempt are not compared."""
    if not isinstance(answer, Ran):
        return answer
    return Ran(jobs=tuple(replace(tried, notes=()) for tried in answer.jobs))
