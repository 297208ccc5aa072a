"""The log that ships with the package is the one that its generator writes."""

from importlib.resources import files

from allotment_conformance import workload
from allotment_conformance.workload.sample import sample_log


def test_shipped_log_is_the_generated_one() -> None:
    shipped = files(workload) / "data" / "sample.swf"
    assert shipped.read_text(encoding="utf-8") == sample_log()
