# Every target makes .venv and installs what it needs when that is missing or out of date.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed

.PHONY: train test test-lowest test-ecosystem lint bench clean

train: $(INSTALLED)
	$(BIN)/python train.py --config configs/quick.yaml

test: lint
	$(BIN)/python -m pytest --numprocesses 2

# The environments at the floors of what they depend on.
test-lowest: .venv-lowest/installed
	NUMBA_CACHE_DIR=.cache/numba/lowest .venv-lowest/bin/python -m pytest \
		tests/test_aec.py tests/test_match_env.py tests/test_single.py tests/test_values.py tests/test_vector.py

# The examples and the libraries they are for; a gigabyte to install, and ten minutes.
test-ecosystem: .venv-ecosystem/installed
	RAY_AUTH_MODE=disabled RAY_USAGE_STATS_ENABLED=0 \
		.venv-ecosystem/bin/python -m pytest --override-ini filterwarnings=default tests/ecosystem

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)
	NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m rummikub_env bench

clean:
	rm -rf .venv .venv-* .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

.venv-lowest/installed: pyproject.toml tests/lowest.txt
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/pip install --quiet --requirement tests/lowest.txt --editable .
	touch $@

.venv-ecosystem/installed: pyproject.toml tests/ecosystem/requirements.txt
	$(PYTHON) -m venv .venv-ecosystem
	.venv-ecosystem/bin/pip install --quiet --requirement tests/ecosystem/requirements.txt --editable .
	touch $@
