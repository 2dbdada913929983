# Everything happens in .venv; `make help` lists the targets.
#
#   make PYTHON=/path/to/python3      create .venv with that Python (where there is none yet)
#   make test PYTEST_ARGS="-k deal"   give pytest more arguments for pytest

.DEFAULT_GOAL := help
.PHONY: help install test test-slow test-browser test-adapters docs lint format demo clean

VENV := .venv
PY := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
AXE := build/browser/axe.min.js
AXE_PACKAGE := axe-core@4.14.1

# Libraries that are not installed beside the others: each has an environment of its own, .venv-NAME.
ADAPTERS := rllib torchrl tianshou

PYTHONS := python3.11 python3.12 python3.13 python3.14 python3
NEW_ENOUGH := import ensurepip, sys; sys.exit(sys.version_info < (3, 11))

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## create .venv and install the pinned dependencies and this project into it

test: lint ## install, lint, check types, run the tests on all cores
	$(PY) -m pytest -n auto --dist loadfile $(PYTEST_ARGS)

test-slow: $(INSTALLED) ## run the tests that take minutes
	$(PY) -m pytest -m slow $(PYTEST_ARGS)

test-adapters: $(ADAPTERS:%=test-%) ## install RLlib, TorchRL and Tianshou into .venv-rllib and so on, run their tests

$(ADAPTERS:%=test-%): test-%: $(VENV)-%/.installed
	$(VENV)-$*/bin/python -m pytest -m "" tests/adapters/test_$*.py $(PYTEST_ARGS)

# The accessibility checker is fetched, never kept in the repository: it is under another licence (MPL 2.0).
test-browser: $(INSTALLED) ## play at the tables in Chromium; screenshots go to build/browser
	@if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then \
		if [ "$$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi; \
		if command -v apt-get >/dev/null && { [ -z "$$sudo" ] || sudo -n true 2>/dev/null; }; then \
			$$sudo apt-get update -qq && $$sudo apt-get install -y -qq chromium chromium-driver; \
		else \
			echo 'Install Chromium and its driver first (Debian: apt install chromium chromium-driver).' >&2; exit 1; \
		fi; \
	fi
	@$(PY) -c 'import selenium' 2>/dev/null || \
		$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[browser]'
	@if [ ! -s $(AXE) ]; then \
		command -v npm >/dev/null || { echo 'Install npm first: it fetches $(AXE_PACKAGE).' >&2; exit 1; }; \
		mkdir -p $(dir $(AXE)) && cd $(dir $(AXE)) && npm pack --silent $(AXE_PACKAGE) >/dev/null && \
		tar -xzf axe-core-*.tgz --strip-components=1 package/axe.min.js && rm axe-core-*.tgz; \
	fi
	$(PY) -m pytest -m browser tests/agents/human $(PYTEST_ARGS)

docs: $(INSTALLED) ## build the site in docs/_build; a broken link or a warning fails
	@$(PY) -c 'import sphinx, furo, myst_parser' 2>/dev/null || \
		$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(PY) -m sphinx -W --keep-going -q -b html docs docs/_build
	@echo 'Open docs/_build/index.html'

lint: $(INSTALLED) ## ruff and mypy
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: $(INSTALLED) ## let ruff mend and format the code
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

demo: $(INSTALLED) ## train on configs/demo.yaml, evaluate, plot, show how to play against the result
	$(VENV)/bin/uno demo

clean: ## remove caches and build output; .venv and runs/ stay
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . \( -path './$(VENV)*' -o -path ./runs -o -path ./.git \) -prune -o -type d -name __pycache__ -exec rm -rf {} +

# The stamp is written last, so an install that was cut short is done again.
$(INSTALLED): pyproject.toml constraints.txt
	@set -e; found=; \
	if ! $(PY) -c '$(NEW_ENOUGH)' 2>/dev/null; then \
		for python in $(or $(PYTHON),$(PYTHONS)); do \
			if "$$python" -c '$(NEW_ENOUGH)' 2>/dev/null; then found=$$python; break; fi; \
		done; \
		if [ -z "$$found" ]; then \
			echo 'uno-env needs Python 3.11 or newer with its venv module (Debian: python3-venv), and none of' \
				'"$(or $(PYTHON),$(PYTHONS))" is that; name one with make PYTHON=/path/to/python3.' >&2; \
			exit 1; \
		fi; \
		echo "Creating $(VENV) with $$found"; \
		"$$found" -m venv --clear $(VENV); \
	fi; \
	echo 'Installing into $(VENV), about 1.5 GB; this takes a few minutes'; \
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all]'; \
	touch $@

$(ADAPTERS:%=$(VENV)-%/.installed): $(VENV)-%/.installed: tests/adapters/requirements/%.txt pyproject.toml | $(INSTALLED)
	$(PY) -m venv --clear $(VENV)-$*
	@echo 'Installing into $(VENV)-$*, up to 2 GB; this takes a few minutes'
	$(VENV)-$*/bin/python -m pip install --quiet --disable-pip-version-check -r $< -e .
	touch $@
