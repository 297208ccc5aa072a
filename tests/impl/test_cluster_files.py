"""Cluster files: read exactly, refused with file, line and remedy."""

import json
import re
import tempfile
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment_impl import (
    AttributeType,
    Cluster,
    Host,
    Limit,
    LimitKind,
    LimitScope,
    Resources,
    Scheduler,
)
from allotment_impl.cluster_files import ClusterFileError, cluster_schema, load_cluster
from house.sources import ROOT

TOML = """\
# Two kinds of hosts.
[resources]
host = ["mem", "tmp"]
shared = ["lic"]
attributes = { os = "text", speed = "number" }

[pools]
lic = 2.5

[[hosts]]
name = "node{:03}"
count = 3
first = 9
capacity = { slots = 4, mem = 0.3, tmp = 1_000 }
attributes = { os = "linux", speed = -1.25 }

[[hosts]]
name = "big"
open = false
[hosts.capacity]
slots = 64

[[limits]]
kind = "user"
name = "ada"
scope = "host"
resource = "slots"
cap = 2

[[limits]]
kind = "queue"
each = true
scope = "cluster"
resource = "lic"
cap = 1.5
"""

NODE: dict[str, Any] = {
    "capacity": {"slots": 4, "mem": 300, "tmp": 1_000_000},
    "attributes": {"os": "linux", "speed": -1250},
}
CLUSTER = Cluster(
    resources=Resources(
        host=("mem", "tmp"),
        shared=("lic",),
        attributes={"os": AttributeType.TEXT, "speed": AttributeType.NUMBER},
    ),
    pools={"lic": 2500},
    hosts=(
        Host(name="node009", **NODE),
        Host(name="node010", **NODE),
        Host(name="node011", **NODE),
        Host(name="big", capacity={"slots": 64}, open=False),
    ),
    limits=(
        Limit(kind=LimitKind.USER, name="ada", scope=LimitScope.HOST, resource="slots", cap=2),
        Limit(kind=LimitKind.QUEUE, each=True, scope=LimitScope.CLUSTER, resource="lic", cap=1500),
    ),
)


def load(folder: Path, content: str | bytes, name: str = "cluster.toml") -> Cluster:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_cluster(path)


def fault(folder: Path, content: str | bytes, name: str = "cluster.toml") -> ClusterFileError:
    with pytest.raises(ClusterFileError) as caught:
        load(folder, content, name)
    assert str(folder / name) == caught.value.file
    assert str(caught.value).startswith(caught.value.file)
    assert caught.value.remedy
    return caught.value


def as_json(toml: str) -> str:
    content = tomllib.loads(toml, parse_float=lambda text: f"<{text}>")
    return json.dumps(content, indent=1).replace('"<', "").replace('>"', "")


def test_toml_and_json_describe_the_same(tmp_path: Path) -> None:
    assert CLUSTER == load(tmp_path, TOML)
    assert CLUSTER == load(tmp_path, as_json(TOML), "cluster.json")
    assert CLUSTER == load(tmp_path, TOML.replace("\n", "\r\n"))
    Scheduler(CLUSTER)


def test_least_file(tmp_path: Path) -> None:
    assert Cluster(hosts=()) == load(tmp_path, "hosts = []\n")


def replaced(old: str, new: str) -> str:
    assert TOML.count(old) == 1
    return TOML.replace(old, new)


FAULTS = {
    "unknown key of a host": (replaced("first = 9", "frist = 9"), "no key 'frist' in hosts[0]"),
    "unknown key of a limit": (replaced('name = "ada"', 'user = "ada"'), "'user' in limits[0]"),
    "unknown key above": ("colour = 1\n" + TOML, "no key 'colour' in the file"),
    "missing key": (replaced('name = "big"\n', ""), "missing required field `name`"),
    "duplicate host": (replaced('"big"', '"node010"'), "'node010' is in hosts[0] and in hosts[1]"),
    "negative count": (replaced("count = 3", "count = -3"), "hosts[0].count: expected `int` >= 1"),
    "no count": (replaced("count = 3", "count = 0"), "hosts[0].count: expected `int` >= 1"),
    "fractional count": (replaced("count = 3", "count = 2.5"), "hosts[0].count: expected `int"),
    "huge count": (replaced("count = 3", "count = 9999999999"), "hosts[0].count: expected `int`"),
    "fractional slots": (replaced("slots = 4", "slots = 4.5"), "capacity.slots is not whole"),
    "negative slots": (replaced("slots = 4", "slots = -4"), "capacity.slots is negative"),
    "negative amount": (replaced("mem = 0.3", "mem = -0.3"), "capacity.mem is negative"),
    "four digits": (replaced("mem = 0.3", "mem = 0.3001"), "mem has 4 digits behind the point"),
    "large amount": (replaced("mem = 0.3", "mem = 9007199254740.992"), "mem is too large"),
    "huge exponent": (replaced("mem = 0.3", "mem = 1e999999999"), "mem is too large"),
    "tiny exponent": (replaced("mem = 0.3", "mem = 1e-999999999"), "999999999 digits"),
    "endless exponent": (replaced("mem = 0.3", f"mem = 1e{'9' * 30}"), "which no computer can"),
    "tiny slots": (replaced("slots = 4", f"slots = 1e-{'9' * 30}"), "which no computer can hold"),
    "endless zero": (replaced("mem = 0.3", f"mem = 0e{'9' * 30}"), "which no computer can hold"),
    "endless attribute": (replaced("-1.25", f"-1e-{'9' * 30}"), "which no computer can hold"),
    "endless count": (
        replaced("count = 3", f"count = 1e{'9' * 30}"),
        "count: expected `int | null`",
    ),
    "slots of a small exponent": (replaced("slots = 4", "slots = 1e-999"), "slots is not whole"),
    "too many slots": (replaced("slots = 4", "slots = 9007199254740992"), "slots is too large"),
    "name with a NUL": (replaced('"big"', '"b\\u0000g"'), "hosts[1].name holds a control"),
    "text with a line end": (replaced('"linux"', '"a\\nb"'), "attributes.os holds a control"),
    "key with a NUL": (TOML + '"a\\u0000b" = 1\n', "holds a control"),
    "infinite amount": (replaced("mem = 0.3", "mem = inf"), "mem is Infinity"),
    "amount as a text": (replaced("mem = 0.3", 'mem = "0.3"'), "mem is no number"),
    "amount as truth": (replaced("mem = 0.3", "mem = true"), "mem is no number"),
    "unknown amount": (replaced("mem = 0.3", "men = 0.3"), "'men' is no host amount"),
    "shared amount of a host": (replaced("mem = 0.3", "lic = 1"), "'lic' is no host amount"),
    "unknown attribute": (replaced('os = "linux"', 'is = "linux"'), "'is' is no attribute"),
    "number for a text": (replaced('os = "linux"', "os = 1"), "'os' is declared as a text"),
    "text for a number": (replaced("speed = -1.25", 'speed = "1"'), "speed is no number"),
    "large attribute": (replaced("-1.25", "-9007199254740.992"), "speed is too large"),
    "unknown pool": (replaced("lic = 2.5", "lice = 2.5"), "'lice' is no shared amount"),
    "resource twice": (replaced('"tmp"]', '"lic"]'), "resource 'lic' is declared twice"),
    "slots declared": (replaced('"tmp"]', '"slots"]'), "resource 'slots' is declared twice"),
    "unknown type": (replaced('"number" }', '"bool" }'), "invalid enum value 'bool'"),
    "name without number": (replaced("node{:03}", "node"), "does not number 3 hosts"),
    "two numbers": (replaced("node{:03}", "{}{}"), "does not number 3 hosts"),
    "number without count": (replaced('"big"', '"big{}"'), "'big{}' is no name of one host"),
    "first without count": (replaced("count = 3\n", ""), "is no name of one host"),
    "empty name": (replaced('"big"', '""'), "'' is no name of one host"),
    "limit on nobody": (replaced('name = "ada"', 'name = ""'), "limits[0] does not say whom"),
    "limit on all and one": (replaced('name = "ada"', 'name="ada"\neach=true'), "not say whom"),
    "limit on nothing": (replaced('"slots"\n', '"slot"\n'), "'slot' is no amount"),
    "limit of a host on a pool": (replaced('"cluster"', '"host"'), "which no host has"),
    "negative cap": (replaced("cap = 1.5", "cap = -1.5"), "limits[1].cap is negative"),
    "fractional cap": (replaced("cap = 2", "cap = 2.5"), "limits[0].cap is not whole"),
}

LINES = {
    "unknown key of a host": 13,
    "unknown key above": 1,
    "missing key": 17,
    "duplicate host": 18,
    "negative count": 12,
    "four digits": 14,
    "endless exponent": 14,
    "tiny slots": 14,
    "name with a NUL": 18,
    "unknown attribute": 15,
    "unknown pool": 8,
    "resource twice": 2,
    "limit on nothing": 27,
    "limit of a host on a pool": 33,
    "negative cap": 35,
}
"""The line that a fault is told with in TOML."""


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    content, problem = FAULTS[name]
    found = fault(tmp_path, content)
    assert problem in str(found)
    assert found.line is not None
    assert found.line == LINES.get(name, found.line)


@pytest.mark.parametrize("name", [name for name in FAULTS if "infinite" not in name])
def test_fault_is_told_with_its_line_in_json(name: str, tmp_path: Path) -> None:
    content, problem = FAULTS[name]
    found = fault(tmp_path, as_json(content), "cluster.json")
    assert problem in str(found)
    assert found.line is not None


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"hosts": [\n{"name": "a", "capacity": {}},\n{"name": "a", "capacity": {}}]}', 3),
        ('{"hosts": [\n{"name": "a", "capacity":\n{"slots": 1,\n"mem": 2}}]}', 4),
        ('{"hosts": [],\n"pools":\n{"lic": 1}}', 3),
        ('{"hosts": [],\n"limits": [{"kind": "user",\n"colour": 1}]}', 3),
        ('{"hosts": [{"attributes": {}, "name": "{\\"",\n"capacity": {},\n"count": 0}]}', 3),
        ('{\n"hosts": [[], {}]}', 2),
    ],
)
def test_line_in_json(content: str, line: int, tmp_path: Path) -> None:
    assert line == fault(tmp_path, content, "cluster.json").line


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("", None, "is empty"),
        (" \n\t\n", None, "is empty"),
        (b"\xef\xbb\xbfhosts = []", 1, "begins with a byte-order mark"),
        (b"hosts = []\n# \xff", 2, "is not UTF-8"),
        ("hosts = []\r\n# a\n# b", 2, "mixes line ends"),
        ("hosts = []\n# a\r\n# b", 2, "mixes line ends"),
        ("hosts = []\r# a", 1, "ends lines with CR alone"),
        ("hosts = []\nhosts = []", 2, "is no TOML"),
        ("hosts = [\n", 1, "is no TOML"),
        ("hosts = " + "[" * 5000, None, "is no TOML"),
        ("hosts = " + "9" * 5000, None, "a number is too long"),
        ("#" * (16 * 1024 * 1024 + 1), None, "is larger than 16 MiB"),
    ],
)
def test_half_a_text_is_refused(
    content: str | bytes, line: int | None, problem: str, tmp_path: Path
) -> None:
    found = fault(tmp_path, content)
    assert problem in found.problem or "nested too deep" in found.problem
    assert line in (None, found.line)


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ('{"hosts": [],}', 1, "is no JSON"),
        ('{"hosts":\n\n', 3, "is no JSON"),
        ('{"hosts": [], "hosts": []}', 1, "the key 'hosts' twice"),
        ('{"a": {"b": 1},\n"c": [{"d:": "b", "b": 1,\n"\\u0062": 2}]}', 3, "the key 'b' twice"),
        ('{"b": {\n"b": [{"b": 1}, {"b": 2}]},\n"b": 3}', 3, "the key 'b' twice"),
        ('{"pools": {"NaN": 1,\n"a": NaN}}', 2, "holds NaN"),
        ("[\n-Infinity]", 2, "holds -Infinity"),
        ("[" * 100_000, None, "nested too deep"),
        ("[" * 900 + "]" * 900, None, "expected `object`"),
        ("9" * 5000, None, "a number is too long"),
        ('{"hosts":\n[{"name": "\\ud800"}]}', 2, "half of one: '\\ud800'"),
        ("[]", None, "the file: expected `object`, got `array`"),
        ("{}", None, "missing required field `hosts`"),
    ],
)
def test_faulty_json_is_refused(
    content: str, line: int | None, problem: str, tmp_path: Path
) -> None:
    found = fault(tmp_path, content, "cluster.json")
    assert (line, True) == (found.line, problem in found.problem)


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ClusterFileError, match="cannot be read: No such file") as caught:
        load_cluster(tmp_path / "none.toml")
    assert caught.value.line is None


def test_unknown_ending(tmp_path: Path) -> None:
    assert "'.yaml' is not known" in fault(tmp_path, "hosts: []", "cluster.yaml").problem


def test_hosts_are_bounded_over_all_groups(tmp_path: Path) -> None:
    group = '[[hosts]]\nname = "%s{}"\ncount = 1048576\ncapacity = {}\n'
    found = fault(tmp_path, group % "a" + '[[hosts]]\nname = "b{}"\ncount = 1\ncapacity = {}')
    assert (6, "there are more than 1048576 hosts") == (found.line, found.problem)


@settings(deadline=None)
@given(st.integers(0, 2**53 - 1))
def test_amounts_are_read_exactly(thousandths: int) -> None:
    written = Decimal(thousandths).scaleb(-3)
    content = f'resources = {{ host = ["mem"] }}\n[[hosts]]\nname = "a"\ncapacity.mem = {written:f}'
    with tempfile.TemporaryDirectory() as folder:
        assert {"mem": thousandths} == load(Path(folder), content).hosts[0].capacity


def test_schema_names_every_key() -> None:
    schema = cluster_schema()
    assert {"ClusterFile", "HostGroup", "LimitEntry", "Resources"} <= set(schema["$defs"])
    group = schema["$defs"]["HostGroup"]
    assert {"name", "count", "first", "capacity", "attributes", "open"} == set(group["properties"])
    assert ["name", "capacity"] == group["required"]
    assert group["additionalProperties"] is False
    json.dumps(schema)


def test_example_of_the_documentation(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "cluster-files.md").read_text(encoding="utf-8")
    [example] = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    cluster = load(tmp_path, example)
    assert (501, "node0001", "node0500") == (
        len(cluster.hosts),
        cluster.hosts[0].name,
        cluster.hosts[499].name,
    )
    assert {"slots": 64, "mem": 257_000_000, "scratch": 500} == cluster.hosts[0].capacity
    assert [2048, 128_000_500] == [limit.cap for limit in cluster.limits]
    Scheduler(cluster)


def test_remedy_for_too_many_slots_is_whole(tmp_path: Path) -> None:
    too_many = fault(tmp_path, '[[hosts]]\nname = "a"\ncapacity.slots = 9007199254740992')
    assert "write at most 9007199254740991" == too_many.remedy
    most = load(tmp_path, '[[hosts]]\nname = "a"\ncapacity.slots = 9007199254740991.0')
    assert {"slots": 2**53 - 1} == most.hosts[0].capacity
