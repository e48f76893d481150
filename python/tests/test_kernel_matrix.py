# SPDX-License-Identifier: Apache-2.0
"""The exact kernels against formulas implemented here again, and against scikit-learn."""

import bochner
import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel


@pytest.fixture
def others():
    return np.random.default_rng(8).normal(size=(13, 5))


@pytest.mark.parametrize("sigma", [0.3, 1.0, 7.0])
def test_gaussian(rows, others, sigma):
    K = bochner.kernel_matrix(rows, others, "gaussian", sigma)
    assert np.allclose(K, rbf_kernel(rows, others, gamma=1 / (2 * sigma**2)), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("sigma", [0.7, 1.0, 3.0])
def test_softmax(rows, others, sigma):
    K = bochner.kernel_matrix(rows, others, kernel="softmax", lengthscale=sigma)
    assert np.allclose(K, np.exp(rows @ others.T / sigma**2), rtol=1e-12)


@pytest.mark.parametrize("kernel", [entry["name"] for entry in bochner.kernels()])
def test_vector_lengthscale_divides(rows, others, kernel):
    sigma = np.array([0.5, 1.0, 2.0, 3.0, 4.0])
    K = bochner.kernel_matrix(rows, others, kernel, sigma)
    assert np.allclose(K, bochner.kernel_matrix(rows / sigma, others / sigma, kernel), rtol=1e-12)


def test_y_is_x_by_default(rows):
    K = bochner.kernel_matrix(rows)
    assert np.array_equal(K, bochner.kernel_matrix(rows, rows))
    assert np.array_equal(K, K.T)
    # The exponent is |x|^2 + |y|^2 - 2 x.y, each term rounded: about d + 3 roundings of 2 |x|^2.
    assert (np.abs(np.diag(K) - 1) <= 8 * 2.0**-53 * 2 * np.square(rows).sum(axis=1)).all()


def test_dtypes(rows, others):
    single, double = rows.astype(np.float32), others
    assert bochner.kernel_matrix(single).dtype == np.float32
    assert bochner.kernel_matrix(single, others.astype(np.float32)).dtype == np.float32
    mixed = bochner.kernel_matrix(single, double)
    assert mixed.dtype == np.float64
    assert np.array_equal(mixed, bochner.kernel_matrix(single.astype(np.float64), double))
    # Computed in double, rounded once: half a unit in the last place.
    rounded = bochner.kernel_matrix(single)
    assert np.array_equal(rounded, bochner.kernel_matrix(single.astype(np.float64)).astype(np.float32))


def test_empty(others):
    assert bochner.kernel_matrix(np.empty((0, 5)), others).shape == (0, 13)
    assert bochner.kernel_matrix(others, np.empty((0, 5))).shape == (13, 0)
