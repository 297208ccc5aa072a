"""Certificates: what is smallest, what is not, and how far it is known."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from allotment_conformance.counterexample import certificate as certificates
from allotment_conformance.counterexample.asking import Finding, InProcess, asked_one
from allotment_conformance.counterexample.certificate import Certificate, Claim, Ended, certify
from allotment_conformance.counterexample.find import Effort, counterexample
from allotment_conformance.counterexample.order import TooMany
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.runs.tally import Failure
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import mutant
from allotment_conformance.zoo.smallest import smallest

Json = dict[str, Any]
ONE = {"tasks": {"min": 1, "max": 1}}


def e1(*hosts: Json) -> Json:
    """The witness of E1: a job of two parts, and one that equals its second part."""
    return case(cluster(*hosts), submit("a", [ONE, ONE]), submit("b", ONE), RUN)


def asking(name: str) -> InProcess:
    return InProcess(mutant(name).make(), MODEL_PROFILE)


def certified(name: str, told: Json, seconds: float = 60.0) -> Certificate | Finding:
    """What certifying a case says that shows a fault."""
    signature = asked_one(asking(name), told).signature
    assert signature is not None
    return certify(asking(name), told, signature, seconds)


def test_witness_of_e1_is_the_smallest() -> None:
    told = certified("cache-filled-inside-a-compound", e1(host("A", 1)))
    assert isinstance(told, Certificate)
    assert (Claim.SMALLEST, Ended.DONE) == (told.claim, told.ended)
    assert (119, 119, 0, 84, 0) == (
        told.smaller,
        told.run,
        told.not_cases,
        told.refused,
        told.otherwise,
    )
    assert [] == told.limited
    assert "none of the 119 smaller cases fails in this way" in told.lines()[0]


@pytest.mark.parametrize("hosts", [(host("A", 1), host("B", 0)), (host("B", 0), host("A", 1))])
def test_case_with_a_superfluous_host_is_refused_with_the_smaller_one(
    hosts: tuple[Json, Json],
) -> None:
    told = certified("cache-filled-inside-a-compound", e1(*hosts))
    assert isinstance(told, Finding)
    assert e1(host("A", 1)) == told.case


def test_number_that_is_too_high_is_refused() -> None:
    wide = certified("one-plan-too-few", case(cluster(host("A", 3)), submit("j", 1), RUN))
    assert isinstance(wide, Finding)
    assert 2 == wide.case["cluster"]["hosts"][0]["capacity"]["slots"]


def test_large_amounts_are_lowered_in_few_ways_and_said_so() -> None:
    kept = smallest()["int32-want"].case
    told = certified("int32-want", kept)
    assert isinstance(told, Certificate)
    assert Claim.SMALLEST is told.claim
    [place] = told.limited
    assert place.endswith("rusage.0.amount")
    assert f"Lowered only to the next number, the half and the last: {place}." == told.lines()[-1]


def test_what_cannot_be_sent_is_counted() -> None:
    limit = {"kind": "user", "name": "u", "scope": "cluster", "resource": "mem", "cap": 0}
    memory = {"rusage": [{"resource": "mem", "amount": 1, "per": "task"}], **ONE}
    told = certified(
        "user-limits-ignored",
        {
            "cluster": {
                "resources": {"host": ["mem"]},
                "hosts": [{"name": "A", "capacity": {"slots": 1, "mem": 1}}],
                "limits": [limit],
            },
            "events": [submit("j", memory), RUN],
        },
    )
    assert isinstance(told, Certificate)
    assert told.smaller == told.run + told.not_cases
    assert told.not_cases > 0


def test_too_many_smaller_cases_leave_it_locally_minimal(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_many(_case: Json) -> list[Json]:
        raise TooMany

    monkeypatch.setattr(certificates, "smaller", too_many)
    told = certified("cache-filled-inside-a-compound", e1(host("A", 1)))
    assert isinstance(told, Certificate)
    assert (Claim.LOCAL, Ended.MANY, None) == (told.claim, told.ended, told.smaller)
    # Without the host, its slot, one of three events, one of the three parts, one alternative each.
    assert 1 + 1 + 3 + 2 + 2 == told.run
    assert "Locally minimal" in told.lines()[0]


def test_without_time_nothing_is_certified() -> None:
    told = certified("cache-filled-inside-a-compound", e1(host("A", 1)), 0.0)
    assert isinstance(told, Certificate)
    assert (Claim.NONE, Ended.TIME, 0) == (told.claim, told.ended, told.run)
    assert ["Not certified to be the smallest: the time was up."] == told.lines()


class Skipping(InProcess):
    """Has too many choices wherever there is no host."""

    def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
        for finding in super().findings(cases):
            yield replace(finding, skipped=not finding.case["cluster"]["hosts"])


def test_what_is_not_judged_is_not_certified() -> None:
    name = "cache-filled-inside-a-compound"
    told = e1(host("A", 1))
    signature = asked_one(asking(name), told).signature
    assert signature is not None
    found = certify(Skipping(mutant(name).make(), MODEL_PROFILE), told, signature)
    assert isinstance(found, Certificate)
    assert (Claim.NONE, Ended.CHOICES, 1) == (found.claim, found.ended, found.skipped)


class Interrupted(InProcess):
    """Somebody presses Ctrl-C during certification."""

    shown: bool = False

    def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
        for finding in super().findings(cases):
            if self.shown:
                raise KeyboardInterrupt
            yield finding


def failure_of(name: str, told: Json) -> Failure:
    finding = asked_one(asking(name), told)
    assert finding.signature is not None
    return Failure(origin="here", case=told, answers=finding.answers, signature=finding.signature)


def test_interrupt_leaves_the_uncertified_one() -> None:
    name, kept = "cache-filled-inside-a-compound", []
    one = Interrupted(mutant(name).make(), MODEL_PROFILE)

    def keep(shown: Any, _profile: Any) -> None:
        kept.append(shown)
        one.shown = True

    with pytest.raises(KeyboardInterrupt):
        counterexample(one, failure_of(name, e1(host("A", 1))), keep=keep)
    [shown] = kept
    assert (e1(host("A", 1)), Claim.NONE) == (shown.case, shown.certificate.claim)


def test_search_goes_on_from_a_smaller_case() -> None:
    name = "cache-filled-inside-a-compound"
    kept: list[Any] = []
    found = counterexample(
        asking(name),
        failure_of(name, e1(host("A", 1), host("B", 0))),
        effort=Effort(most_tries=0),
        keep=lambda shown, _profile: kept.append(shown),
    )
    assert [e1(host("A", 1), host("B", 0)), e1(host("A", 1))] == [one.case for one in kept]
    assert (Claim.SMALLEST, 119) == (found.certificate.claim, found.certificate.smaller)
