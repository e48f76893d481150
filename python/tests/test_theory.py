# SPDX-License-Identifier: Apache-2.0
"""The closed forms in Python."""

import doctest
from pathlib import Path

import bochner
import numpy as np
import pytest
from bochner import theory

RNG = np.random.default_rng(3)
X = RNG.normal(0.1, 0.4, (50, 4))
Y = RNG.normal(-0.1, 0.5, (50, 4))


def test_optimal_parameters_are_those_of_fit():
    for map in ("optimal_positive", "optimal_positive_paired"):
        found = theory.optimal_parameters(X, Y, kernel="softmax", map=map, lengthscale=1.5)
        fitted = bochner.features(4, kernel="softmax", map=map, lengthscale=1.5).fit(X, Y)
        assert found == {"A": fitted.spec["A"]}


def test_optimal_parameters_of_a_map_without_any():
    assert theory.optimal_parameters(X, map="trigonometric") == {}
    assert theory.optimal_parameters(X, map="optimal_positive", A=-0.1) == {}


def test_best_weight_has_the_least_error():
    words = {"m": 8, "map": "optimal_positive", "coupling": "iid"}
    x, y = np.full(4, 0.8), np.full(4, 0.9)
    best = theory.optimal_parameters([x], [y])["A"]
    errors = [theory.mse(x, y, A=best * factor, **words) for factor in (0.9, 1.0, 1.1)]
    assert errors[1] < min(errors[0], errors[2])


def test_missing_parameter_is_named():
    with pytest.raises(ValueError, match="lacks parameter 'A': give it; optimal_parameters finds it"):
        theory.mse(X[0], Y[0], m=4, map="optimal_positive")


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"shapes \(4,\) and \(3,\)"):
        theory.mse(X[0], Y[0, :3], m=4)
    with pytest.raises(ValueError, match="shapes"):
        theory.mse(X, Y[:5], m=4)


def test_unknown_parameter_is_refused():
    with pytest.raises(TypeError, match="unknown parameter 'rouds' of mse"):
        theory.mse(X[0], Y[0], m=4, rouds=2)


def test_conformity_of_known_couplings():
    v = np.array([0.0, 0.5, 1.0])
    assert np.allclose(theory.conformity(v, 6, coupling="iid"), np.exp(v**2), rtol=1e-15)
    assert np.allclose(theory.conformity(v, 6, coupling="iid", map="trigonometric"), np.exp(-(v**2)), rtol=1e-15)
    assert theory.conformity(1.0, 6, coupling="simplex") < theory.conformity(1.0, 6) < np.e
    paired = theory.conformity(v, 6, map="positive_paired")
    assert np.allclose(paired, theory.conformity(v, 6), rtol=1e-12)
    with pytest.raises(ValueError, match=r"map is 'sign'|does not serve"):
        theory.conformity(1.0, 6, map="sign")
    with pytest.raises(ValueError, match="coupling is 'halton'"):
        theory.conformity(1.0, 6, coupling="halton")


def test_error_is_variance_and_squared_bias():
    for coupling in ("orthogonal", "orthogonal_fixed"):
        words = {"m": 6, "map": "trigonometric", "coupling": coupling, "lengthscale": 0.7}
        variance, bias = theory.variance(X, Y, **words), theory.bias(X, Y, **words)
        assert variance.shape == bias.shape == (50,)
        assert np.all(bias == 0) == (coupling == "orthogonal")
        assert np.allclose(variance + bias**2, theory.mse(X, Y, **words), rtol=1e-12, atol=1e-16)


def test_relative_error_is_the_root_over_the_kernel():
    words = {"kernel": "softmax", "lengthscale": 1.2}
    exact = np.diag(bochner.kernel_matrix(X, Y, **words))
    relative = theory.relative_error(X, Y, m=5, map="positive", **words)
    assert np.allclose(relative * exact, np.sqrt(theory.mse(X, Y, m=5, map="positive", **words)), rtol=1e-12)
    assert theory.relative_error(X[0], Y[0], m=5, map="positive", **words) == pytest.approx(relative[0], rel=1e-12)


def test_largest_relative_error_and_its_bound():
    words = {"kernel": "softmax", "map": "hybrid_angular", "coupling": "iid", "lambda_m": 4}
    largest = theory.max_relative_error(2.0, 4, 8, **words)
    x, y = np.eye(4)[0] * 2, np.array([np.cos(2.8), np.sin(2.8), 0, 0]) * 2
    assert 0 < theory.relative_error(x, y, m=8, **words) <= largest
    assert largest <= theory.max_relative_error_bound(2.0, 4, 8, **words)
    with pytest.raises(ValueError, match="depends on more at equal norms"):
        theory.max_relative_error(1.0, 4, 8, kernel="laplace")
    with pytest.raises(TypeError, match="radius is 'far'"):
        theory.max_relative_error("far", 4, 8)


def test_tail_bound_of_rows():
    bounds = theory.tail_bound(X, Y, 0.5, m=200, A=-0.1)
    assert bounds.shape == (50,) and np.all((bounds >= 0) & (bounds <= 1)) and bounds.min() < 0.5
    assert bounds[0] == theory.tail_bound(X[0], Y[0], 0.5, m=200, A=-0.1)
    with pytest.raises(ValueError, match="coupling is 'orthogonal'; expected 'iid'"):
        theory.tail_bound(X, Y, 0.5, m=200, A=-0.1, coupling="orthogonal")


def test_estimated_error_of_rows():
    found = theory.estimated_mse(X, Y, m=16, coupling="iid", draws=400, seed=5)
    exact = theory.mse(X, Y, m=16, coupling="iid")
    assert np.all(np.abs(found.mse - exact) < 5.5 * found.standard_error)  # probability 4e-8 each for a normal law
    assert theory.estimated_mse(X[0], Y[0], m=16, coupling="iid", draws=400, seed=5).mse == found.mse[0]
    with pytest.raises(ValueError, match="draws is 1; expected a whole number from 2"):
        theory.estimated_mse(X, Y, m=4, draws=1)


def test_attention_error_is_its_formula():
    q, k, v = np.random.default_rng(3).normal(size=(3, 6, 4)) * 0.7
    x, y = q / 2**0.5, k / 2**0.5  # scale 1/2
    found = theory.attention_error(q, k, v, m=32)
    for i in range(6):
        weights = np.exp(x[i] @ y.T)
        sums = 2 * x[i] + y[:, None] + y[None]
        moments = np.exp(np.sum(sums**2, -1) / 2 - x[i] @ x[i] - (np.sum(y**2, -1)[:, None] + np.sum(y**2, -1)) / 2)
        away = v - weights @ v / weights.sum()
        mse = np.einsum("ic,ij,jc->c", away, moments, away).mean() / (32 * weights.sum() ** 2)
        np.testing.assert_allclose(found.mse[i], mse, rtol=1e-10)
        spread = (moments - np.outer(weights, weights)).sum() / (32 * weights.sum() ** 2)
        np.testing.assert_allclose(found.denominator[i], spread, rtol=1e-10)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"k": np.ones((3, 5))}, "5"),
        ({"v": np.ones((2, 4))}, "2"),
        ({"scale": -1.0}, "scale is -1.0; expected a number > 0"),
        ({"map": "trigonometric"}, "map"),
        ({"q": np.full((2, 4), np.nan)}, r"queries\[0, 0\] is nan; expected a finite number"),
    ],
)
def test_attention_error_refuses(changed, message):
    with pytest.raises(ValueError, match=message):
        theory.attention_error(**{"q": np.ones((2, 4)), "k": np.ones((3, 4)), "v": np.ones((3, 2)), "m": 8, **changed})


def test_examples_of_the_page():
    page = Path(__file__).resolve().parents[2] / "docs" / "theory.md"
    failed, attempted = doctest.testfile(str(page), module_relative=False)
    assert attempted > 15 and not failed
