"""docs/performance.md: its tables, made from the figures of one run, and its plots."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from goals import goals
from growth import exponents
from mixes import MIXES

Figures = dict[str, Any]

BEGIN, END = "<!-- begin: made by `make bench` -->", "<!-- end -->"

RIVALS = {
    "iterative": "`iterative`",
    "c": "C program",
    "accasim_queue": "accasim, a call for the queue",
    "accasim_job": "accasim, a call for each job",
}


def write(figures: Figures, docs: Path) -> None:
    """Replace the tables of the page, and draw its plots anew."""
    import plots

    page = docs / "performance.md"
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin, f"{page} says where the tables begin"
    assert end, f"{page} says where the tables end"
    page.write_text(f"{before}{BEGIN}\n\n{tables(figures)}\n{END}{after}", encoding="utf-8")
    plots.draw(figures, docs / "plots")


def tables(figures: Figures) -> str:
    """All tables, as Markdown."""
    parts = (
        _head,
        _goals,
        _ratios,
        _rates,
        _growth,
        _signatures,
        _single,
        _texts,
        _kit,
        _profile,
    )
    return "\n".join(part(figures) for part in parts)


def _head(figures: Figures) -> str:
    told = figures["machine"]
    libraries = ", ".join(f"{name} {version}" for name, version in told["libraries"].items())
    return (
        f"`make bench`, {figures['date']}: Python {told['python']} on {told['system']}, "
        f"{told['cores']} cores with a load of {told['load']}, {libraries}; "
        f"{told['compiler']}; {figures['minutes']:.1f} minutes, "
        f"{figures['processor_minutes']:.1f} of processor time.\n"
    )


def _goals(figures: Figures) -> str:
    rows = [
        (goal.what, goal.to_reach, goal.found, "reached" if goal.is_reached else "**not reached**")
        for goal in goals(figures)
    ]
    return _section("Goals", _table(("what", "to reach", "measured", ""), rows))


def _ratios(figures: Figures) -> str:
    """How many times as fast as everybody else the indexed engine is."""
    rows = []
    for cell in figures["cells"]:
        others = [_ratio(cell.get(rival)) for rival in RIVALS]
        rows.append((cell["mix"], f"{cell['hosts']:,}", *others, _number(cell["passes"])))
    heads = ("mix", "hosts", *RIVALS.values(), "passes of numpy")
    words = (
        "Decisions a second of `indexed`, divided by those of the other on the same rounds: above "
        "1 `indexed` is faster. The last column is how many passes of numpy over all hosts take as "
        "long as one decision.\n"
    )
    return _section("Ratios", words, _table(heads, rows))


def _ratio(against: Figures | None) -> str:
    if against is None:
        return "–"
    if against["ratio"] is None:
        return f"none decided in {against['seconds']:.1f} s"
    return _number(against["ratio"])


def _rates(figures: Figures) -> str:
    rows = [
        (
            cell["mix"],
            f"{cell['hosts']:,}",
            f"{cell['dispatched_share']:.0%}",
            f"{cell['hosts_taken']:.1f}",
            _number(cell["per_s"]),
            _number(cell["with_submission_and_books_per_s"]),
            *[_number(cell[rival]["per_s"]) if rival in cell else "–" for rival in RIVALS],
        )
        for cell in figures["cells"]
    ]
    heads = (
        "mix",
        "hosts",
        "dispatched",
        "hosts a job",
        "`indexed`",
        "and books",
        *RIVALS.values(),
    )
    mixes = "; ".join(f"*{mix.name}*: {mix.words}" for mix in MIXES)
    words = (
        f"Mixes: {mixes}. *Dispatched* is the share of jobs that were placed, *hosts a job* what "
        "each of them took, *and books* counts submission and the credits of finished jobs, too.\n"
    )
    return _section("Decisions a second", words, _table(heads, rows))


def _growth(figures: Figures) -> str:
    parts = []
    for variable, words in (
        ("hosts", "saturated mix"),
        ("tasks", f"jobs of so many tasks, {figures['tasks'][0]['hosts']:,} hosts"),
    ):
        points = figures[variable]
        fitted = exponents(points, variable)
        rows = [
            (f"{point[variable]:,}", *[_number(point["us"].get(name)) for name in fitted])
            for point in points
        ]
        rows.append(("exponent", *[f"{value:.2f}" for value in fitted.values()]))
        heads = (variable, *[f"{name}, µs" for name in fitted])
        parts += [f"Microseconds a decision as {variable} grow ({words}).\n", _table(heads, rows)]
    links = "![growth with hosts](plots/hosts.svg) ![growth with tasks](plots/tasks.svg)\n"
    return _section("Growth", *parts, links)


def _signatures(figures: Figures) -> str:
    rows = [
        (
            f"{point['hosts']:,}",
            f"{point['signatures']:,}",
            _number(point["per_s"]),
            f"{point['evictions']:,}",
            f"{point['peak_mb']:,.0f}",
        )
        for point in figures["signatures"]
    ]
    heads = ("hosts", "signatures", "decisions/s", "indexes evicted", "peak of the process, MiB")
    link = "![many signatures](plots/signatures.svg)\n"
    return _section("Many signatures", _table(heads, rows), link)


def _single(figures: Figures) -> str:
    session, cache = figures["session"], figures["cache"]
    times = f"submission {session['submit_s']:.2f} s, run {session['run_s']:.2f} s"
    memory = f"{session['peak_mb']:,.0f} MiB at most, {session['before_mb']:,.0f} of them before"
    rows = [
        (
            f"one session of {session['jobs']:,} jobs on {session['hosts']:,} hosts",
            f"{times}, {session['dispatched_share']:.0%} dispatched",
        ),
        ("memory of that process", f"{memory} submission"),
        ("decisions answered by the cache", f"{cache['per_s']:,.0f} a second"),
        ("looking up a key that is there", f"{cache['lookups_per_s']:,.0f} a second"),
    ]
    return _section("One session, and the cache", _table(("what", "measured"), rows))


def _texts(figures: Figures) -> str:
    shapes = [key.removeprefix("texts ") for key in figures if key.startswith("texts ")]
    heads = ("texts a second", *figures[f"texts {shapes[0]}"])
    rows = [
        (shape, *[_number(rate) for rate in figures[f"texts {shape}"].values()]) for shape in shapes
    ]
    return _section("Request texts", _table(heads, rows))


def _kit(figures: Figures) -> str:
    here, moved, wire = figures["in process"], figures["transport"], figures["wire"]
    rows = [
        (
            "in process, one core: model, built-in allocator, comparison",
            _number(here["per_s"]),
            "–",
            *_seconds(here["comparison_s"], here["allocator_s"]),
        ),
        (
            "transport alone: an echo of known answers",
            _number(moved["per_s"]),
            *_seconds(moved["kit_s"]),
            "–",
            *_seconds(moved["echo_s"]),
        ),
        (
            "`allotment check` of the C sample, two processes, verdict included",
            _number(wire["per_s"]),
            *_seconds(wire["making_s"] + wire["wire_s"]),
            *_seconds(wire["comparison_s"] + wire["probes_s"], wire["program_s"]),
        ),
    ]
    heads = ("what", "decisions/s", "kit", "model", "implementation")
    words = (
        "Processor time is told apart. In the check, the kit's is "
        f"{wire['making_s']:.2f} s of making cases and {wire['wire_s']:.2f} s of the wire, the "
        f"model's {wire['comparison_s']:.2f} s of comparison and {wire['probes_s']:.2f} s of "
        "probes with clauses taken out. By processor time two cores would do "
        f"{_number(wire['per_s_of_two_cores'])} decisions/s. In the transport, the kit alone would "
        f"do {_number(moved['per_kit_s'])} on one core.\n"
    )
    return _section("The kit", words, _table(heads, rows))


def _seconds(*values: float) -> list[str]:
    return [f"{value:.2f} s" for value in values]


def _profile(figures: Figures) -> str:
    words = (
        "The functions that take most of the time themselves. The profiler adds to each call, so "
        "the shares of small functions are too large.\n"
    )
    parts = []
    for title, found in (
        ("Saturated mix, smallest cluster:", figures["profile"]),
        ("Decisions answered by the cache:", figures["cache"]["profile"]),
    ):
        rows = [(f"`{_place(row)}`", f"{row['calls']:.1f}", f"{row['share']:.0%}") for row in found]
        parts += [f"{title}\n", _table(("function", "calls a decision", "share of the time"), rows)]
    return _section("Where the time goes", words, *parts)


def _place(row: Figures) -> str:
    """A function with its module; built-in functions of Python have none."""
    return row["function"] if row["module"] == "~" else f"{row['module']}.{row['function']}"


def _section(title: str, *parts: str) -> str:
    return "\n".join((f"### {title}\n", *parts))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _number(value: float | None) -> str:
    """Three figures that count, and no more digits than that below a thousand."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
