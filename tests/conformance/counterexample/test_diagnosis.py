"""Diagnosis: who of the zoo answers like an allocator that nobody has named."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from allotment_conformance.counterexample.asking import InProcess, asked_one
from allotment_conformance.counterexample.clause import likeliest_clause
from allotment_conformance.counterexample.contradiction import contradiction
from allotment_conformance.counterexample.diagnosis import Diagnosis, Failing, diagnose
from allotment_conformance.counterexample.find import Effort, counterexample
from allotment_conformance.counterexample.suspects import suspects
from allotment_conformance.engines.all_directed import BEFORE_PARTS, SAMPLE
from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.engines.notation import (
    RUN,
    Alternative,
    case,
    cluster,
    host,
    host_add,
    limit,
    number,
    primary,
    submit,
    uses,
)
from allotment_conformance.engines.parts import PARTS
from allotment_conformance.runs.pool import Desk
from allotment_conformance.runs.tally import Tally, failure_of, foremost
from allotment_conformance.runs.work import Share, Worker
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import MUTANTS, Specimen, mutant
from allotment_conformance.zoo.smallest import smallest
from allotment_conformance.zoo.variants import Served
from allotment_model.rules import SPEC
from allotment_model.variants import VARIANTS

MOST_ALIKE = 10
"""A class of faults that no kept case tells apart is at most so large."""

SIZES_APART = 2_000
"""Characters of a case: the few that are larger are asked only of the allocator that they show."""


@cache
def kept() -> Mapping[str, Json]:
    """The smallest case of everybody, by the name of the allocator."""
    return {name: one.case for name, one in smallest().items()}


@cache
def small_ones() -> list[Json]:
    """Those of them that anybody is asked."""
    return [case for case in kept().values() if len(str(case)) < SIZES_APART]


def failures_of(asking: InProcess, first: Json, others: int) -> tuple[list[Failing], Disagreement]:
    """How an allocator fails on one case, and on some of the other kept ones."""
    finding = asked_one(asking, first)
    assert finding.disagreement is not None
    failing = [Failing(case=first, answers=finding.answers)]
    for other in small_ones()[:: len(small_ones()) // others]:
        told = asked_one(asking, other)
        if told.disagreement is not None:
            failing.append(Failing(case=other, answers=told.answers))
    return failing, finding.disagreement


def diagnosed(adapter: Adapter, first: Json, others: int = 70) -> Diagnosis:
    profile = read_profile(adapter.start())
    failing, found = failures_of(InProcess(adapter, profile), first, others)
    return diagnose(failing, found, profile)


@pytest.mark.parametrize("one", MUTANTS, ids=lambda one: one.id)
def test_everybody_is_named_with_few_others(one: Specimen) -> None:
    told = diagnosed(one.make(), kept()[one.id])
    assert one.id in told.faults
    assert len(told.faults) <= MOST_ALIKE
    assert set(one.clauses) & set(told.clauses)


def test_suspects_are_everybody() -> None:
    assert sorted(one.id for one in MUTANTS) == sorted(one.name for one in suspects())


SPEC_PAGE = Path(__file__).parents[3] / "SPEC.md"


def two_faults(*names: str) -> Served:
    """The model with several variants at once."""
    rules = SPEC
    for variant in VARIANTS:
        if variant.name in names:
            rules = variant.of(rules)
    served = Served()
    served.rules = rules
    return served


@pytest.mark.parametrize(
    "names",
    [
        ("ascending buckets", "user limits ignored"),
        ("no rollback", "leak at finish"),
        ("key without user", "shared host cursor"),
    ],
    ids=" + ".join,
)
def test_two_faults_are_no_single_known_one(names: tuple[str, str]) -> None:
    one, other = (kept()[name.replace(" ", "-")] for name in names)
    asking = InProcess(two_faults(*names), MODEL_PROFILE)
    first, second = (asked_one(asking, case) for case in (one, other))
    assert first.disagreement is not None
    assert second.disagreement is not None
    told = diagnose(
        [Failing(case=each.case, answers=each.answers) for each in (first, second)],
        first.disagreement,
        MODEL_PROFILE,
    )
    assert () == told.faults
    assert names[0].replace(" ", "-") in told.here
    assert (
        "No single known fault answers alike on all 2 cases that were compared" in told.verdict()[0]
    )


LIC: Json = {"shared": ["lic"], "pools": {"lic": 0}}


@pytest.mark.parametrize(
    ("clause", "made", "wanted"),
    [
        ("SELECT-5", cluster(host("A", 1)), primary(1, select=number(0))),
        ("LIMIT-3", cluster(host("A", 1), limits=[limit("user", "u", "host", "slots", 0)]), 1),
        ("SHARED-1", cluster(host("A", 1), **LIC), primary(1, uses("lic", 1))),
        ("PLAN-9", cluster(host("A", 1)), primary(1, hosts_min=2)),
        ("WANT-4", cluster(host("A", 0)), 1),
        ("PAR-2", cluster(), 1),
    ],
)
def test_clause_of_a_job_that_has_to_wait_is_that_of_its_reason(
    clause: str, made: Json, wanted: Alternative
) -> None:
    told = case(made, submit("j", wanted), RUN)
    part = [["A", 1]] if made["hosts"] else []
    placed = {"job": "j", "answer": "dispatched", "alternative": 0, "parts": [part]}
    answers = [{"answer": "ok"}, {"answer": "ran", "jobs": [placed]}]
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    assert clause == likeliest_clause(found)


@pytest.mark.parametrize(
    ("clause", "event"),
    [("SESSION-7", submit("j", 1)), ("INGEST-2", host_add(host("A", 1)))],
)
def test_name_that_is_taken_belongs_to_what_is_named(clause: str, event: Json) -> None:
    answers = [{"answer": "refused", "code": "duplicate-name"}]
    found = Oracle(MODEL_PROFILE).judge(case(cluster(), event), answers).disagreement
    assert found is not None
    assert clause == likeliest_clause(found)


def test_clause_of_a_job_known_to_fail_is_that_of_the_room_that_it_takes() -> None:
    told = case(cluster(host("A", 0)), submit("j", 1), submit("k", 1), RUN)
    answers = ModelAdapter(profile=MODEL_PROFILE).run(told)
    answers[2]["jobs"][1] = {
        "job": "k",
        "answer": "dispatched",
        "alternative": 0,
        "parts": [[["A", 1]]],
    }
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    assert "WANT-4" == likeliest_clause(found)


def test_profile_is_that_of_the_allocator() -> None:
    one = mutant("float64-ledger")
    told = diagnosed(one.make(cache="none"), kept()[one.id])
    assert one.id in told.faults


def test_a_fault_of_nobody_is_not_named() -> None:
    class Backwards(Served):
        """Answers in the order of the alphabet backwards, to everything."""

        def run(self, case: Json) -> list[Json]:
            return [{"answer": "refused", "code": "syntax"} for _event in case["events"]]

    told = diagnosed(Backwards(), kept()["no-rollback"])
    assert ((), ()) == (told.faults, told.here)
    assert "No single known fault" in told.lines()[-1]
    assert told.clauses


class LatestFirstInParts(Served):
    """In a case that goes on the latest of equals is tried first, and nowhere else."""

    def run(self, case: Json) -> list[Json]:
        [wrong] = [one for one in VARIANTS if one.name == "latest submission first"]
        self.rules = SPEC if "cluster" in case else wrong.of(SPEC)
        return super().run(case)


def counterexample_in_parts(adapter: str) -> tuple[Tally, Diagnosis]:
    """What a run tells that asks some directed cases, and those in parts."""
    worker, tally = Worker(Desk(), adapter), Tally()
    first = len(BEFORE_PARTS)
    for start, stop in ((0, 30), (first, first + len(PARTS))):
        tally.add(worker.do(Share(directed=True, start=start, stop=stop)))
    asking, effort = InProcess(worker.adapter, worker.profile), Effort(certify_seconds=0.0)
    return tally, counterexample(asking, tally.distinct[0], tally.seen, effort).diagnosis


def test_fault_that_would_fail_cases_that_pass_is_not_named() -> None:
    tally, told = counterexample_in_parts(f"{__name__}:LatestFirstInParts")
    assert 0 < tally.failed < len(PARTS)
    assert () == told.faults
    [one] = told.contradicted
    assert "latest-submission-first" == one.name
    assert 1 < one.fails < one.agreed <= len(set(SAMPLE) & set(tally.agreed)) + 3
    assert ("SESSION-1",) == told.clauses
    assert (
        f"'latest-submission-first' answers alike on these failures, "
        f"but would fail {one.fails} of {one.agreed} cases that pass here."
    ) == told.verdict()[1]


def test_fault_that_fails_nothing_that_passes_stays_named() -> None:
    adapter = "allotment_conformance.zoo.variants:Served?variant=latest-submission-first"
    _tally, told = counterexample_in_parts(adapter)
    assert ("latest-submission-first",) == told.faults
    assert () == told.contradicted
    assert f"and is right on {told.agreed} that pass" in told.verdict()[0]


EXAMPLE = re.compile(r"^```json example\n(.*?)^```", re.MULTILINE | re.DOTALL)
VIOLATION = re.compile(r"[Vv]iolation of ([A-Z]+-\d+)(?:(?: and|, or of) ([A-Z]+-\d+))?")


def erratum_of(name: str) -> str:
    """What SPEC.md says of an erratum."""
    page = SPEC_PAGE.read_text("utf-8").partition(f"### {name} ")[2]
    return re.split(r"^##", page, maxsplit=1, flags=re.MULTILINE)[0]


def told_of(name: str) -> set[str]:
    """The clauses that an allocator with the seeds' rule is told, by its line *Told*."""
    line = " ".join(erratum_of(name).partition("*Told.*")[2].partition("\n\n")[0].split())
    return {clause for found in VIOLATION.findall(line) for clause in found if clause}


def witness_of(name: str, example: int) -> Json:
    """An example of an erratum, as a case."""
    told: Json = json.loads(EXAMPLE.findall(erratum_of(name))[example])
    return {field: value for field, value in told.items() if field != "answers"}


class Uneven(ModelAdapter):
    """Places the witness of E6 as `split: any` would, and declares `balanced`."""

    def run(self, case: Json) -> list[Json]:
        """Three tasks on A and one on B."""
        answers = super().run(case)
        if case["events"] == witness_of("E6", 0)["events"]:
            placed = {"alternative": 0, "parts": [[["A", 3], ["B", 1]]]}
            answers[-1]["jobs"] = [{"job": "j", "answer": "dispatched", **placed}]
        return answers


def told_in_a_run(adapter: Adapter, witness: Json) -> Diagnosis:
    """What `verify` tells, which takes into account how the allocator fails on directed cases."""
    asking = InProcess(adapter, read_profile(adapter.start()))
    cases = [witness, *(one.case for one in DIRECTED)]
    wrong = [(one, one.disagreement) for one in asking.findings(cases) if one.disagreement]
    failures = [failure_of("a test", one.case, one.answers, found) for one, found in wrong]
    (smallest, found), *_rest = wrong
    assert witness == smallest.case
    failing = [Failing(case=one.case, answers=one.answers) for one in foremost(failures)]
    first = Failing(case=witness, answers=smallest.answers)
    return diagnose([first, *failing], found, asking.profile)


SEEDS_RULES: list[tuple[str, str, Json]] = [
    ("E1", "cache-filled-inside-a-compound", witness_of("E1", 0)),
    ("E2", "float64-ledger", witness_of("E2", 0)),
    ("E3", "key-padding", kept()["key-padding"]),
    ("E4", "hash-as-identity", kept()["hash-as-identity"]),
    ("E5", "parts-tried-the-other-way-round", witness_of("E5", 0)),
    ("E5", "parts-tried-the-other-way-round", witness_of("E5", 1)),
    ("E7", "counts-never-arrive", witness_of("E7", 0)),
    ("E7", "counts-is-not-refused", witness_of("E7", 1)),
    ("E8", "nested-primaries-unchecked", witness_of("E8", 0)),
    ("E9", "failed-work-keeps-its-debits", witness_of("E9", 0)),
    ("E10", "hit-pends-the-job", witness_of("E10", 0)),
    ("E10", "key-without-span", witness_of("E10", 1)),
    ("E12", "pool-asked-by-each-bucket", witness_of("E12", 0)),
    ("E12", "per-job-amount-for-each-task", witness_of("E12", 0)),
    ("E13", "want-of-the-last-try", witness_of("E13", 0)),
]
"""An erratum, who follows the seeds there, and a case that shows it: that of SPEC.md if it has one.
The witnesses of E3 and E4 are made in memory."""


@pytest.mark.parametrize(("erratum", "name", "witness"), SEEDS_RULES)
def test_seeds_rule_is_told_the_clause_of_its_erratum(
    erratum: str, name: str, witness: Json
) -> None:
    told = told_in_a_run(mutant(name).make(), witness)
    assert name in told.faults
    assert told.clauses[0] in told_of(erratum)


def test_uneven_split_under_balanced_is_told_the_clause_of_its_erratum() -> None:
    told = diagnosed(Uneven(), witness_of("E6", 0))
    assert told_of("E6") == set(told.clauses)


def test_every_erratum_that_a_case_can_show_is_asked() -> None:
    names = re.findall(r"^### (E\d+) ", SPEC_PAGE.read_text("utf-8"), re.MULTILINE)
    shown = {name for name in names if told_of(name)}
    assert "HOST-8" in told_of("E11")
    assert shown == {"E6", "E11", *(name for name, _mutant, _case in SEEDS_RULES)}
    assert {"E14"} == set(names) - shown


@pytest.mark.parametrize(
    ("erratum", "clause", "told", "variants"),
    [
        (
            "E1",
            "CACHE-3",
            case(cluster(host("A", 1)), submit("c", [1, 1]), submit("d", 1), RUN),
            ("cache filled inside a compound", "hit pends the job"),
        ),
        (
            "E10",
            "CACHE-4",
            case(
                cluster(host("A", 1), amounts=["mem"]),
                submit("a", primary(1, uses("mem", 1))),
                submit("b", primary(1, uses("mem", 1)), 1),
                RUN,
            ),
            ("hit pends the job", "capacity always blamed"),
        ),
        (
            "E3",
            "CACHE-8",
            case(cluster(host("A", 0)), submit("j", 1), submit("k", 1), RUN),
            ("cache never filled", "capacity always blamed"),
        ),
    ],
)
def test_clause_told_of_a_seeds_rule_is_that_of_its_erratum(
    erratum: str, clause: str, told: Json, variants: tuple[str, str]
) -> None:
    finding = asked_one(InProcess(two_faults(*variants), MODEL_PROFILE), told)
    assert finding.disagreement is not None
    assert clause == likeliest_clause(finding.disagreement)
    assert clause in told_of(erratum)


def test_fault_that_would_fail_more_is_named_later() -> None:
    told = diagnosed(mutant("float64-ledger").make(), witness_of("E2", 0), 1)
    place = told.faults.index("float64-ledger")
    assert place < told.faults.index("exactly-enough-is-not-enough")
    assert place < told.faults.index("first-alternative-only")


def test_hit_that_is_not_told_is_told_the_clause_of_the_lacking_hit() -> None:
    told = diagnosed(mutant("hit-not-told").make(), kept()["hit-not-told"])
    assert "hit-not-told" in told.faults
    assert ("CACHE-8",) == told.clauses


def test_host_order_that_shows_in_a_reason_is_told_by_who_explains_all() -> None:
    one = mutant("hosts-by-name")
    in_reason = case(
        cluster(
            host("D", 2, mem=1),
            host("C", 2),
            amounts=["mem"],
            limits=[limit("queue", "q", "cluster", "slots", 2)],
        ),
        submit("j", [2, primary(1, uses("mem", 1))]),
        RUN,
    )
    in_hosts = case(cluster(host("B", 1), host("A", 1)), submit("j", 1), RUN)
    asking = InProcess(one.make(), MODEL_PROFILE)
    wrong, other = asking.findings([in_reason, in_hosts])
    assert wrong.disagreement is not None
    assert Kind.REASON == wrong.disagreement.kind
    failing = [Failing(case=each.case, answers=each.answers) for each in (wrong, other)]
    told = diagnose(failing, wrong.disagreement, MODEL_PROFILE)
    assert "HOST-9" == told.clauses[0]
    assert one.id == told.faults[0]


def test_lacking_hit_is_not_told_where_hits_are_not_declared() -> None:
    told = case(cluster(host("A", 0)), submit("j", 1), submit("k", 1), RUN)
    wrong = asked_one(InProcess(two_faults("cache never filled"), MODEL_PROFILE), told)
    assert wrong.disagreement is not None
    assert "WHY-3" == likeliest_clause(wrong.disagreement, {"reason"})


def test_clause_of_other_hosts_is_that_of_the_order() -> None:
    made = case(cluster(host("B", 1), host("A", 1)), submit("j", 1), RUN)
    finding = asked_one(InProcess(two_faults("last host first"), MODEL_PROFILE), made)
    assert finding.disagreement is not None
    assert "HOST-9" == likeliest_clause(finding.disagreement)


@pytest.mark.parametrize("parts", [[[["A", 1]]], [[["A", 1]], []], [[]], []])
@pytest.mark.parametrize("alternative", [-2, -1, 1, 7])
@pytest.mark.parametrize("slots", [0, 1])
def test_alternative_that_the_request_does_not_have(
    slots: int, alternative: int, parts: list[list[object]]
) -> None:
    told = case(cluster(host("A", slots)), submit("j", 1), RUN)
    placed = {"job": "j", "answer": "dispatched", "alternative": alternative, "parts": parts}
    answers = [{"answer": "ok"}, {"answer": "ran", "jobs": [placed]}]
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    assert "ALTER-1" == likeliest_clause(found)
    assert f"(alternative {alternative})" in contradiction(found, "")


@pytest.mark.parametrize(
    ("parts", "of"),
    [
        ([[], [["B", 1]]], "job j"),
        ([[["A", 1]], []], "part 2 of job j"),
        ([[], []], "job j"),
    ],
)
def test_part_for_which_no_host_is_named(parts: list[list[object]], of: str) -> None:
    told = case(cluster(host("A", 1), host("B", 1)), submit("j", [1, 1]), RUN)
    placed = {"job": "j", "answer": "dispatched", "alternative": 0, "parts": parts}
    answers = [{"answer": "ok"}, {"answer": "ran", "jobs": [placed]}]
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    assert "PAR-3" == likeliest_clause(found)
    assert f"{of} is dispatched, and to no host; X-1" == contradiction(found, "X-1")


def test_part_without_hosts_of_a_job_that_has_to_wait() -> None:
    told = case(cluster(host("A", 0)), submit("j", 1), RUN)
    placed = {"job": "j", "answer": "dispatched", "alternative": 0, "parts": [[]]}
    answers = [{"answer": "ok"}, {"answer": "ran", "jobs": [placed]}]
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    assert "PAR-3" != likeliest_clause(found)
