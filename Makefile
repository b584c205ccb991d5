# Two commands do everything: `make demo` opens the app on the seed dilemmas, `make test` runs every check.
# Both set up what they need: a virtual environment in .venv, and SWI-Prolog through the system's package manager.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCHES := $(filter-out %/test_benches.py,$(wildcard tests/bench/*.py))

# Versions and hashes of everything that is installed, for Linux and macOS and every supported Python.
CORE_LOCK := requirements-core.lock
DEV_LOCK := requirements-dev.lock
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILE := .cache/lock/bin/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

# Twice the cores, for tests wait at times; at most 4, for each takes about a gigabyte. Each begins with a run of whole
# files. One that has nothing left takes tests over from another, so that no long file ends alone.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(4, 2 * (os.cpu_count() or 1)))')
# Tests of rare things and variations that take long. Only their files are collected: that takes a worker 14 seconds for all.
SLOW = $(shell grep -rlE --include='test_*.py' 'pytest.mark.slow|from tests.rounds|each_pictured' tests)
# Compiled modules are kept, or each of the hundreds of processes that tests start compiles them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test tests slow check manual bench fuzz harness-logs lock clean prolog postgres chromium tmux

help:
	@echo "make demo   set up, and open the app on the seed dilemmas"
	@echo "make test   set up, and run every check but slow tests: format, lint, types, import contracts, tests"
	@echo "make check  the checks without the tests"
	@echo "make tests  the tests without the checks"
	@echo "make slow   the slow tests: real clusters, hostile files, kills in many rounds, variations"
	@echo "make manual build the manual as a site into exports/manual"
	@echo "make bench  print the benchmarks"
	@echo "make fuzz   five minutes of hostile input"
	@echo "make harness-logs  write the files that tests read anew, by inspect_ai, lm-evaluation-harness and Label Studio's SDK"
	@echo "make lock   bring the lock files up to date"
	@echo "make clean  remove the virtual environment and caches"

demo: prolog $(VENV)/.core
	@$(BIN)/reviewer demo --store demo.db

# The checks and the tests run side by side: type checking takes a minute of one core.
test: $(VENV)/.dev prolog postgres chromium tmux
	@$(MAKE) --no-print-directory -j 2 check tests
	@echo "Not run: the slow tests of rare faults and of variations. Run them with: make slow"

# In a fresh clone, one process compiles all modules and tests first, or each of the workers does.
tests: prolog $(VENV)/.dev
	@[ -d tests/__pycache__ ] || $(BIN)/python -m pytest --collect-only -q >/dev/null || true
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow"

slow: $(VENV)/.dev prolog
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m slow $(SLOW)

check: prolog $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# The page on commands and the help that stands ready are made from the commands; other pages are written.
manual: $(VENV)/.dev
	@mkdir -p .cache
	@$(BIN)/reviewer manual --reference > .cache/commands.md && cp .cache/commands.md reviewer/manual/pages/commands.md
	@.ci/manual $(BIN)/python

bench: prolog $(VENV)/.dev
	@failed=; for bench in $(BENCHES); do \
	  echo "== $$bench"; $(BIN)/python -W error::DeprecationWarning $$bench || failed="$$failed $$bench"; done; \
	[ -z "$$failed" ] || { echo "These ended with an error:$$failed" >&2; exit 1; }

fuzz: prolog $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --seconds 300 --seed $$(date +%s)

# Harnesses bring hundreds of packages, so that they stand apart from the project's own environment.
harness-logs:
	$(PYTHON) -m venv .cache/harnesses
	.cache/harnesses/bin/python -m pip install --quiet --requirement tests/harnesses/requirements.txt
	.cache/harnesses/bin/python -m tests.harnesses.make_logs
	$(PYTHON) -m venv .cache/converters
	.cache/converters/bin/python -m pip install --quiet label-studio-sdk==2.1.2
	.cache/converters/bin/python tests/harnesses/make_exports.py

lock: $(VENV)/bin/python
	$(BIN)/python -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(COMPILE) --upgrade --extra dev --group build pyproject.toml -o $(DEV_LOCK)
	$(COMPILE) --group build --constraint $(DEV_LOCK) pyproject.toml -o $(CORE_LOCK)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

prolog:
	@.ci/system-package swipl swi-prolog-nox "SWI-Prolog audits the programs; reviewing works without it"

postgres:
	@.ci/system-package pg_ctlcluster postgresql "Tests of shared stores start a PostgreSQL server of their own"

chromium:
	@.ci/system-package chromium chromium "A test reviews in a real browser"

tmux:
	@.ci/system-package tmux tmux "A test reads a case of Hindi in a real terminal"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name it: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null \
	  || .ci/system-package --required - python3-venv "Python's venv makes the project's own environment"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml $(CORE_LOCK) $(VENV)/bin/python
	$(INSTALL) --require-hashes --requirement $(CORE_LOCK)
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(DEV_LOCK) $(VENV)/bin/python
	$(INSTALL) --require-hashes --requirement $(DEV_LOCK)
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.core
