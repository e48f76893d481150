# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Fixtures and helpers that several tests share."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

# The installed package is tested. Run in the folder python/, `python -m pytest` would find the sources instead, which
# lack the compiled part.
_SOURCES = Path(__file__).resolve().parents[1]
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != _SOURCES]
# One of scikit-learn's estimator checks runs only if this is set before scipy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import bochner
import numpy as np
import pytest


@pytest.fixture
def rows():
    """Sixty-seven points in five dimensions: not a multiple of any block or lane width."""
    return np.random.default_rng(7).normal(size=(67, 5))


@pytest.fixture
def threads():
    """Lets a test change the number of threads."""
    before = bochner.num_threads()
    yield bochner.set_num_threads
    bochner.set_num_threads(before)


def _composes(kernel, map, coupling):
    try:
        bochner.features(5, kernel=kernel, map=map, coupling=coupling, m=1)
    except ValueError:
        return False
    return True


_GROUPS = (bochner.kernels, bochner.maps, bochner.couplings)
# Values that fit would find, for maps that have such a parameter.
_FOUND = {
    "exponential": {"A": -0.07, "s": 1.0},
    "complex_exponential": {"A": [0.9 + 0.2j] * 5},
    "poisson": {"rate": 0.5},
    "geometric": {"p": 0.6},
    "poisson_positive": {"rate": 4.0, "shift": -4.0},
    "geometric_positive": {"p": 0.2, "shift": -4.0},
    "hybrid_gaussian": {"radius": 0.7},
    "hybrid_clustered": {"query_centres": [0.5, -0.4] * 5, "key_centres": [0.3, 0.5] * 5},
}
_FROM_DATA = {
    entry["name"]: {
        parameter["name"]: _FOUND.get(entry["name"], {}).get(parameter["name"], -0.07)
        for parameter in entry["parameters"]
        if "from data" in parameter["default"]
    }
    for entry in bochner.maps()
}
# The bindings treat all mechanisms alike, so these are enough: every coupling with `trigonometric` and `positive`, and
# every kernel and map with `iid`. The C++ tests cover all combinations that fit together.
_COMPOSITIONS = [
    {"kernel": kernel, "map": map, "coupling": coupling, **_FROM_DATA[map]}
    for kernel, map, coupling in itertools.product(*([entry["name"] for entry in group()] for group in _GROUPS))
    if coupling == "iid" or (kernel == "gaussian" and map in ("trigonometric", "positive"))
    if _composes(kernel, map, coupling)
]


@pytest.fixture
def compositions():
    """Kernels, maps and couplings that fit together."""
    return _COMPOSITIONS


def pytest_generate_tests(metafunc):
    """Parametrises a test by them, as the argument `words`."""
    if "words" in metafunc.fixturenames:
        metafunc.parametrize(
            "words", _COMPOSITIONS, ids=lambda word: "-".join(word[key] for key in ("kernel", "map", "coupling"))
        )


PROGRAM = Path(__file__).resolve().parents[2] / "build" / "bin" / "bochner"


@pytest.fixture
def run():
    """Runs the command line of this build and returns what it prints."""
    # `make test` builds it and allows no Python test to be skipped.
    if not PROGRAM.exists() and not os.environ.get("BOCHNER_REQUIRE_PYTHON"):
        pytest.skip("the command line is not built")

    def run_words(*words):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_words
