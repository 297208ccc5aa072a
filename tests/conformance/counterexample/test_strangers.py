"""What an answer says of hosts that the cluster does not have is told before anything else."""

import msgspec
import pytest

from allotment_conformance.counterexample.contradiction import contradiction
from allotment_conformance.counterexample.diagnosis import Diagnosis, Failing, diagnose
from allotment_conformance.counterexample.signature import signature_of
from allotment_conformance.engines.notation import (
    RUN,
    case,
    cluster,
    host,
    host_add,
    limit,
    submit,
)
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE

ANY: Profile = msgspec.structs.replace(MODEL_PROFILE, split="any", host_order="unspecified")
NODES = cluster(host("node-0001", 1), host("node-0002", 1))
KEPT = 8
"""Letters of a name that are told."""


def with_names_cut(told: Json, profile: Profile) -> list[Json]:
    """The right answers, in which names of hosts are cut."""
    answers = ModelAdapter(profile=profile).run(told)
    for job in answers[-1]["jobs"]:
        job["parts"] = [[[name[:KEPT], slots] for name, slots in part] for part in job["parts"]]
    return answers


def told_of(told: Json, profile: Profile = MODEL_PROFILE) -> tuple[Disagreement, Diagnosis]:
    answers = with_names_cut(told, profile)
    found = Oracle(profile).judge(told, answers).disagreement
    assert found is not None
    return found, diagnose([Failing(case=told, answers=answers)], found, profile)


@pytest.mark.parametrize("profile", [MODEL_PROFILE, ANY], ids=["canonical", "with choices"])
@pytest.mark.parametrize("tasks", [1, 2], ids=["one host", "names that come out alike"])
def test_host_that_is_none_is_told_for_sure(tasks: int, profile: Profile) -> None:
    found, diagnosis = told_of(case(NODES, submit("j", tasks), RUN), profile)
    assert ("HOST-1",) == diagnosis.clauses
    assert not diagnosis.surmised
    sentence = contradiction(found, diagnosis.headline())
    assert (
        "job j is dispatched to host node-000, which the cluster does not have; HOST-1" == sentence
    )
    assert "HOST-1" in str(signature_of(found))


def test_two_names_that_come_out_alike_are_one_failure_with_a_lone_one() -> None:
    one, two = (told_of(case(NODES, submit("j", tasks), RUN))[0] for tasks in (1, 2))
    assert signature_of(one) == signature_of(two)


def test_host_that_waits_to_join_is_no_stranger() -> None:
    found, diagnosis = told_of(case(NODES, host_add(host("node-000", 1)), submit("j", 1), RUN))
    assert "which the cluster does not have" not in contradiction(found, "")
    assert diagnosis.surmised


def test_host_that_was_refused_is_not_told_for_sure() -> None:
    refused = host_add(host("node-000", -1))
    found, diagnosis = told_of(case(NODES, refused, submit("j", 1), RUN))
    assert "host node-000, which the cluster does not have" in contradiction(found, "")
    assert "perhaps HOST-1" == diagnosis.headline()


def test_host_that_only_the_books_tell_of_is_named() -> None:
    told = {**case(NODES, submit("j", 1), RUN), "report": ["books"]}
    answers = ModelAdapter().run(told)
    books = answers[-1]["books"]
    books["hosts"] = {name[:KEPT]: used for name, used in books["hosts"].items()}
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    told_of_it = contradiction(found, "")
    assert "the books tell of host node-000, which the cluster does not have" == told_of_it


USER_LIMIT = limit("user", None, "host", "slots", 9)
FULL = cluster(host("A", 2), shared=["licence"], pools={"licence": 1}, limits=[USER_LIMIT])


@pytest.mark.parametrize(
    ("section", "told", "words"),
    [
        ("limits", {"host": "AA"}, "host AA, which the cluster does not have"),
        ("limits", {"holder": "v w"}, "user 'v w', for whom there is no job"),
        ("limits", {"holder": ""}, "user '', for whom there is no job"),
        ("pools", {"": 1}, "pool '', which the cluster does not have"),
        ("hosts", {"": {"slots": 1}}, "host '', which the cluster does not have"),
    ],
)
def test_strangers_of_all_books_are_named(section: str, told: Json, words: str) -> None:
    asked = case(FULL, submit("j", 1), submit("k", 9, user="v"), RUN, report=["books"])
    answers = ModelAdapter().run(asked)
    books = answers[-1]["books"]
    if section == "limits":
        books["limits"] = [{**use, **told} for use in books["limits"]]
    else:
        books[section] = told
    found = Oracle(MODEL_PROFILE).judge(asked, answers).disagreement
    assert found is not None
    assert f"the books tell of {words}" == contradiction(found, "")


def test_holder_with_a_job_is_no_stranger() -> None:
    asked = case(FULL, submit("j", 1), submit("k", 9, user="v"), RUN, report=["books"])
    answers = ModelAdapter().run(asked)
    answers[-1]["books"]["limits"][0]["holder"] = "v"
    found = Oracle(MODEL_PROFILE).judge(asked, answers).disagreement
    assert found is not None
    assert "the books tell of" not in contradiction(found, "")
