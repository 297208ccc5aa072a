"""Run this counterexample again: python replay.py [-- COMMAND ...]

Needs Python and nothing else. Starts the allocator, speaks the protocol of the kit with it, and
compares its answers with those that the specification permits. Prints FIXED (exit status 0); FAILED
(1): wrong, or no usable answers; ERROR (2): it does not start, declares a profile under which these
answers are not to be judged, or several are right between which only the kit can judge; or UNSURE
(3): right, of a failure that did not come again when the case was asked a second time.
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
CHOICES = ("host_order", "split", "cache", "rusage_default")
OF_A_PLAN = ("offered", "refused", "claimed")
UTF8 = "utf-8"
OF_RELATIVE_NAMES = (
    "relative names in a command are looked for in the folder in which this script is started"
)


class NotStarted(Exception):
    """The program does not say who it is."""


class NoAnswers(Exception):
    """The program gave no usable answers."""


class OtherProfile(Exception):
    """The program declares another profile than the one that failed."""


def main(words: Sequence[str]) -> int:
    """Replay the case beside this file with this command, or with the one that failed."""
    folder = Path(__file__).resolve().parent
    case, told, profile = (
        json.loads((folder / name).read_text(UTF8))
        for name in ("case.json", "answers.json", "profile.json")
    )
    sent = json.loads((folder / "sent.json").read_text(UTF8))
    command = list(words[1:] if words[:1] == ["--"] else words)
    command = command or json.loads((folder / "versions.json").read_text(UTF8))["command"]
    if not command:
        print("ERROR: name the program: python replay.py -- COMMAND ...")
        return 2
    if told["permitted"] is None:
        print("ERROR: several answers are right here, and only the kit can judge: allotment replay")
        return 2
    try:
        declared, answers = ask(command, sent, told["needs"], profile)
        both = set(declared["declares"]) & set(profile["declares"])
        profile = {**profile, "declares": sorted(both)}
        given = normal(answers, case, profile)
        right = any(given == normal(one, case, profile) for one in told["permitted"])
    except (NotStarted, OtherProfile) as other:
        print(f"ERROR: {other}")
        return 2
    except NoAnswers as none:
        print(f"FAILED: no usable answers: {str(none)!a}")
        return 1
    except OSError as wrong:
        print(f"ERROR: {command[0]!a} does not start: {wrong.strerror}; {OF_RELATIVE_NAMES}")
        return 2
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        print(f"FAILED: what came is no message of the protocol: {str(wrong)!a}")
        return 1
    if right and not told["reproduced"]:
        print("UNSURE: right now, as it was when the case was asked again at once")
        return 3
    print("FIXED" if right else "FAILED")
    return 0 if right else 1


def ask(
    command: list[str],
    cases: dict[str, list[Any]],
    needs: dict[str, Any],
    profile: dict[str, Any],
) -> tuple[dict[str, Any], list[Any]]:
    """What a program declares, and what it answers to the parts of the case, behind the others."""
    before, parts = cases["before"], cases["case"]
    requests: list[dict[str, Any]] = [
        {"cmd": "start", "version": 1},
        *({"cmd": "run", "id": str(n), "case": case} for n, case in enumerate([*before, *parts])),
        {"cmd": "stop"},
    ]
    lines, status = conversation(command, requests)
    if not lines:
        told = f"it ended with status {status} and said nothing; {OF_RELATIVE_NAMES}"
        raise NotStarted(f"it does not start: {told!a}")
    declared = profile_in(lines[0])
    refuse_other(declared, needs, profile)
    rest = [*map(json.loads, lines[1:])]
    replies = {reply["id"]: reply for reply in rest}
    answers: list[Any] = []
    for number, part in enumerate(parts, start=len(before)):
        reply = replies.get(str(number), {})
        if "answers" not in reply:
            raise NoAnswers(f"{reply or rest[-1:]}, and ended with status {status}")
        if len(reply["answers"]) != len(part["events"]):
            raise NoAnswers(f"{len(reply['answers'])} answers to {len(part['events'])} events")
        answers += reply["answers"]
    return declared, answers


def profile_in(line: bytes) -> dict[str, Any]:
    """What the program declares in the first line that it says."""
    try:
        profile: dict[str, Any] = json.loads(line)["profile"]
        both = ("features", "declares", "largest", *CHOICES)
        if all(name in profile for name in both):
            return profile
    except (ValueError, KeyError, TypeError):
        pass
    raise NotStarted(f"it does not start: it answers with {line.decode(UTF8, 'replace')!a}")


def conversation(command: list[str], requests: list[dict[str, Any]]) -> tuple[list[bytes], int]:
    """What a program says, line by line, and its exit status."""
    sent = "".join(json.dumps(one) + "\n" for one in requests).encode()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as program:  # type: ignore[call-overload]
        clock = threading.Timer(SECONDS, program.kill)
        clock.start()
        try:
            output, _ = program.communicate(sent)
        finally:
            clock.cancel()
    return output.splitlines(), program.returncode


def refuse_other(declared: dict[str, Any], needs: dict[str, Any], profile: dict[str, Any]) -> None:
    """Raise if the case cannot be asked, or is answered otherwise, under what is declared now."""
    missing = [name for name in needs["features"] if name not in declared["features"]]
    if missing:
        raise OtherProfile(f"the allocator does not declare {', '.join(missing)}")
    if any(declared["largest"][name] < least for name, least in needs["largest"].items()):
        raise OtherProfile("the case is larger than the allocator takes")
    for axis in CHOICES:
        if declared[axis] != profile[axis]:
            told = f"{axis} is {declared[axis]!a} now, and was {profile[axis]!a} when it failed"
            raise OtherProfile(f"{told}; the kit can judge it: allotment replay")


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
