"""A session of Cosmic Ray on a copy of the model: only the lines of lifted functions change."""

import inspect
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

import allotment_model
from allotment_proofs.mutation.judge import Judgement, read
from allotment_proofs.prover import prove
from allotment_proofs.theorems import THEOREMS

TIMEOUT = 120.0
"""Seconds after which a run on one change is given up: about a hundred times what one takes."""

LEFT_ALONE = "core/ReplaceBinaryOperator_BitOr_.*"
"""Not changed: the model's `|` stands in annotations and joins dictionaries, it counts nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of a lifted function: its line before and after, and what the proofs say."""

    function: str
    operator: str
    before: str
    after: str
    judgement: Judgement


def lifted_functions() -> dict[str, list[FunctionType]]:
    """The functions that some theorem lifts, by the module of the model that holds them."""
    found: dict[str, dict[FunctionType, None]] = defaultdict(dict)
    for theorem in THEOREMS:
        for function in prove(theorem, with_variants=False).lifted:
            found[function.__module__.rpartition(".")[2]][function] = None
    return {module: list(functions) for module, functions in found.items()}


def run_session(folder: Path, module: str, functions: list[FunctionType]) -> list[Mutant]:
    """Change these functions of a module, one place at a time, in a copy below the folder."""
    home = folder / module
    shutil.rmtree(home, ignore_errors=True)
    package = Path(allotment_model.__file__).parent
    shutil.copytree(package, home / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    file = Path(package.name, f"{module}.py")
    (home / "session.toml").write_text(_configuration(file, functions), encoding="utf-8")
    _call(home, "cosmic-ray", "init", "session.toml", "session.sqlite")
    _call(home, "cr-filter-lines", "--config", "session.toml", "session.sqlite")
    _call(home, "cr-filter-operators", "session.sqlite", "session.toml")
    _call(home, "cosmic-ray", "baseline", "session.toml")
    _call(home, "cosmic-ray", "exec", "session.toml", "session.sqlite")
    return mutants(_call(home, "cosmic-ray", "dump", "session.sqlite"))


def _configuration(file: Path, functions: list[FunctionType]) -> str:
    """The settings of a session; `judge` is the test, and must hold of the model as it is."""
    lines = []
    for function in functions:
        source, first = inspect.getsourcelines(function)
        lines.append(f"{first}-{first + len(source) - 1}")
    return f"""[cosmic-ray]
module-path = "{file}"
timeout = {TIMEOUT}
excluded-modules = []
test-command = "{sys.executable} -m allotment_proofs.mutation.judge {file}"

[cosmic-ray.distributor]
name = "local"

[cosmic-ray.filters.operators-filter]
exclude-operators = ["{LEFT_ALONE}"]

[cosmic-ray.filters.line-filter.lines]
"{file.name}" = {json.dumps(lines)}
"""


def _call(home: Path, program: str, *words: str) -> str:
    """Run a program of Cosmic Ray beside the copy, which stands in for the model."""
    path = Path(sys.executable).with_name(program)
    done = subprocess.run(
        [str(path), *words],
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(home.absolute())},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{program} {words[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def mutants(dumped: str) -> list[Mutant]:
    """The changes of a session that were run, from what `cosmic-ray dump` prints."""
    found = []
    for item, result in map(json.loads, dumped.splitlines()):
        if result is None or result["worker_outcome"] == "skipped":
            continue
        [mutation] = item["mutations"]
        before, after = changed_lines(result["diff"])
        ran = result["worker_outcome"] == "normal"
        judgement = read(result["output"] or "") if ran else Judgement(outcome="crashed")
        place = tuple(mutation["start_pos"])
        found.append((place, _mutant(mutation, before, after, judgement)))
    return [mutant for _place, mutant in sorted(found, key=lambda one: (one[0], one[1].after))]


def _mutant(mutation: dict[str, str], before: str, after: str, judgement: Judgement) -> Mutant:
    return Mutant(
        function=mutation["definition_name"],
        operator=mutation["operator_name"].removeprefix("core/"),
        before=before,
        after=after,
        judgement=judgement,
    )


def changed_lines(diff: str) -> tuple[str, str]:
    """The lines that a change takes away and puts there, each joined to one."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++"))]
    taken, put = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"
    )
    return taken, put
