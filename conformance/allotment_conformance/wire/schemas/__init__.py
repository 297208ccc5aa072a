"""One JSON Schema for each message of docs/protocol.md, generated from the types of the messages.

The generated files lie beside this module; a test compares them. What a program sends may hold
fields that the kit does not know, what the kit sends may not.
"""

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from allotment_conformance.errors import KitError
from allotment_conformance.wire import envelope, messages
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.parts import BEGINS

SENT_BY_KIT: Mapping[str, type] = {
    "start": envelope.Start,
    "run": envelope.Run,
    "stop": envelope.Stop,
    "case": messages.Case,
}
SENT_BY_PROGRAM: Mapping[str, type] = {
    "started": envelope.Started,
    "unsupported": envelope.Unsupported,
    "answered": envelope.Answered,
    "not-treated": envelope.NotTreated,
    "profile": messages.Profile,
}

ONE_FORM = {
    "oneOf": [{"required": [form]} for form in ("number", "text", "attribute", "defined", "op")],
    "dependentRequired": {"op": ["args"], "args": ["op"]},
    "if": {"properties": {"op": {"enum": ["!", "neg"]}}, "required": ["op"]},
    "then": {"properties": {"args": {"minItems": 1, "maxItems": 1}}},
    "else": {"properties": {"args": {"minItems": 2, "maxItems": 2}}},
}
WHO = {
    "oneOf": [{"required": ["name"]}, {"required": ["each"]}],
    "properties": {"each": {"const": True}},
}
BEYOND_TYPES: Mapping[str, Json] = {
    "Expression": ONE_FORM,
    "Limit": WHO,
    "LimitName": WHO,
    "LimitUse": WHO,
    "RunSession": {"properties": {"cancel_at": {"minimum": 0}}},
}
"""What the types check by code, said in the language of schemas."""

AS_TEXT = {"type": "string", "description": "With feature `text`: docs/resreq.md."}


class CannotWriteSchemas(KitError):
    """The folder for the schemas cannot be written to."""

    code = "cannot-write-schemas"


def schemas() -> dict[str, Json]:
    """The schemas, by the name of their message."""
    kit = {name: _schema(name, shape) for name, shape in SENT_BY_KIT.items()}
    program = {name: _opened(_schema(name, shape)) for name, shape in SENT_BY_PROGRAM.items()}
    return kit | program


def texts() -> dict[str, str]:
    """The same as the texts of files, by file name."""
    return {
        f"{name}.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        for name, schema in schemas().items()
    }


def packaged_texts() -> dict[str, str]:
    """The files that lie beside this module."""
    kept = (file for file in files(__name__).iterdir() if file.name.endswith(".json"))
    return {file.name: file.read_text(encoding="utf-8") for file in kept}


def write(folder: Path) -> None:
    """Write one file a message into a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts().items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise CannotWriteSchemas(
            f"{folder} cannot be written to: {wrong.strerror}",
            remedy="Name a folder that you may write to.",
        ) from wrong


def _schema(name: str, shape: type) -> Json:
    """The schema of one type, with what its code checks besides."""
    made = msgspec.json.schema(shape)
    for inner, more in BEYOND_TYPES.items():
        if inner in made["$defs"]:
            made["$defs"][inner] = _merged(made["$defs"][inner], more)
    if "Job" in made["$defs"]:
        fields = made["$defs"]["Job"]["properties"]
        fields["request"] = {"anyOf": [fields["request"], AS_TEXT]}
        del fields["text"]  # The kit's own note that the request is sent as a text.
    for inner in made["$defs"].values():
        inner.get("properties", {}).pop(BEGINS, None)  # The kit's own note, too.
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name, **made}


def _merged(schema: Json, more: Json) -> Json:
    """One schema that asks for both; properties are merged one by one."""
    properties = {
        field: {**told, **more.get("properties", {}).get(field, {})}
        for field, told in schema["properties"].items()
    }
    return {**schema, **more, "properties": properties}


def _opened(schema: Any) -> Any:
    """The same, with fields allowed that are not named."""
    if isinstance(schema, dict):
        closed = schema.get("additionalProperties") is False
        return {
            field: _opened(item)
            for field, item in schema.items()
            if not (closed and field == "additionalProperties")
        }
    return [_opened(item) for item in schema] if isinstance(schema, list) else schema
