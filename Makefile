# Every target makes .venv and installs what it needs when that is missing or out of date.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed

.PHONY: train test lint bench clean

train: $(INSTALLED)
	$(BIN)/python train.py --config configs/quick.yaml

test: lint
	$(BIN)/python -m pytest --numprocesses 2

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)
	NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m rummikub_env bench

clean:
	rm -rf .venv .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@
