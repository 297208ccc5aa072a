"""How many request texts a second are read: distinct ones, repeated ones, and those of a job.

Run it as ``python benchmarks/resreq.py``. Time is that of the processor, so that other programs on
the machine disturb less; the best of several rounds is told.
"""

import argparse
import time
from collections.abc import Callable, Iterable

from allotment_impl import AttributeType, Cluster, Counts, Host, Job, Resources, Scheduler
from allotment_impl.resreq import lower, parse
from allotment_impl.resreq.texts import TEXTS_KEPT, RequestTexts

RESOURCES = Resources(
    host=("mem", "scratch"),
    shared=("lic",),
    attributes={"os": AttributeType.TEXT, "speed": AttributeType.NUMBER},
)
SHAPES = {
    "short": "rusage[mem={0}] span[hosts=1]",
    "usual": "select[os == linux && speed > {0}] rusage[mem={0}M:scratch=20] span[hosts=1]",
    "long": (
        "{{2*{{os == linux && (speed > {0} || defined(speed)) rusage[mem={0}:duration=5, lic=1]}}"
        " + 2*{{-}}}} || {{rusage[mem=1G/host] span[ptile=2] order[-slots:ut]}}@10"
    ),
}


def texts_of(shape: str, count: int, first: int) -> list[str]:
    """Texts of one shape that all differ."""
    return [SHAPES[shape].format(number) for number in range(first, first + count)]


def rate(action: Callable[[str], object], texts: Iterable[str]) -> float:
    """Calls a second of the processor."""
    texts = list(texts)
    before = time.process_time()
    for text in texts:
        action(text)
    return len(texts) / (time.process_time() - before)


def submitter() -> Callable[[str], object]:
    """Submits a text as a job of its own to a scheduler of one host."""
    host = Host(name="A", capacity={"slots": 4})
    scheduler = Scheduler(Cluster(hosts=(host,), resources=RESOURCES, pools={"lic": 1000}))
    names = iter(range(10**9))
    tasks = Counts(min=4, max=4)

    def submit(text: str) -> None:
        name = str(next(names))
        scheduler.submit(
            Job(name=name, user="u", queue="q", project="p", tasks=tasks, request=text)
        )

    return submit


def main() -> None:
    """Print a table: a line for each shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="texts of a round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    parse("a")
    print(f"{'per second':<12}{'parse':>10}{'and lower':>12}{'and submit':>12}{'repeated':>12}")
    for shape in SHAPES:
        best = [0.0] * 4
        for turn in range(options.rounds):
            texts = texts_of(shape, options.count, 1 + turn * options.count)
            memo = RequestTexts(RESOURCES)
            few = texts[: min(TEXTS_KEPT, 100)]
            for text in few:
                memo.read(text)
            found = [
                rate(parse, texts),
                rate(lambda text: lower(parse(text), RESOURCES), texts),
                rate(submitter(), texts),
                rate(memo.read, few * 1000),
            ]
            best = [max(pair) for pair in zip(best, found, strict=True)]
        print(f"{shape:<12}{best[0]:>10,.0f}{best[1]:>12,.0f}{best[2]:>12,.0f}{best[3]:>12,.0f}")


if __name__ == "__main__":
    main()
