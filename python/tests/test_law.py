# SPDX-License-Identifier: Apache-2.0
"""phi(x) . phi(y) has the mean k(x, y) whether gamma or lengthscale is given: tests the factor 2 between gamma and
sigma^2."""

import bochner
import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.kernel_approximation import RBFSampler
from sklearn.metrics.pairwise import rbf_kernel

SEEDS = 400
PAIRS = 6
X = np.random.default_rng(11).normal(scale=1.3, size=(2 * PAIRS, 3))
GAMMA = 0.4
SIGMA = np.sqrt(0.5 / GAMMA)
SCALE = 1 / (3 * X.var())

WAYS = {
    "gamma": ({"gamma": GAMMA}, GAMMA),
    "gamma-scale": ({"gamma": "scale"}, SCALE),
    "default": ({}, SCALE),
    "lengthscale": ({"lengthscale": SIGMA}, GAMMA),
    "lengthscale-scale": ({"lengthscale": "scale"}, SCALE),
    "lengthscale-gamma-none": ({"lengthscale": SIGMA, "gamma": None}, GAMMA),
    "lengthscale-vector": ({"lengthscale": np.full(3, SIGMA)}, GAMMA),
}
# Two-sided, a family error of 1e-6 over all comparisons of this file.
THRESHOLD = student.isf(1e-6 / 2 / (PAIRS * (len(WAYS) + 2)), SEEDS - 1)


def _products(Z):
    return np.einsum("ij,ij->i", Z[:PAIRS], Z[PAIRS:])


def _estimates(transformer):
    return np.array([_products(transformer.set_params(random_state=seed).fit_transform(X)) for seed in range(SEEDS)])


def _exact(gamma):
    return np.diag(rbf_kernel(X[:PAIRS], X[PAIRS:], gamma=gamma))


def _error(estimates):
    return estimates.std(axis=0, ddof=1) / np.sqrt(SEEDS)


@pytest.mark.parametrize("way", WAYS)
def test_unbiased_for_every_way_to_give_the_scale(way):
    params, gamma = WAYS[way]
    estimates = _estimates(
        bochner.RandomFeatures(map="trigonometric", coupling="orthogonal", n_components=64, **params)
    )
    z = (estimates.mean(axis=0) - _exact(gamma)) / _error(estimates)
    assert np.abs(z).max() < THRESHOLD
    # The test can fail: with half or twice the gamma it does, by a wide margin.
    for wrong in (gamma / 2, 2 * gamma):
        assert (np.abs(_exact(wrong) - _exact(gamma)) / _error(estimates)).max() > 2 * THRESHOLD


def test_features_function():
    estimates = np.array(
        [_products(bochner.features(3, m=32, seed=seed, lengthscale=SIGMA).transform(X)) for seed in range(SEEDS)]
    )
    z = (estimates.mean(axis=0) - _exact(GAMMA)) / _error(estimates)
    assert np.abs(z).max() < THRESHOLD


def test_predicted_error_is_the_observed_one():
    """iid sines and cosines have the error (1 - k^2)^2 / (2 m)."""
    k = _exact(GAMMA)
    words = {"m": 32, "map": "trigonometric", "coupling": "iid", "lengthscale": SIGMA}
    predicted = bochner.theory.mse(X[:PAIRS], X[PAIRS : 2 * PAIRS], **words)
    assert bochner.theory.mse(X[0], X[PAIRS], **words) == predicted[0]
    assert np.allclose(predicted, (1 - k**2) ** 2 / 64, rtol=1e-12)


def test_same_mean_as_rbf_sampler():
    ours = _estimates(bochner.RandomFeatures(map="trigonometric", coupling="orthogonal", n_components=64, gamma=GAMMA))
    theirs = _estimates(RBFSampler(n_components=64, gamma=GAMMA))
    z = (ours.mean(axis=0) - theirs.mean(axis=0)) / np.hypot(_error(ours), _error(theirs))
    assert np.abs(z).max() < THRESHOLD
    # At equal length of the feature vector orthogonal sines and cosines are more exact.
    assert ours.var(axis=0).sum() < theirs.var(axis=0).sum()
