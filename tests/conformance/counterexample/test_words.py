"""Cases in words."""

from typing import Any

import pytest

from allotment_conformance.counterexample import words
from allotment_conformance.engines.notation import submit


@pytest.mark.parametrize(
    ("thousandths", "text"),
    [
        (0, "0"),
        (1, "0.001"),
        (1500, "1.5"),
        (-50, "-0.05"),
        (-1000, "-1"),
        (2**53 - 1, "9007199254740.991"),
    ],
)
def test_amounts_are_exact_decimals(thousandths: int, text: str) -> None:
    assert text == words.amount(thousandths)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"request": [[{"tasks": {"min": 1, "max": 1}}]]}, "job b (ann, q, p): 1 task"),
        (
            {
                "priority": 2,
                "request": [
                    [
                        {
                            "tasks": {"min": 2, "max": 3},
                            "select": {"op": "!", "args": [{"defined": "gpu"}]},
                            "rusage": [{"resource": "mem", "amount": 1500, "per": "task"}],
                            "span": {"hosts_max": 2, "tasks_per_host": 1},
                        }
                    ]
                ],
            },
            (
                "job b (ann, q, p, priority 2): 2 to 3 tasks on hosts where !defined(gpu), "
                "mem 1.5 per task, on at most 2 hosts, at most 1 task a host"
            ),
        ),
        (
            {"tasks": {"min": 2, "max": 2}, "request": [[{}], [{"span": {"ptile": 1}}]]},
            (
                "job b (ann, q, p, 2 tasks in all): {the job's tasks} or else "
                "{the job's tasks, 1 task on each host}"
            ),
        ),
        (
            {"request": [[{"tasks": {"min": 1, "max": 1}}, {"tasks": {"min": 2, "max": 2}}]]},
            "job b (ann, q, p): {1 task} and {2 tasks}",
        ),
        ({"user": "", "request": []}, "job b ((no user), q, p): no alternative"),
        ({"request": [[]]}, "job b (ann, q, p): nothing"),
    ],
)
def test_job_is_a_sentence(fields: dict[str, Any], text: str) -> None:
    job = {"name": "b", "user": "ann", "queue": "q", "project": "p"}
    assert text == words.job(job | fields)


def test_select_is_infix() -> None:
    tree = {
        "op": "&&",
        "args": [
            {"op": "==", "args": [{"attribute": "arch"}, {"text": "x86"}]},
            {"op": ">", "args": [{"op": "neg", "args": [{"attribute": "width"}]}, {"number": 500}]},
        ],
    }
    assert "(arch == 'x86') && (-width > 0.5)" == words.expression(tree)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"event": "begin_session"}, "a session begins"),
        ({"event": "run_session"}, "run the session"),
        ({"event": "run_session", "cancel_at": 1}, "run the session, cancel after 1 poll"),
        ({"event": "finish", "job": "a"}, "job a finishes"),
        ({"event": "withdraw", "job": "a"}, "job a is withdrawn"),
        (
            {"event": "host_add", "host": {"name": "C", "capacity": {"slots": 2, "mem": 500}}},
            "host C joins: slots 2, mem 0.5",
        ),
        (
            {"event": "host_change", "host": "C", "attributes": {"gpu": None}, "open": False},
            "host C changes: no gpu, closed",
        ),
        ({"event": "pool_change", "pool": "lic", "capacity": 1}, "pool lic becomes 0.001"),
        (
            {
                "event": "limit_set",
                "limit": {
                    "kind": "user",
                    "each": True,
                    "scope": "host",
                    "resource": "slots",
                    "cap": 2,
                },
            },
            "limit set: each user holds at most 2 slots on each host",
        ),
        (
            {
                "event": "limit_remove",
                "limit": {"kind": "queue", "name": "q", "scope": "cluster", "resource": "lic"},
            },
            "limit removed: queue q: lic over all hosts",
        ),
    ],
)
def test_event_is_a_sentence(event: dict[str, Any], text: str) -> None:
    assert text == words.event(event)


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ({"answer": "ok"}, ["accepted"]),
        ({"answer": "refused", "code": "counts"}, ["refused: counts"]),
        ({"answer": "ran", "jobs": []}, ["no job is tried"]),
        ("KeyError: 'A'", ["KeyError: 'A'"]),
        (
            {
                "answer": "ran",
                "jobs": [
                    {
                        "job": "a",
                        "answer": "dispatched",
                        "alternative": 1,
                        "parts": [[["A", 2], ["B", 1]], [["A", 1]]],
                    },
                    {
                        "job": "b",
                        "answer": "pending",
                        "reason": "limit",
                        "never": True,
                        "cached": True,
                    },
                    {"job": "c", "answer": "cancelled"},
                ],
            },
            [
                "job a is dispatched (alternative 1): 2 slots on A, 1 slot on B and 1 slot on A",
                "job b is pending: limit, never placeable, known from the cache",
                "job c is cancelled",
            ],
        ),
    ],
)
def test_answer_is_a_sentence(answer: Any, lines: list[str]) -> None:
    assert lines == words.answer(answer)


FIRST = {"job": "j", "answer": "dispatched", "alternative": 0, "parts": [[["A", 1]]]}
SECOND = {**FIRST, "alternative": 1}
NO_PART = {**FIRST, "parts": []}
PENDS = {"job": "j", "answer": "pending", "reason": "span", "never": True, "cached": True}


@pytest.mark.parametrize(
    ("sides", "told"),
    [
        ((FIRST, FIRST), ("is dispatched: 1 slot on A",) * 2),
        (
            (FIRST, SECOND),
            (
                "is dispatched (alternative 0): 1 slot on A",
                "is dispatched (alternative 1): 1 slot on A",
            ),
        ),
        (
            (PENDS, FIRST),
            (
                "is pending: span, never placeable, known from the cache",
                "is dispatched: 1 slot on A",
            ),
        ),
        (
            (NO_PART, NO_PART),
            ("is dispatched: the profile leaves open where", "is dispatched: in no part"),
        ),
    ],
)
def test_both_sides_are_told_as_they_differ(
    sides: tuple[dict[str, Any], dict[str, Any]], told: tuple[str, str]
) -> None:
    one, other = words.job_answers(*sides, words.PENDING_FIELDS)
    assert told == (one.removeprefix("job j "), other.removeprefix("job j "))


@pytest.mark.parametrize(
    ("declares", "text"),
    [
        ((), "job j is pending"),
        (("never",), "job j is pending: never placeable"),
        (("reason",), "job j is pending: span"),
        (("cached", "reason"), "job j is pending: span, known from the cache"),
    ],
)
def test_what_is_not_declared_is_not_told(declares: tuple[str, ...], text: str) -> None:
    assert text == words.job_answer(PENDS, declares)
    assert [text] == words.answer({"answer": "ran", "jobs": [PENDS]}, declares)


@pytest.mark.parametrize(
    ("told", "shown"), [("a", "a"), ("", "''"), ("a b", "'a b'"), (" ", "' '"), ("é", "é")]
)
def test_names_that_could_be_overlooked_are_quoted(told: str, shown: str) -> None:
    added = {"event": "host_add", "host": {"name": told, "capacity": {"slots": 1}}}
    assert f"host {shown} joins: slots 1" == words.event(added)
    assert f"job {shown} finishes" == words.event({"event": "finish", "job": told})
    assert f"1 slot on {shown}" == words.part([[told, 1]])
    submitted = submit(told, 1, user=told)["job"]
    assert words.job(submitted).startswith(f"job {shown} ({shown if told else '(no user)'}, q, p)")
