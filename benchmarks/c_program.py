"""The C sample's core on recorded rounds: the seeds' algorithm, compiled with -O2."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
from mixes import cluster
from recording import Recording, Timed

HERE = Path(__file__).resolve().parent
SAMPLE = HERE.parent / "conformance" / "samples" / "c"
FLAGS = ("-O2", "-std=c11", "-Wall", "-Wextra", "-Wno-return-type")


class CannotBuild(Exception):
    """There is no C compiler, or no Jansson."""


def compiler() -> str:
    """The C compiler. Raises ``CannotBuild`` with what to install."""
    found = shutil.which("cc")
    if found is None:
        raise CannotBuild("there is no C compiler `cc`: install one, and Jansson")
    probe = [found, "-E", "-x", "c", "-"]
    source = b"#include <jansson.h>\n"
    if subprocess.run(probe, input=source, capture_output=True, check=False).returncode:
        raise CannotBuild("the header of Jansson is missing: install libjansson-dev")
    return found


def build_driver(folder: Path) -> Path:
    """The driver around the sample's source, built."""
    program = folder / "c_program"
    source = HERE / "c_program.c"
    words = [compiler(), *FLAGS, f"-I{SAMPLE}", "-o", str(program), str(source), "-ljansson"]
    subprocess.run(words, check=True)
    return program


def build_sample(folder: Path) -> Path:
    """The sample itself, as its own Makefile builds it."""
    compiler()
    subprocess.run(["make", "-s", "-C", SAMPLE, f"BUILD={folder}"], check=True)
    return folder / "allotment_sample"


def replay(recording: Recording, program: Path, budget: float) -> Timed:
    """Measure it, for so many seconds; its answers must be the recorded ones."""
    steps = [{"finish": step.finish, "submit": step.submit} for step in recording.steps]
    asked = {
        "cluster": cluster(recording.hosts),
        "unmeasured": recording.unmeasured,
        "budget": round(budget * 1000),
        "steps": steps,
    }
    sent = msgspec.json.encode(_without_nothing(msgspec.to_builtins(asked)))
    told = subprocess.run([program], input=sent, capture_output=True, check=True).stdout
    timed = Timed()
    for number, line in enumerate(told.splitlines()):
        found = msgspec.json.decode(line)
        answers = found["answers"]
        assert recording.steps[number].answers[: len(answers)] == answers, "equal answers"
        if number >= recording.unmeasured:
            timed.add(found["seconds"], len(answers))
    return timed


def _without_nothing(value: Any) -> Any:
    """The value without fields that are null: on the wire they are left out."""
    if isinstance(value, dict):
        return {key: _without_nothing(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_nothing(item) for item in value]
    return value
