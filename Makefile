# Everything happens in .venv; `make help` lists the targets.
#
#   make PYTHON=/path/to/python3      create .venv with that Python (where there is none yet)
#   make test PYTEST_ARGS="-k deal"   give pytest more arguments for pytest

.DEFAULT_GOAL := help
.PHONY: help install gpu test test-all test-slow test-gpu test-browser test-adapters docs lint format demo dist clean

VENV := .venv
PY := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
AXE := build/browser/axe.min.js
AXE_VERSION := 4.14.1
AXE_PACKAGE := axe-core@$(AXE_VERSION)
AXE_ARCHIVE := axe-core-$(AXE_VERSION).tgz
AXE_INTEGRITY := sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==

# Everything that continuous integration installs is checked by its hash; nothing beside the files is resolved or built.
# torch without CUDA is a tenth of the size; not every index has it.
PIP := -m pip --quiet --disable-pip-version-check
HASHED := install --no-deps --require-hashes -r requirements
INTEGRITY := import base64, hashlib, sys; found = hashlib.sha512(sys.stdin.buffer.read()).digest(); \
	sys.exit("sha512-" + base64.b64encode(found).decode() != sys.argv[1])

# tests/conftest.py says which tests are which; pyproject.toml says what the words mean.
PYTEST = $(PY) -m pytest -n auto --dist worksteal
SPECIAL := slow or browser or gpu
LONG := workshop or peers or thorough
FAST := not ($(SPECIAL) or $(LONG))

# Libraries that are not installed beside the others: each has an environment of its own, .venv-NAME.
ADAPTERS := rllib torchrl tianshou language kaggle minari jax experiments

PYTHONS := python3.11 python3.12 python3.13 python3.14 python3
NEW_ENOUGH := import ensurepip, sys; sys.exit(sys.version_info < (3, 11))

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## create .venv and install the pinned dependencies and this project into it

# The programs that tests start are compiled once, not by each of them, whatever the machine's setting is.
test: export PYTHONDONTWRITEBYTECODE :=
test: lint ## install, lint, check types, run the tests that answer soon, on all cores
	$(PYTEST) -m "$(FAST)" $(PYTEST_ARGS)

test-all: export PYTHONDONTWRITEBYTECODE :=
test-all: test ## run these and all others that need no GPU, no browser and no hours
	$(PYTEST) -m "($(LONG)) and not ($(SPECIAL))" $(PYTEST_ARGS)

test-slow: $(INSTALLED) ## run the tests that take minutes
	$(PY) -m pytest -m slow $(PYTEST_ARGS)

gpu: $(INSTALLED) ## install what compiles for a GPU; no GPU is needed for that
	$(PY) $(PIP) $(HASHED)/gpu.txt

# torch without CUDA counts as the same version, so the build with CUDA is forced.
test-gpu: gpu ## run the tests that need a GPU of NVIDIA, on a machine that has one
	@$(PY) -c 'import sys, torch; sys.exit(torch.version.cuda is None)' || \
		$(PY) $(PIP) $(HASHED)/torch.txt --force-reinstall
	$(PY) -m pytest -m gpu tests/gpu $(PYTEST_ARGS)
	@if command -v compute-sanitizer >/dev/null; then \
		compute-sanitizer --error-exitcode 1 $(PY) -m pytest -m gpu tests/gpu/test_games.py -k 'rules and 0'; \
	else \
		echo 'Memory accesses were not checked: compute-sanitizer, a part of CUDA, is not installed.' >&2; \
	fi

test-adapters: $(ADAPTERS:%=test-%) ## install RLlib, TRL, JAX and others into .venv-NAME, run their tests

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
	@$(PY) -c 'import selenium' 2>/dev/null || $(PY) $(PIP) $(HASHED)/browser.txt
	@if [ ! -s $(AXE) ]; then \
		command -v npm >/dev/null || { echo 'Install npm first: it fetches $(AXE_PACKAGE).' >&2; exit 1; }; \
		mkdir -p $(dir $(AXE)) && cd $(dir $(AXE)) && npm pack --silent $(AXE_PACKAGE) >/dev/null || exit 1; \
		$(CURDIR)/$(PY) -c '$(INTEGRITY)' $(AXE_INTEGRITY) <$(AXE_ARCHIVE) || \
			{ rm -f $(AXE_ARCHIVE); echo '$(AXE_PACKAGE) is not the file that is expected.' >&2; exit 1; }; \
		tar -xzf $(AXE_ARCHIVE) --strip-components=1 package/axe.min.js && rm $(AXE_ARCHIVE); \
	fi
	$(PY) -m pytest -m browser tests/uno_table tests/uno_env/render $(PYTEST_ARGS)

docs: $(INSTALLED) ## build the site in docs/_build; a broken link or a warning fails
	@$(PY) -c 'import sphinx, furo, myst_parser' 2>/dev/null || \
		$(PY) $(PIP) $(HASHED)/docs.txt
	$(PY) -m sphinx -W --keep-going -q -b html docs docs/_build
	@echo 'Open docs/_build/index.html'

# mypy gives the processes that it starts three seconds to answer, and no option gives them more. On a machine too busy for
# that it ends with status 2, so it is run again in one process. Status 1 is a fault in the types.
lint: $(INSTALLED) ## ruff and mypy
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy -n auto || { [ $$? = 2 ] && $(PY) -m mypy; }

format: $(INSTALLED) ## let ruff mend and format the code
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

demo: $(INSTALLED) ## train on configs/demo.yaml, evaluate, plot, show how to play against the result
	$(PY) -m tools.demo

dist: $(INSTALLED) ## build the source distribution and the wheels in dist/, one of them with compiled code
	@$(PY) -c 'import setuptools, sys; found = setuptools.__version__; \
		sys.exit(int(found.split(".")[0]) < 77 and f"A wheel needs setuptools 77 or newer, and $(VENV) has {found}.")'
	$(PY) -c 'from setuptools import build_meta as build; build.build_sdist("dist"); build.build_wheel("dist")'
	$(PY) -m tools.wheel.build dist

clean: ## remove caches and build output; .venv and runs/ stay
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . \( -path './$(VENV)*' -o -path ./runs -o -path ./.git \) -prune -o -type d -name __pycache__ -exec rm -rf {} +

# What is there while torch is being installed is compiled beside it. Then a second process compiles from the other end.
WITHOUT_TORCH := import sys; sys.modules["torch"] = None; from uno_env.warm_up import main; main()

# The stamp is written last, so an install that was cut short is done again.
$(INSTALLED): pyproject.toml $(wildcard requirements/*.txt)
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
	$(PY) $(PIP) $(HASHED)/install.txt; \
	$(PY) $(PIP) install --no-deps --no-build-isolation -e .; \
	echo 'Compiling the engine, while PyTorch is installed'; \
	$(PY) -c '$(WITHOUT_TORCH)' & compiling=$$!; \
	trap 'kill $$compiling 2>/dev/null || :' EXIT; trap 'exit 130' INT TERM; \
	$(PY) $(PIP) $(HASHED)/torch_cpu.txt 2>/dev/null || $(PY) $(PIP) $(HASHED)/torch.txt; \
	$(PY) $(PIP) check; \
	$(PY) -m uno_env.warm_up --backwards; \
	wait $$compiling || :; \
	touch $@

$(ADAPTERS:%=$(VENV)-%/.installed): $(VENV)-%/.installed: tests/adapters/requirements/%.txt pyproject.toml | $(INSTALLED)
	$(PY) -m venv --clear $(VENV)-$*
	@echo 'Installing into $(VENV)-$*, up to 2 GB; this takes a few minutes'
	$(VENV)-$*/bin/python $(PIP) install -r $< -e .
	touch $@
