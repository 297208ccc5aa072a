"""Counterexamples that are kept: found, told apart, replayed, promoted."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from allotment_conformance.cli import main
from allotment_conformance.engines.notation import BEGIN, RUN, case, cluster, finish, host, submit

Json = dict[str, Any]

FAKES = Path(__file__).parents[1] / "wire" / "fakes"
MODEL = "allotment_conformance.zoo.variants:Served?features="
"""Whoever declares no features is asked a hundred directed cases instead of eight hundred."""

NO_ROLLBACK = f"{MODEL}&variant=no rollback"
QUICK = ["--cases", "0", "--processes", "1"]
RUN_MAIN = "import sys; from allotment_conformance.cli import main; sys.exit(main())"

TWO_FAULTS = '''"""Allocators with faults of our own."""

import os
import signal
from multiprocessing import parent_process

from allotment_conformance.zoo.variants import Served
from allotment_model.variants import VARIANTS

[LIMITS_IGNORED] = [one for one in VARIANTS if one.name == "user limits ignored"]


class TwoFaults(Served):
    """Misses two sentences of the specification."""

    def __init__(self):
        super().__init__("ascending buckets", features="limits")
        self.rules = LIMITS_IGNORED.of(self.rules)


class Interrupting(Served):
    """Misses one, and presses Ctrl-C once when a counterexample has been written."""

    pressed = False

    def __init__(self):
        super().__init__("no rollback", features="")

    def run(self, case):
        if os.path.exists("counterexamples") and not self.pressed:
            self.pressed = True
            os.kill(parent_process().pid, signal.SIGINT)
        return super().run(case)
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, canary_once: None) -> Path:
    """An empty working folder, in which modules are found."""
    (tmp_path / "faulty.py").write_text(TWO_FAULTS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "faulty", raising=False)
    return tmp_path


def served(**told: Any) -> list[str]:
    """The command of a model without features, with a fault."""
    few = {"behave": {"features": []}, **told}
    return [sys.executable, str(FAKES / "served.py"), json.dumps(few)]


def places() -> list[Path]:
    """The directories of counterexamples."""
    return sorted(Path("counterexamples").iterdir())


def recorded(path: str) -> Json:
    told: Json = json.loads(Path(path).read_text(encoding="utf-8"))
    return told


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run leaves that has found an allocator without rollback."""
    found = tmp_path_factory.mktemp("left") / "counterexamples"
    words = ["--failures", "1", "--counterexamples", str(found)]
    assert 1 == main(["verify", NO_ROLLBACK, *QUICK, *words])
    return found


@pytest.fixture
def place(left: Path, folder: Path) -> str:
    """The counterexample of an allocator without rollback."""
    shutil.copytree(left, folder / "counterexamples")
    [found] = places()
    return str(found)


def test_same_allocator_fails_again(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["replay", place])
    said = capsys.readouterr()
    page = (Path(place) / "README.md").read_text(encoding="utf-8").splitlines()[2].strip()
    assert f"FAILED: dispatched or pending: {page}\n" == said.out
    assert "; it must be dispatched: " in page
    assert page.endswith("; UNDO-1")
    assert f'Asking the one that failed: ["{NO_ROLLBACK}"]\n' == said.err
    assert 1 == main(["replay", place, NO_ROLLBACK])


def test_repaired_allocator_is_fixed(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert 0 == main(["replay", place, MODEL, "--json", "out.json"])
    assert "FIXED\n" == capsys.readouterr().out
    one = {"counterexample": Path(place).name, "outcome": "FIXED", "words": ""}
    assert {"replayed": [one], "exit_status": 0} == recorded("out.json")


def test_several_are_replayed_and_the_worst_counts(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == main(["verify", f"{MODEL}&variant=ascending buckets", *QUICK, "--failures", "1"])
    first, second = map(str, places())
    capsys.readouterr()
    assert 1 == main(
        ["replay", first, second, "--json", "out.json", "--", *served(variant="no rollback")]
    )
    told = dict(line.split(": ")[:2] for line in capsys.readouterr().out.splitlines())
    other = second if place == first else first
    assert {place: "FAILED", other: "FIXED"} == told
    outcomes = {one["counterexample"]: one["outcome"] for one in recorded("out.json")["replayed"]}
    assert {Path(one).name: outcome for one, outcome in told.items()} == outcomes
    assert 1 == main(["replay", first, second])
    assert 2 == capsys.readouterr().out.count("FAILED: ")
    answers = Path(other) / "answers.json"
    answers.write_text(json.dumps({**recorded(str(answers)), "reproduced": False}))
    assert 1 == main(["replay", first, second, "--", *served(variant="no rollback")])
    assert {"FAILED", "UNSURE"} == {
        line.split(": ")[1] for line in capsys.readouterr().out.splitlines()
    }
    Path("counterexamples/notes").mkdir()
    assert 2 == main(["replay", first, second, "counterexamples/notes", MODEL])
    assert "" == capsys.readouterr().out


def test_directory_stands_for_its_case(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert 0 == main(["explain", place])
    explained = capsys.readouterr().out
    assert 0 == main(["explain", f"{place}/case.json"])
    assert explained == capsys.readouterr().out
    assert 1 == main(["verify", NO_ROLLBACK, "--case", place])
    assert 1 == main(["check", "--case", place, "--", *served(variant="no rollback")])
    said = capsys.readouterr().out
    assert 2 == said.count("Disagreement at event")
    assert "ertified" not in said
    assert 2 == main(["explain", "."])


def test_case_outside_the_profile_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    told = case(cluster(host("A", 1)), submit("j", 1, priority=1), RUN)
    Path("one.json").write_text(json.dumps(told), encoding="utf-8")
    few = served(declare={"features": []})
    few_in_python = f"allotment_conformance.wire.process:program?command={quote(shlex.join(few))}"
    for words in (
        ["check", "--case", "one.json", "--", *few],
        ["verify", few_in_python, "--case", "one.json"],
    ):
        assert 2 == main(words)
        said = capsys.readouterr()
        assert ("", True) == (said.out, "does not declare priorities" in said.err)


def test_program_is_replayed_like_any(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["replay", place, "--", *served()])
    assert 1 == main(["replay", place, "--", *served(variant="no rollback")])
    capsys.readouterr()
    assert 1 == main(["replay", place, "--", *served(fault="exit", at=1)])
    assert "FAILED: crash: it ended with status 3\n" == capsys.readouterr().out
    assert 2 == main(["replay", place, "--", sys.executable, "-c", "pass"])
    assert capsys.readouterr().out.startswith("ERROR: the allocator failed: crash")


def test_what_cannot_be_asked_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = served(variant="cache outlives the session")
    assert 1 == main(["check", *QUICK, "--failures", "1", "--", *wrong])
    [found] = places()
    told = case(cluster(host("A", 1)), submit("j", 1, priority=1), RUN)
    (found / "case.json").write_text(json.dumps(told), encoding="utf-8")
    capsys.readouterr()
    features = ["alter", "compound"]
    program = served(declare={"features": features})
    assert 2 == main(["replay", str(found), "--", *program])
    assert "ERROR: the allocator does not declare priorities\n" == capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["no-such-folder"],
        ["empty", MODEL],
        ["no-allocator"],
        ["PLACE", "no_such_module:Adapter"],
        ["PLACE", "--", "no-such-program"],
        ["PLACE", MODEL, "--json", "no/such/folder/out.json"],
    ],
    ids=" ".join,
)
def test_bad_input_exits_2(
    words: list[str], place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty").mkdir()
    Path("no-allocator").mkdir()
    Path("no-allocator/case.json").write_bytes(Path(place, "case.json").read_bytes())
    Path("no-allocator/versions.json").write_text('{"command": [1]}', encoding="utf-8")
    capsys.readouterr()
    assert 2 == main(["replay", *(place if word == "PLACE" else word for word in words)])
    said = capsys.readouterr()
    assert ("", True) == (said.out, bool(said.err))


def test_kept_ones_are_run_first(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert 1 == main(["verify", NO_ROLLBACK, *QUICK, "--failures", "1", "--json", "out.json"])
    printed = capsys.readouterr().out
    assert f"{place}: FAILED\n" in printed
    assert f"Found in counterexample {Path(place).name}, which was kept." in printed
    assert {Path(place).name: "FAILED"} == recorded("out.json")["replayed"]
    assert [place] == list(map(str, places()))
    assert 0 == main(["verify", MODEL, *QUICK])
    assert f"{place}: FIXED\n" in capsys.readouterr().out


def test_kept_ones_are_run_first_by_programs(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    for program, told in (
        (served(), "FIXED"),
        (served(variant="no rollback"), "FAILED"),
        (served(fault="error", on="submit"), "FAILED"),
    ):
        main(["check", *QUICK, "--give-up-after", "1", "--json", "out.json", "--", *program])
        assert f"{place}: {told}\n" in capsys.readouterr().out
        assert {Path(place).name: told} == recorded("out.json")["replayed"]


def test_kept_one_that_is_none_is_refused(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(place, "case.json").write_text("{", encoding="utf-8")
    (another := Path(place).with_name("another")).mkdir()
    (another / "case.json").write_text("[]", encoding="utf-8")
    capsys.readouterr()
    assert 2 == main(["verify", MODEL, *QUICK])
    said = capsys.readouterr().err
    assert all(f"{one} holds no counterexample" in said for one in (place, another))
    assert "Mend what is broken" in said


def test_failures_are_told_apart_and_two_faults_are_no_single_known_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 1 == main(["verify", "faulty:TwoFaults", *QUICK, "--json", "out.json"])
    shown = recorded("out.json")["counterexamples"]
    assert 2 <= len(shown) <= 3
    assert len(shown) == len(places()) == len({one["signature"] for one in shown})
    printed = capsys.readouterr().out
    assert all(f"allotment replay {found} faulty:TwoFaults" in printed for found in places())
    assert "No single known fault answers alike on all" in printed
    for one in shown:
        assert [] == one["diagnosis"]["faults"]
        assert {"ascending-buckets", "user-limits-ignored"} & set(one["diagnosis"]["here"])
    assert 1 == main(
        ["verify", "faulty:TwoFaults", *QUICK, "--failures", "1", "--counterexamples", "x"]
    )
    assert 1 == len(list(Path("x").iterdir()))


def test_case_is_shown_where_it_cannot_be_kept(capsys: pytest.CaptureFixture[str]) -> None:
    Path("to-nowhere").symlink_to("no/such/folder")
    words = ["--failures", "1", "--counterexamples", "to-nowhere"]
    assert 1 == main(["verify", NO_ROLLBACK, *QUICK, *words])
    printed = capsys.readouterr().out
    assert "to-nowhere cannot be written: File exists\nThe case is:\n" in printed
    told = json.loads(printed.rstrip().rpartition("\n")[2])
    assert ["submit", "run_session"] == [event["event"] for event in told["events"]]


def test_interrupt_during_certification_leaves_the_case(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN_MAIN, "verify", "faulty:Interrupting", *QUICK],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])},
    )
    assert 130 == done.returncode, done.stderr
    [found] = places()
    assert "not certified" == recorded(str(found / "certificate.json"))["claim"]
    assert f"It is in {found}." in done.stdout
    assert "Not certified to be the smallest: that was not carried through." in done.stdout
    assert "Traceback" not in done.stderr


def test_promoted_one_is_a_vector(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert 0 == main(["promote", place, "--into", "mine"])
    name = f"promoted/{Path(place).name}"
    assert f"The vector {name} is in mine/promoted.json.\n" == capsys.readouterr().out
    assert 0 == main(["promote", place, "--into", "mine"])
    capsys.readouterr()
    assert 0 == main(["vectors", "check", MODEL, "--folder", "mine"])
    assert "1 vectors asked, 0 left out by the profile.\n" == capsys.readouterr().out
    assert 1 == main(["vectors", "check", NO_ROLLBACK, "--folder", "mine"])
    assert name in capsys.readouterr().out
    asked = ["vectors", "check", "--folder", "mine", "--"]
    assert 0 == main([*asked, *served()])
    assert "1 vectors asked, 0 left out by the profile.\n" == capsys.readouterr().out
    assert 1 == main([*asked, *served(variant="no rollback")])
    assert 1 == main([*asked, *served(fault="exit", at=1)])
    assert 2 == capsys.readouterr().out.count(name)
    assert 2 == main(["vectors", "export", "one", "two"])
    [vector] = recorded("mine/promoted.json")["vectors"]
    assert (name, ["UNDO-1"]) == (vector["id"], vector["clauses"])
    assert "must be dispatched" in vector["why"]


def test_vectors_of_another_profile_stay_apart(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["promote", place, "--into", "mine"])
    before = Path("mine/promoted.json").read_bytes()
    told = recorded(f"{place}/profile.json")
    Path(place, "profile.json").write_text(json.dumps({**told, "cache": "none"}), encoding="utf-8")
    assert 2 == main(["promote", place, "--into", "mine"])
    assert "Keep the vectors of each profile" in capsys.readouterr().err
    assert before == Path("mine/promoted.json").read_bytes()
    assert 2 == main(["vectors", "check", f"{MODEL}&cache=none", "--folder", "mine"])
    assert 2 == main(["vectors", "check", MODEL, "--folder", "counterexamples"])


@pytest.mark.parametrize("axis", [{"split": "any"}, {"host_order": "unspecified"}])
def test_what_leaves_choices_is_promoted_with_all_of_them(axis: Json, place: str) -> None:
    told = recorded(f"{place}/profile.json")
    Path(place, "profile.json").write_text(json.dumps({**told, **axis}), encoding="utf-8")
    assert 0 == main(["promote", place, "--into", "mine"])
    promoted = recorded("mine/promoted.json")
    assert axis.items() <= promoted["axes"].items()
    assert promoted["vectors"][0]["permitted"]


def test_profile_that_is_none_is_not_promoted(place: str) -> None:
    told = recorded(f"{place}/profile.json")
    Path(place, "profile.json").write_text(json.dumps({**told, "name": ""}), encoding="utf-8")
    assert 2 == main(["promote", place, "--into", "mine"])
    assert not Path("mine").exists()


def test_too_many_answers_are_not_promoted(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [{**RUN, "cancel_at": 1}, BEGIN] * 6
    told = case(cluster(host("A", 0)), *(submit(f"j{n}", 1) for n in range(6)), *runs, finish("x"))
    Path(place, "case.json").write_text(json.dumps(told), encoding="utf-8")
    assert 2 == main(["promote", place, "--into", "mine"])
    assert "too many right answers" in capsys.readouterr().err


FORGETS = '''"""An allocator that answers wrongly once only."""

from pathlib import Path

from allotment_conformance.zoo.variants import Served
from allotment_model.rules import SPEC


class WrongOnce(Served):
    """Fails only in what comes first, in whatever process."""

    given = Path(__file__).with_suffix(".given")

    def __init__(self):
        super().__init__("exactly enough is not enough", features="")

    def run(self, case):
        if self.given.exists():
            self.rules = SPEC
        answers = super().run(case)
        self.given.touch()
        return answers
'''


def test_failure_that_did_not_come_again_is_unsure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "wrong_once.py").write_text(FORGETS)
    assert 1 == main(["verify", "wrong_once:WrongOnce", *QUICK])
    [place] = (tmp_path / "counterexamples").iterdir()
    assert not json.loads((place / "answers.json").read_text())["reproduced"]
    assert "proves nothing" in " ".join((place / "README.md").read_text().split())
    capsys.readouterr()
    assert 3 == main(["replay", str(place), MODEL])
    assert capsys.readouterr().out.startswith("UNSURE: ")
    assert 2 == main(["promote", str(place)])
    assert not (tmp_path / "vectors").exists()
    words = ["--", sys.executable, "-c", RUN_MAIN, "oracle"]
    script = subprocess.run(
        [sys.executable, "replay.py", *words], cwd=place, capture_output=True, check=False
    )
    assert (3, b"UNSURE") == (script.returncode, script.stdout[:6])


LEAKS = '''"""An allocator that carries from one case to the next that a job was withdrawn."""

import sys

from allotment_conformance.wire.serve import serve_here
from allotment_conformance.zoo.variants import Served


class Leaking(Served):
    """Refuses to begin a session in all later cases: small ones are soon found."""

    withdrew = False

    def __init__(self, keeps="yes"):
        super().__init__(features="")
        self.keeps = keeps == "yes"

    def run(self, case):
        answers, events = super().run(case), [event["event"] for event in case["events"]]
        if self.withdrew and "begin_session" in events:
            answers[events.index("begin_session")] = {"answer": "refused", "code": "not-running"}
        self.withdrew |= self.keeps and "withdraw" in events
        return answers


if __name__ == "__main__":
    serve_here(Leaking(*sys.argv[1:]))
'''


@pytest.fixture
def leaking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Its module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "leaking.py").write_text(LEAKS)
    return "leaking"


@pytest.mark.parametrize("engine", ["verify", "check"])
def test_failure_after_other_cases_is_replayed_with_them(
    engine: str, leaking: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, right = leaking_and_not(engine, leaking)
    quick = [*QUICK, "--failures", "1"]
    assert 1 == main([engine, *quick, *wrong])
    assert "Fails only after 1 other case, asked before it" in capsys.readouterr().out
    [place] = (tmp_path / "counterexamples").iterdir()
    [before] = json.loads((place / "before.json").read_text())
    assert ["withdraw"] == [event["event"] for event in before["events"]]
    assert "only after 1 other case" in (place / "README.md").read_text()
    assert 1 == main(["replay", str(place), *wrong])
    assert 0 == main(["replay", str(place), *right])
    assert 2 == main(["promote", str(place)])
    assert "fails only after other cases" in capsys.readouterr().err
    for words, status in ([], 1), (["no"], 0):
        program = [sys.executable, str(tmp_path / "leaking.py"), *words]
        script = [sys.executable, "replay.py", "--", *program]
        assert status == subprocess.run(script, cwd=place, check=False).returncode
    main([engine, *quick, *right])
    assert f"{place.relative_to(tmp_path)}: FIXED" in capsys.readouterr().out


def leaking_and_not(engine: str, module: str) -> tuple[list[str], list[str]]:
    """The words that name the allocator with the fault and without."""
    if engine == "verify":
        return [f"{module}:Leaking"], [f"{module}:Leaking?keeps=no"]
    program = ["--", sys.executable, f"{module}.py"]
    return program, [*program, "no"]


def test_list_of_cases_before_that_is_none_is_refused(
    leaking: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong: list[Any] = [{}, [{"events": []}], ["no case"]]
    for before in wrong:
        (tmp_path / "before.json").write_text(json.dumps(before))
        (tmp_path / "case.json").write_text(json.dumps(case(cluster(host("A", 1)), RUN)))
        assert 2 == main(["replay", str(tmp_path), MODEL])
        assert "before.json" in capsys.readouterr().err
