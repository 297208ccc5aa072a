"""What every test run reports at its end."""

import signal

import pytest
from hypothesis import settings

from house.sources import model_code_lines

pytest_plugins = ("house.clause_marks",)

# The same examples in every run, and no verdict that depends on how busy the machine is.
settings.register_profile("repository", deadline=None, derandomize=True)
settings.load_profile("repository")


# A run in the background inherits that Ctrl-C is ignored; the tests of Ctrl-C start processes.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show how much of the model's budget is spent: a figure that only grows needs an audience."""
    figures = (f"{part} {model_code_lines(part)}" for part in ("spec", "oracle", "variants"))
    terminalreporter.write_line(f"lines of code of the model: {', '.join(figures)}")
