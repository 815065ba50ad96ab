# People's entry points; each target does all of its own set-up. `make help` lists them.
SHELL := bash
.DEFAULT_GOAL := help
PRESET ?= default
LANES ?= core packaging python peer real-library
PY := .venv/bin/python
CMAKE := .venv/bin/cmake

.PHONY: help setup setup-core build demo test wheel clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: ## install system packages and the locked wheels into .venv
	@scripts/setup.sh full

setup-core:
	@scripts/setup.sh core

build: setup-core ## build the delegate, stand-ins, tools and tests (PRESET=default|asan|tsan)
	@scripts/build.sh $(PRESET)

test: setup build ## run the tests (LANES="core packaging python peer real-library")
	@$(PY) -m tests.run_lanes $(LANES)

clean: ## remove what a build leaves; keeps .venv
	rm -rf build dist
