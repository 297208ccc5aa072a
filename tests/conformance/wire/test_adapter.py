"""How an adapter is named, and what is said when it cannot be had."""

import sys
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.errors import KitError
from allotment_conformance.wire.adapter import (
    AdapterNotFound,
    BadAdapterName,
    BadAdapterOption,
    load_adapter,
)
from allotment_conformance.wire.guarded import AdapterLeft, AdapterNotStarted, Guarded
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter


class Recorder(ModelAdapter):
    """An adapter that remembers its options."""

    def __init__(self, first: str = "", second: str = "") -> None:
        super().__init__()
        self.options = (first, second)


def test_model_is_loaded_by_name() -> None:
    adapter = load_adapter("allotment_conformance.wire.model_adapter:ModelAdapter")
    assert "allotment-model" == adapter.start()["name"]


def test_options_are_keyword_texts() -> None:
    adapter = load_adapter(f"{__name__}:Recorder?second=a%20b&first=")
    assert isinstance(adapter, Guarded)
    assert isinstance(adapter.adapter, Recorder)
    assert ("", "a b") == adapter.adapter.options


class Leaver(ModelAdapter):
    """An adapter that ends the process, or what it is asked to spoil."""

    def run(self, case: Json) -> list[Json]:
        sys.exit(0)

    def close(self) -> None:
        raise RuntimeError("no close")


class Unstartable(ModelAdapter):
    """An adapter that cannot start."""

    def start(self) -> Json:
        raise RuntimeError("no start")


def test_leaving_is_a_crash_of_the_adapter() -> None:
    adapter = load_adapter(f"{__name__}:Leaver")
    with pytest.raises(AdapterLeft, match=r"SystemExit\(0\)"):
        adapter.run({"events": []})


def test_trouble_at_close_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    load_adapter(f"{__name__}:Leaver").close()
    assert "no close" in capsys.readouterr().err


def test_adapter_that_cannot_start_is_refused() -> None:
    with pytest.raises(AdapterNotStarted, match="no start"):
        load_adapter(f"{__name__}:Unstartable").start()


def test_leaving_adapter_never_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert 1 == main(["verify", f"{__name__}:Leaver", "--cases", "5", "--processes", "0"])


def test_module_that_is_needed_is_told_apart_from_the_one_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needy_adapter.py").write_text("import needy\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AdapterNotFound, match="the module 'needy_adapter' needs 'needy'"):
        load_adapter("needy_adapter:Adapter")


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("json", BadAdapterName),
        ("json:", BadAdapterName),
        (":Adapter", BadAdapterName),
        ("js on:Adapter", BadAdapterName),
        ("json:Adapter?option", BadAdapterName),
        ("json:Adapter?a=1&a=2", BadAdapterName),
        ("no_such_package.adapter:Adapter", AdapterNotFound),
        ("json.no_such_module:Adapter", AdapterNotFound),
        ("json:Adapter", AdapterNotFound),
        (f"{__name__}:Recorder?third=1", BadAdapterOption),
    ],
)
def test_unusable_name_is_refused(name: str, refusal: type[KitError]) -> None:
    with pytest.raises(refusal):
        load_adapter(name)
