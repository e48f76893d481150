# SPDX-License-Identifier: Apache-2.0
"""bochner.lengthscale against plain computations, on drawn and on real data."""

import functools
import importlib.util
from pathlib import Path

import bochner
import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.kernel_approximation import RBFSampler
from sklearn.neighbors import NearestNeighbors

_SPEC = importlib.util.spec_from_file_location(
    "data_sets", Path(__file__).resolve().parents[2] / "experiments" / "data_sets.py"
)
data_sets = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(data_sets)


def _signals():
    """2,000 rows of whole numbers around four places, many of them equal, as signal strengths are."""
    generator = np.random.default_rng(5)
    places = generator.uniform(-90, -40, (4, 7))
    return np.rint(places[generator.integers(0, 4, 2000)] + 2 * generator.normal(size=(2000, 7)))


def _curved():
    """1,500 rows near a surface in four dimensions, two columns of which have long tails."""
    generator = np.random.default_rng(6)
    a, b = generator.uniform(-3, 3, (2, 1500))
    return np.stack([a, a * b + generator.normal(size=1500), np.exp(b), generator.standard_t(3, 1500)], axis=1)


# Tables that are generated or come with scikit-learn, and the public ones that BOCHNER_DATA has.
_LARGE = {"signals": _signals, "curved": _curved, "digits": lambda: data_sets.rows_and_target("digits")[0]}
_LARGE |= {
    name: lambda name=name: data_sets.split(name)[2] if name == "usps" else data_sets.rows_and_target(name)[0]
    for name in ("banknote", "wifi", "usps")
    if data_sets.in_folder(name)
}
_SMALL = {"wine": lambda: data_sets.rows_and_target("wine")[0]}


@functools.cache
def _rows(name):
    return (_SMALL | _LARGE)[name]()


def _fiftieth(X):
    """Distance of every row to its 50th neighbour (the farthest of fewer), itself not counted."""
    order = min(50, len(X) - 1)
    return NearestNeighbors(n_neighbors=order, algorithm="kd_tree").fit(X).kneighbors()[0][:, -1]


def _expect_sample_mean(found, population):
    """`found` is the mean of 1000 different members: within five standard errors of the mean of all, except 1 time in
    10^6."""
    n = len(population)
    error = population.std(ddof=1) * np.sqrt((1 - 1000 / n) / 1000)
    assert abs(found - population.mean()) < 5 * error


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
def test_small_data_are_not_sampled(rows, dtype):
    X = (rows * 10).astype(dtype)
    wide = X.astype(np.float64)
    assert bochner.lengthscale(X, "scale") == pytest.approx(np.sqrt(5 * wide.var() / 2), rel=1e-13)
    for seed in (0, 2**64 - 1):
        assert bochner.lengthscale(X, "median", seed) == pytest.approx(np.median(pdist(wide)), rel=1e-13)
        assert bochner.lengthscale(X, "neighbour", seed) == pytest.approx(_fiftieth(wide).mean(), rel=1e-12)


def test_every_layout_gives_the_same_bits():
    X = np.random.default_rng(1).normal(size=(2000, 6))
    for rule in ("scale", "median", "neighbour"):
        expected = bochner.lengthscale(X[::2, ::2].copy(), rule, 3)
        assert bochner.lengthscale(X[::2, ::2], rule, 3) == expected
        assert bochner.lengthscale(np.asfortranarray(X[::2, ::2]), rule, 3) == expected
        assert bochner.lengthscale(X[::2, ::2].tolist(), rule, 3) == expected


def test_threads_do_not_change_a_bit(threads):
    X = np.random.default_rng(1).normal(size=(3000, 6)).astype(np.float32)
    found = set()
    for count in (1, 2, 7):
        threads(count)
        found.add(tuple(bochner.lengthscale(X, rule, 3) for rule in ("scale", "median", "neighbour")))
    assert len(found) == 1


@pytest.mark.parametrize("name", [*_SMALL, *_LARGE])
def test_scale_of_data(name):
    X = _rows(name)
    gamma = 1 / (2 * bochner.lengthscale(X, "scale") ** 2)
    assert gamma == pytest.approx(RBFSampler(gamma="scale").fit(X)._gamma, rel=1e-12)


def test_small_real_data_are_not_sampled():
    X = _rows("wine")
    assert bochner.lengthscale(X, "median") == pytest.approx(np.median(pdist(X)), rel=1e-13)
    assert bochner.lengthscale(X, "neighbour") == pytest.approx(_fiftieth(X).mean(), rel=1e-12)


@pytest.mark.parametrize("name", _LARGE)
def test_neighbours_of_data_are_sought_among_all_rows(name):
    X = _rows(name)
    population = _fiftieth(X)
    for seed in range(3):
        _expect_sample_mean(bochner.lengthscale(X, "neighbour", seed), population)


@pytest.mark.parametrize("name", _LARGE)
def test_median_of_data(name):
    """The share of all pairs below the sample's median is 1/2 up to the error of a U-statistic: a row's share of pairs
    below has a standard deviation of at most 1/2, so that of the mean over 1000 rows is at most
    2 (1/2) / sqrt(1000)."""
    X = _rows(name)
    distances = pdist(X)
    for seed in range(3):
        share = (distances < bochner.lengthscale(X, "median", seed)).mean()
        assert abs(share - 0.5) < 5 / np.sqrt(1000)
