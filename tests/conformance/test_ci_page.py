"""docs/ci.md: its YAML is parsed, its commands are looked up, its Makefile and Python are run."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from conformance.page_blocks import BLOCK
from house.sources import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = {name or language: (language, text) for language, name, text in BLOCK.findall(PAGE)}
SERVED = Path(__file__).parent / "wire" / "fakes" / "served.py"
FEW: dict[str, Any] = {"behave": {"features": []}}
"""Who declares no features is asked a hundred directed cases instead of eight hundred."""

ADAPTER = '''"""An allocator of somebody's own."""

from allotment_conformance.zoo.variants import Served


class Adapter(Served):
    def __init__(self):
        super().__init__(features="")
'''


def yaml_of(name: str) -> Any:
    """The parsed YAML of a block."""
    language, text = BLOCKS[name]
    assert "yaml" == language
    return yaml.safe_load(text)


def test_every_block_is_known() -> None:
    expected = {
        ".github/workflows/conformance.yml",
        ".gitlab-ci.yml",
        "Makefile",
        "test_allocator.py",
        "console",
    }
    assert expected == set(BLOCKS)
    assert 2 * len(BLOCKS) == PAGE.count("```")


def test_workflow_is_one_that_github_reads() -> None:
    workflow = yaml_of(".github/workflows/conformance.yml")
    # YAML 1.1 reads `on` as true; GitHub does not.
    assert {"name", True, "jobs"} == set(workflow)
    [job] = workflow["jobs"].values()
    assert {"runs-on", "steps"} == set(job)
    for step in job["steps"]:
        assert ("run" in step) is not ("uses" in step)
        assert set(step) <= {"run", "uses", "with", "if"}
    assert 2 == sum("allotment report" in step.get("run", "") for step in job["steps"])


def test_pipeline_is_one_that_gitlab_reads() -> None:
    [job] = yaml_of(".gitlab-ci.yml").values()
    assert {"image", "script", "after_script", "artifacts"} == set(job)
    assert all(isinstance(line, str) for line in job["script"] + job["after_script"])
    assert "junit.xml" == job["artifacts"]["reports"]["junit"]


@pytest.fixture
def project(tmp_path: Path) -> dict[str, str]:
    """A folder with an adapter and the page's files, and the environment to work in."""
    programs = tmp_path / "bin"
    programs.mkdir()
    kit = f'exec "{sys.executable}" -c "from allotment_conformance.cli import main; exit(main())"'
    tests = f'exec "{sys.executable}" -m pytest -p no:cacheprovider -p no:hypothesispytest'
    served = shlex.join([sys.executable, str(SERVED), json.dumps(FEW)])
    for path, line in (
        (programs / "allotment", f'{kit} "$@"'),
        (programs / "pytest", f'{tests} "$@"'),
        (tmp_path / "adapter", f"exec {served}"),
    ):
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)
    for name in ("Makefile", "test_allocator.py"):
        (tmp_path / name).write_text(BLOCKS[name][1])
    (tmp_path / "my_scheduler.py").write_text(ADAPTER)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


def run(project: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, env=project, capture_output=True, text=True, check=False
    )


def uploaded() -> list[list[str]]:
    """What the recipes keep, each."""
    [github] = yaml_of(".github/workflows/conformance.yml")["jobs"].values()
    [gitlab] = yaml_of(".gitlab-ci.yml").values()
    kept = [
        step["with"]["path"].split() for step in github["steps"] if "path" in step.get("with", {})
    ]
    artifacts = gitlab["artifacts"]
    return [*kept, [*artifacts["paths"], *artifacts["reports"].values()]]


def make_wrong(adapter: Path) -> None:
    """Put an allocator there that is wrong."""
    no_rollback = json.dumps({**FEW, "variant": "no rollback"})
    wrong = shlex.join([sys.executable, str(SERVED), no_rollback])
    adapter.write_text(f"#!/bin/sh\nexec {wrong}\n")


def test_what_is_uploaded_is_there_after_a_failing_run(
    project: dict[str, str], tmp_path: Path
) -> None:
    make_wrong(tmp_path / "adapter")
    words = ["--cases", "0", "--failures", "1", "--processes", "1", "--ndjson", "run.ndjson"]
    done = run(project, tmp_path, "allotment", "check", *words, "--", "./adapter")
    assert 1 == done.returncode, done.stdout + done.stderr
    for kind, out in (("junit", "junit.xml"), ("markdown", "summary.md"), ("terminal", "told")):
        told = ("report", "run.ndjson", "--format", kind, "--output", out)
        assert 1 == run(project, tmp_path, "allotment", *told).returncode
        [place] = (tmp_path / "counterexamples").iterdir()
        assert f"It is in counterexamples/{place.name}." in (tmp_path / out).read_text()
    recipes = uploaded()
    assert 2 == len(recipes)
    assert all((tmp_path / path).exists() for paths in recipes for path in paths)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("holds", [True, False], ids=["holds", "fails"])
def test_makefile_checks_and_reports(project: dict[str, str], tmp_path: Path, holds: bool) -> None:
    if not holds:
        make_wrong(tmp_path / "adapter")
    done = run(project, tmp_path, "make", "conformance", "CASES=60")
    assert holds is (0 == done.returncode), done.stdout + done.stderr
    assert holds is ("Error 1" not in done.stderr)
    assert holds is ("<failure" not in (tmp_path / "junit.xml").read_text())


def test_test_of_ones_own_passes(project: dict[str, str], tmp_path: Path) -> None:
    done = run(project, tmp_path, "pytest", "-p", "no:xdist", "test_allocator.py")
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_console_shows_what_the_page_shows(project: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "test_allocator.py").unlink()
    command, *expected = BLOCKS["console"][1].splitlines()
    done = run(project, tmp_path, "/bin/sh", "-c", command.removeprefix("$ "))
    assert 0 == done.returncode, done.stdout + done.stderr
    assert 3 == len(expected)
    for line in expected:
        assert line.strip("…") in done.stdout
