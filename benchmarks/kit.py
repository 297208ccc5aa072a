"""What the kit takes: a case judged in this process, and over the wire."""

import gc
import sys
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import msgspec
from c_program import HERE

from allotment_conformance.runs.check import check
from allotment_conformance.runs.check_work import CheckOrder
from allotment_conformance.runs.pool import Desk
from allotment_conformance.runs.work import Question, Share, Worker, questions
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.outcome import Level
from allotment_conformance.verdict.received import ask
from allotment_conformance.wire.messages import Json, read_profile
from allotment_conformance.wire.parts import joined
from allotment_conformance.wire.process import ProcessAdapter

Figures = dict[str, Any]


def in_process(cases: int) -> Figures:
    """The built-in allocator, judged by the model, in this process; one core."""
    worker = Worker(Desk(), "allotment_impl:Adapter")
    asked = _questions(worker.profile, cases)
    began = process_time()
    answers = [ask(worker.adapter, one.case) for one in asked]
    answered = process_time()
    decisions = 0
    for one, given in zip(asked, answers, strict=True):
        judgement = Oracle(worker.profile).judge(one.case, given)
        assert judgement.disagreement is None, "the built-in allocator agrees"
        decisions += judgement.decisions
    judged = process_time()
    return {
        "decisions": decisions,
        "allocator_s": answered - began,
        "comparison_s": judged - answered,
        "per_s": decisions / (judged - began),
    }


def transport(cases: int, repeats: int, program: Path, folder: Path) -> Figures:
    """An echo of what the C sample answers: the kit's side of the wire, without verdicts.

    No case is sent in parts. Told is the quickest of some conversations.
    """
    sample = ProcessAdapter([str(program)])
    declared = sample.start()
    sent = [joined(one.case) for one in _questions(read_profile(declared), cases)]
    answers = list(sample.replies(sent))
    sample.close()
    file = folder / "answers.jsonl"
    lines = [msgspec.json.encode(one) for one in (declared, *answers)]
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    decisions = sum(_decisions(given) for given in answers)
    times = [_conversation(sent, answers, file) for _ in range(repeats)]
    wall_s, kit_s, echo_s = min(times)
    return {
        "decisions": decisions,
        "kit_s": kit_s,
        "echo_s": echo_s,
        "per_s": decisions / wall_s,
        "per_kit_s": decisions / min(kit_s for _, kit_s, _ in times),
    }


def _conversation(sent: list[Json], answers: list[Any], file: Path) -> tuple[float, float, float]:
    """Seconds that pass, and processor seconds of the kit and of the echo.

    Cases and answers of the benchmark are kept from the garbage collector: `check` holds few.
    """
    echo = ProcessAdapter([sys.executable, str(HERE / "echo.py"), str(file)])
    echo.start()
    gc.collect()
    gc.freeze()
    before, began, clock = echo.seconds_used, process_time(), monotonic()
    given = list(echo.replies(sent))
    kit_s, wall_s = process_time() - began, monotonic() - clock
    gc.unfreeze()
    echo_s = echo.seconds_used - before
    echo.close()
    assert given == answers, "an echo gives back what it was given"
    return wall_s, kit_s, echo_s


def over_the_wire(cases: int, program: Path) -> Figures:
    """`allotment check` of the C sample with two processes: what it takes, by whom."""
    command = (str(program),)
    order = CheckOrder(adapter=command[0], command=command, cases=cases, seed=1, processes=2)
    done = check(order, level=Level.EXACT)
    assert not done.failing(Level.EXACT), "the C sample is exact"
    tally = done.tally
    model_s = tally.seconds_comparison + tally.seconds_probes
    kit_s = tally.seconds_allocator + tally.seconds_making
    everything = model_s + kit_s + tally.seconds_program
    return {
        "decisions": tally.decisions,
        "per_s": tally.decisions / done.seconds,
        "per_s_of_two_cores": 2 * tally.decisions / everything,
        "comparison_s": tally.seconds_comparison,
        "probes_s": tally.seconds_probes,
        "making_s": tally.seconds_making,
        "wire_s": tally.seconds_allocator,
        "program_s": tally.seconds_program,
    }


def _questions(profile: Any, cases: int) -> list[Question]:
    return list(questions(Share(directed=False, start=0, stop=cases, seed=1), profile))


def _decisions(answers: Any) -> int:
    assert isinstance(answers, list), "the C sample answers every case"
    runs: list[Json] = answers
    return sum(len(one.get("jobs", ())) for one in runs)
