# Two commands do everything: `make demo` shows the main job, `make test` passes the tests.
# Each sets itself up in .venv; nothing outside this folder is touched.

VENV := .venv
BIN := $(VENV)/bin
CLAUDE_VERSION := 2.1.330
INSPECTOR_VERSION := 2.12.0
# The first Python that is new enough and can make a virtual environment.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

.PHONY: demo test test-slow check format lint types rooms docs client bench bench-recall clean

demo: $(VENV)/.ready
	@$(BIN)/recollect demo

test: $(VENV)/.dev
	@$(BIN)/python -m pytest -n 2 -rfEs -m "not slow"

test-slow: $(VENV)/.dev
	@$(BIN)/python -m pytest -n 2 -rfEs -m slow

check: lint types rooms docs $(VENV)/.dev
	@$(BIN)/python -m pytest tests/unit tests/architecture

format: $(VENV)/.dev
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

lint: $(VENV)/.dev
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .

types: $(VENV)/.dev
	@$(BIN)/mypy

rooms: $(VENV)/.dev
	@$(BIN)/lint-imports --no-logo

# The pages that are made from the code; fails if one is not as the code says.
docs: $(VENV)/.dev
	@$(BIN)/python docs/make.py --check

# The pinned client and the MCP Inspector that tests drive.
client: .client/$(CLAUDE_VERSION)

.client/$(CLAUDE_VERSION):
	@rm -rf .client && mkdir -p .client
	@npm install --no-audit --no-fund --loglevel=error --prefix .client @anthropic-ai/claude-code@$(CLAUDE_VERSION)
	@.client/node_modules/.bin/claude --version
	@npm install --no-audit --no-fund --loglevel=error --prefix .client/inspector @modelcontextprotocol/inspector@$(INSPECTOR_VERSION)
	@touch $@

# Recall quality on public conversations: make bench-recall DATA=FOLDER
bench-recall: $(VENV)/.dev
	@$(BIN)/python -m bench.recall --data "$(DATA)"

bench: $(VENV)/.dev
	@$(BIN)/python -m compileall -q src && $(BIN)/python -m bench.hooks && $(BIN)/python -m bench.commands && $(BIN)/python -m bench.mcp

$(VENV)/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Recollect needs Python 3.11 or newer with venv (Debian: apt install python3-venv)."; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

clean:
	@rm -rf $(VENV) .client build dist
