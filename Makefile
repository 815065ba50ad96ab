# People's entry points; each target does all of its own set-up. `make help` lists them.
SHELL := bash
.DEFAULT_GOAL := help
PRESET ?= default
LANES ?= core packaging python peer real-library
SECONDS ?= 60
JOBS ?= 1
PY := .venv/bin/python
# The core lane needs no PyTorch, so on its own it is spared the large wheels.
TEST_PROFILE := $(if $(filter-out core,$(LANES)),full,core)

.PHONY: help setup setup-core setup-test build demo test wheel lint check-artifacts bench mutations mutants fuzz clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## install system packages and every locked wheel into .venv
	@scripts/setup.sh full

setup-core:
	@scripts/setup.sh core

setup-test:
	@scripts/setup.sh $(TEST_PROFILE)

build: setup-core ## build the delegate, stand-ins, tools and tests (PRESET=default|asan|tsan)
	@scripts/build.sh $(PRESET)

# The large wheels arrive while the compiler works; what only tests need is not built.
demo: setup-core ## run the sample programs from C++, Python and the predecessor, and compare
	@scripts/setup.sh full & setup=$$!; scripts/build.sh default demo && wait $$setup
	@$(MAKE) --no-print-directory wheel
	@$(PY) scripts/demo.py

test: setup-test build ## run the tests (LANES="core packaging python peer real-library")
	@$(PY) -m tests.run_lanes $(LANES)

wheel: setup ## build the wheels into dist/
	@scripts/wheel.sh

lint: setup build ## run ruff, mypy, shellcheck, clang-format and clang-tidy
	@scripts/lint.sh

check-artifacts: setup ## run every packaging guard on dist/ and on the documented build recipe
	@PYTHONPATH=packaging $(PY) -m packaging_checks $(or $(FILES),$(wildcard dist/*.whl) docs/packaging.md)

bench: setup build wheel ## measure beside the predecessor and the limit; writes build/bench.json
	@$(PY) -m benchmarks.run

mutations: setup ## apply every recorded mutation and print the survivors (NAMES="..." JOBS=1)
	@$(PY) -m tests.mutations.run --jobs $(JOBS) $(NAMES)

mutants: setup ## mutate the readers in every small way and print the survivors (FILES="blob --again")
	@scripts/build.sh default unit_tests && scripts/build.sh asan unit_tests fuzzers
	@$(PY) -m tests.mutants.run $(FILES)

fuzz: setup-core ## fuzz the readers under sanitizers (SECONDS=60 in all, TARGETS="blob inspect")
	@scripts/fuzz.sh $(SECONDS) $(TARGETS)

clean: ## remove what a build leaves; keeps .venv
	rm -rf build dist
