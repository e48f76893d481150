# SPDX-License-Identifier: Apache-2.0
"""laplace, cauchy, matern and angular: exact values against scikit-learn and formulas, features against those."""

import bochner
import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern
from sklearn.metrics.pairwise import laplacian_kernel


@pytest.fixture
def others():
    return np.random.default_rng(8).normal(size=(13, 5))


@pytest.mark.parametrize("nu", [0.2, 0.5, 0.9, 1.0, 1.5, 2.5, 3.3, 10.0])
@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
def test_matern_is_that_of_scikit_learn(rows, others, nu, sigma):
    K = bochner.kernel_matrix(rows, others, "matern", sigma, nu=nu)
    assert np.allclose(K, Matern(length_scale=sigma, nu=nu)(rows, others), rtol=1e-9, atol=1e-300)


def test_matern_with_a_vector_lengthscale_is_that_of_scikit_learn(rows, others):
    sigma = [0.5, 1.0, 2.0, 3.0, 4.0]
    K = bochner.kernel_matrix(rows, others, "matern", sigma, nu=2.5)
    assert np.allclose(K, Matern(length_scale=sigma, nu=2.5)(rows, others), rtol=1e-12)


def test_default_nu_is_three_halves(rows):
    K = bochner.kernel_matrix(rows, kernel="matern")
    assert np.array_equal(K, bochner.kernel_matrix(rows, kernel="matern", nu=1.5))


def test_laplace_is_that_of_scikit_learn(rows, others):
    K = bochner.kernel_matrix(rows, others, "laplace", 1.7)
    assert np.allclose(K, laplacian_kernel(rows, others, gamma=1 / 1.7), rtol=1e-12)


def test_cauchy(rows, others):
    z = rows[:, None, :] - others[None, :, :]
    K = bochner.kernel_matrix(rows, others, "cauchy", 2.0)
    assert np.allclose(K, np.prod(1 / (1 + z**2 / 4), axis=2), rtol=1e-12)


def test_angular(rows, others):
    cosine = rows @ others.T / np.outer(np.linalg.norm(rows, axis=1), np.linalg.norm(others, axis=1))
    assert np.allclose(bochner.kernel_matrix(rows, others, "angular"), 1 - 2 * np.arccos(cosine) / np.pi, atol=1e-12)


@pytest.mark.parametrize(
    "kernel, params",
    [("laplace", {}), ("cauchy", {}), ("matern", {"nu": 0.5}), ("matern", {"nu": 2.5}), ("angular", {})],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_features_have_the_kernel_as_their_mean(rows, kernel, params, dtype):
    m = 20000
    X = rows[:20].astype(dtype)
    Z = bochner.features(X.shape[1], kernel=kernel, m=m, seed=3, lengthscale=2.0, **params).transform(X)
    Z = Z.astype(np.float64)
    error = Z @ Z.T - bochner.kernel_matrix(X, kernel=kernel, lengthscale=2.0, **params)
    assert np.abs(error).max() < 6 / np.sqrt(m)  # every product of features is in [-1, 1]


def test_what_fits_is_chosen_and_what_does_not_is_refused():
    assert bochner.features(3, kernel="laplace").spec["coupling"] == "iid"
    assert bochner.features(3, kernel="matern").spec["coupling"] == "orthogonal"
    assert bochner.features(3, kernel="matern", nu=0.5).spec["nu"] == 0.5
    assert bochner.features(3, kernel="angular").spec["map"] == "sign"
    with pytest.raises(ValueError, match=r"needs an isotropic law.*couplings that fit: iid"):
        bochner.features(3, kernel="laplace", coupling="orthogonal")
    with pytest.raises(ValueError, match="does not serve kernel 'matern'; maps that do: trigonometric, cosine"):
        bochner.features(3, kernel="matern", map="positive")
    for nu in (0, -1, float("nan"), float("inf"), "smooth"):
        with pytest.raises(ValueError, match="nu"):
            bochner.features(3, kernel="matern", nu=nu)
        with pytest.raises(ValueError, match="nu"):
            bochner.kernel_matrix(np.ones((2, 3)), kernel="matern", nu=nu)
