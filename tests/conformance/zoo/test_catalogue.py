"""The zoo's catalogue: who is in it, and that everybody is what it says."""

import subprocess
import sys
from collections import Counter

import pytest

from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_conformance.zoo.catalogue import MUTANTS, RULE, SAME_AS_THE_SPEC, UnknownMutant
from allotment_conformance.zoo.mutants import BENCH_MUTANTS
from allotment_model.clauses import CLAUSES
from allotment_model.variants import VARIANTS

RULES = [one for one in VARIANTS if one.name not in SAME_AS_THE_SPEC]

KINDS_IN_PUBLIC = {
    "arith-float",
    "arith-int",
    "atomicity",
    "degenerate",
    "double-release",
    "false-feasible",
    "false-infeasible",
    "key-field",
    "leak",
    "limits",
    "or-alt",
    "overalloc",
    "reason",
    "rollback",
    "select-expr",
    "shared",
    "split-elastic",
    "stale-neg-cache",
}
"""The kinds of faults that schedulers have had and that the specification has room for."""


def test_zoo_is_large_enough() -> None:
    assert len(RULES) + len(BENCH_MUTANTS) == len(MUTANTS)
    assert len(BENCH_MUTANTS) >= 50
    assert len(CALIBRATION) >= 12


def test_every_kind_of_fault_is_there() -> None:
    assert KINDS_IN_PUBLIC <= {one.kind for one in MUTANTS}
    assert len(RULES) == sum(one.kind == RULE for one in MUTANTS)


def test_names_are_unique() -> None:
    names = Counter([*(one.id for one in MUTANTS), *(one.id for one in CALIBRATION)])
    assert [] == [name for name, count in names.items() if count > 1]


def test_classes_are_named_like_their_mutants() -> None:
    for mutant in BENCH_MUTANTS:
        words = "".join(word[:1].upper() + word[1:] for word in mutant.name.split("-"))
        assert words == mutant.__name__


def test_mutants_say_what_is_wrong() -> None:
    known = {clause.id for clause in CLAUSES}
    for specimen in MUTANTS:
        assert set(specimen.clauses) <= known
        assert specimen.clauses
        assert specimen.what.endswith(".")
        assert len(specimen.what) > 10


def test_everybody_can_be_named() -> None:
    for one in MUTANTS:
        adapter = load_adapter(one.adapter)
        assert "name" in adapter.start()
        adapter.close()
    for odd in CALIBRATION:
        load_adapter(odd.adapter).close()


def test_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownMutant):
        load_adapter("allotment_conformance.zoo.served:Mutant?name=unicorn")
    with pytest.raises(UnknownMutant):
        load_adapter("allotment_conformance.zoo.served:Odd?name=unicorn")


def test_zoo_does_not_know_the_built_in_allocator() -> None:
    code = "import sys, allotment_conformance.zoo.served; print('allotment_impl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "False" == done.stdout.strip()
