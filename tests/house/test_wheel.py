"""The built wheel works in an empty environment, away from the sources."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from house.sources import PACKAGES, ROOT

# One worker builds and installs for all of these tests.
pytestmark = pytest.mark.xdist_group("wheel")

COMMANDS = [
    ["--help"],
    ["--version"],
    ["verify", "--cases", "50"],
    ["scaffold", "--lang", "python", "begun"],
]
"""What is run from the installed wheel; each must exit 0."""


def run(*words: str | Path, cwd: Path) -> str:
    """Run a program that must succeed; its output."""
    completed = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert 0 == completed.returncode, completed.stdout + completed.stderr
    return completed.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--wheel", "--no-isolation", "--outdir"]
    run(sys.executable, "-m", "build", *options, folder, ROOT, cwd=folder)
    (built,) = folder.glob("allotment-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel, its extra `impl` and nothing else."""
    folder = tmp_path_factory.mktemp("empty") / "env"
    venv.create(folder)
    programs = folder / "bin"
    pip: list[str | Path] = [
        "-m",
        "pip",
        "--python",
        programs / "python",
        "--disable-pip-version-check",
    ]
    # Most of what comes is never imported here, so nothing is compiled ahead.
    options: list[str | Path] = ["--no-compile", "-c", ROOT / "constraints.txt"]
    run(sys.executable, *pip, "install", *options, f"{wheel}[impl]", cwd=folder)
    return programs


def test_wheel_holds_every_package_file(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {
        str(path.relative_to(folder.parent))
        for folder in PACKAGES.values()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected == inside
    assert {f"{name}/py.typed" for name in PACKAGES} <= inside


def test_installed_wheel_runs_elsewhere(installed: Path, tmp_path: Path) -> None:
    for words in COMMANDS:
        assert run(installed / "allotment", *words, cwd=tmp_path), words


def test_plain_dependencies_are_light(installed: Path, tmp_path: Path) -> None:
    probe = "from importlib.metadata import requires; print(*requires('allotment'), sep='\\n')"
    required = run(installed / "python", "-c", probe, cwd=tmp_path).splitlines()
    plain = [line for line in required if "extra ==" not in line]
    assert any(line.startswith("hypothesis") for line in plain)
    assert not [line for line in plain if line.startswith(("numpy", "z3", "crosshair", "dask"))]


def test_installed_wheel_has_no_solver(installed: Path, tmp_path: Path) -> None:
    probe = "from importlib.util import find_spec as f; print(f('numpy') is None, f('z3') is None)"
    assert "False True\n" == run(installed / "python", "-c", probe, cwd=tmp_path)
