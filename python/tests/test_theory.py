# SPDX-License-Identifier: Apache-2.0
"""The closed forms as Python calls them."""

import numpy as np
import pytest

import bochner
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
    with pytest.raises(ValueError, match="map is 'sign'|does not serve"):
        theory.conformity(1.0, 6, map="sign")
    with pytest.raises(ValueError, match="coupling is 'halton'"):
        theory.conformity(1.0, 6, coupling="halton")
