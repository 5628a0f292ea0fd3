# Every command of the project. `make` alone lists them.
#
# The virtual environment in .venv is made on first use from the hash-pinned
# locks and again when a lock changes. Delete it freely: `make clean`.

VENV := .venv
LOCK := requirements-dev.lock
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
# An extra of a package is named in a lock: pip before 24 finds it by no other version than the newest.
LOCKED := $(BIN)/uv pip compile pyproject.toml --extra embedded --extra model --extra serve --extra telemetry \
	--group build --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-emit-index-url \
	--no-header --quiet

# The first interpreter that is new enough; PYTHON=/some/python3.12 overrides it.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$name && break; done)

.DEFAULT_GOAL := help
.PHONY: help demo test test-lowest test-redis test-cluster chaos overload check check-deploy check-stacks bench \
	dist eval lock vendor clean
.DELETE_ON_ERROR:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(RUNTIME) ## replay the bundled deliberation, live; ARGS=--fast for flat out
	@$(BIN)/parley demo $(ARGS)

test: $(DEV) ## the test suite on the Redis at hand, without the long runs
	@$(BIN)/python -m pytest -m "not long" --numprocesses auto --maxprocesses 4 \
		--dist worksteal $(ARGS)

# Old HTTP clients leave a cancelled request's socket to the garbage collector: no fault of a test.
# The plugin of an old anyio does not load under the pytest of the lock; no test uses it.
test-lowest: ## the test suite on the oldest releases that pyproject.toml allows
	@$(MAKE) VENV=.venv-lowest LOCK=requirements-lowest.lock test \
		ARGS="-p no:anyio -W ignore::pytest.PytestUnraisableExceptionWarning $(ARGS)"

test-redis: $(DEV) ## everything: every server found here, kill runs in full (minutes)
	@HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-random} $(BIN)/python -m pytest --servers all $(ARGS)

chaos: $(DEV) ## faults at random on real processes; ARGS="--minutes 10 --seed 7"
	@$(BIN)/python -m tests.faults.chaos $(ARGS)

test-cluster: $(DEV) ## real clusters and Sentinels, then 500 sessions while primaries fall; ARGS="--sessions 50"
	@$(BIN)/python -m pytest tests/bus/connection/test_cluster_nodes.py tests/faults/test_cluster.py
	@$(BIN)/python -m tests.faults.cluster_load $(ARGS)
	@$(BIN)/python -m tests.faults.cluster_load --sentinel $(ARGS)

overload: $(DEV) ## twice what the workers fold, for 20 minutes; ARGS="--minutes 5"
	@$(BIN)/python -m tests.faults.overload $(ARGS)

check: $(DEV) ## lint, format, types, layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

check-deploy: $(DEV) ## validate deploy/ and .github/ without a network or a container engine
	@$(BIN)/python -m deploy.check deploy

check-stacks: $(DEV) ## install beside stacks of agents, if a registry answers; ARGS=--no-install
	@$(BIN)/python -m deploy.stacks $(ARGS)

dist: $(DEV) ## build, check and install what a release publishes; PYTHONS="python3.12 python3.13"
	@$(BIN)/python -m deploy.dist --pythons "$(PYTHONS)" --tag "$(TAG)" $(ARGS)

bench: $(DEV) ## the hot path against its budgets
	@$(BIN)/python -m benchmarks.run $(ARGS)

eval: $(DEV) ## how well talk is read, on recorded meetings and agents; ARGS=--prose, --deliberation, --model
	@$(BIN)/python -m benchmarks.extraction $(ARGS)

# The third holds the floors of pyproject.toml, and test tools as the second has them.
lock: $(DEV) ## resolve the requirement locks anew
	@$(LOCKED) --upgrade --output-file requirements.lock
	@$(LOCKED) --upgrade --group dev --constraint requirements.lock --no-annotate \
		--output-file requirements-dev.lock
	@$(LOCKED) --resolution lowest-direct --output-file $(VENV)/floors.txt
	@cp requirements-dev.lock requirements-lowest.lock
	@$(LOCKED) --group test --constraint $(VENV)/floors.txt --no-annotate \
		--output-file requirements-lowest.lock

vendor: ## bundle the page's Markdown parser anew (needs npm)
	@deploy/page/bundle.sh

clean: ## remove the environment, caches and build products
	@rm -rf $(VENV) .venv-lowest .bare build dist ./*.egg-info .pytest_cache .mypy_cache .ruff_cache \
		.hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Made in one go and stamped last, so that an interrupted one is made again.
$(BIN)/python:
	@test -n "$(PYTHON)" || { \
		echo "parley needs Python 3.11 or newer and found none on PATH;" >&2; \
		echo "install one, or say where it is: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "parley needs Python 3.11 or newer; $(PYTHON) is older or does not run" >&2; exit 1; }
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
		echo "could not make $(VENV); on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# The project itself goes in with the build backend that the lock just pinned.
$(RUNTIME): requirements.lock pyproject.toml | $(BIN)/python
	@echo "installing what parley needs into $(VENV); this takes a minute, once" >&2
	@$(PIP) install --require-hashes --requirement requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# The development lock holds everything of the runtime lock, at the same versions.
$(DEV): $(LOCK) requirements.lock pyproject.toml | $(BIN)/python
	@echo "installing what the tests and checks need into $(VENV); a minute, once" >&2
	@$(PIP) install --require-hashes --requirement $(LOCK)
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $(RUNTIME) $@
