"""Whether an allocator's answers can be so at all, seen without the model.

The books are kept by the answers themselves. An answer is none if it is of the wrong kind, speaks
of a job that does not wait or of a host that does not exist, leaves a waiting job out, or places
other than the tasks of the job, on a host that it does not select or that has less room. Which of
the possible answers is right is not asked.
"""

from typing import NoReturn

from allotment_conformance.counterexample import words
from allotment_conformance.wire.messages import (
    Answer,
    BeginSession,
    Cancelled,
    Dispatched,
    Event,
    Finish,
    Json,
    Ok,
    Pending,
    Ran,
    Refused,
    RunSession,
    Submit,
    Withdraw,
    plain,
    read_case,
)
from allotment_conformance.workload.books import Asked, Books, asked_by
from allotment_conformance.workload.conversation import AllocatorFailed, Answers
from allotment_conformance.workload.tally import Part


class Bookkeeper:
    """Passes cases on to an allocator, and its answers back as long as they can be so.

    Jobs are single primaries without span. `books` are those after the last answer.
    """

    def __init__(self, allocator: Answers, cluster: Json) -> None:
        self.books = Books(cluster)
        self._allocator = allocator
        self._waiting: dict[str, Asked] = {}
        self._held: dict[str, tuple[Asked, Part]] = {}
        self._ending: list[str] = []

    def submitted(self, asked: Asked) -> None:
        """A job was accepted. Does nothing; for those who watch."""

    def run_begins(self) -> None:
        """The answers of a run follow. Does nothing; for those who watch."""

    def pended(self, answer: Pending, asked: Asked) -> None:
        """A job pends on the books as they are now. Does nothing; for those who watch."""

    def run(self, case: Json) -> list[Answer]:
        """The allocator's answers. Raises `AllocatorFailed`."""
        answers = self._allocator.run(case)
        events = read_case(case).events
        for sent, event, answer in zip(case["events"], events, answers, strict=True):
            self._answered(sent, event, answer)
        return answers

    def _answered(self, sent: Json, event: Event, answer: Answer) -> None:
        """Take up an answer of the right kind: only a submission may be refused."""
        match event, answer:
            case Submit(job=job), Ok():
                [[primary]] = job.request
                self._waiting[job.name] = asked_by(primary)
                self.submitted(self._waiting[job.name])
            case Finish(job=name), Ok():
                self._ending.append(name)
            case Withdraw(job=name), Ok():
                del self._waiting[name]
            case BeginSession(), Ok():
                self._give_back()
            case RunSession(), Ran():
                self._run(sent, answer)
            case Submit(), Refused():
                pass
            case _:
                told = "; ".join(words.answer(plain(answer)))
                raise AllocatorFailed(
                    event=words.event(sent), expected="it is accepted", actual=told
                )

    def _give_back(self) -> None:
        """Finishes take effect when a session begins."""
        for name in self._ending:
            asked, part = self._held.pop(name)
            for host, tasks in part:
                self.books.debit(host, asked.wants, -tasks)
        self._ending.clear()

    def _run(self, sent: Json, ran: Ran) -> None:
        """SESSION-1: each waiting job is answered once."""
        self.run_begins()
        left = dict(self._waiting)
        for answer in ran.jobs:
            asked = left.pop(answer.job, None)
            if asked is None:
                _fail(sent, f"job {answer.job} is not tried: it does not wait", answer)
            match answer:
                case Dispatched():
                    fault = self._fault_of(answer, asked)
                    if fault is not None:
                        _fail(sent, fault, answer)
                    self._dispatched(answer, asked)
                case Pending():
                    self.pended(answer, asked)
                case Cancelled():
                    _fail(sent, "nobody cancels the run", answer)
        if left:
            _fail(sent, f"an answer for job {next(iter(left))}, which waits", None)

    def _fault_of(self, answer: Dispatched, asked: Asked) -> str | None:
        """What has to hold of a placement and does not, in words."""
        if (answer.alternative, len(answer.parts)) != (0, 1):
            return f"job {answer.job} is placed by its only alternative, which has one part"
        [part] = answer.parts
        hosts = [host for host, _ in part]
        if len(set(hosts)) < len(hosts):
            return "no host is named twice"
        if any(slots < 1 for _, slots in part) or sum(slots for _, slots in part) != asked.tasks:
            return f"job {answer.job} has {asked.tasks} tasks, each on one slot"
        for host, tasks in part:
            if host not in self.books.free:
                return f"hosts of the cluster, which has no {host}"
            if not self.books.is_candidate(host, asked.select):
                return f"hosts that the job selects, and {host} is none"
            room = self.books.fits(host, asked.wants)
            if tasks > room:
                return f"no more than is free: {host} has room for {room} of these tasks"
        return None

    def _dispatched(self, answer: Dispatched, asked: Asked) -> None:
        """The job holds what it was given."""
        [part] = answer.parts
        for host, tasks in part:
            self.books.debit(host, asked.wants, tasks)
        self._held[answer.job] = asked, part
        del self._waiting[answer.job]


def _fail(sent: Json, expected: str, answer: Dispatched | Pending | Cancelled | None) -> NoReturn:
    told = "no answer" if answer is None else words.job_answer(plain(answer))
    raise AllocatorFailed(event=words.event(sent), expected=expected, actual=told)
