# Everything that a developer types; `make help` lists it.
PYTHON ?= python3
# Python keeps what it compiled, wherever this runs: each process would compile hundreds of files again.
export PYTHONDONTWRITEBYTECODE :=
VENV := .venv
BIN := $(VENV)/bin
COMPILED := CMakeLists.txt pyproject.toml $(shell find core seam -type f)
SOURCES := $(COMPILED) $(shell find src -type f -not -name '*.pyc')

CPP := $(wildcard core/*.[ch]pp seam/*.[ch]pp)
FUZZED := $(wildcard tests/fuzz/core/*.[ch]pp)
# The tests that drive the core with much that it must survive.
SANITIZED := $(addprefix unit/core/test_, scanners plain_lines blocks_and_threads hostile_arrow seam segments ranking \
  tables_in_blocks interleaved_queries large_inputs object_columns shuffled_rows damaged_files ranks_of_arrays \
  dicts_mostly_judged) \
  $(addprefix unit/sources/test_, hostile_files hostile_input mappings columnar_files sparse large_whole_numbers) \
  unit/similarity/test_rankings property/test_arrow_data

.DEFAULT_GOAL := help
.PHONY: help demo test develop quick conformance sanitize fuzz fuzz-quickly lint style warnings tidy fresh types layers stub bench release clean build/warnings build/sanitize

help:  ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 10

demo: $(VENV)/.installed  ## evaluate the bundled example collection
	$(BIN)/rankmark demo

test: $(VENV)/.installed $(VENV)/.test  ## run all tests and the examples of the documentation
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

develop: $(VENV)/.editable  ## install so that changes to src/ count at once (run again after one to core/)

quick: $(VENV)/.editable $(VENV)/.test  ## run the quick tests of parts, on what is in src/
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not slow" tests/unit

conformance: $(VENV)/.installed $(VENV)/.test  ## compare with other tools, and write docs/conformance.md (minutes)
	$(BIN)/python -m pytest tests/conformance --conformance-page --numprocesses auto --dist worksteal

lint: style warnings tidy fresh types layers  ## check style, warnings, the stub, types and layers

style: $(VENV)/.lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/clang-format --dry-run --Werror $(CPP) $(FUZZED)

build/warnings: $(VENV)/.lint
	$(BIN)/cmake -S . -B $@ -DRANKMARK_WERROR=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python > /dev/null

warnings: build/warnings
	$(BIN)/cmake --build build/warnings --parallel 2

tidy: build/warnings
	printf '%s\n' $(filter %.cpp,$(CPP)) | xargs -P 2 -n 4 $(BIN)/clang-tidy --quiet -p build/warnings

fresh: $(VENV)/.lint
	$(BIN)/python -m nanobind.stubgen -q -m rankmark._core -o build/_core.pyi
	diff -u src/rankmark/_core.pyi build/_core.pyi

build/sanitize: $(VENV)/.build
	$(BIN)/cmake -S . -B $@ -DRANKMARK_SANITIZE=address,undefined -DCMAKE_CXX_COMPILER=$(CXX) \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python > /dev/null
	$(BIN)/cmake --build $@ --parallel 2

# Reading, hostile inputs, mappings, ranking and arrays, on the core with the sanitizers in it.
sanitize: build/sanitize $(VENV)/.installed $(VENV)/.test  ## run the tests that drive the core under ASan and UBSan
	mkdir -p build/sanitize/package
	cp -r src/rankmark build/sanitize/package
	rm -f build/sanitize/package/rankmark/_core.*.so  # an install would keep one that is as new
	$(BIN)/cmake --install build/sanitize --prefix build/sanitize/package > /dev/null
	PYTHONPATH=build/sanitize/package ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  $(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal $(SANITIZED:%=tests/%.py)

SECONDS := 60
fuzz: $(VENV)/.installed $(VENV)/.test  ## fuzz all that reads bytes, each target for SECONDS=60, with clang and atheris if they are there
	$(BIN)/python tests/fuzz/campaign.py run --seconds $(SECONDS)

# A minute of one processor, on the core that the tests with sanitizers use; tests damage the files that Python reads.
fuzz-quickly: build/sanitize
	$(BIN)/python tests/fuzz/campaign.py run --core build/sanitize --seconds 3 --targets \
	  text_rows,text_runs,numbers,ranking,gathered_rows,arrow

types: $(VENV)/.lint  ## check types
	$(BIN)/mypy
	$(BIN)/mypy $(wildcard examples/*.py) benchmarks tests/typing/public_api.py tests/fuzz/*.py tests/fuzz/files

layers: $(VENV)/.lint  ## check that arrows point down only
	$(BIN)/lint-imports

stub: $(VENV)/.installed  ## write the seam's stub anew
	$(BIN)/python -m nanobind.stubgen -q -m rankmark._core -o src/rankmark/_core.pyi

bench: $(VENV)/.installed $(VENV)/.test  ## measure speed and memory against peers, and write docs/benchmarks.md (an hour)
	$(BIN)/python benchmarks --full --page

release: $(BIN)/python  ## try a release without publishing: version, distributions, an install without a compiler
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/python packaging/release.py

clean:  ## remove what these commands made
	rm -rf $(VENV) build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.build: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet "scikit-build-core>=1.0" "nanobind>=3.1,<4" cmake ninja
	touch $@

$(VENV)/.installed: $(SOURCES) $(VENV)/.build
	$(BIN)/python -m pip install --quiet --no-build-isolation ".[cli]"
	rm -f $(VENV)/.editable
	touch $@

$(VENV)/.editable: $(COMPILED) $(VENV)/.build
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[cli]"
	rm -f $(VENV)/.installed
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group test
	touch $@

$(VENV)/.lint: $(VENV)/.installed $(VENV)/.test
	$(BIN)/python -m pip install --quiet --group lint
	touch $@
