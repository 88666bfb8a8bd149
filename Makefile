# Every target sets up what it needs; `make setup` alone only makes .venv (with .venv/bin/reflow).
SHELL := /bin/bash
.DEFAULT_GOAL := help

RUN := source .venv/env.sh &&
PY := .venv/bin/python
CHECKED := grammar compiler runtime reflow/cli reflow/__init__.py tests examples benchmarks
# Processes that share the tests, each with a Spark of its own (about 3 GB).
WORKERS ?= 2
QUERIES := $(wildcard examples/*/*.cql)

.PHONY: help setup demo test check lint format types bench clean
help:
	@echo "make demo        set up, prepare 336,776 real flights and run a query over them"
	@echo "make test        set up and run all tests"
	@echo "make setup       only set up: Java, .venv, .venv/bin/reflow"
	@echo "make check       lint, types and the quick tests that need no Spark: a minute"
	@echo "make lint        ruff, and reflow fmt over the examples"
	@echo "make format      the same, changing the files"
	@echo "make bench       list the benchmarks; make bench-NAME runs one"

setup:
	@scripts/setup.sh

demo: setup
	@$(RUN) examples/flights/demo.sh

test: setup
	$(RUN) $(PY) -m pytest -n $(WORKERS) --dist load --maxschedchunk 1 $(TESTS)

check: setup lint types
	$(RUN) $(PY) -m pytest -q -m "not spark and not slow" $(TESTS)

lint: setup
	$(PY) -m ruff check $(CHECKED)
	$(PY) -m ruff format --check $(CHECKED)
	$(PY) -m reflow.cli fmt --check $(QUERIES)

format: setup
	$(PY) -m ruff format $(CHECKED)
	$(PY) -m ruff check --fix $(CHECKED)
	$(PY) -m reflow.cli fmt $(QUERIES)

types: setup
	$(PY) -m mypy

bench:
	@echo "benchmarks (make bench-NAME; results are appended to benchmarks/RESULTS.md):"
	@for file in benchmarks/[a-z]*.py; do \
	    name=$$(basename $$file .py); \
	    printf '  %-10s %s\n' "$$name" "$$(sed -n '1s/^"""\(.*[^"]\)"*$$/\1/p' $$file)"; \
	done

# The pictures of this benchmark need what the others do not.
bench-upa bench-lmerge: bench-extra

.PHONY: bench-extra
bench-extra: setup
	@$(PY) -c 'import matplotlib' 2>/dev/null || $(PY) -m pip install -q \
	    --disable-pip-version-check --require-hashes -r requirements-bench.lock

bench-%: setup
	@test -f benchmarks/$*.py || { echo "no benchmark $*; make bench lists them" >&2; exit 2; }
	$(RUN) $(PY) -m benchmarks.$* $(ARGS)

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis spark-warehouse
	find . -name __pycache__ -prune -exec rm -rf {} +
