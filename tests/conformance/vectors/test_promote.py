"""Counterexamples that become vectors, of a folder or of the package, and those that cannot."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import msgspec
import pytest

from allotment_conformance.cli import main
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.vectors import build, export, form
from allotment_conformance.vectors.form import VectorFile
from allotment_conformance.wire.messages import plain
from allotment_conformance.wire.profiles import MODEL_PROFILE
from house.sources import ROOT

Json = dict[str, Any]

SERVED = "allotment_conformance.zoo.variants:Served"
COMPOUND_KEPT = f"{SERVED}?variant=compound keeps parts"
TWO_PARTS = case(cluster(host("A", 1)), submit("a", [1, 1]), RUN)
WRONG: Json = {"sentence": "job a holds a slot", "diagnosis": {"clauses": ["COMPOUND-1"]}}
CRASHED: Json = {"sentence": "the program gives no usable answers: crash"}
TEXT = {**submit("a", 1)["job"], "text": 0}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The vectors of the package, where they may be changed."""
    data = tmp_path / "data"
    copytree(build.FOLDER, data)
    monkeypatch.setattr(build, "FOLDER", data)
    for user in (form, export):
        monkeypatch.setattr(user, "kept_text", lambda name: (data / f"{name}.json").read_text())
    return data


def counterexample(case: Json = TWO_PARTS, told: object = WRONG, **declared: str) -> str:
    """The directory `found`, with as much of a counterexample as a vector is made of."""
    place = Path("found")
    place.mkdir()
    profile = {**plain(MODEL_PROFILE), "name": "mine", "version": "7", **declared}
    for name, value in (("case", case), ("answers", told), ("profile", profile)):
        (place / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return str(place)


def vectors(file: Path) -> list[Json]:
    """The vectors of a file that has the form of such."""
    text = file.read_text(encoding="utf-8")
    msgspec.json.decode(text, type=VectorFile)
    return form.vectors_in(text)


def test_vector_says_what_it_is_and_finds_the_fault() -> None:
    assert 0 == main(["promote", counterexample()])
    [vector] = vectors(Path("vectors/promoted.json"))
    assert {
        "id": "promoted/found",
        "clauses": ["COMPOUND-1"],
        "why": "job a holds a slot",
        "provenance": "counterexample of mine 7",
        "features": ["compound"],
    } == {name: vector[name] for name in ("id", "clauses", "why", "provenance", "features")}
    assert 0 == main(["vectors", "check", SERVED, "--folder", "vectors"])
    assert 1 == main(["vectors", "check", COMPOUND_KEPT, "--folder", "vectors"])


def test_vector_of_a_crash_names_what_its_case_exercises() -> None:
    assert 0 == main(["promote", counterexample(told=CRASHED)])
    [vector] = vectors(Path("vectors/promoted.json"))
    assert {"COMPOUND-1", "ALTER-3", "WANT-4"} <= set(vector["clauses"])
    assert "INGEST-3" not in vector["clauses"]


def test_vector_of_the_package_stays_when_all_are_made_anew(package: Path) -> None:
    before = {file.name: file.read_bytes() for file in package.iterdir()}
    assert 0 == main(["promote", counterexample(), "--package"])
    file = package / "promoted.json"
    with_it = file.read_bytes()
    assert before["promoted.json"] != with_it
    file.write_bytes(with_it.replace(b'"never":true', b'"never":false'))
    assert 0 == main(["vectors", "update", str(ROOT / "SPEC.md")])
    assert {**before, "promoted.json": with_it} == {
        file.name: file.read_bytes() for file in package.iterdir()
    }
    assert "promoted/found" in [vector["id"] for vector in form.all_kept()]
    assert 0 == main(["vectors", "export", "exported"])
    assert with_it == Path("exported/promoted.json").read_bytes()


def test_allocator_is_asked_vectors_of_the_package(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["promote", counterexample(), "--package"])
    assert 1 == main(["vectors", "check", COMPOUND_KEPT])
    assert "  promoted/found\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"case": case(cluster(host("A", 1)), {"event": "submit", "job": TEXT})}, "the model"),
        ({"told": {**WRONG, "sentence": ""}}, "says why"),
        ({"case": case(cluster(), {"event": "begin_session"}), "told": CRASHED}, "a clause"),
        ({"cache": "none"}, "Keep the vectors of each profile"),
    ],
    ids=["text", "no sentence", "no clause", "other choices"],
)
def test_package_takes_only_what_it_can_keep(
    found: Json, words: str, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (package / "promoted.json").read_bytes()
    assert 2 == main(["promote", counterexample(**found), "--package"])
    assert words in capsys.readouterr().err
    assert before == (package / "promoted.json").read_bytes()


@pytest.mark.parametrize("told", [{}, [], {"sentence": 1}, {**WRONG, "diagnosis": ["UNDO-1"]}])
def test_answers_of_another_form_are_refused(
    told: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(["promote", counterexample(told=told)])
    assert "answers.json is not as it was written" in capsys.readouterr().err
    assert not Path("vectors").exists()


def test_vector_goes_to_one_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["promote", counterexample(), "--into", "mine", "--package"])
    assert "Give one of the two" in capsys.readouterr().err
