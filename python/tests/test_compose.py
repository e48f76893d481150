# SPDX-License-Identifier: Apache-2.0
"""The algebra of features: operators are sums and products of estimates, and compositions survive pickling."""

import pickle

import bochner
import numpy as np
import pytest

RNG = np.random.default_rng(0)
X, Y = 0.5 * RNG.normal(size=(6, 3)), 0.5 * RNG.normal(size=(4, 3))


def part(map="positive", m=7, seed=0, kernel="softmax"):
    return bochner.features(3, kernel=kernel, map=map, m=m, seed=seed)


def estimates(features):
    return features.transform(X) @ features.transform(Y, side="key").T


@pytest.fixture
def parts():
    return part(), part("trigonometric", 5, 1), part("sign", 4, 2, "angular")


def test_operators_are_those_of_the_kernels(parts):
    a, b, s = parts
    A, B, S = map(estimates, parts)
    np.testing.assert_allclose(estimates(a + b), A + B, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(estimates(a - b), A - B, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(estimates(a * b), A * B, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(estimates(-0.5 * s), -0.5 * S, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(estimates(-(a * 3)), -3 * A, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(estimates(2 * a + b * s), 2 * A + B * S, rtol=1e-12, atol=1e-14)


def test_hybrid_is_its_formula(parts):
    a, b, s = parts
    A, B, S = map(estimates, parts)
    np.testing.assert_allclose(estimates(bochner.hybrid([((0.5, -0.5 * s), a)], rest=b)),
                               (0.5 - 0.5 * S) * A + (0.5 + 0.5 * S) * B, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(estimates(bochner.hybrid([(0.25, a), (s, b)])), 0.25 * A + S * B, rtol=1e-12, atol=1e-14)


def test_on_inputs_maps_both_sides():
    f = bochner.features(2, m=6)
    P, Q = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3))
    expected = f.transform(X @ P.T) @ f.transform(Y @ Q.T, side="key").T
    np.testing.assert_allclose(estimates(bochner.compose.on_inputs(f, P, Q)), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(estimates(bochner.compose.on_inputs(f, P.T.copy().T)),
                               f.transform(X @ P.T) @ f.transform(Y @ P.T).T, rtol=1e-12, atol=1e-14)


def test_parts_outlive_their_names(parts):
    a, b, _ = parts
    product = part() * part("trigonometric", 5, 1)
    np.testing.assert_array_equal(estimates(product), estimates(a * b))


def test_pickle_and_repr(parts):
    a, b, s = parts
    P = RNG.normal(size=(3, 3))
    made = bochner.hybrid([((0.5, -0.5 * bochner.compose.on_inputs(s, P)), a + a)], rest=2.0 * b)
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(estimates(made), estimates(again))
    assert repr(2.0 * a).startswith("bochner.compose.scaled(2.0, bochner.features(")
    assert made.spec["map"] == "hybrid" and made.d == 3 and made.m == 7
    assert made.fit(X) is made and made.fitted and not made.symmetric


def test_refusals(parts):
    a, _, _ = parts
    with pytest.raises(ValueError, match="d = 3 and d = 2; expected one d"):
        a + bochner.features(2)
    with pytest.raises(ValueError, match="not fitted"):
        a * bochner.features(3, map="optimal_positive")
    with pytest.raises(ValueError, match="c is 0"):
        0.0 * a
    with pytest.raises(ValueError, match="no term"):
        bochner.hybrid([])
    with pytest.raises(ValueError, match="P is 2 x 3"):
        bochner.compose.on_inputs(a, np.ones((2, 3)))
    with pytest.raises(ValueError, match="expected two matrices"):
        bochner.compose.on_inputs(a, [1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="expected Features"):
        bochner.hybrid([(0.5, "positive")])
    with pytest.raises(TypeError, match="coefficient is 'half'; expected a number"):
        bochner.hybrid([("half", a)])
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(TypeError):
        a * "b"
