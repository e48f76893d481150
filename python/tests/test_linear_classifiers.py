# SPDX-License-Identifier: Apache-2.0
"""KernelSVC and KernelLogistic against scikit-learn on the same features."""

import pickle
import warnings

import numpy as np
import pytest
from bochner import KernelLogistic, KernelSVC
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.estimator_checks import parametrize_with_checks

# Planning at every fit would take minutes.
WORDS = {"map": "trigonometric", "coupling": "orthogonal", "random_state": 0, "lengthscale": 2.0}
CHECKED = {"map": "cosine", "coupling": "orthogonal", "random_state": 0, "n_components": 100}
ESTIMATORS = [KernelSVC(**CHECKED), KernelLogistic(**CHECKED), KernelLogistic(multi_class="one_vs_rest", **CHECKED)]


@parametrize_with_checks(ESTIMATORS)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    """Rows in noisy sectors, their class (one of three), and whether it is the first."""
    generator = np.random.default_rng(5)
    X = generator.normal(size=(400, 4))
    turn = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) + 0.5 + 0.05 * generator.normal(size=400)
    return X, np.floor(3 * turn).astype(int) % 3, generator.uniform(0.1, 3, size=400)


def hinge_objective(coef, intercept, Z, y, C, weights):
    signs = np.where(y[:, None] == np.arange(3), 1, -1) if len(coef) == 3 else np.where(y == 1, 1, -1)[:, None]
    losses = np.maximum(0, 1 - signs * (Z @ coef.T + intercept)) ** 2
    return 0.5 * (coef**2).sum() + C * (weights[:, None] * losses).sum()


def logistic_objective(coef, intercept, Z, y, C, weights):
    f = Z @ coef.T + intercept
    if len(coef) == 1:
        f = np.hstack([np.zeros_like(f), f])
    losses = np.logaddexp.reduce(f, axis=1) - f[np.arange(len(y)), y]
    return 0.5 * (coef**2).sum() + C * (weights * losses).sum()


@pytest.mark.parametrize("C", [0.1, 100.0])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [True, False])
def test_svc_has_the_objective_of_linear_svc(data, C, classes, weighted):
    X, y, weights = data
    y = y % classes
    given = weights if weighted else None
    ours = KernelSVC(n_components=60, C=C, tol=1e-10, fit_intercept=False, **WORDS).fit(X, y, given)
    Z = ours.features_.transform(X)
    theirs = LinearSVC(C=C, dual=False, tol=1e-10, fit_intercept=False, max_iter=10000).fit(Z, y, given)
    weight = weights if weighted else np.ones(400)
    got, want = (hinge_objective(model.coef_, 0.0, Z, y, C, weight) for model in (ours, theirs))
    assert got == pytest.approx(want, rel=1e-6)
    assert got == pytest.approx(ours.objective_, rel=1e-10)
    assert np.abs(ours.decision_function(X) - theirs.decision_function(Z)).max() < 1e-3
    assert ours.converged_


def test_svc_does_not_penalise_the_intercept(data):
    """LinearSVC penalises the intercept, but less for larger intercept_scaling: its objective comes down to ours."""
    X, y, _ = data
    y = (y == 0).astype(int)
    ours = KernelSVC(n_components=60, C=0.1, tol=1e-10, **WORDS).fit(X, y)
    Z = ours.features_.transform(X)
    theirs = LinearSVC(C=0.1, dual=False, tol=1e-10, intercept_scaling=1e3, max_iter=10000).fit(Z, y)
    got, want = (hinge_objective(m.coef_, m.intercept_, Z, y, 0.1, np.ones(400)) for m in (ours, theirs))
    assert got == pytest.approx(want, rel=1e-6)
    assert got <= want * (1 + 1e-12)


@pytest.mark.parametrize("C", [0.1, 100.0])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_logistic_is_logistic_regression(data, C, classes, intercept):
    X, y, weights = data
    y = y % classes
    ours = KernelLogistic(n_components=60, C=C, tol=1e-10, fit_intercept=intercept, **WORDS).fit(X, y, weights)
    Z = ours.features_.transform(X)
    theirs = LogisticRegression(C=C, tol=1e-10, fit_intercept=intercept, solver="newton-cg", max_iter=10000)
    theirs.fit(Z, y, weights)
    got, want = (logistic_objective(m.coef_, m.intercept_, Z, y, C, weights) for m in (ours, theirs))
    assert got == pytest.approx(want, rel=1e-6)
    assert got == pytest.approx(ours.objective_, rel=1e-10)
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(Z)).max() < 1e-5
    assert np.abs(np.exp(ours.predict_log_proba(X)) - ours.predict_proba(X)).max() < 1e-12


def test_one_vs_rest(data):
    X, y, _ = data
    ours = KernelLogistic(n_components=60, tol=1e-10, multi_class="one_vs_rest", **WORDS).fit(X, y)
    Z = ours.features_.transform(X)
    theirs = OneVsRestClassifier(LogisticRegression(tol=1e-10, solver="newton-cg", max_iter=10000)).fit(Z, y)
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(Z)).max() < 1e-5


@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0, 2: 0.5}])
@pytest.mark.parametrize("model", [KernelSVC, KernelLogistic])
def test_class_weights_are_weights_of_rows(data, model, class_weight):
    X, y, _ = data
    ours = model(n_components=20, class_weight=class_weight, **WORDS).fit(X, y)
    plain = model(n_components=20, **WORDS).fit(X, y, compute_sample_weight(class_weight, y))
    # The weights change gamma="scale", but not a given lengthscale.
    assert np.allclose(ours.coef_, plain.coef_, rtol=0, atol=1e-9)


def test_labels_of_any_type_and_pickles(data):
    X, y, _ = data
    names = np.array(["c", "a", "b"])[y]
    model = KernelLogistic(n_components=60, C=10, **WORDS).fit(X, names)
    assert list(model.classes_) == ["a", "b", "c"]
    assert model.score(X, names) > 0.8
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    single = clone(model).fit(X.astype(np.float32), names)
    assert np.abs(single.predict_proba(X.astype(np.float32)) - model.predict_proba(X)).max() < 1e-3


def test_same_bits_for_any_threads(data, threads):
    X, y, weights = data
    results = []
    for count in (1, 2, 3):
        threads(count)
        models = [model(n_components=60, **WORDS).fit(X, y, weights) for model in (KernelSVC, KernelLogistic)]
        results.append([model.coef_ for model in models])
    assert all(np.array_equal(result, results[0]) for result in results)


def test_no_convergence_is_told_not_raised(data):
    X, y, _ = data
    with pytest.warns(ConvergenceWarning, match="KernelSVC stopped after 1 steps with a gradient of norm"):
        model = KernelSVC(n_components=60, max_iter=1, tol=1e-9, **WORDS).fit(X, y)
    assert not model.converged_
    assert model.n_iter_ == 1
    assert model.gradient_norm_ > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert KernelSVC(n_components=60, **WORDS).fit(X, y).converged_


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        (KernelSVC, {"C": 0.0}, "C is 0; expected a finite number > 0"),
        (KernelSVC, {"tol": -1.0}, "tolerance is -1; expected a finite number > 0"),
        (KernelSVC, {"max_iter": 0}, "max_iter is 0"),
        (KernelSVC, {"cache_size": -1}, "cache_size is -1.0; expected megabytes, a number from 0 to 1e9"),
        (KernelSVC, {"class_weight": "even"}, "class_weight is 'even'; expected None, 'balanced' or a dict"),
        (KernelSVC, {"class_weight": {0: -1.0}}, "class_weight has -1.0; expected numbers >= 0"),
        (KernelLogistic, {"multi_class": "ovr"}, "multi_class is 'ovr'; expected one of 'multinomial', 'one_vs_rest'"),
        (KernelLogistic, {"map": "complex_exponential", "params": {"A": [0.5] * 4}}, "which treats query and key"),
        (KernelSVC, {"map": "complex_exponential", "params": {"A": [0.5] * 4}}, "which treats query and key"),
    ],
)
def test_bad_words(data, model, given, message):
    with pytest.raises(ValueError, match=message):
        model(**{"n_components": 8, **WORDS, **given}).fit(data[0], data[1])


def test_bad_rows(data):
    X, y, _ = data
    model = KernelSVC(n_components=8, **WORDS)
    with pytest.raises(ValueError, match="y has one class, 1; expected at least two classes"):
        model.fit(X, np.ones(400, int))
    with pytest.raises(ValueError, match=r"sample_weight has -1\.0; expected numbers >= 0"):
        model.fit(X, y, np.full(400, -1.0))
    with pytest.raises(TypeError, match="C is 'x'; expected a number"):
        KernelSVC(C="x").fit(X, y)
