"""Tables: comma-separated files whose first line names the columns. Any fault refuses the file."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from allotment_conformance.workload.text_files import (
    NOT_UTF8,
    WorkloadNotReadable,
    check,
    opened,
    refused,
)

TABLE_NAMES = (".csv", ".csv.gz")
WHOLE = re.compile(r"[0-9]+")
DIGITS_MOST = 18  # more are beyond every bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table, by the names of its columns."""

    file: str
    line: int
    cells: dict[str, str]

    def whole(self, column: str, most: int) -> int:
        """A count in that column. Raises `WorkloadNotReadable`."""
        written = self.cells[column].strip()
        if not WHOLE.fullmatch(written):
            raise self.refused(column, f"{written!r} is not a whole number, 0 or more")
        if len(written) > DIGITS_MOST:
            raise self.refused(column, f"{len(written):,} digits, but at most {most:,} is taken")
        number = int(written)
        if number > most:
            raise self.refused(column, f"{number:,} is more than {most:,}")
        return number

    def name(self, column: str) -> str:
        """A text in that column that is not empty. Raises `WorkloadNotReadable`."""
        written = self.cells[column].strip()
        if not written:
            raise self.refused(column, "there is no name")
        return written

    def refused(self, column: str, problem: str) -> WorkloadNotReadable:
        """The refusal of a cell."""
        return refused(self.file, self.line, f"{column}: {problem}", "Mend the line.")


def is_table(name: str) -> bool:
    """Whether a file is a table, by its name."""
    return name.lower().endswith(TABLE_NAMES)


def rows(name: str, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a table that has just these columns, in any order; blank lines are left out.

    Raises `WorkloadNotReadable`.
    """
    check(Path(name), name)
    with opened(Path(name)) as stream:
        text = TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="")
        reader = csv.reader(text, strict=True)
        read = 0  # the lines of the rows that are whole
        try:
            header = [cell.strip() for cell in next(reader)]
            _judge_header(name, header, columns)
            read = reader.line_num
            for cells in reader:
                if any(map(NOT_UTF8.search, cells)):
                    raise refused(name, reader.line_num, "is not UTF-8", "Save it as UTF-8.")
                if len(cells) not in (0, len(header)):
                    problem = f"{len(cells)} cells, but {len(header)} columns"
                    raise refused(name, reader.line_num, problem, "Mend the line.")
                if cells:
                    by_column = dict(zip(header, cells, strict=True))
                    yield Row(file=name, line=reader.line_num, cells=by_column)
                read = reader.line_num
        except csv.Error as wrong:
            if str(wrong) == "unexpected end of data":
                problem = "has a quote that does not end"
                raise refused(name, read + 1, problem, "End it with a quote.") from None
            raise refused(name, reader.line_num, str(wrong), "Mend the line.") from None


def _judge_header(name: str, header: list[str], columns: Sequence[str]) -> None:
    """Refuse a first line that does not name just the columns."""
    remedy = f"The columns are {', '.join(columns)}."
    for column in columns:
        if column not in header:
            raise refused(name, 1, f"there is no column '{column}'", remedy)
    for place, column in enumerate(header):
        if column not in columns:
            raise refused(name, 1, f"there is no meaning to a column '{column}'", remedy)
        if column in header[:place]:
            raise refused(name, 1, f"the column '{column}' is there twice", remedy)
