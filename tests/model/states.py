"""States and keys that random sessions reach, and the sceptic's view of them."""

from collections.abc import Iterator

from allotment_model.accounts import Ledger, open_ledger
from allotment_model.cache import Key
from allotment_model.request import Per
from allotment_model.state import State
from model.sceptic import Ask, Sceptic
from model.worlds import Session, moments, random_session

Searched = tuple[Key, Ledger, Ask, Sceptic]


def sessions_followed(sessions: Iterator[Session]) -> Iterator[tuple[State, Sceptic]]:
    """Every state of these sessions, with a sceptic that saw the same events."""
    for session in sessions:
        sceptic = Sceptic(cluster=session[0])
        for moment in moments(session):
            yield moment.before, sceptic
            sceptic.step(moment.event)


def ask_of(key: Key) -> Ask:
    """The key as the sceptic reads it."""
    fields = ((Per.TASK, "per_task"), (Per.HOST, "per_host"), (Per.JOB, "per_job"))
    amounts = [
        (need.resource, per, getattr(need, name)) for need in key.rusage for per, name in fields
    ]
    return Ask(
        min=key.tasks_min,
        max=key.tasks_max,
        select=key.select,
        amounts=frozenset(one for one in amounts if one[2]),
        span=key.span,
        identity=key.identity,
    )


def searches(seeds: range, hosts_most: int = 4) -> Iterator[Searched]:
    """Every pending primary in every third state of random sessions: key, ledger, and both as
    the sceptic has them.
    """
    sessions = (random_session(seed, hosts_most=hosts_most) for seed in seeds)
    for number, (state, sceptic) in enumerate(sessions_followed(sessions)):
        if number % 3 == 0:
            ledger = open_ledger(state.cluster, state.books)
            keys = [k for queued in state.pending.values() for parts in queued.keys for k in parts]
            for key in dict.fromkeys(keys):
                yield key, ledger, ask_of(key), sceptic
