# The only door: people and CI call the same targets. Each one works first in a fresh clone.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help install verify test lint format bench-install bench mutate-model clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Rebuilt when what is to be installed has changed; the sources themselves are linked, not copied.
STAMP := $(VENV)/.installed
LINT_SAID := $(VENV)/.lint

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

install: $(STAMP) ## make the virtual environment and install everything that is pinned

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[impl,proofs,dev]'
	touch $@

verify: $(STAMP) ## check both engines of the allocator, both host orders and the kit; prove theorems
	$(BIN)/allotment verify
	$(BIN)/allotment exhaust --scope small
	for options in 'engine=iterative' 'host_order=most_free' 'engine=iterative&host_order=most_free'; do \
		$(BIN)/allotment verify "allotment_impl:Adapter?$$options" --cases 5000; \
		$(BIN)/allotment exhaust --scope small "allotment_impl:Adapter?$$options"; \
	done
	$(BIN)/allotment zoo --roll-call
	$(BIN)/allotment prove
	$(BIN)/allotment contracts

# Tests start hundreds of processes: what one has compiled is there for all, wherever this is run.
# As many workers as the cores that they are meant for: with more, times that are measured rise.
test: export PYTHONDONTWRITEBYTECODE =
# Lint runs beside them: what it says comes in one piece when it has ended, and again if it fails.
test: $(STAMP) ## lint, check types and run all tests
	@{ $(MAKE) --no-print-directory lint &>$(LINT_SAID) || failed=1; \
		cat $(LINT_SAID); exit $${failed:-0}; } & lint=$$!; \
	trap 'kill $$lint 2>/dev/null || true' EXIT; \
	$(BIN)/pytest -n 2 --dist loadgroup || failed=1; \
	wait $$lint || { cat $(LINT_SAID); failed=1; }; \
	exit $${failed:-0}

lint: $(STAMP) ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict

format: $(STAMP) ## format the sources and mend what can be mended without a person
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Some minutes of one core, so it is not part of the tests; MODULES names some modules of the model,
# of which `variants` stands for whole runs under all wrong rules.
mutate-model: $(STAMP) ## change the model place by place, see what the proofs notice: docs/mutation.md
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutation]'
	$(BIN)/python -m allotment_proofs.mutation $(MODULES)

bench-install: $(STAMP) ## install what only the benchmarks need: accasim and matplotlib
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'

# Some minutes, which is why it is not part of the tests. BENCH=--quick only shows that all runs.
BENCH ?= --docs docs
bench: bench-install ## measure allocator, rivals and kit side by side: docs/performance.md
	$(BIN)/python benchmarks --json build/performance.json $(BENCH)

clean: ## remove the virtual environment, caches and builds
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find model impl conformance proofs tests -name __pycache__ -type d -prune -exec rm -rf {} +
