# SPDX-License-Identifier: Apache-2.0
"""GaussianProcess against scikit-learn's with the kernel of the features."""

import importlib.util
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from bochner import GaussianProcess
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import DotProduct
from sklearn.utils.estimator_checks import parametrize_with_checks

# Planning at every fit would take minutes.
WORDS = {"map": "trigonometric", "coupling": "orthogonal", "random_state": 0}
CHECKED = {"map": "cosine", "coupling": "orthogonal", "random_state": 0, "n_components": 40}
ESTIMATORS = [
    GaussianProcess(lengthscale="scale", **{**CHECKED, "n_components": 100}),
    GaussianProcess(max_evaluations=6, **CHECKED),
    GaussianProcess(
        lengthscale=None, gamma=0.1, noise_variance=0.01, signal_variance=1.0, normalize_y=False, **CHECKED
    ),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    generator = np.random.default_rng(3)
    X = generator.normal(size=(120, 3))
    Y = np.stack([np.sin(X[:, 0]) + 10, X[:, 1] * X[:, 0]], axis=1) + 0.1 * generator.normal(size=(120, 2))
    return X, Y, generator.integers(0, 3, size=120).astype(float)


@pytest.mark.parametrize("n_components", [40, 200])
@pytest.mark.parametrize("normalize_y", [True, False])
def test_is_the_process_with_the_kernel_of_the_features(data, n_components, normalize_y):
    X, Y, _ = data
    y = Y[:, 0]
    ours = GaussianProcess(n_components=n_components, lengthscale=1.5, normalize_y=normalize_y, **WORDS).fit(X, y)
    assert ours.intercept_ == (pytest.approx(y.mean()) if normalize_y else 0)
    noise, signal = ours.noise_variance_, ours.signal_variance_
    assert ours.y_scale_ == (pytest.approx(y.std(), rel=1e-12) if normalize_y else 1)
    Z = ours.features_.transform(X) * np.sqrt(signal)
    words = {"alpha": noise, "optimizer": None, "normalize_y": normalize_y}
    theirs = GaussianProcessRegressor(DotProduct(0.0, "fixed"), **words).fit(Z, y)
    at = np.random.default_rng(1).normal(size=(30, 3)) * 2
    mean, std = ours.predict(at, return_std=True)
    want_mean, want_std = theirs.predict(ours.features_.transform(at) * np.sqrt(signal), return_std=True)
    assert np.abs(mean - want_mean).max() < 1e-8
    assert np.abs(std**2 - want_std**2).max() < 1e-8
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-8)
    assert np.allclose(ours.predict(at, return_std=True, include_noise=True)[1] ** 2, std**2 + noise * ours.y_scale_**2)


def test_targets_share_variances(data):
    X, Y, weights = data
    model = GaussianProcess(n_components=60, lengthscale=1.5, **WORDS).fit(X, Y, weights)
    given = {"noise_variance": model.noise_variance_, "signal_variance": model.signal_variance_}
    mean, std = model.predict(X, return_std=True)
    assert mean.shape == std.shape == (120, 2)
    likelihood = 0
    for t in range(2):
        one = GaussianProcess(n_components=60, lengthscale=1.5, **given, **WORDS).fit(X, Y[:, t], weights)
        likelihood += one.log_marginal_likelihood_value_
        assert np.allclose(one.predict(X, return_std=True), (mean[:, t], std[:, t]), rtol=0, atol=1e-9)
    assert likelihood == pytest.approx(model.log_marginal_likelihood_value_, rel=1e-9)
    assert model.sample_y(X[:5], 3).shape == (5, 2, 3)


@pytest.mark.parametrize("n_components", [40, 200])
@pytest.mark.parametrize("given", [{}, {"noise_variance": 0.02, "signal_variance": 1.5}])
def test_every_target_is_in_its_own_units(data, n_components, given):
    """A target and a thousand times it, by fit and by batches; also a constant target, whose scale is 1."""
    X, Y, weights = data
    y, words = Y[:, 0], {"n_components": n_components, "lengthscale": 1.5, **given, **WORDS}
    both, rest = np.stack([y, 1000 * y], axis=1), slice(50, None)
    for model in (
        GaussianProcess(**words).fit(X, both, weights),
        GaussianProcess(**words)
        .partial_fit(X[:50], both[:50], weights[:50])
        .partial_fit(X[rest], both[rest], weights[rest]),
    ):
        mean, std = model.predict(2 * X, return_std=True, include_noise=True)
        one, own = GaussianProcess(**words).fit(X, y, weights).predict(2 * X, return_std=True, include_noise=True)
        assert np.allclose(mean / [1, 1000], one[:, None], rtol=1e-9, atol=1e-8)
        assert np.allclose(mean[:, 1] / 1000, mean[:, 0], rtol=1e-9, atol=0)
        assert np.allclose(std[:, 1] / 1000, std[:, 0], rtol=1e-9, atol=0)
        assert np.allclose(std[:, 0], own, rtol=1e-6, atol=0)
        draws = model.sample_y(X, 2)
        assert np.allclose((draws - model.predict(X)[..., None]).std(axis=(0, 2)) > 0, [True, True])
    constant = GaussianProcess(**words).fit(X, np.stack([y, np.full(120, 0.1)], axis=1))
    assert constant.y_scale_[1] == 1
    assert np.abs(constant.predict(X)[:, 1] - 0.1).max() < 1e-12


def test_variances_are_normalised_as_those_of_scikit_learn(data):
    """Several targets of different sizes, given variances, weights as repeated rows: equal to 1e-6."""
    X, Y, weights = data
    Y = Y * [1000, 0.01]
    words = {"noise_variance": 0.1, "signal_variance": 2.0, "n_components": 60, "lengthscale": 1.5, **WORDS}
    ours = GaussianProcess(**words).fit(X, Y, weights)
    Z = ours.features_.transform(X) * np.sqrt(2.0)
    repeated = np.repeat(np.arange(120), weights.astype(int))
    kernel = DotProduct(0.0, "fixed")
    theirs = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None, normalize_y=True).fit(Z[repeated], Y[repeated])
    at = ours.features_.transform(2 * X) * np.sqrt(2.0)
    for found, want in zip(ours.predict(2 * X, return_std=True), theirs.predict(at, return_std=True), strict=True):
        assert np.allclose(found, want, rtol=1e-6, atol=1e-6 * np.abs(want).max(axis=0))
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-6)


def test_weights_divide_the_noise(data):
    X, Y, weights = data
    words = {"signal_variance": 2.0, "n_components": 60, "lengthscale": 1.5, **WORDS}
    one = GaussianProcess(noise_variance=0.1, **words).fit(X, Y, weights)
    other = GaussianProcess(noise_variance=3.7, **words).fit(X, Y, 37 * weights)
    assert np.allclose(one.predict(X, return_std=True), other.predict(X, return_std=True), rtol=1e-9, atol=1e-9)


def _coverage():
    folder = Path(__file__).resolve().parents[2] / "experiments"
    spec = importlib.util.spec_from_file_location("gp_coverage", folder / "gp_coverage.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


@pytest.mark.parametrize("seed", [0, 1])
def test_few_far_rows_do_not_explode(seed):
    """A table for which the most likely kernel of a few rows is nearly flat with a signal of 1e7, so that predictions
    far out could be any number. The search is compared with fixed lengthscales of every size; one lengthscale per
    column is worse by at most a standard error of its error. Without the bounds predictions are up to 160 deviations
    away."""
    coverage = _coverage()
    X, y = coverage.far_rows(12_000, seed)
    held_out = np.arange(len(y)) % 3 == 0
    words = {"n_components": 512}
    fixed = [
        coverage.scores(X, y, held_out, seed, lengthscale=part * np.sqrt(4.5), **words)[0] for part in coverage.FIXED
    ]
    one = coverage.scores(X, y, held_out, seed, **words)
    ard = coverage.scores(X, y, held_out, seed, lengthscale="ard", **words)
    assert one[0] <= 1.05 * min(fixed)
    assert ard[0] <= one[0] + one[1]
    assert max(one[3], ard[3]) <= 10
    assert 0.85 <= one[2] <= 0.95


def test_functions_are_drawn_from_the_posterior(data):
    """Means and variances of 4,000 functions at 30 points: within 6 standard errors, 1e-7 for all."""
    X, Y, _ = data
    model = GaussianProcess(n_components=60, lengthscale=1.5, **WORDS).fit(X, Y[:, 0])
    at = 2 * X[:30]
    f = model.sample_functions(4000, random_state=1)
    mean, std = model.predict(at, return_std=True)
    values = (f(at) - mean[:, None]) / std[:, None]
    assert np.abs(values.mean(axis=1)).max() < 6 / np.sqrt(4000)
    assert np.abs((values**2).mean(axis=1) - 1).max() < 6 * np.sqrt(2 / 4000)
    assert np.array_equal(f(at[:3]), f(at)[:3])
    assert np.array_equal(model.sample_y(at, 2, random_state=1), f(at)[:, :2])
    assert not np.array_equal(model.sample_y(at, 2, random_state=2), f(at)[:, :2])
    assert np.array_equal(pickle.loads(pickle.dumps(f))(at), f(at))
    assert model.sample_y(at, 2, random_state=np.random.RandomState(0)).shape == (30, 2)


def test_exact_prior(data):
    X, Y, _ = data
    words = {"n_components": 60, "lengthscale": 1.5, "map": "cosine", "coupling": "iid", "random_state": 0}
    model = GaussianProcess(**words).fit(X, Y[:, 0])
    exact = GaussianProcess(prior_variance="exact", **words).fit(X, Y[:, 0])
    at = np.concatenate([30 + X[:20], X])
    Z = model.features_.transform(at)
    _, std = model.predict(at, return_std=True)
    want = std**2 + model.y_scale_**2 * model.signal_variance_ * (1 - (Z**2).sum(axis=1))
    with pytest.warns(RuntimeWarning, match=f"^{(want < 0).sum()} of {len(at)} variances were below 0"):
        found = exact.predict(at, return_std=True)[1]
    assert np.allclose(found**2, np.maximum(want, 0), rtol=0, atol=1e-10)


def test_lengthscales_are_found(data):
    X, Y, _ = data
    words = {"n_components": 100, **WORDS}
    start = GaussianProcess(lengthscale="scale", **words).fit(X, Y[:, 0])
    one = GaussianProcess(**words).fit(X, Y[:, 0])
    ard = GaussianProcess(lengthscale="ard", **words).fit(X, Y[:, 0])
    likelihoods = [model.log_marginal_likelihood_value_ for model in (start, one, ard)]
    assert likelihoods == sorted(likelihoods)
    assert np.ndim(one.lengthscale_) == 0
    assert ard.lengthscale_[1:].min() > 4 * ard.lengthscale_[0]
    assert np.array_equal(ard.features_.spec["lengthscale"], ard.lengthscale_)


def test_same_bits_for_any_threads_and_pickles(data, threads):
    X, Y, _ = data
    results = []
    for count in (1, 2, 3):
        threads(count)
        model = GaussianProcess(n_components=60, **WORDS).fit(X, Y)
        results.append(np.stack(model.predict(X, return_std=True)))
    assert all(np.array_equal(result, results[0]) for result in results)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(np.stack(again.predict(X, return_std=True)), results[0])
    assert np.array_equal(again.sample_y(X), model.sample_y(X))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"noise_variance": 0.0}, "noise_variance is 0; expected a finite number > 0"),
        ({"signal_variance": "aut"}, "signal_variance is 'aut'; expected 'auto' or a finite number > 0"),
        ({"prior_variance": "kernel"}, "prior_variance is 'kernel'; expected 'features' or 'exact'"),
        ({"search_rows": 1}, "search_rows is 1"),
        ({"max_evaluations": 0}, "max_evaluations is 0"),
        ({"lengthscale": "seach"}, "unknown lengthscale rule 'seach'"),
        ({"gamma": 1.0}, "gamma is 1.0 and lengthscale is 'search'; expected only one of them"),
        ({"map": "complex_exponential", "params": {"A": [0.5] * 3}}, "'complex_exponential', which treats query"),
    ],
)
def test_bad_words(data, given, message):
    with pytest.raises(ValueError, match=message):
        GaussianProcess(**{"n_components": 8, **WORDS, **given}).fit(data[0], data[1])


def test_bad_rows(data):
    X, Y, _ = data
    model = GaussianProcess(n_components=8, **WORDS)
    with pytest.raises(ValueError, match=r"sample_weight has -1\.0; expected numbers >= 0"):
        model.fit(X, Y, np.full(120, -1.0))
    model.fit(X, Y)
    with pytest.raises(ValueError, match="n_functions is 0"):
        model.sample_functions(0)
    with pytest.raises(ValueError, match="3 features"):
        model.sample_y(X[:, :2])


def test_batches_and_merges_are_the_whole(data):
    X, Y, weights = data
    words = {"n_components": 40, "lengthscale": 1.5, **WORDS}
    whole = GaussianProcess(**words).fit(X, Y, weights + 1)
    batches = GaussianProcess(**words)
    for part in (slice(0, 50), slice(50, 51), slice(51, None)):
        batches.partial_fit(X[part], Y[part], weights[part] + 1)
    left, right = (
        GaussianProcess(**words).partial_fit(X[part], Y[part], weights[part] + 1)
        for part in (slice(0, 70), slice(70, None))
    )
    merged = left.merge(right)
    assert np.allclose(whole.y_scale_, np.sqrt(np.cov(Y.T, aweights=weights + 1, ddof=0).diagonal()), rtol=1e-12)
    for model in (batches, merged, pickle.loads(pickle.dumps(batches))):
        assert np.allclose(model.y_scale_, whole.y_scale_, rtol=1e-12)
        assert np.allclose(model.predict(X, return_std=True), whole.predict(X, return_std=True), rtol=0, atol=1e-8)
        assert model.noise_variance_ == pytest.approx(whole.noise_variance_, rel=1e-8)
        assert model.log_marginal_likelihood_value_ == pytest.approx(whole.log_marginal_likelihood_value_, rel=1e-10)
        assert model.sample_y(X[:2], 3).shape == (2, 2, 3)
    # A further batch changes the earlier result, and fit forgets the batches.
    before = batches.coef_
    assert not np.array_equal(batches.partial_fit(X, Y).coef_, before)
    assert np.array_equal(batches.fit(X, Y, weights + 1).coef_, whole.coef_)


def test_batches_that_do_not_fit_are_refused(data):
    X, Y, _ = data
    words = {"n_components": 40, "lengthscale": 1.5, **WORDS}
    model = GaussianProcess(**words).partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"expected \(n, 2\) as in the first batch"):
        model.partial_fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="seen rows by partial_fit"):
        model.merge(GaussianProcess(**words).fit(X, Y))
    with pytest.raises(ValueError, match="other has the features"):
        model.merge(GaussianProcess(**{**words, "lengthscale": 2.0}).partial_fit(X, Y))
