# make all     set up .venv and run the whole pipeline
# make test    set up .venv and run every check
# make unlock  after a power cut or a killed run: take away the lock it left
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: all test lint format unlock clean

all: $(INSTALLED)
	$(BIN)/snakemake --cores all all

test: $(INSTALLED) lint
	$(BIN)/pytest

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/rules

unlock: $(INSTALLED)
	$(BIN)/snakemake --unlock

clean:
	rm -rf $(VENV) .snakemake

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -e ".[test]"
	touch $@
