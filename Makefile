# Everything that a developer types; `make help` lists it.
PYTHON ?= python3
# Python keeps what it compiled, wherever this runs: each process would compile hundreds of files again.
export PYTHONDONTWRITEBYTECODE :=
VENV := .venv
BIN := $(VENV)/bin
COMPILED := CMakeLists.txt pyproject.toml $(shell find core seam -type f)
SOURCES := $(COMPILED) $(shell find src -type f -not -name '*.pyc')

comma := ,
CPP := $(wildcard core/*.[ch]pp seam/*.[ch]pp)
FUZZED := $(wildcard tests/fuzz/core/*.[ch]pp)
# The tests that drive the core with much that it must survive.
SANITIZED := $(addprefix unit/core/test_, scanners plain_lines blocks_and_threads hostile_arrow seam segments ranking \
  tables_in_blocks interleaved_queries large_inputs object_columns shuffled_rows damaged_files ranks_of_arrays \
  dicts_mostly_judged documents_of_units numbers_of_ids united_lists) \
  $(addprefix unit/data/test_, hostile_files hostile_input mappings columnar_files sparse large_whole_numbers) \
  unit/similarity/test_rankings property/test_arrow_data
# Those in which several threads read, rank and share objects; not those that change what others read, which is a race.
THREADED := $(addprefix unit/core/test_, blocks_and_threads interleaved_queries shuffled_rows tables_in_blocks \
  object_columns ranks_of_arrays plain_lines) \
  $(addprefix unit/data/test_, files_that_change_while_read columnar_files streams sparse) \
  unit/alignment/test_alignment unit/test_concurrent_calls unit/test_quiet

SANITIZERS ?= address,undefined
SANITIZED_CORE := build/sanitize-$(subst $(comma),-,$(SANITIZERS))
ifeq ($(SANITIZERS),thread)
SANITIZED := $(THREADED)
SANITIZER := libtsan.so
SANITIZING := TSAN_OPTIONS=halt_on_error=1:history_size=7:suppressions=tests/reliability/thread_sanitizer_suppressions.txt
PYTEST_OPTIONS := -p reliability.without_polars
else
SANITIZER := libasan.so
SANITIZING := ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
endif

.DEFAULT_GOAL := help
.PHONY: help demo test develop quick conformance core sanitize lint style warnings tidy fresh types verifytypes layers stub \
  fuzz fuzz-quickly faults injection large determinism mutants core-mutants reliability docs docs-check bench instructions release clean build/warnings \
  $(SANITIZED_CORE)

help:  ## list these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 14

demo: $(VENV)/.installed  ## evaluate the bundled example collection
	$(BIN)/rankmark demo

# A worker has a processor; more threads would only wait, and take turns doing so.
test quick conformance: export OPENBLAS_NUM_THREADS := 1
test quick conformance: export OMP_NUM_THREADS := 1

test: $(VENV)/.installed $(VENV)/.test  ## run all tests and the examples of the documentation
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

develop: $(VENV)/.editable  ## install so that changes to src/ count at once (run again after one to core/)

quick: $(VENV)/.editable $(VENV)/.test  ## run the quick tests of parts, on what is in src/
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not slow" tests/unit

conformance: $(VENV)/.installed $(VENV)/.test  ## compare with other tools, and write docs/evidence/conformance.md (minutes)
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

# Files are looked at as they are compiled, a few as one, which takes less than half the time. GCC's options for
# optimising are unknown to clang.
tidy: build/warnings
	sed -i 's/ -fvect-cost-model=[a-z]*//' $</compile_commands.json
	sed -n 's/^ *"file": "\(.*\)".*/\1/p' $</compile_commands.json | grep -v /nanobind | \
	  xargs -P 2 -n 1 $(BIN)/clang-tidy --quiet -p $<

fresh: $(VENV)/.lint
	$(BIN)/python -m nanobind.stubgen -q -m rankmark._core -o build/_core.pyi
	diff -u src/rankmark/_core.pyi build/_core.pyi

$(SANITIZED_CORE): $(VENV)/.build
	$(BIN)/cmake -S . -B $@ -DRANKMARK_SANITIZE=$(SANITIZERS) -DCMAKE_CXX_COMPILER=$(CXX) \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python > /dev/null
	$(BIN)/cmake --build $@ --parallel 2

# Reading, hostile inputs, mappings, ranking and arrays, on the core with sanitizers in it; with SANITIZERS=thread
# what several threads do.
sanitize: $(SANITIZED_CORE) $(VENV)/.installed $(VENV)/.test  ## run the tests that drive the core under ASan and UBSan, or SANITIZERS=thread
	mkdir -p $(SANITIZED_CORE)/package
	cp -r src/rankmark $(SANITIZED_CORE)/package
	rm -f $(SANITIZED_CORE)/package/rankmark/_core.*.so  # an install would keep one that is as new
	$(BIN)/cmake --install $(SANITIZED_CORE) --prefix $(SANITIZED_CORE)/package > /dev/null
	PYTHONPATH=$(SANITIZED_CORE)/package:tests $(SANITIZING) \
	  LD_PRELOAD="$$($(CXX) -print-file-name=$(SANITIZER)) $$($(CXX) -print-file-name=libstdc++.so)" \
	  $(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal $(PYTEST_OPTIONS) $(SANITIZED:%=tests/%.py)

types: $(VENV)/.lint  ## check types
	$(BIN)/mypy

verifytypes: $(VENV)/.installed  ## check that pyright knows the types of all public names
	$(BIN)/python -m pip install --quiet --group verifytypes
	$(BIN)/python tests/typing/verify_types.py $(BIN)/basedpyright

core: sanitize fuzz-quickly instructions  ## check what a change to core/ or seam/ must survive: sanitizers, fuzzing, speed

SECONDS := 60
fuzz: $(VENV)/.installed $(VENV)/.test  ## fuzz all that reads bytes, each target for SECONDS=60, with clang and atheris if they are there
	$(BIN)/python tests/fuzz/campaign.py run --seconds $(SECONDS)

# A minute of one processor, on the core that the tests with sanitizers use; tests damage the files that Python reads.
fuzz-quickly: $(SANITIZED_CORE)
	$(BIN)/python tests/fuzz/campaign.py run --core $(SANITIZED_CORE) --seconds 3 --targets \
	  text_rows,text_runs,numbers,ranking,gathered_rows,arrow

SHARE = 1
faults: $(VENV)/.installed $(VENV)/.test  ## run every command under every fault of a system (an hour; SHARE=37 runs every 37th)
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m reliability.faults --share $(SHARE)

injection: $(VENV)/.installed $(VENV)/.test  ## write hostile names in every format, and read them (minutes)
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m reliability.injection --share $(SHARE)

large: $(VENV)/.installed $(VENV)/.test  ## read what is too long, too deep or packed too densely (half an hour)
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m reliability.large_inputs

determinism: $(VENV)/.installed $(VENV)/.test  ## compare all outputs byte by byte under other threads, locales, ... (minutes)
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m reliability.determinism

TRIED = 500
mutants: $(VENV)/.editable $(VENV)/.test  ## change formulas one operator at a time, and count what the tests notice (hours; goes on where it ended)
	$(BIN)/python -m pip install --quiet "coverage>=7.6"
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m reliability.mutants --tried $(TRIED)

core-mutants: $(VENV)/.installed $(VENV)/.test  ## the same for how the core ranks
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m reliability.core_mutants --tried $(TRIED)

reliability: $(VENV)/.installed $(VENV)/.test  ## write docs/evidence/reliability.md from the records of the campaigns
	PYTHONPATH=$(CURDIR)/tests $(BIN)/python -m reliability.page

layers: $(VENV)/.lint  ## check that arrows point down only
	$(BIN)/lint-imports

stub: $(VENV)/.installed  ## write the seam's stub anew
	$(BIN)/python -m nanobind.stubgen -q -m rankmark._core -o src/rankmark/_core.pyi

docs: $(VENV)/.installed $(VENV)/.docs  ## build the site of the documentation in build/docs
	$(BIN)/python -m sphinx -q -W --keep-going -j auto docs build/docs

docs-check: docs $(VENV)/.test  ## check the links of the site, and look at it in Chromium (a minute)
	RANKMARK_SITE=$(CURDIR)/build/docs $(BIN)/python -m pytest --quiet tests/site

bench: $(VENV)/.installed $(VENV)/.test  ## measure speed and memory against peers, and write docs/evidence/benchmarks.md (an hour)
	$(BIN)/python benchmarks --full --page

instructions: $(VENV)/.installed  ## count the instructions of the hot paths under valgrind, against those recorded (RECORD=--record writes them)
	$(BIN)/python benchmarks/count_instructions.py $(RECORD)

release: $(BIN)/python  ## try a release without publishing: version, distributions, an install without a compiler
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/python packaging/release.py

clean:  ## remove what these commands made
	rm -rf $(VENV) build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.build: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet "scikit-build-core>=1.1" "nanobind>=3.1,<4" cmake ninja
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

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group docs
	touch $@
