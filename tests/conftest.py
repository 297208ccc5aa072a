"""What every test run reports at its end."""

import pytest

from house.sources import model_code_lines


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show how much of the model's budget is spent: a figure that only grows needs an audience."""
    terminalreporter.write_line(f"the model has {model_code_lines()} lines of code")
