# SPDX-License-Identifier: Apache-2.0
"""Weights of rows say how often a row occurs. A common factor of all weights changes nothing."""

import warnings

import numpy as np
import pytest
from bochner import KernelLogistic, KernelPCA, KernelRidge, KernelRidgeClassifier, KernelSVC

SELECTIONS = ["leave_one_out", "generalised", "folds"]
WORDS = {"n_components": 40, "lengthscale": 1.5, "random_state": 0}
FACTORS = [1e-100, 0.5, 1.2, 2.0, 1e100]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 2))
    y = np.sin(X.sum(axis=1)) + 0.3 * rng.standard_normal(150)
    return X, y, rng.integers(0, 4, 150).astype(float)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_the_size_of_weights_has_no_part_in_the_choice_of_alpha(selection):
    """Weights of 1.2 once gave alpha 4e-11 and R2 -105 here."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5))
    y = X[:, 0] + np.sin(X[:, 1]) + 0.5 * rng.standard_normal(600)
    words = {"n_components": 1024, "map": "trigonometric", "coupling": "orthogonal", "random_state": 0}
    model = KernelRidge(selection=selection, **words).fit(X[:400], y[:400])
    plain, alpha = model.predict(X[400:]), model.alpha_
    assert model.score(X[400:], y[400:]) > 0.75  # of the noise, 1/4 of 1.68, nothing can be explained: 0.85 at most
    for c in (0.5, 1.2, 2.0):
        model.fit(X[:400], y[:400], np.full(400, c))
        assert model.alpha_ == pytest.approx(c * alpha, rel=1e-9)
        assert model.predict(X[400:]) == pytest.approx(plain, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_components", [40, 300])
def test_the_size_of_weights_is_that_of_alpha(table, dtype, n_components):
    X, y, weights = table
    X, near = X.astype(dtype), 1e-4 if dtype == np.float32 else 1e-9
    words = WORDS | {"n_components": n_components}
    plain = KernelRidge(alpha=0.2, **words).fit(X, y, weights).predict(X)
    for c in FACTORS:
        model = KernelRidge(alpha=0.2 * c, **words).fit(X, y, c * weights)
        assert model.predict(X) == pytest.approx(plain, rel=near, abs=near)


@pytest.mark.parametrize("n_components", [40, 300])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_whole_numbers_are_repetitions_in_any_order(table, selection, n_components):
    X, y, weights = table
    words = WORDS | {"n_components": n_components, "selection": selection}
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(150), weights.astype(int)))
    weighted, repeated = KernelRidge(**words).fit(X, y, weights), KernelRidge(**words).fit(X[order], y[order])
    assert weighted.alpha_ == pytest.approx(repeated.alpha_, rel=1e-9)
    assert weighted.predict(X) == pytest.approx(repeated.predict(X), rel=1e-9, abs=1e-9)
    seen = weights > 0
    absent = KernelRidge(**words).fit(X[seen], y[seen], weights[seen])
    assert (absent.predict(X) == weighted.predict(X)).all()


def test_batches_keep_equal_rows_in_one_fold(table):
    X, y, _ = table
    thrice, weighted = KernelRidge(**WORDS), KernelRidge(**WORDS)
    for _ in range(3):
        thrice.partial_fit(X, y)
    weighted.partial_fit(X, y, np.full(150, 3.0))
    once = KernelRidge(**WORDS).partial_fit(X, y)
    assert thrice.alpha_ == pytest.approx(weighted.alpha_, rel=1e-9) == pytest.approx(3 * once.alpha_, rel=1e-9)
    assert thrice.errors_ == pytest.approx(once.errors_, rel=2.0**-52 * 1e12)  # at the end of the path, rounding
    assert thrice.predict(X) == pytest.approx(once.predict(X), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("learner", [KernelLogistic, KernelSVC])
def test_the_size_of_weights_is_that_of_C(table, learner):
    X, y, weights = table
    labels = np.digitize(y, [-0.3, 0.4])
    words = WORDS | {"tol": 1e-10, "max_iter": 200}
    plain = learner(C=3.0, **words).fit(X, labels, weights).decision_function(X)
    for c in FACTORS:
        model = learner(C=3.0 / c, **words).fit(X, labels, c * weights)
        assert model.decision_function(X) == pytest.approx(plain, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("learner", [KernelRidge, KernelRidgeClassifier])
def test_the_size_of_weights_has_no_part_in_a_search(table, learner):
    X, y, weights = table
    y = y if learner is KernelRidge else (y > 0).astype(int)
    words = WORDS | {"lengthscale": "search"}
    plain = learner(**words).fit(X, y, weights)
    for c in FACTORS:
        model = learner(**words).fit(X, y, c * weights)
        assert model.lengthscale_ == plain.lengthscale_
        assert model.alpha_ == pytest.approx(c * plain.alpha_, rel=1e-9)


def test_components_count_rows_by_their_weights(table):
    """Variances are divided by n - 1, n the sum of weights, as for repeated rows; nothing else depends on a common
    factor."""
    X, _, weights = table
    words = {"n_components": 3, "n_features": 40, "lengthscale": 1.5, "random_state": 0}
    repeated = KernelPCA(**words).fit(np.repeat(X, weights.astype(int), axis=0))
    whole = KernelPCA(**words).fit(X, sample_weight=weights)
    assert whole.explained_variance_ == pytest.approx(repeated.explained_variance_, rel=1e-9)
    assert whole.transform(X) == pytest.approx(repeated.transform(X), abs=1e-9)
    n = weights.sum()
    for c in (0.5, 1.2, 7.0):
        model = KernelPCA(**words).fit(X, sample_weight=c * weights)
        assert model.transform(X) == pytest.approx(whole.transform(X), abs=1e-9)
        assert model.explained_variance_ratio_ == pytest.approx(whole.explained_variance_ratio_, rel=1e-9)
        assert model.explained_variance_ == pytest.approx(
            whole.explained_variance_ * c * (n - 1) / (c * n - 1), rel=1e-9
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_least_error_at_the_end_of_the_path_is_a_warning(dtype, selection):
    x = np.linspace(-3, 3, 400)[:, None].astype(dtype)
    model = KernelRidge(n_components=64, lengthscale=3.0, random_state=0, selection=selection)
    with pytest.warns(RuntimeWarning, match="^alpha .* has the least error") as told:
        model.fit(x, np.abs(x[:, 0]))
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(x, np.abs(x[:, 0]) + 3 * np.random.default_rng(0).standard_normal(400))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_components", [40, 300])
@pytest.mark.parametrize("alpha", [0, 1e-300, 1e-20, "auto"])
def test_a_constant_target_has_its_mean_at_any_alpha(table, dtype, n_components, alpha):
    X, _, weights = table
    values = np.array([0.0, 7.0, -0.1, 1e100 / 3 if dtype == np.float64 else 1e30 / 3])
    for own in (None, 1.2 * weights):
        model = KernelRidge(alpha=alpha, **WORDS | {"n_components": n_components})
        found = model.fit(X.astype(dtype), np.tile(values, (150, 1)), own).predict(X.astype(dtype))
        assert found.dtype == dtype
        assert (np.abs(found - values.astype(dtype)) <= 16 * np.spacing(np.abs(values.astype(dtype)))).all()


def test_a_refusal_names_what_was_given(table):
    X, y, weights = table
    for words, says in (
        ({"alphas": [0, 1.0]}, "^alphas has 0; expected finite numbers > 0"),
        ({"alphas": [1e-30]}, "^alphas is 1e-30 at most; expected an alpha of at least"),
        ({"alpha": 1e-30, "lengthscale": "search"}, "^alpha is 1e-30 at most; expected an alpha of at least"),
    ):
        with pytest.raises(ValueError, match=says):
            KernelRidge(**WORDS | words).fit(X, y)
    for learner in (KernelLogistic, KernelSVC):
        with pytest.raises(ValueError, match=r"^C is 1e\+300; expected at most .* sum of the weights"):
            learner(C=1e300, **WORDS).fit(X, y > 0)
    for learner in (KernelLogistic, KernelSVC, KernelRidge, KernelRidgeClassifier):
        with pytest.raises(ValueError, match=r"^sample_weight has 3e\+300 .* multiply all of them by one number"):
            learner(**WORDS).fit(X, y > 0, 1e300 * weights)
