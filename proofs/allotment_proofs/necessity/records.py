"""Witnesses as case files."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from allotment_model.answers import Answer
from allotment_proofs.necessity.errata import Erratum
from allotment_proofs.necessity.notation import Json, answer_json, cluster_json, event_json
from allotment_proofs.necessity.witnesses import Answers, Witness


def witness_json(witness: Witness) -> Json:
    """A case with the answers of the specification, and beside it those of the variant."""
    return {
        "name": witness.variant,
        "breaks": list(witness.breaks),
        "found": f"smallest of the slice '{witness.found_in}', after {witness.tried} that agree"
        + ("; its amounts are the least, by Z3" if witness.is_least else ""),
        **_case(witness, witness.expected),
        "instead": _answers(witness.actual),
    }


def erratum_json(erratum: Erratum) -> Json:
    """A case with the answers of the specification."""
    case = _case(erratum, erratum.answers)
    return {"name": erratum.name, "found": f"smallest of its requests: {erratum.told}", **case}


def _case(found: Witness | Erratum, answers: Answers) -> Json:
    return {
        "cluster": cluster_json(found.cluster),
        "events": [event_json(event) for event in found.events],
        "answers": _answers(answers),
    }


def _answers(answers: Answers) -> Json:
    return [_answer(one) for one in answers]


def _answer(answer: Answer | str) -> Json:
    return {"answer": "crash", "error": answer} if isinstance(answer, str) else answer_json(answer)


def keep(records: Iterable[Json], folder: Path) -> None:
    """Write one file a witness."""
    folder.mkdir(parents=True, exist_ok=True)
    for record in records:
        slug = re.sub(r"[^a-z0-9]+", "-", record["name"].lower()).strip("-")
        text = json.dumps(record, indent=1, ensure_ascii=False)
        (folder / f"{slug}.json").write_text(f"{text}\n", encoding="utf-8")
