"""The picture of a disagreement: the scheduler as it stands, what happened, who said what."""

from collections.abc import Iterator, Sequence
from typing import Any

from allotment_conformance.counterexample import words
from allotment_conformance.counterexample.diagnosis import Diagnosis
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.counterexample.waiting import waiting
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire import from_model, to_model
from allotment_conformance.wire.failure import Ending, Failure
from allotment_conformance.wire.messages import Json, read_case
from allotment_conformance.wire.parts import begins
from allotment_model.accounts import Account, capacity
from allotment_model.state import State, initial

MOST_OTHERS = 3
"""Of so many cases before one it is told what happens in them."""


NEW_PART = "in a case that goes on, without `cluster`: "
EMPTY_PART = "behind a case without events, "


def picture(case: Json, found: Disagreement, diagnosis: Diagnosis) -> str:
    """A disagreement for a person: a dozen lines for a case that was made small."""
    where = f"event {found.step + 1} of {len(case['events'])}"
    about = f", job {words.name(found.job)}" if found.job is not None else ""
    expected, actual = _answers(found)
    lines = [
        f"Disagreement at {where}{about}: {found.kind}",
        *section("What happens", happenings(case)[: found.step + 1]),
        *section("The scheduler before that event", scheduler(found.before)),
        *(f"    {line}" for line in waiting(found.before, case["events"][: found.step])),
        *section(says(found), expected),
        *section("The allocator says", actual),
        *section("Clause", diagnosis.lines()),
    ]
    return "\n".join(map(legible, lines))


def says(found: Disagreement) -> str:
    """The title of what is expected."""
    return "One of the permitted answers" if found.one_of_several else "The specification says"


def failing_case_picture(case: Json, failure: Failure) -> str:
    """A case at which a program failed, for a person."""
    sent = read_case(case)
    assert sent.cluster, "a case that is shown starts a scheduler"
    came = "The program answers" if failure.ending is Ending.ERROR else "What comes of it"
    lines = [
        f"Fails: {failure}",
        *section("The scheduler at the start", scheduler(initial(to_model.cluster(sent.cluster)))),
        *section("What happens", happenings(case) or ["nothing: the case has no event"]),
        *section(came, [f"an {failure}" if failure.ending is Ending.ERROR else str(failure)]),
    ]
    return "\n".join(map(legible, lines))


def others(before: Sequence[Json]) -> list[str]:
    """The cases without which another does not fail; of many only how many they are."""
    if not before:
        return []
    told = [f"Fails only after {words.counted(len(before), 'other case')}, asked before it"]
    if len(before) <= MOST_OTHERS:
        for case in before:
            told += section("What happens before", happenings(case))
    return [*map(legible, told)]


def section(title: str, lines: list[str]) -> Iterator[str]:
    """A title with its lines below it."""
    yield f"  {title}"
    yield from (f"    {line}" for line in lines)


def happenings(case: Json) -> list[str]:
    """The events, numbered, as sentences."""
    return [
        f"{number} {_new_part(begins(event))}{words.event(event)}"
        for number, event in enumerate(case["events"], start=1)
    ]


def _new_part(cases: int) -> str:
    """What is said of an event at which so many cases begin."""
    return (EMPTY_PART if cases > 1 else "") + (NEW_PART if cases else "")


def scheduler(state: State) -> list[str]:
    """Hosts, pools and limits with what is free on them."""
    cluster = state.cluster
    lines = []
    for host in cluster.hosts.values():
        resources = ["slots", *sorted(cluster.resources.host)]
        told = [_free(state, Account(resource, host.name)) for resource in resources]
        told += [f"{k} = {words.attribute_value(v)}" for k, v in host.attributes.items()]
        told += [] if host.open else ["closed"]
        lines.append(f"host {words.name(host.name)}: {', '.join(told)}")
    for pool in sorted(cluster.resources.shared):
        lines.append(f"pool {_free(state, Account(pool))}")
    for limit, cap in cluster.limits.items():
        lines.append(f"limit: {words.limit({**from_model.limit(limit), 'cap': cap})}")
    lines += [_held(account, used) for account, used in state.books.items() if account.limit]
    return lines or ["no host"]


def _free(state: State, account: Account) -> str:
    """How much of an account is free; all of what it has if nothing is in use."""
    whole, used = capacity(state.cluster, account), state.books.get(account, 0)
    name = account.resource
    free = words.quantity(name, max(0, whole - used))
    return f"{name} {free} free" + (f" of {words.quantity(name, whole)}" if used else "")


def _held(account: Account, used: int) -> str:
    where = f" on {words.name(account.host)}" if account.host is not None else ""
    amount = words.quantity(account.resource, used)
    assert account.limit is not None, "only the use of a limit has a holder"
    assert account.holder is not None, "the use of a limit has one"
    who = f"{account.limit.kind} {words.name(account.holder)}"
    return f"  {who} holds {amount} {account.resource}{where}"


def _answers(found: Disagreement) -> tuple[list[str], list[str]]:
    """What both said, of the job in question if there is one."""
    if found.kind is Kind.BOOKS:
        return _books(found.expected), _books(found.actual)
    if found.job is None:
        expected, actual = (
            words.answer(one, found.declares) for one in (found.expected, found.actual)
        )
        return expected, actual
    one, other = (words.job_of(answer, found.job) for answer in (found.expected, found.actual))
    told = words.job_answers(one, other, found.declares)
    if found.kind is not Kind.EVENTS:
        return [told[0]], [told[1]]
    inside = ([_note(note) for note in side.get("events", [])] for side in (one, other))
    expected, actual = ([said, *notes] for said, notes in zip(told, inside, strict=True))
    return expected, actual


def _note(note: list[Any]) -> str:
    return " ".join(map(str, note))


def _books(answer: Json) -> list[str]:
    """The books as they were reported."""
    books = answer.get("books")
    if books is None:
        return ["no books"]
    lines = [
        f"host {words.name(host)}: "
        + ", ".join(f"{r} {words.quantity(r, n)}" for r, n in used.items())
        for host, used in sorted(books["hosts"].items())
    ]
    lines += [
        f"pool {words.name(pool)}: {words.amount(used)}"
        for pool, used in sorted(books["pools"].items())
    ]
    lines += sorted(
        f"{words.use_of_limit(use)} {words.quantity(use['resource'], use['used'])}"
        for use in books["limits"]
    )
    return lines or ["nothing in use"]
