"""The vectors: of the model, of the right form, and enough to find everybody in the zoo."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from allotment_conformance.cli import main
from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.engines.edges import ALL_HOSTS
from allotment_conformance.engines.notation import RUN
from allotment_conformance.vectors import build
from allotment_conformance.vectors.build import NotMade
from allotment_conformance.vectors.check import agrees, check
from allotment_conformance.vectors.export import export, page_of, vectors_for
from allotment_conformance.vectors.form import CHOICES, NAMES, VectorFile, all_kept, kept, kept_text
from allotment_conformance.vectors.permitted import TooManyAnswers, permitted
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.messages import (
    NotAMessage,
    Profile,
    read_answers,
    read_case,
    read_profile,
)
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE, leaves_choices
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_conformance.zoo.catalogue import MUTANTS, Specimen, mutant
from allotment_conformance.zoo.workbench import Workbench
from allotment_model.clauses import CLAUSES, Evidence
from house.sources import ROOT
from house.spec_examples import spec_examples

VECTORS = list(all_kept())

Json = dict[str, Any]


def test_vectors_are_those_of_the_model() -> None:
    specification = (ROOT / "SPEC.md").read_text(encoding="utf-8")
    made = build.files(specification=specification) | build.choices()
    assert [*NAMES, *CHOICES] == list(made)
    for name, text in made.items():
        assert text == kept_text(name), f"{name}.json: make it anew by `allotment vectors update`"


def test_vectors_have_the_form_of_messages() -> None:
    for name in (*NAMES, *CHOICES):
        read = msgspec.json.decode(kept_text(name), type=VectorFile)
        assert 1 == read.format
    for vector in VECTORS:
        read_case(vector["case"])
        for answers in vector["permitted"]:
            assert len(vector["case"]["events"]) == len(read_answers(answers))


def test_every_vector_says_what_it_is() -> None:
    ids = Counter(vector["id"] for vector in VECTORS)
    assert [] == [name for name, count in ids.items() if count > 1]
    known = {clause.id for clause in CLAUSES}
    for vector in VECTORS:
        assert set(vector["clauses"]) <= known
        assert vector["clauses"]
        assert vector["why"]
        assert vector["provenance"]
        assert vector["permitted"]


def test_every_answer_clause_has_a_vector() -> None:
    named = {clause for vector in VECTORS for clause in vector["clauses"]}
    answered = {clause.id for clause in CLAUSES if clause.evidence is Evidence.ANSWER}
    assert {"PLAN-11"} == answered - named


def test_worked_examples_are_among_them() -> None:
    inside = [vector for vector in VECTORS if vector["id"].startswith("examples/")]
    assert len(spec_examples()) == len(inside)
    for example, vector in zip(spec_examples(), inside, strict=True):
        assert example["events"] == vector["case"]["events"]


def test_cancellation_permits_several_answers() -> None:
    several = [vector for vector in VECTORS if len(vector["permitted"]) > 1]
    assert several
    for vector in VECTORS:
        cancels = any("cancel_at" in event for event in vector["case"]["events"])
        assert cancels or 1 == len(vector["permitted"])


@pytest.mark.parametrize("one", MUTANTS, ids=lambda one: one.id)
def test_vectors_alone_find_everybody(one: Specimen) -> None:
    names = f" {one.id},"
    first = sorted(VECTORS, key=lambda vector: names not in f"{vector['provenance']},")
    found = any(not agrees(one.make(), MODEL_PROFILE, vector) for vector in first)
    assert found


def has_the_choices_of_the_package(profile: Profile) -> bool:
    return all(getattr(profile, axis) == getattr(MODEL_PROFILE, axis) for axis in build.AXES)


def test_vectors_flag_nobody_who_is_right() -> None:
    asked = 0
    for odd in CALIBRATION:
        if odd.id == "extra-fields":
            continue  # a program may send them; the reader of the protocol drops them
        adapter = odd.make()
        profile = read_profile(adapter.start())
        if has_the_choices_of_the_package(profile):
            asked += 1
            assert [] == check(adapter, profile, VECTORS[::4]).wrong, odd.id
    assert asked >= 12


@pytest.mark.parametrize(
    "axes",
    [{"host_order": "most_free"}, {"cache": "literal"}, {"cache": "none"}],
    ids=str,
)
def test_other_choices_have_other_vectors(axes: dict[str, str]) -> None:
    bench = Workbench(**axes)
    profile = read_profile(bench.start())
    outcome = check(bench, profile, vectors_for(profile))
    assert outcome.holds
    assert any(check(bench, profile, [vector]).wrong for vector in VECTORS)


def consumer(folder: Path, ask: Any) -> Iterator[str]:
    """What the exported page tells to do, with nothing but a reader of JSON: what is wrong."""
    for path in sorted(folder.glob("*.json")):
        held = json.loads(path.read_text(encoding="utf-8"))
        for vector in held.get("vectors", []):
            if "events" in vector["features"]:
                continue
            given = in_any_order(ask(vector["case"]))
            if given not in [in_any_order(answers) for answers in vector["permitted"]]:
                yield vector["id"]


def in_any_order(answers: list[Json]) -> list[Json]:
    """The answers with the uses of limits sorted."""
    return [
        {
            **answer,
            "books": {
                **answer["books"],
                "limits": sorted(
                    answer["books"]["limits"], key=lambda use: sorted(map(str, use.items()))
                ),
            },
        }
        for answer in answers
    ]


def test_export_can_be_used_without_the_kit(tmp_path: Path) -> None:
    count = export(tmp_path)
    assert len(VECTORS) + sum(len(kept(name)) for name in CHOICES) == count
    names = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert {"README.md", "vector.schema.json", *(f"{name}.json" for name in NAMES)} == names
    of_choices = {path.name for path in (tmp_path / "choices").iterdir()}
    assert {f"{name}.json" for name in CHOICES} == of_choices
    assert [] == list(consumer(tmp_path, Workbench().run))
    assert any(consumer(tmp_path, MUTANTS[0].make().run))


def test_page_names_every_file_and_field(tmp_path: Path) -> None:
    export(tmp_path)
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    for name in (*NAMES, *(f"choices/{name}" for name in CHOICES)):
        assert f"`{name}.json`" in page
    for field in {field for vector in VECTORS for field in vector}:
        assert field in page
    for event in {event["event"] for vector in VECTORS for event in vector["case"]["events"]}:
        assert f"`{event}`" in page


def test_commands_export_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["vectors", "export", str(tmp_path / "made")])
    assert " vectors are in" in capsys.readouterr().out
    assert 0 == main(["vectors", "check", "allotment_conformance.zoo.workbench:Workbench"])
    wrong = "allotment_conformance.zoo.served:Mutant?name=no-rollback"
    file = tmp_path / "out.json"
    assert 1 == main(["vectors", "check", wrong, "--json", str(file)])
    assert "zoo/no-rollback" in capsys.readouterr().out
    result = json.loads(file.read_text(encoding="utf-8"))
    assert (len(VECTORS), 1) == (result["asked"] + result["left_out"], result["exit_status"])
    assert "zoo/no-rollback" in result["wrong"]


def test_program_that_ends_badly_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    served = Path(__file__).parents[1] / "wire" / "fakes" / "served.py"
    told = json.dumps({"behave": {"features": []}, "end": "stop-status"})
    assert 1 == main(["vectors", "check", "--", sys.executable, str(served), told])
    words = "It does not end well: crash: after `stop` it ended with status 6"
    assert words in capsys.readouterr().out


def test_commands_refuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert 2 == main(["vectors", "export", str(tmp_path / "file" / "below")])
    assert 2 == main(["vectors", "export", str(tmp_path), "--host-order", "random"])
    assert 2 == main(["vectors", "update", str(tmp_path / "SPEC.md")])
    assert 2 == main(["vectors", "export", str(tmp_path / "made"), "--json", "out.json"])
    assert not (tmp_path / "made").exists()


def test_case_without_cancel_has_one_list() -> None:
    [answers] = permitted(VECTORS[0]["case"], MODEL_PROFILE)
    assert answers == VECTORS[0]["permitted"][0]


def test_answers_of_other_form_are_wrong() -> None:
    class Broken(Workbench):
        def run(self, case: Json) -> list[Json]:
            return [{"answer": "perhaps"} for _event in case["events"]]

    with pytest.raises(NotAMessage):
        read_answers(Broken().run(VECTORS[0]["case"]))
    assert not agrees(Broken(), MODEL_PROFILE, VECTORS[0])


def test_interrupt_leaves_what_was_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def some(_profile: Profile, _not_made: NotMade) -> Iterator[Json]:
        yield from VECTORS[:3]
        raise KeyboardInterrupt

    monkeypatch.setattr("allotment_conformance.commands.vectors.vectors_for", some)
    assert 130 == main(["vectors", "check", "allotment_conformance.zoo.workbench:Workbench"])
    said = capsys.readouterr().out
    assert "3 vectors asked, 0 left out by the profile.\nINTERRUPTED: there are more" in said


ANY_ORDER, ANY_SPLIT = (msgspec.structs.replace(MODEL_PROFILE, **left) for left in CHOICES.values())
TWO_HOSTS = {"hosts": [{"name": name, "capacity": {"slots": 2}} for name in "AB"]}


def placements(profile: Profile, tasks: int) -> list[Any]:
    """Where a job of so many tasks may go on two hosts of two slots."""
    wants = [[{"tasks": {"min": tasks, "max": tasks}}]]
    job = {"name": "j", "user": "u", "queue": "q", "project": "p", "request": wants}
    case: Json = {"cluster": TWO_HOSTS, "events": [{"event": "submit", "job": job}, RUN]}
    lists = permitted(case, profile)
    for answers in lists:
        assert Oracle(profile).judge(case, answers).disagreement is None
    return [answers[1]["jobs"][0].get("parts") for answers in lists]


def test_every_placement_that_a_choice_allows_is_permitted() -> None:
    a, b, both = ["A", 1], ["B", 1], [["A", 2], ["B", 2]]
    assert [[[a]], [[b]]] == placements(ANY_ORDER, 1)
    assert [[[["A", 2], b]], [[["B", 2], a]]] == placements(ANY_ORDER, 3)
    assert [[both], [both[::-1]]] == placements(ANY_ORDER, 4)
    assert [None] == placements(ANY_ORDER, 5)
    assert [[[a, b]], [[["A", 2]]], [[b, a]], [[["B", 2]]]] == placements(ANY_SPLIT, 2)
    assert 4 == len(placements(ANY_SPLIT, 3))


def test_cancellation_among_choices_is_permitted() -> None:
    [draft] = [one for one in build.directed(DIRECTED) if one.id == "directed/cancelled-or-not"]
    several = permitted(draft.case, ANY_ORDER)
    for answers in several:
        assert Oracle(ANY_ORDER).judge(draft.case, answers).disagreement is None
    assert any("cancelled" in json.dumps(answers) for answers in several)


@pytest.mark.parametrize(("name", "odd"), [("any-host-order",) * 2, ("any-split",) * 2])
def test_vectors_of_choices_flag_nobody_who_is_right(name: str, odd: str) -> None:
    [one] = [one for one in CALIBRATION if one.id == odd]
    adapter = one.make()
    profile = read_profile(adapter.start())
    assert leaves_choices(profile)
    assert [] == check(adapter, profile, kept(name)[::2]).wrong
    wrong = mutant("leak-at-finish").make()
    assert check(wrong, profile, kept(name)).wrong


def test_case_with_too_many_choices_is_no_vector() -> None:
    with pytest.raises(TooManyAnswers):
        placements(ANY_SPLIT, 2_000)
    many = {**VECTORS[0]["case"], "report": ["events"]}
    with pytest.raises(TooManyAnswers):
        permitted(many, ANY_ORDER)


def test_vector_in_parts_is_sent_so() -> None:
    lost = mutant("queue-lost-between-cases").make()
    [vector] = [one for one in kept("parts") if one["id"] == "directed/pending-over-two-cases"]
    assert [1, 2] == vector["parts"]
    assert "begins_case" not in json.dumps(vector)
    assert agrees(Workbench(), MODEL_PROFILE, vector)
    assert not agrees(lost, MODEL_PROFILE, vector)
    assert agrees(lost, MODEL_PROFILE, {**vector, "parts": []})


def test_whoever_leaves_choices_is_asked_vectors(capsys: pytest.CaptureFixture[str]) -> None:
    any_order = "allotment_conformance.zoo.served:Odd?name=any-host-order"
    assert 0 == main(["vectors", "check", any_order])
    said = capsys.readouterr().out
    assert re.fullmatch(
        r"\d+ vectors asked, 0 left out by the profile, "
        r"[1-9]\d* cases with more answers than a vector lists\.\n",
        said,
    )


def test_what_a_profile_lacks_is_told_where_vectors_are_made_for_it() -> None:
    profile = msgspec.structs.replace(MODEL_PROFILE, cache="none", features=("compound",))
    not_made = NotMade()
    made = vectors_for(profile, not_made)
    assert 0 == not_made.too_many
    assert len(made) < not_made.left_out
    of_a_choice = [one for one in DIRECTED if ("PLAN-11",) == one.clauses]
    assert len(made) + not_made.left_out == len(VECTORS) + len(of_a_choice)


class GivesUpAtFourHosts(ModelAdapter):
    """Whatever needs more than three hosts pends."""

    def run(self, case: Json) -> list[Json]:
        answers = super().run(case)
        for one in (job for answer in answers for job in answer.get("jobs", ())):
            if any(len(part) > 3 for part in one.get("parts", ())):
                name = one["job"]
                one.clear()
                one.update(job=name, answer="pending", reason="capacity", never=True, cached=False)
        return answers


def test_all_of_some_hosts_is_asked_of_who_chooses() -> None:
    for profile in (ANY_ORDER, ANY_SPLIT):
        drafts = build.directed(ALL_HOSTS)
        four, five = (build.vector(one, profile) for one in drafts)
        assert (24, 120) == (len(four["permitted"]), len(five["permitted"]))
        right, wrong = ModelAdapter(profile=profile), GivesUpAtFourHosts(profile=profile)
        assert agrees(right, profile, four)
        assert not agrees(wrong, profile, four)


def test_file_of_choices_is_checked_by_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    any_order = "allotment_conformance.zoo.served:Odd?name=any-host-order"
    export(tmp_path)
    folder = tmp_path / "choices"
    assert 2 == main(["vectors", "check", any_order, "--folder", str(folder)])
    assert "or name one file" in capsys.readouterr().err
    file = folder / "any-host-order.json"
    assert 0 == main(["vectors", "check", any_order, "--folder", str(file)])
    count = len(kept("any-host-order"))
    assert f"{count} vectors asked, 0 left out by the profile.\n" == capsys.readouterr().out


def test_page_names_no_file_that_is_not_there() -> None:
    assert "`choices/" in page_of(has_choices=True)
    assert "`choices/" not in page_of(has_choices=False)
    assert "`zoo.json`" in page_of(has_choices=False)
