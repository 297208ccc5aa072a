"""Run this counterexample again: python replay.py [-- COMMAND ...]

Needs Python and nothing else. Starts the allocator, speaks the protocol of the kit with it, and
compares its answers with those that the specification permits. Prints FIXED (exit status 0), FAILED
(1), or ERROR (2): no usable answers, or several right ones between which only the kit can judge.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SECONDS = 60.0
KNOWN_OF_ANSWER = ("answer", "code", "jobs", "books")
KNOWN_OF_JOB = ("job", "answer", "alternative", "parts", "reason", "never", "cached", "events")
OF_A_PLAN = ("offered", "refused", "claimed")
UTF8 = "utf-8"


class NoAnswers(Exception):
    """The program gave no usable answers."""


def main(words: Sequence[str]) -> int:
    """Replay the case beside this file with this command, or with the one that failed."""
    folder = Path(__file__).resolve().parent
    case, told, profile = (
        json.loads((folder / name).read_text(UTF8))
        for name in ("case.json", "answers.json", "profile.json")
    )
    command = list(words[1:] if words[:1] == ["--"] else words)
    command = command or json.loads((folder / "versions.json").read_text(UTF8))["command"]
    if not command:
        print("ERROR: name the program: python replay.py -- COMMAND ...")
        return 2
    if told["permitted"] is None:
        print("ERROR: several answers are right here, and only the kit can judge: allotment replay")
        return 2
    try:
        answers = ask(command, case)
        given = normal(answers, case, profile)
        right = any(given == normal(one, case, profile) for one in told["permitted"])
    except (NoAnswers, OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
        print(f"ERROR: {type(wrong).__name__}: {str(wrong)!a}")
        return 2
    print("FIXED" if right else "FAILED")
    return 0 if right else 1


def ask(command: list[str], case: dict[str, Any]) -> list[Any]:
    """What a program answers to the case."""
    requests: list[dict[str, Any]] = [
        {"cmd": "start", "version": 1},
        {"cmd": "run", "id": "1", "case": case},
        {"cmd": "stop"},
    ]
    sent = "".join(json.dumps(one) + "\n" for one in requests).encode()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as program:  # type: ignore[call-overload]
        clock = threading.Timer(SECONDS, program.kill)
        clock.start()
        try:
            output, _ = program.communicate(sent)
        finally:
            clock.cancel()
    lines = [json.loads(line) for line in output.splitlines()]
    if len(lines) < 2 or "answers" not in lines[1]:
        raise NoAnswers(f"{lines[1:]}, and ended with status {program.returncode}")
    answers: list[Any] = lines[1]["answers"]
    if len(answers) != len(case["events"]):
        raise NoAnswers(f"{len(answers)} answers to {len(case['events'])} events")
    return answers


def normal(answers: list[Any], case: dict[str, Any], profile: dict[str, Any]) -> list[Any]:
    """The answers without what the specification and the profile leave open."""
    hosts, coming, told = len(case["cluster"]["hosts"]), 0, []
    for answer, event in zip(answers, case["events"], strict=True):
        if event["event"] == "begin_session":
            hosts, coming = hosts + coming, 0
        coming += event["event"] == "host_add"
        told.append(normal_answer(answer, case, profile, hosts))
    return told


def normal_answer(
    given: dict[str, Any], case: dict[str, Any], profile: dict[str, Any], hosts: int
) -> dict[str, Any]:
    """One answer: known fields, reports that were asked for, lists without order sorted."""
    report = case.get("report", [])
    answer = {name: given[name] for name in KNOWN_OF_ANSWER if name in given}
    if "books" not in report or "books" not in profile["features"]:
        answer.pop("books", None)
    elif "books" in answer:
        limits = sorted(answer["books"]["limits"], key=lambda use: json.dumps(use, sort_keys=True))
        answer["books"] = {**answer["books"], "limits": limits}
    if "jobs" in answer:
        answer["jobs"] = [normal_job(one, report, profile, hosts) for one in answer["jobs"]]
    return answer


def normal_job(
    given: dict[str, Any], report: list[str], profile: dict[str, Any], hosts: int
) -> dict[str, Any]:
    """What one job was answered."""
    job = {name: given[name] for name in KNOWN_OF_JOB if name in given}
    for name in ("reason", "never", "cached"):
        if name not in profile["declares"]:
            job.pop(name, None)
    events = job.pop("events", [])
    if "events" in report:
        job["events"] = normal_events(events, hosts, "reason" in profile["declares"])
    return job


def normal_events(notes: list[list[Any]], hosts: int, has_reasons: bool) -> list[list[Any]]:
    """Neighbouring reversals sorted; plans of more buckets than there are hosts left out."""
    told: list[list[Any]] = []
    reversals: list[list[Any]] = []
    wide: list[list[Any]] | None = None
    for note in notes:
        if note[0] == "plan":
            wide = [] if len(note[1]) > hosts else None
        elif note[0] not in (*OF_A_PLAN, "reversed"):
            wide = None
        if wide is not None:
            if note[0] == "claimed":
                wide.append(note[1:])
            if note[0] != "reversed":
                continue
            if note[1:] in wide:
                wide.remove(note[1:])
                continue
        if note[0] == "reversed":
            reversals.append(note)
            continue
        told += sorted(reversals)
        reversals = []
        told.append(note if has_reasons or note[0] not in ("hit", "filled") else note[:1])
    return told + sorted(reversals)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
