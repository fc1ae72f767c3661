# make serve, make test: each sets itself up from nothing.

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
export NO_MKDOCS_2_WARNING := 1
# What programs of a bank import need not be installed here, and is then of any type.
UNTYPED := --scripts-are-modules --ignore-missing-imports --allow-subclassing-any --no-warn-return-any

.PHONY: serve build check test evidence lint bench clean

serve: .venv/site
	$(BIN)/python scripts/build_bank.py build
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:$(PORT)

build: .venv/site
	$(BIN)/python scripts/build_bank.py build
	$(BIN)/mkdocs build --strict

check: .venv/site
	$(BIN)/python scripts/build_bank.py check

test: lint check
	$(BIN)/python -m tests.browser
	$(BIN)/python -m pytest

# Runs the programs behind the answers again and compares. RUN=NAME for one of them, RECORD=NAME to write down what it measures.
evidence: .venv-evidence/ready
	.venv-evidence/bin/python scripts/build_bank.py evidence $(RUN) $(if $(RECORD),--record $(RECORD))

lint: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(if $(wildcard bank/evidence),$(BIN)/mypy $(UNTYPED) bank/evidence)
	$(BIN)/npx tsc
	$(BIN)/npx tsc --project tsconfig.worker.json

bench: .venv/dev
	$(BIN)/python -m tests.browser
	$(BIN)/python -m bench

clean:
	rm -rf .venv .venv-evidence build node_modules site

.venv/bin/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed')"
	$(PYTHON) -m venv .venv

.venv/site: requirements.txt pyproject.toml | .venv/bin/python
	@echo "Setting up .venv: about a minute, once."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv-evidence/ready: requirements.txt bank/evidence/requirements.txt | .venv/bin/python
	@echo "Setting up .venv-evidence: a few minutes, once."
	$(BIN)/python -m venv .venv-evidence
	.venv-evidence/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -r bank/evidence/requirements.txt
	touch $@

.venv/dev: requirements-dev.txt package-lock.json .venv/site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/npm ci --no-audit --no-fund --loglevel=error
	touch $@
