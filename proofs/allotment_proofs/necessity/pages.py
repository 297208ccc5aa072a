"""The witnesses on the errata pages of SPEC.md, and their place there.

A page has requests to try, smallest first, and says what is to go wrong: faults of the catalogue,
or a placement that the rules do not see. The model is run on symbols, by its own rules and with
each fault; Z3 finds the least capacities at which jobs go elsewhere. `python -m
allotment_proofs.necessity.pages` writes them into SPEC.md, and a test compares.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import Any

import z3

from allotment_model.answers import Dispatched, Ran
from allotment_model.cluster import SLOTS, Cluster, Host, Resources
from allotment_model.events import Event, RunSession, Submit
from allotment_model.plans import plans
from allotment_model.request import Job, Per, Primary, RusageEntry, Span, Tasks
from allotment_model.rules import SPEC, Rules
from allotment_model.scheduler import step
from allotment_model.state import initial
from allotment_model.variants import VARIANTS
from allotment_proofs.necessity.errata import WHO, Erratum, inexact_reversal, room_that_hurts
from allotment_proofs.necessity.records import erratum_json
from allotment_proofs.necessity.witnesses import answers_of
from allotment_proofs.statement import Lifting, Term
from allotment_proofs.trusted.sequences import reading

Jobs = tuple[Job, ...]
Ghost = Callable[[Jobs, Cluster], Term]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """An example on an errata page: its number there, the requests to try, and what goes wrong.

    `faults` all make a job go elsewhere, in a case in which the last job is placed. `unseen` is a
    placement that the rules do not find; `astray` is how a fault that no rule has would go wrong
    where the last job is placed.
    """

    erratum: str
    number: int = 0
    requests: Sequence[Jobs]
    faults: tuple[str, ...] = ()
    unseen: Ghost | None = None
    astray: Ghost | None = None
    host_amounts: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    hosts_least: int = 1


def _primary(tasks: int, *rusage: RusageEntry, **span: int) -> Primary:
    return Primary(tasks=Tasks(min=tasks, max=tasks), rusage=rusage, span=Span(**span))


def _memory(amount: int) -> RusageEntry:
    return RusageEntry(resource="mem", amount=amount, per=Per.TASK)


def _job(name: str, *alternatives: tuple[Primary, ...], tasks: int = 0) -> Job:
    own = Tasks(min=tasks, max=tasks) if tasks else None
    return Job(name=name, identity=WHO, request=alternatives, tasks=own)


def _by_size(count: int) -> list[tuple[int, ...]]:
    """Numbers of tasks for that many primaries, the fewest together first."""
    return sorted(product(range(1, 5), repeat=count), key=sum)


def _parts_fit(jobs: Jobs, cluster: Cluster) -> Term:
    """Whether the parts of the one job can be placed together (ghost)."""
    parts = tuple(one.tasks.max for one in jobs[0].request[0] if one.tasks)
    return fit_together(parts, tuple(host.capacity[SLOTS] for host in cluster.hosts.values()))


def fit_together(parts: tuple[int, ...], free: tuple[Term, ...]) -> Term:
    """Whether some choice of plans and hosts places all parts (ghost)."""
    if not parts:
        return z3.And(*(one >= 0 for one in free))
    return z3.Or(*(fit_together(parts[1:], left) for left in _after(parts[0], free)))


def _after(tasks: int, free: tuple[Term, ...]) -> Iterator[tuple[Term, ...]]:
    """What is left on the hosts after a primary of that many tasks."""
    for plan in plans(tasks, Span()):
        for hosts in permutations(range(len(free)), len(plan)):
            left = list(free)
            for host, slots in zip(hosts, plan, strict=True):
                left[host] -= slots
            yield tuple(left)


def _slots_suffice(jobs: Jobs, cluster: Cluster) -> Term:
    """Whether the hosts together have a slot for each task of the one job (ghost)."""
    (only,) = jobs[0].request[0]
    slots = [host.capacity[SLOTS] for host in cluster.hosts.values()]
    return z3.Sum(slots) >= (only.tasks.max if only.tasks else 0)


def _turned_away(jobs: Jobs, cluster: Cluster) -> Term:
    """Whether no host has room for all tasks, whose want the first plan leaves behind (ghost)."""
    (only,) = jobs[0].request[0]
    assert only.tasks is not None
    return z3.And(*(host.capacity[SLOTS] < only.tasks.max for host in cluster.hosts.values()))


PAGES = (
    Page(
        erratum="E1",
        requests=[
            (_job("one", (_primary(a), _primary(b))), _job("two", (_primary(c),)))
            for a, b, c in _by_size(3)
        ],
        faults=("cache filled inside a compound",),
    ),
    Page(
        erratum="E5",
        requests=[(_job("j", (_primary(a), _primary(b))),) for a, b in _by_size(2)],
        unseen=_parts_fit,
    ),
    Page(
        erratum="E6",
        requests=[(_job("j", (_primary(a),)),) for (a,) in _by_size(1)],
        unseen=_slots_suffice,
    ),
    Page(
        erratum="E7",
        hosts_least=2,
        requests=[(_job("j", (Primary(),), tasks=tasks),) for tasks in (1, 2, 3)],
        faults=("counts never arrive",),
    ),
    Page(
        erratum="E8",
        requests=[
            (
                _job("c", (_primary(1), _primary(1))),
                _job("d", (_primary(1, _memory(2000)),), (_primary(1, _memory(1000)),)),
            )
        ],
        faults=("nested primaries unchecked",),
        host_amounts=("mem",),
    ),
    Page(
        erratum="E9",
        requests=[(_job("c", (_primary(2), _primary(1))), _job("d", (_primary(2),)))],
        faults=("compound keeps parts", "failed work keeps its debits"),
    ),
    Page(
        erratum="E10",
        requests=[
            (
                _job("a", (_primary(1, _memory(1)),)),
                _job("b", (_primary(1, _memory(1)),), (_primary(1),)),
            )
        ],
        faults=("hit pends the job",),
        host_amounts=("mem",),
    ),
    Page(
        erratum="E10",
        number=1,
        requests=[
            (_job("a", (_primary(tasks, hosts_max=1),)), _job("b", (_primary(tasks),)))
            for tasks in (1, 2, 3)
        ],
        faults=("key without span",),
    ),
    Page(
        erratum="E12",
        hosts_least=2,
        requests=[
            (
                _job("t", (_primary(2, RusageEntry(resource="lic", amount=1000, per=Per.TASK)),)),
                _job("j", (_primary(2, RusageEntry(resource="lic", amount=1000, per=Per.JOB)),)),
            )
        ],
        faults=("per-task pool amount once", "per-job amount for each task"),
        pools=("lic",),
    ),
    Page(
        erratum="E13",
        requests=[(_job("j", (_primary(a),)),) for (a,) in _by_size(1)],
        astray=_turned_away,
    ),
)
"""The pages with a witness that Z3 finds. Beside it, each page may have examples by hand."""


def _cluster(page: Page, hosts: int) -> Cluster:
    """Hosts A, B, … and pools of any capacity."""
    found = {}
    for name in "ABCD"[:hosts]:
        capacity = {one: z3.Int(f"{one}_{name}") for one in (SLOTS, *page.host_amounts)}
        found[name] = Host(name=name, capacity=capacity, attributes={})
    declared = Resources(
        host=frozenset(page.host_amounts), shared=frozenset(page.pools), attributes={}
    )
    pools = {one: z3.Int(one) for one in page.pools}
    return Cluster(resources=declared, hosts=found, pools=pools, limits={})


def _events(jobs: Jobs) -> tuple[Event, ...]:
    return (*(Submit(job=job) for job in jobs), RunSession())


def _where(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> list[Any]:
    """Where each job goes: None if nowhere."""
    state, found = initial(cluster), list[Any]()
    for event in events:
        state, answer = step(state, event, rules)
        if isinstance(answer, Ran):
            tried = [one.answer for one in answer.jobs]
            found += [one if isinstance(one, Dispatched) else None for one in tried]
    return found


def _goes_elsewhere(
    cluster: Cluster, events: tuple[Event, ...], rules: Rules, faulty: Rules
) -> bool:
    return _where(cluster, events, rules) != _where(cluster, events, faulty)


def _is_placed(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> bool:
    """Whether the last job is placed."""
    return _where(cluster, events, rules)[-1] is not None


def _wrong(page: Page, jobs: Jobs, cluster: Cluster) -> list[Term]:
    """What a witness has to show."""
    lifting, events = Lifting(SPEC), _events(jobs)
    shown = [
        lifting.of(_goes_elsewhere, cluster, events, lifting.rules, Lifting(one.of()).rules)
        for one in VARIANTS
        if one.name in page.faults
    ]
    placed = lifting.of(_is_placed, cluster, events, lifting.rules)
    if page.unseen is not None:
        return [z3.Not(placed), page.unseen(jobs, cluster)]
    return [*shown, placed, *([page.astray(jobs, cluster)] if page.astray else [])]


def witness_of(page: Page) -> Erratum:
    """The smallest witness: fewest hosts, then the first requests, then the least capacities."""
    for hosts, jobs in product(range(page.hosts_least, 3), page.requests):
        cluster = _cluster(page, hosts)
        with reading() as found:
            shown = _wrong(page, jobs, cluster)
            met = [obligation for obligation, _raised in found.obligations]
            least = _least(cluster, [*shown, *met])
        if least is not None:
            events = _events(jobs)
            return Erratum(
                name=f"{page.erratum}, example {page.number + 1}",
                told=_told(page),
                cluster=least,
                events=events,
                answers=answers_of(least, events, SPEC),
            )
    raise AssertionError(f"{page.erratum}: no requests show it")


def _told(page: Page) -> str:
    if page.astray is not None:
        return "no host has the want that is left behind"
    return "; ".join(page.faults) or "the tasks would fit"


def _least(cluster: Cluster, shown: Sequence[Term]) -> Cluster | None:
    """The cluster with the fewest slots, at least one a host, then the least amounts.

    Of several the one whose first hosts have most.
    """
    of_hosts = [host.capacity for host in cluster.hosts.values()]
    amounts = [one for capacity in of_hosts for one in capacity.values()]
    solver = z3.Optimize()
    solver.add(*shown, *(one >= 0 for one in (*amounts, *cluster.pools.values())))
    solver.add(*(one[SLOTS] >= 1 for one in of_hosts))
    solver.minimize(z3.Sum([one[SLOTS] for one in of_hosts]))
    solver.minimize(z3.Sum([*amounts, *cluster.pools.values()]))
    for one in amounts:
        solver.maximize(one)
    if solver.check() != z3.sat:
        return None
    model = solver.model()

    def known(capacity: Any) -> dict[str, int]:
        values = {name: model.eval(term).as_long() for name, term in capacity.items()}
        return {name: value for name, value in values.items() if value or name == SLOTS}

    hosts = {
        name: Host(name=name, capacity=known(host.capacity), attributes={})
        for name, host in cluster.hosts.items()
    }
    return Cluster(resources=cluster.resources, hosts=hosts, pools=known(cluster.pools), limits={})


Block = tuple[str, int, dict[str, Any]]


@cache
def errata() -> Mapping[tuple[str, int], Erratum]:
    """The witnesses, by page and number there; found once."""
    searched = {("E2", 0): inexact_reversal(), ("E5", 1): room_that_hurts()}
    return searched | {(page.erratum, page.number): witness_of(page) for page in PAGES}


def blocks() -> Iterator[Block]:
    """Each generated example: the page, its number there, and what it says."""
    for (page, number), erratum in errata().items():
        yield page, number, _example(erratum)


def _example(witness: Erratum) -> dict[str, Any]:
    return {name: erratum_json(witness)[name] for name in ("cluster", "events", "answers")}


SECTION = re.compile(r"^### (E\d+) .*?(?=^##)", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^```json example\n(.*?)^```", re.MULTILINE | re.DOTALL)


def differing(text: str) -> list[Block]:
    """The generated examples that the text of SPEC.md has otherwise, or not at all.

    An example that reports books too is compared in its cluster and events.
    """
    sections = {found[1]: EXAMPLE.findall(found[0]) for found in SECTION.finditer(text)}
    odd = []
    for page, number, example in blocks():
        there = sections.get(page, [])
        now = json.loads(there[number]) if number < len(there) else {}
        if now.pop("report", None):
            now |= {"answers": example["answers"]}
        if now != example:
            odd.append((page, number, example))
    return odd


def rewritten(text: str) -> str:
    """The text of SPEC.md with every generated example as it has to be."""
    for page, number, example in differing(text):
        section = next(one for one in SECTION.finditer(text) if one[1] == page)
        place = [*EXAMPLE.finditer(section[0])][number]
        start = section.start() + place.start(1)
        text = text[:start] + shown(example) + text[section.start() + place.end(1) :]
    return text


def shown(example: dict[str, Any]) -> str:
    """An example as SPEC.md has it: one line an event, one an answer, one a job."""
    events = (",\n" + " " * 12).join(map(json.dumps, example["events"]))
    answers = (",\n" + " " * 13).join(map(_shown_answer, example["answers"]))
    cluster = json.dumps(example["cluster"])
    return f'{{"cluster": {cluster},\n "events": [{events}],\n "answers": [{answers}]}}\n'


def _shown_answer(answer: dict[str, Any]) -> str:
    if "jobs" not in answer:
        return json.dumps(answer)
    jobs = (",\n" + " " * 40).join(map(json.dumps, answer["jobs"]))
    return f'{{"answer": "ran", "jobs": [{jobs}]}}'


if __name__ == "__main__":
    specification = Path("SPEC.md")
    specification.write_text(rewritten(specification.read_text("utf-8")), encoding="utf-8")
