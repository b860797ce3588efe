# The README's two commands are `make demo` and `make test`.
# Everything else: `make check` (lint, types, import rules, tests), `make lock`, `make clean`.
PYTHON ?= python3
BIN := .venv/bin
SHELL := /bin/bash

.PHONY: demo test check lint types imports lock clean

.venv/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv || { echo "hint: on Debian and Ubuntu, apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

demo: .venv/installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash tools/demo.sh

test: .venv/installed
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: lint types imports test

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed
	$(BIN)/mypy

imports: .venv/installed
	$(BIN)/lint-imports

# Versions only: the file names no registry, so it works with whichever one pip is set up for.
lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --editable '.[dev,eval]'
	(echo '# Versions of everything, for the environment that `make` builds. Written by `make lock`.'; .venv-lock/bin/python -m pip freeze --exclude-editable) > requirements.txt
	rm -rf .venv-lock

clean:
	rm -rf .venv .rag .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
