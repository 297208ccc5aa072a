"""The `allotment` command, with subcommands offered by a plug-in that each test installs."""

import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from allotment_conformance import errors
from allotment_conformance.cli import help_text, main
from allotment_conformance.command_registry import RegisteredCommand
from allotment_conformance.extras import EXTRA_OF_MODULE

ROOT = Path(__file__).parents[2]
RUN_MAIN = "import sys; from allotment_conformance.cli import main; sys.exit(main())"
HEAVY = ("allotment_model", "allotment_impl", "hypothesis", "msgspec", "rich", "typer")

GREET = '''"""Greet somebody.

More words, which the list of commands leaves out.
"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console


def command(
    name: Annotated[str, typer.Argument(help="Whom to greet.")],
    status: Annotated[int, typer.Option(help="How to leave.")] = 0,
) -> int:
    """Greet somebody by name."""
    Console().print(f"[bold red]hello {name}[/bold red]")
    return status
'''

WAIT = '''"""Wait to be interrupted."""

import time


def command() -> None:
    """Say that the wait begins, then wait."""
    print("waiting", flush=True)
    for _ in range(1200):  # A signal just before a sleep is seen after it.
        time.sleep(0.05)
'''

Completed = subprocess.CompletedProcess[str]


class Plugin:
    """A folder of subcommands, importable and registered in the processes started from here."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries = "[allotment.commands]\n"
        left_out = {"NO_COLOR", "FORCE_COLOR"}
        kept = {name: text for name, text in os.environ.items() if name not in left_out}
        self.environment = kept | {"PYTHONPATH": str(folder)}
        record = folder / "greetings-1.0.dist-info"
        record.mkdir()
        (record / "METADATA").write_text("Metadata-Version: 2.1\nName: greetings\nVersion: 1.0\n")
        self._record = record / "entry_points.txt"

    def write(self, module: str, source: str) -> None:
        """Put a module into the folder, by its full name."""
        path = self._folder.joinpath(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)

    def register(self, name: str, module: str) -> None:
        """Offer a module as the subcommand of that name."""
        self._entries += f"{name} = {module}\n"
        self._record.write_text(self._entries)

    def offer(self, name: str, source: str) -> None:
        """Write and register a subcommand."""
        self.write(f"greetings_{name}", source)
        self.register(name, f"greetings_{name}")

    def run(self, *words: str, code: str = RUN_MAIN, **more: str) -> Completed:
        """Run `allotment` in a process of its own with both outputs piped."""
        return subprocess.run(
            [sys.executable, "-c", code, *words],
            env=self.environment | more,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    """An empty plug-in."""
    return Plugin(tmp_path)


def test_help_lists_a_command_with_its_first_line(plugin: Plugin) -> None:
    plugin.offer("greet", GREET)
    completed = plugin.run("--help")
    assert 0 == completed.returncode
    assert re.search(r"^  greet +Greet somebody\.$", completed.stdout, re.MULTILINE)
    assert "More words" not in completed.stdout
    assert "" == completed.stderr


def test_help_reads_a_summary_without_importing(plugin: Plugin) -> None:
    boom = 'raise RuntimeError("imported")\n'
    plugin.write("loud.__init__", boom)
    plugin.write("loud.shout", f'"""Shout."""\n{boom}')
    plugin.register("shout", "loud.shout")
    completed = plugin.run("--help")
    assert 0 == completed.returncode, completed.stderr
    assert re.search(r"^  shout +Shout\.$", completed.stdout, re.MULTILINE)


def test_help_imports_nothing_heavy(plugin: Plugin) -> None:
    plugin.offer("greet", GREET)
    probe = (
        "import sys; from allotment_conformance.cli import main; main(['--help'])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    imported = plugin.run(code=probe).stderr.split()
    assert "allotment_conformance.cli" in imported
    assert [] == [name for name in imported if name.partition(".")[0] in HEAVY]
    assert "greetings_greet" not in imported
    assert not [name for name in imported if name.startswith("allotment_conformance.commands")]


def test_no_words_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main([])
    printed = capsys.readouterr()
    assert "" == printed.out
    assert help_text() + "\n" == printed.err


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["--version"])
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"allotment {declared}\n" == capsys.readouterr().out


def test_unknown_command_names_the_known(plugin: Plugin) -> None:
    plugin.offer("greet", GREET)
    completed = plugin.run("greeet")
    assert 2 == completed.returncode
    assert "" == completed.stdout
    assert "no command 'greeet'" in completed.stderr
    assert "greet, " in completed.stderr


def test_unknown_root_option_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["--loud"])
    assert "no option '--loud'" in capsys.readouterr().err


@pytest.mark.parametrize("status", [0, 1, 3])
def test_status_of_a_command_is_passed_on(plugin: Plugin, status: int) -> None:
    plugin.offer("greet", GREET)
    completed = plugin.run("greet", "Ada", "--status", str(status))
    assert status == completed.returncode, completed.stderr
    assert "hello Ada\n" == completed.stdout


def test_command_has_its_own_help(plugin: Plugin) -> None:
    plugin.offer("greet", GREET)
    completed = plugin.run("greet", "-h")
    assert 0 == completed.returncode
    assert "Usage: allotment greet [OPTIONS]" in completed.stdout
    assert "Whom to greet." in completed.stdout


def test_usage_error_of_a_command_exits_2(plugin: Plugin) -> None:
    plugin.offer("greet", GREET)
    completed = plugin.run("greet", "Ada", "--status", "high")
    assert 2 == completed.returncode
    assert "" == completed.stdout
    assert "--status" in completed.stderr
    assert "Traceback" not in completed.stderr


@pytest.mark.parametrize("where", ["at import", "while running"])
def test_missing_extra_prints_its_install_line(plugin: Plugin, where: str) -> None:
    missing = "raise ModuleNotFoundError('no z3', name='z3.z3core')"
    head = missing if where == "at import" else ""
    plugin.offer("refute", f'"""Refute."""\n{head}\ndef command() -> None:\n    {missing}\n')
    completed = plugin.run("refute")
    assert 2 == completed.returncode
    assert "" == completed.stdout
    assert "'refute' needs the Python module 'z3'" in completed.stderr
    assert "pip install './allotment[proofs]'" in completed.stderr
    assert "Traceback" not in completed.stderr


def test_missing_module_of_no_extra_is_named(plugin: Plugin) -> None:
    plugin.offer("greet", '"""Greet."""\nimport no_such_module_anywhere\n')
    completed = plugin.run("greet")
    assert 2 == completed.returncode
    assert "'no_such_module_anywhere', which is not installed" in completed.stderr
    assert "allotment[" not in completed.stderr


def test_missing_module_of_ours_is_a_crash(plugin: Plugin) -> None:
    plugin.offer("greet", '"""Greet."""\nimport allotment_model.no_such_module\n')
    completed = plugin.run("greet")
    assert 1 == completed.returncode
    assert "Traceback" in completed.stderr


def test_registered_but_absent_command_is_refused(plugin: Plugin) -> None:
    plugin.register("ghost", "no_such_package.ghost")
    listed = plugin.run("--help")
    assert 0 == listed.returncode
    assert re.search(
        r"^  ghost +\(not installed: no_such_package\.ghost\)$", listed.stdout, re.MULTILINE
    )
    completed = plugin.run("ghost")
    assert 2 == completed.returncode
    assert "no_such_package.ghost, which is not installed" in completed.stderr


def test_every_extra_named_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(EXTRA_OF_MODULE.values()) <= set(project["optional-dependencies"])


CLOSED = [
    (
        ">&-",
        2,
        "",
        "allotment: standard output is closed\nLeave it open, or send it to /dev/null.\n",
    ),
    ("2>&-", 0, "hello Ada\n", ""),
    (">&- 2>&-", 2, "", ""),
    ("<&-", 0, "hello Ada\n", ""),
    ("1</dev/null", 2, "", "the output cannot be written: Bad file descriptor"),
]


@pytest.mark.parametrize(("streams", "status", "said", "complaint"), CLOSED)
def test_closed_stream_is_no_crash(
    plugin: Plugin, streams: str, status: int, said: str, complaint: str
) -> None:
    plugin.offer("greet", GREET)
    words = ["sh", "-c", f'exec "$@" {streams}', "sh", sys.executable, "-c", RUN_MAIN]
    completed = subprocess.run(
        [*words, "greet", "Ada"],
        env=plugin.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (status, said) == (completed.returncode, completed.stdout)
    assert complaint in completed.stderr
    assert bool(complaint) is bool(completed.stderr)


OPEN = '''"""Open something."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Path = Path("none"),
    case: Annotated[Path | None, typer.Option(metavar="FILE", allow_dash=True)] = None,
    number: int = 0,
) -> None:
    """Open files."""
    print(file, case, number)
'''


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--file", "--"], "'--file': a file or a folder is needed, and '--' is no name of one"),
        (["--file", "--number", "1"], "'--number' is no name of one"),
        (["--file=-x"], "one that is called so is ./-x"),
        (["--file", "-"], "'-' is no name of one"),
        (["--file", ""], "'--file': the name is empty"),
        (["--case", "--"], "'--case': a file or a folder is needed"),
    ],
)
def test_word_that_names_no_file_is_refused(
    words: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    offered(OPEN, monkeypatch, tmp_path)
    assert 2 == main(["open", *words])
    printed = capsys.readouterr()
    assert ("", True) == (printed.out, told in " ".join(printed.err.split()))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "none None 0"),
        (["--file", "./-x", "--number", "-1"], "-x None -1"),
        (["--case", "-"], "none - 0"),
    ],
)
def test_names_of_files_and_other_values_go_through(
    words: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    offered(OPEN, monkeypatch, tmp_path)
    assert (0, f"{told}\n") == (main(["open", *words]), capsys.readouterr().out)


def offered(source: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let this process know one subcommand, `open`."""
    (folder / "opening.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "opening", raising=False)
    only = {"open": RegisteredCommand(name="open", module="opening")}
    monkeypatch.setattr("allotment_conformance.cli.registered_commands", lambda: only)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", ["at import", "while running"])
def test_interrupt_exits_130(plugin: Plugin, where: str, number: signal.Signals) -> None:
    source = WAIT if where == "while running" else WAIT + "\n\ncommand()\n"
    plugin.offer("wait", source)
    process = subprocess.Popen(
        [sys.executable, "-c", RUN_MAIN, "wait"],
        env=plugin.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "waiting\n" == process.stdout.readline()
    process.send_signal(number)
    _, complaint = process.communicate(timeout=30)
    assert (130, "allotment: interrupted\n") == (process.returncode, complaint)


@pytest.mark.parametrize("words", [("--help",), ("greet", "Ada"), ("greet", "-h"), ("greet",)])
@pytest.mark.parametrize("more", [{}, {"NO_COLOR": "1"}, {"GITHUB_ACTIONS": "true"}])
def test_piped_output_has_no_colours(
    plugin: Plugin, words: tuple[str, ...], more: dict[str, str]
) -> None:
    plugin.offer("greet", GREET)
    completed = plugin.run(*words, **more)
    assert completed.stdout + completed.stderr
    assert "\x1b" not in completed.stdout + completed.stderr


def test_refusals_have_distinct_codes() -> None:
    reasons = errors.KitError.__subclasses__()
    codes = [reason.code for reason in reasons]
    assert len(reasons) >= 4
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(("message", "remedy"), [("", "Do this."), ("It is wrong.", "")])
def test_refusal_needs_words(message: str, remedy: str) -> None:
    with pytest.raises(AssertionError, match="a refusal says"):
        errors.UnknownCommand(message, remedy=remedy)


def test_interrupt_of_a_library_call_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("allotment_conformance.cli.registered_commands", interrupted)
    assert 130 == main(["--help"])
