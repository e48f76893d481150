# SPDX-License-Identifier: Apache-2.0
"""KernelRidgeClassifier against scikit-learn's checks, and against the regression behind it."""

import numpy as np
import pytest
from bochner import KernelRidge, KernelRidgeClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

# Planning at every fit would take minutes; the checks set n_components to 1, the width of this map.
CHECKED = {"map": "cosine", "coupling": "orthogonal", "random_state": 0, "n_components": 200}
WORDS = {"map": "trigonometric", "coupling": "orthogonal", "n_components": 60, "lengthscale": 1.5, "random_state": 0}


@parametrize_with_checks([KernelRidgeClassifier(**CHECKED), KernelRidgeClassifier(alpha=0.1, **CHECKED)])
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    X = np.random.default_rng(7).normal(size=(300, 3))
    return X, np.array(["low", "mid", "top"])[np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3])]


def test_is_the_regression_on_zeros_and_ones(data):
    X, y = data
    weights = np.arange(300) % 3
    model = KernelRidgeClassifier(**WORDS).fit(X, y, weights)
    ridge = KernelRidge(**WORDS).fit(X, (y[:, None] == model.classes_).astype(float), weights)
    assert np.array_equal(model.decision_function(X), ridge.predict(X))
    assert (model.alpha_, model.condition_) == (ridge.alpha_, ridge.condition_)
    assert np.array_equal(model.predict(X), model.classes_[ridge.predict(X).argmax(axis=1)])
    assert model.score(X, y) > 0.7


def test_two_classes_have_one_score(data):
    X, y = data
    y = y == "top"
    model = KernelRidgeClassifier(alpha=0.5, **WORDS).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (300,)
    assert np.array_equal(model.predict(X), scores > 0)
    # scikit-learn has -1 and 1 instead of 0 and 1, and takes f(1) - f(0).
    Z = model.features_.transform(X)
    expected = RidgeClassifier(alpha=0.5).fit(Z, y).decision_function(Z)
    assert np.allclose(scores, expected, rtol=0, atol=1e-8)


def test_refusals(data):
    X, y = data
    with pytest.raises(ValueError, match="one class, low"):
        KernelRidgeClassifier(**WORDS).fit(X, y, y == "low")
    with pytest.raises(ValueError, match="alpha is -1"):
        KernelRidgeClassifier(**{**WORDS, "alpha": -1}).fit(X, y)
