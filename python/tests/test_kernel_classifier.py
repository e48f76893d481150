# SPDX-License-Identifier: Apache-2.0
"""KernelClassifier against plain sums over rows."""

import pickle

import numpy as np
import pytest
from bochner import KernelClassifier
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

# Planning at every fit would take minutes; the checks set n_components to 1, the width of these maps.
WORDS = {"coupling": "orthogonal", "random_state": 0}
ESTIMATORS = [
    KernelClassifier(map="cosine", n_components=200, **WORDS),
    KernelClassifier(map="positive", n_components=200, **WORDS),
    KernelClassifier(),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.fixture
def labels(rows):
    return np.array(["a", "b", "c"])[np.arange(len(rows)) * 7 % 3]


@pytest.mark.parametrize("map", ["trigonometric", "positive"])
def test_scores_are_sums_of_estimated_kernels(rows, labels, map):
    weights = np.arange(67.0) % 4
    model = KernelClassifier(map=map, n_components=32, lengthscale=2.0, **WORDS).fit(rows, labels, weights)
    K = model.features_.transform(rows) @ model.features_.transform(rows, side="key").T
    scores = np.stack([K[:, labels == c] @ weights[labels == c] for c in "abc"], axis=1) / weights.sum()
    assert np.allclose(model.decision_function(rows), scores, rtol=0, atol=1e-13)
    assert (model.predict(rows) == np.array(list("abc"))[scores.argmax(axis=1)]).all()
    assert hasattr(model, "predict_proba") == (map == "positive")
    if map == "positive":
        assert np.allclose(model.predict_proba(rows), scores / scores.sum(axis=1, keepdims=True), rtol=0, atol=1e-12)


def test_lengthscale_by_validation():
    """Stripes are much narrower than the spread of the data: the wide "scale" cannot see them."""
    X = np.random.default_rng(0).uniform(-4, 4, size=(1500, 1))
    y = (np.floor(2 * X[:, 0]) % 2).astype(int)
    words = {"map": "trigonometric", "n_components": 400, **WORDS}
    wide = KernelClassifier(**words).fit(X, y)
    found = KernelClassifier(lengthscale="auto", **words).fit(X, y)
    assert found.lengthscale_ < wide.lengthscale_ / 3
    assert found.score(X, y) > 0.9 > wide.score(X, y)
    assert clone(found).fit(X, y).lengthscale_ == found.lengthscale_
    assert KernelClassifier(lengthscale="auto", **words).fit(X[:1], y[:1]).predict(X[:1]) == y[:1]


def test_batches_merge_and_pickle(rows, labels):
    words = {"map": "trigonometric", "n_components": 16, "lengthscale": 2.0, **WORDS}
    whole = KernelClassifier(**words).fit(rows, labels)
    batches = KernelClassifier(**words).partial_fit(rows[:1], labels[:1], classes=["c", "a", "b"])
    batches.partial_fit(rows[1:], labels[1:])
    merged = KernelClassifier(**words).fit(rows[:30], labels[:30])
    merged.merge(KernelClassifier(**words).fit(rows[30:], labels[30:]))
    for model in (batches, merged, pickle.loads(pickle.dumps(merged))):
        assert np.allclose(model.decision_function(rows), whole.decision_function(rows), rtol=0, atol=1e-13)
        assert np.array_equal(model.class_weight_, whole.class_weight_)


def test_same_bits_for_any_threads(rows, labels, threads):
    results = []
    for count in (1, 2, 3, 8):
        threads(count)
        model = KernelClassifier(map="positive", n_components=600, **WORDS).fit(rows, labels)
        results.append(model.predict_proba(rows))
    assert all(np.array_equal(result, results[0]) for result in results)


def test_far_from_every_row_the_shares_of_classes():
    model = KernelClassifier(map="positive", n_components=8, lengthscale=0.01, **WORDS)
    model.fit([[0.0], [0.1], [0.2]], [0, 1, 1])
    assert np.allclose(model.predict_proba([[1e5]]), [[1 / 3, 2 / 3]])


def test_far_from_every_row_prediction_and_probability_agree():
    X, y = np.array([[0.0], [0.1], [0.2]]), ["a", "b", "b"]
    model = KernelClassifier(map="positive", n_components=32, lengthscale=0.1, random_state=0).fit(X, y)
    far = [[1e3]]
    assert not model.decision_function(far).any()
    assert model.predict(far) == ["b"] == model.classes_[model.predict_proba(far).argmax(axis=1)]


def test_asymmetric_maps_are_welcome(rows, labels):
    words = {"map": "complex_exponential", "params": {"A": [0.9] * 5}, "n_components": 16, "lengthscale": 2.0}
    model = KernelClassifier(coupling="iid", random_state=0, **words).fit(rows, labels)
    K = model.features_.transform(rows) @ model.features_.transform(rows, side="key").T
    scores = np.stack([K[:, labels == c].sum(axis=1) for c in "abc"], axis=1) / 67
    assert np.allclose(model.decision_function(rows), scores, rtol=0, atol=1e-12)


def test_bad_rows(rows, labels):
    model = KernelClassifier(map="cosine", n_components=8, lengthscale=1.0, **WORDS).fit(rows, labels)
    with pytest.raises(ValueError, match="y has the label d; expected one of a, b, c"):
        model.partial_fit(rows, np.full(67, "d"))
    with pytest.raises(ValueError, match=r"sample_weight has -1\.0; expected numbers >= 0"):
        model.fit(rows, labels, np.full(67, -1.0))
    model.fit(rows, labels)
    with pytest.raises(ValueError, match="expected a fitted KernelClassifier"):
        model.merge(clone(model))
    with pytest.raises(ValueError, match="other has the features"):
        model.merge(clone(model).set_params(random_state=1).fit(rows, labels))
    with pytest.raises(ValueError, match="other has the classes a, b, c, d; expected a, b, c"):
        model.merge(clone(model).partial_fit(rows, labels, classes=list("abcd")))
