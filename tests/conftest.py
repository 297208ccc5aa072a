"""What every test run reports at its end."""

import gc
import signal
from collections.abc import Iterator

import pytest
from hypothesis import Phase, settings

from house.sources import model_code_lines

pytest_plugins = ("house.clause_marks",)

# The same examples in every run, and no verdict that depends on how busy the machine is. The phase
# that explains a failure traces every line of every example; it is left out, as all tests pass.
settings.register_profile(
    "repository",
    deadline=None,
    derandomize=True,
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.load_profile("repository")

LONGEST_IN_A_NAME = 100
"""Of a text that a test is given: enough to tell most tests apart by their names."""

OBJECTS_AS_USUAL = gc.get_threshold()
OBJECTS_BETWEEN_LOOKS = 50_000
"""How many more things there are before garbage is looked for: a twentieth of the time is saved."""
gc.set_threshold(OBJECTS_BETWEEN_LOOKS)

# A run in the background inherits that Ctrl-C is ignored; the tests of Ctrl-C start processes.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a test of a long text by how that begins: names are sent to and fro, and told."""
    if isinstance(val, str | bytes) and len(val) > LONGEST_IN_A_NAME:
        return f"{val[:LONGEST_IN_A_NAME]!a} and so on, {len(val)} in all"
    return None


def pytest_collection_finish() -> None:
    """Take what was collected and imported, which stays to the end, out of garbage collection."""
    gc.freeze()


@pytest.fixture
def usual_collections() -> Iterator[None]:
    """For tests that measure time: garbage is looked for as often as in everybody's process."""
    gc.set_threshold(*OBJECTS_AS_USUAL)
    yield
    gc.set_threshold(OBJECTS_BETWEEN_LOOKS)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show how much of the model's budget is spent: a figure that only grows needs an audience.

    A run of the marked tests for a table has none.
    """
    if terminalreporter.config.getoption("--clauses") is not None:
        return
    figures = (f"{part} {lines}" for part, lines in model_code_lines().items())
    terminalreporter.write_line(f"lines of code of the model: {', '.join(figures)}")
