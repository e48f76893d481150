# SPDX-License-Identifier: Apache-2.0
"""KernelRidge against scikit-learn on the same features, and against closed formulas."""

import pickle

import bochner
import numpy as np
import pytest
from bochner import KernelRidge
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.utils.estimator_checks import parametrize_with_checks

# Planning at every fit would take minutes.
WORDS = {"map": "trigonometric", "coupling": "orthogonal", "random_state": 0}

# The checks set n_components to 1: the width of `cosine`.
CHECKED = {"map": "cosine", "coupling": "orthogonal", "random_state": 0}
ESTIMATORS = [
    KernelRidge(),
    KernelRidge(n_components=100, **CHECKED),
    KernelRidge(n_components=100, alpha=0.1, fit_intercept=False, gamma=0.1, **CHECKED),
    KernelRidge(n_components=100, selection="generalised", **CHECKED),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    generator = np.random.default_rng(3)
    X = generator.normal(size=(300, 4))
    Y = np.stack([np.sin(X[:, 0]) + 100, X[:, 1] * X[:, 2]], axis=1) + 0.1 * generator.normal(size=(300, 2))
    return X, Y, generator.uniform(0, 3, size=300)


@pytest.mark.parametrize("n_components", [40, 120])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_is_ridge_on_the_features(data, n_components, intercept, weighted):
    X, Y = data[0][:100], data[1][:100]
    weights = data[2][:100] if weighted else None
    ours = KernelRidge(n_components=n_components, alpha=0.01, fit_intercept=intercept, **WORDS).fit(X, Y, weights)
    Z = ours.features_.transform(X)
    theirs = Ridge(alpha=0.01, fit_intercept=intercept, solver="svd").fit(Z, Y, weights)
    scale = np.abs(theirs.coef_).max()
    assert np.abs(ours.coef_ - theirs.coef_).max() < 1e-8 * scale
    assert np.abs(ours.predict(X) - theirs.predict(Z)).max() < 1e-8 * 100
    assert ours.jitter_ == 0
    assert ours.condition_ > 1


def test_closed_formula_with_its_own_kernel(data):
    X, Y, _ = data
    model = KernelRidge(n_components=64, alpha=0.5, fit_intercept=False, **WORDS).fit(X[:50], Y[:50, 0])
    Z = model.features_.transform(X)
    K = Z @ Z.T
    dual = np.linalg.solve(K[:50, :50] + 0.5 * np.eye(50), Y[:50, 0])
    assert np.abs(model.predict(X) - K[:, :50] @ dual).max() < 1e-8


@pytest.mark.parametrize("n_components", [20, 40])
def test_leave_one_out_is_brute_force(data, n_components):
    X, y = data[0][:30], data[1][:30, 1]
    model = KernelRidge(n_components=n_components, alphas=[1e-3, 0.1, 10], **WORDS).fit(X, y)
    Z = model.features_.transform(X)
    brute = [
        np.mean((cross_val_predict(Ridge(alpha=alpha, solver="svd"), Z, y, cv=LeaveOneOut()) - y) ** 2)
        for alpha in model.alphas_
    ]
    assert model.errors_ == pytest.approx(brute, rel=1e-8)
    assert model.alpha_ == model.alphas_[np.argmin(brute)]


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_weight_w_choose_the_alpha_of_w_rows(seed):
    """Fewer rows than features: the error is constant for small alpha, and rounding must not choose."""
    generator = np.random.default_rng(seed)
    X, y, weights = generator.uniform(size=(15, 10)), generator.integers(3, size=15), generator.integers(5, size=15)
    weighted = KernelRidge(n_components=100, **CHECKED).fit(X, y, weights)
    repeated = KernelRidge(n_components=100, **CHECKED).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.errors_ == pytest.approx(repeated.errors_, rel=1e-8)
    assert weighted.alpha_ == pytest.approx(repeated.alpha_, rel=1e-9)


def test_float32_predicts_as_float64(data):
    X, Y, _ = data
    double = KernelRidge(n_components=64, alpha=0.1, **WORDS).fit(X, Y)
    single = KernelRidge(n_components=64, alpha=0.1, **WORDS).fit(X.astype(np.float32), Y)
    assert np.abs(single.predict(X.astype(np.float32)) - double.predict(X)).max() < 1e-4 * 100


def test_batches_and_merge_see_what_fit_sees(data):
    X, Y, weights = data
    words = {"n_components": 32, "lengthscale": 2.0, "alpha": 0.1, **WORDS}
    whole = KernelRidge(**words).fit(X, Y, weights)
    batches = KernelRidge(**words)
    for rows in (slice(0, 7), slice(7, 200), slice(200, 300)):
        batches.partial_fit(X[rows], Y[rows], weights[rows])
    parts = [KernelRidge(**words).partial_fit(X[rows], Y[rows], weights[rows]) for rows in (slice(0, 9), slice(9, 300))]
    parts[0].predict(X[:1])
    merged = parts[0].merge(parts[1])
    for model in (batches, merged):
        assert np.abs(model.coef_ - whole.coef_).max() < 1e-8
        assert np.abs(model.predict(X) - whole.predict(X)).max() < 1e-8


def test_streaming_chooses_alpha_by_folds(data):
    X, Y, _ = data
    model = KernelRidge(n_components=32, lengthscale=2.0, **WORDS).partial_fit(X, Y)
    folds = KernelRidge(n_components=32, lengthscale=2.0, selection="folds", **WORDS).fit(X, Y)
    assert model.alpha_ == folds.alpha_
    assert np.array_equal(model.errors_, folds.errors_)
    again = pickle.loads(pickle.dumps(model.partial_fit(X, Y)))
    assert np.array_equal(again.coef_, model.coef_)
    assert np.array_equal(again.partial_fit(X, Y).predict(X), model.partial_fit(X, Y).predict(X))
    assert not hasattr(clone(model), "coef_")


def test_same_bits_for_any_threads(data, threads):
    X, Y, weights = data
    results = []
    for count in (1, 2, 3, 8):
        threads(count)
        for words in ({"n_components": 40}, {"n_components": 400}, {"n_components": 40, "selection": "folds"}):
            results.append(KernelRidge(**words, **WORDS).fit(X, Y, weights).predict(X))
    for at in range(3, len(results)):
        assert np.array_equal(results[at], results[at % 3])


def test_alpha_is_found(data):
    """With noise the best penalty lies inside the path; the fit is near the truth."""
    X, Y, _ = data
    model = KernelRidge(n_components=200, **WORDS).fit(X, Y)
    assert model.alphas_[-1] < model.alpha_ < model.alphas_[0]
    assert model.score(X, Y) > 0.8


@pytest.mark.parametrize("selection", ["auto", "folds"])
def test_lengthscale_search(data, selection):
    """The choice is the same as by a loop over the same lengthscales."""
    X, Y, weights = data
    words = {"n_components": 40, "selection": selection, **WORDS}
    model = KernelRidge(lengthscale="search", **words).fit(X, Y, weights)
    errors = [KernelRidge(lengthscale=sigma, **words).fit(X, Y, weights).errors_.min() for sigma in model.lengthscales_]
    assert model.lengthscale_errors_ == pytest.approx(errors, rel=1e-12)
    assert model.lengthscale_ == model.lengthscales_[np.argmin(errors)]
    assert model.lengthscales_[3] == pytest.approx(bochner.lengthscale(X, "median"))
    assert model.features_.spec["lengthscale"] == model.lengthscale_
    assert model.errors_.min() == pytest.approx(min(errors))
    streamed = KernelRidge(lengthscale="search", **words).partial_fit(X, Y, weights)
    assert streamed.lengthscale_ in model.lengthscales_


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha": -1}, "alpha is -1; expected 'auto' or a finite number >= 0"),
        ({"alpha": "aut"}, "alpha is 'aut'"),
        ({"alpha": True}, "alpha is True"),
        ({"alphas": [1.0, 0.0]}, "alphas has 0; expected finite numbers > 0"),
        ({"selection": "folds ", "alpha": "auto"}, "unknown selection 'folds '; did you mean 'folds'"),
        ({"n_folds": 1}, "n_folds is 1"),
        ({"alpha": 0, "lengthscale": "search"}, "alpha is 0; expected a number > 0, or none, where the lengthscale is"),
        ({"map": "complex_exponential", "params": {"A": [0.5] * 4}}, "'complex_exponential', which treats query"),
        ({"n_components": "auto"}, "expected target_error with n_components='auto'"),
    ],
)
def test_bad_words(data, given, message):
    with pytest.raises(ValueError, match=message):
        KernelRidge(**{"n_components": 8, **WORDS, **given}).fit(data[0], data[1])


def test_bad_rows(data):
    X, Y, _ = data
    model = KernelRidge(n_components=8, lengthscale=1.0, **WORDS)
    with pytest.raises(ValueError, match=r"sample_weight has -1\.0; expected numbers >= 0"):
        model.fit(X, Y, np.full(300, -1.0))
    with pytest.raises(ValueError, match="non-zero"):
        model.fit(X, Y, np.zeros(300))
    model.partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"y has shape \(300,\); expected \(n, 2\) as in the first batch"):
        model.partial_fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="expected a KernelRidge that has seen rows by partial_fit"):
        model.merge(clone(model).fit(X, Y))
    with pytest.raises(ValueError, match="other has the features"):
        model.merge(clone(model).set_params(random_state=1).partial_fit(X, Y))
    with pytest.raises(ValueError, match="selection is leave_one_out; expected folds or generalised"):
        clone(model).set_params(selection="leave_one_out").partial_fit(X, Y).predict(X)


@pytest.mark.parametrize("far", [1, 100])
@pytest.mark.parametrize("alphas", [None, np.logspace(-10, 2, 13)])
@pytest.mark.parametrize("selection", ["leave_one_out", "folds", "generalised"])
def test_float32_rows_choose_as_float64_rows(far, alphas, selection):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(1000, 2))
    X[0] *= far
    y = np.sin(X.sum(1)) + 0.1 * generator.normal(size=1000)
    model = KernelRidge(n_components=128, alphas=alphas, selection=selection, **WORDS)
    wide, narrow = clone(model).fit(X, y), clone(model).fit(X.astype(np.float32), y)
    assert narrow.score(X, y) == pytest.approx(wide.score(X, y), abs=0.005)
    assert narrow.score(X, y) > 0.97


def test_without_a_penalty_equal_rows_have_their_mean():
    model = KernelRidge(n_components=100, alpha=0, random_state=0).fit(np.ones((5, 2)), np.arange(5.0))
    assert model.predict([[1, 1]]) == pytest.approx(2)


def test_numerical_failures_are_told():
    X = (np.random.default_rng(0).normal(size=(31, 2)) * 50).astype(np.float32)
    y = X[:, 0].astype(np.float64)
    words = {"map": "positive", "coupling": "iid", "n_components": 10, "lengthscale": 1.0, "random_state": 0}
    with pytest.raises(ValueError, match=r"^X has rows whose features vanish, .*bounded map"):
        KernelRidge(**words).fit(X, y)
    y[7] = 1e200
    with pytest.raises(ValueError, match=r"1e\+200 at row 7, column 0; expected a number of at most 1e\+150"):
        KernelRidge(n_components=4, **WORDS).fit(X, y)


def test_matrices_beyond_memory_are_refused():
    model = KernelRidge(n_components=2**22, map="trigonometric", coupling="hadamard", random_state=0)
    with pytest.raises(ValueError, match=r"at most .* GiB of .* GiB; lower n_components"):
        model.partial_fit(np.eye(3), np.arange(3.0))
