# OpenClaw for Django. `make up` on a bare machine with Python 3.11 or newer is all that is needed.
.DEFAULT_GOAL := help
SHELL := /bin/sh
VENV := .venv
PY := $(VENV)/bin/python
OWN := openclaw_site scheduler channels_app sessions tools agents checks examples tests manage.py
# What needs more than the bare machine, or long; `make check` runs it.
SPECIAL := postgres or browser or docker or kills or foreign or exhaustive
# What never asks a database need not run on a second one.
PURE := $(addprefix --ignore=tests/,agents/attempts agents/context agents/core agents/hooks \
	agents/memory agents/pricing agents/prompt agents/providers bench model_server \
	tools/browser tools/exec_security tools/net)

# In CI a failed test runs once more by itself; the summary names it as RERUN, to be mended. On a
# person's machine it simply fails.
AGAIN := $(if $(CI),--reruns 1 -rRfE)
# More than two cores: tests wait for processes more than they compute.
WORKERS := 3

.PHONY: help up test check lint bench pins format messages
help:
	@echo "make up      start the gateway        make lint    style, types, imports, sizes"
	@echo "make test    the tests                make bench   speed and memory"
	@echo "make check   everything else: PostgreSQL, Docker, long tables, browser, kills"

$(PY):
	@python=$$(for name in python3.13 python3.12 python3.11 python3 python; do \
	  $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; \
	done); \
	if [ -z "$$python" ]; then \
	  echo "OpenClaw needs Python 3.11 or newer; none was found on PATH." >&2; exit 1; \
	fi; \
	$$python -m venv $(VENV) || { rm -rf $(VENV); echo "The virtual environment could not be made: install Python's venv module (Debian: python3-venv)." >&2; exit 1; }

$(VENV)/.installed: requirements.txt | $(PY)
	@echo "installing the pinned requirements (once)"
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

up: $(VENV)/.installed
	@exec $(PY) -m openclaw_site.supervisor

test: $(VENV)/.installed-dev
	$(PY) -m pytest $(AGAIN) -n $(WORKERS) --dist loadfile -m "not bench and not ($(SPECIAL))"

# The plain tests run once more on PostgreSQL, then what needs an engine or kills processes.
check: $(VENV)/.installed-dev
	$(PY) -m checks.with_postgres $(PY) -m pytest $(AGAIN) -n $(WORKERS) --dist loadfile $(PURE) -m "not bench and not sqlite and not (browser or docker or kills or foreign or exhaustive)"
	$(PY) -m pytest $(AGAIN) -n $(WORKERS) --dist loadfile -m "not bench and not postgres and exhaustive"
	$(PY) -m pytest $(AGAIN) -m "not bench and not postgres and browser"
	$(PY) -m checks.with_docker $(PY) -m pytest $(AGAIN) -m "not bench and docker" tests/tools
	$(PY) -m pytest $(AGAIN) -m "not bench and not postgres and not browser and (kills or foreign)"

lint: $(VENV)/.installed-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports --no-cache
	$(PY) -m checks.sizes
	OPENCLAW_HOME=$(VENV)/lint $(VENV)/bin/mypy $(OWN)
	OPENCLAW_HOME=$(VENV)/lint $(PY) manage.py makemigrations --check --dry-run
	OPENCLAW_HOME=$(VENV)/lint OPENCLAW_PUBLIC_URL=https://openclaw.example $(PY) manage.py check --deploy --fail-level WARNING
	OPENCLAW_HOME=$(VENV)/lint $(PY) -m checks.templates
	$(VENV)/bin/djlint --lint --quiet --profile django openclaw_site channels_app sessions agents

bench: $(VENV)/.installed-dev
	$(PY) -m tests.bench

format: $(VENV)/.installed-dev
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

# Writes the pinned requirements from what is installed.
pins: $(VENV)/.installed-dev
	$(PY) -m checks.pins

# Collects the translatable texts and compiles the translated ones (needs gettext);
# `make messages TO=de` begins a new language.
messages: $(VENV)/.installed-dev
	$(PY) manage.py makemessages $(if $(TO),--locale $(TO),--all) --ignore .venv --ignore var --no-location
	$(PY) manage.py compilemessages --ignore .venv
