"""How an adapter is named, and what is said when it cannot be had."""

import pytest

from allotment_conformance.errors import KitError
from allotment_conformance.wire.adapter import (
    AdapterNotFound,
    BadAdapterName,
    BadAdapterOption,
    load_adapter,
)
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
    assert isinstance(adapter, Recorder)
    assert ("", "a b") == adapter.options


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
