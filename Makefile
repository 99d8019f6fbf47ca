# make all         set up .venv and run the whole pipeline; VERBOSE=1 shows Snakemake's output
# make test        set up .venv with the test dependencies, and run all checks
# make test-fast   all tests except whole runs, browsers and builds, in about two minutes
# make lint        static checks: style, types, rules; `make format` fixes the style
# make coverage    line coverage of the library, as a table and in coverage/html
# make test-kills  kill whole runs a hundred times and compare their results; takes an hour or more
# make docs        build the documentation as a site that opens from disk: site/index.html
# make bench       measure speed and memory, and write benchmarks/results.md
# make test-wheel  test the wheel in a fresh environment, from an empty folder; takes some minutes
# make test-slurm  test the pipeline on SLURM; as root, it installs and starts SLURM if necessary
# make unlock      remove the lock of a killed run
PYTHON ?= python3
VENV := .venv
RULES := Snakefile workflow/Snakefile workflow/rules
BIN := $(VENV)/bin
# stamps of what is installed: for runs, tests, documentation, SLURM
INSTALLED := $(VENV)/.installed
TEST_INSTALLED := $(VENV)/.installed-test
DOCS_INSTALLED := $(VENV)/.installed-docs
SLURM_INSTALLED := $(VENV)/.installed-slurm

.PHONY: all test test-fast test-fast-1 test-fast-2 test-library test-workflow test-wheel test-slurm test-kills coverage bench docs reference lint format unlock clean

all: $(INSTALLED)
	$(BIN)/neuralese run --cores all $(if $(VERBOSE),--verbose) all

# both parts keep about one core busy
test: $(TEST_INSTALLED) lint
	OMP_NUM_THREADS=1 $(MAKE) --jobs=2 --keep-going test-library test-workflow

# two processes of about the same length
HALF := tests/cli tests/corpus tests/data tests/play
test-fast: $(TEST_INSTALLED)
	OMP_NUM_THREADS=1 $(MAKE) --jobs=2 --keep-going --output-sync test-fast-1 test-fast-2

test-fast-1: $(TEST_INSTALLED)
	$(BIN)/pytest -q -m 'not slow' $(HALF)

test-fast-2: $(TEST_INSTALLED)
	$(BIN)/pytest -q -m 'not slow' --ignore=tests/workflow $(HALF:%=--ignore=%)

test-library: $(TEST_INSTALLED)
	$(BIN)/pytest --ignore=tests/workflow

test-workflow: $(TEST_INSTALLED)
	$(BIN)/pytest tests/workflow

test-kills: $(TEST_INSTALLED)
	$(BIN)/python tests/workflow/kill_and_rerun.py --kills 100
	$(BIN)/python tests/faults/fuzz.py

coverage: $(TEST_INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/pytest --ignore=tests/workflow --cov --cov-report=term --cov-report=html

bench: $(INSTALLED)
	$(BIN)/python benchmarks/run.py

docs: $(DOCS_INSTALLED)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# pages made from the code: keys of the config, files of the results, commands
reference: $(INSTALLED)
	$(BIN)/python tools/config_keys.py
	$(BIN)/python tools/file_table.py
	$(BIN)/python tools/commands.py

test-wheel: $(TEST_INSTALLED)
	NEURALESE_WHEEL=1 $(BIN)/pytest tests/packaging

test-slurm: $(SLURM_INSTALLED)
	NEURALESE_SLURM=1 tests/cluster/with_slurm.sh $(BIN)/pytest tests/cluster

lint: $(TEST_INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check $(RULES)
	$(BIN)/snakemake --lint
	$(BIN)/mypy

format: $(TEST_INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt $(RULES)

unlock: $(INSTALLED)
	$(BIN)/snakemake --unlock

clean:
	rm -rf $(VENV) .snakemake site

$(INSTALLED): pyproject.toml constraints.txt
	@echo "Installing into $(VENV): minutes with pip, seconds with uv ..."
	PYTHON=$(PYTHON) tools/install $(VENV) ".[all]"
	touch $@

$(TEST_INSTALLED): $(INSTALLED)
	PYTHON=$(PYTHON) tools/install $(VENV) ".[test]"
	touch $@

$(DOCS_INSTALLED): $(INSTALLED)
	PYTHON=$(PYTHON) tools/install $(VENV) ".[docs]"
	touch $@

$(SLURM_INSTALLED): $(TEST_INSTALLED)
	PYTHON=$(PYTHON) tools/install $(VENV) ".[slurm]"
	touch $@
