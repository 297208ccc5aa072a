"""How many request texts a second are read: distinct ones, repeated ones, and those of a job."""

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


def rates(shape: str, count: int, rounds: int) -> dict[str, float]:
    """The best of some rounds: texts parsed, lowered, submitted, and read again, per second."""
    parse("a")
    best = dict.fromkeys(("parsed", "and lowered", "and submitted", "repeated"), 0.0)
    for turn in range(rounds):
        texts = texts_of(shape, count, 1 + turn * count)
        memo = RequestTexts(RESOURCES)
        few = texts[: min(TEXTS_KEPT, 100)]
        for text in few:
            memo.read(text)
        found = (
            rate(parse, texts),
            rate(lambda text: lower(parse(text), RESOURCES), texts),
            rate(submitter(), texts),
            rate(memo.read, few * 1000),
        )
        best = {name: max(best[name], one) for name, one in zip(best, found, strict=True)}
    return best
