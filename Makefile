# Everything that a developer types; `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := CMakeLists.txt pyproject.toml $(shell find core seam src -type f -not -name '*.pyc')

.DEFAULT_GOAL := help
.PHONY: help demo test lint types layers stub bench clean

help:  ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 10

demo: $(VENV)/.installed  ## evaluate the bundled example collection
	$(BIN)/rankmark demo

test: $(VENV)/.test  ## run all tests and the examples of the documentation
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

lint: $(VENV)/.lint  ## check style, the compiler's warnings, the stub, types and layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/cmake -S . -B build/warnings -DRANKMARK_WERROR=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python > /dev/null
	$(BIN)/cmake --build build/warnings --parallel
	$(BIN)/python -m nanobind.stubgen -q -m rankmark._core -o build/_core.pyi
	diff -u src/rankmark/_core.pyi build/_core.pyi
	$(MAKE) types layers

types: $(VENV)/.lint  ## check types
	$(BIN)/mypy
	$(BIN)/mypy examples/make_collection.py
	$(BIN)/mypy examples/movielens.py
	$(BIN)/mypy examples/rag_evaluation.py
	$(BIN)/mypy examples/training_loop.py
	$(BIN)/mypy examples/learning_to_rank.py
	$(BIN)/mypy examples/recommender.py
	$(BIN)/mypy benchmarks

layers: $(VENV)/.lint  ## check that arrows point down only
	$(BIN)/lint-imports

stub: $(VENV)/.installed  ## write the seam's stub anew
	$(BIN)/python -m nanobind.stubgen -q -m rankmark._core -o src/rankmark/_core.pyi

bench: $(VENV)/.installed  ## measure speed and memory against peers (minutes)
	$(BIN)/python benchmarks

clean:  ## remove what these commands made
	rm -rf $(VENV) build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.build: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet "scikit-build-core>=1.0" "nanobind>=3.1,<4" cmake ninja
	touch $@

$(VENV)/.installed: $(SOURCES) $(VENV)/.build
	$(BIN)/python -m pip install --quiet --no-build-isolation .
	touch $@

$(VENV)/.test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group test
	touch $@

$(VENV)/.lint: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group lint
	touch $@
