# SPDX-License-Identifier: Apache-2.0
"""Parameters from data, and features with the logarithm of their scale."""

import pickle
import re
import time
import warnings

import bochner
import numpy as np
import pytest

RNG = np.random.default_rng(7)
X = RNG.normal(0.2, 0.5, (300, 6))
Y = RNG.normal(-0.1, 0.4, (200, 6))
LEARNERS = (
    "RandomFeatures", "KernelRidge", "KernelRidgeClassifier", "KernelClassifier", "KernelSVC", "KernelLogistic",
    "GaussianProcess", "KernelPCA",
)  # fmt: skip


def _best_A(v2, d):
    """The closed form of the papers, implemented again."""
    rho = 2 * d / (2 * v2 + d + np.sqrt((2 * v2 + d) ** 2 + 8 * d * v2))
    return (1 - 1 / rho) / 8


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weight_is_that_of_the_mean_squared_sum(dtype):
    v2 = np.mean(np.sum((X[:, None] + Y[None]) ** 2, axis=2)) / 4
    features = bochner.features(6, map="optimal_positive", m=32, lengthscale=2.0).fit(X.astype(dtype), Y.astype(dtype))
    assert features.spec["A"] == pytest.approx(_best_A(v2, 6), rel=1e-5)


def test_transform_before_fit_is_refused():
    features = bochner.features(6, map="optimal_positive")
    with pytest.raises(ValueError, match="lacks parameter 'A': give it, or call fit"):
        features.transform(X)
    assert not features.fitted


def test_given_weight_is_kept():
    features = bochner.features(6, map="oprf", A=-0.25).fit(X)
    assert features.spec["A"] == -0.25


def test_fitted_features_pickle():
    features = bochner.features(6, map="oprf", m=8, lengthscale=3.0).fit(X)
    again = pickle.loads(pickle.dumps(features))
    assert again.spec == features.spec
    assert np.array_equal(again.transform(X), features.transform(X))


@pytest.mark.parametrize("map", ["optimal_positive", "optimal_positive_paired"])
def test_estimates_the_kernel(map):
    features = bochner.features(6, kernel="softmax", map=map, m=4096).fit(X, Y)
    estimate = features.transform(X) @ features.transform(Y, side="key").T
    exact = bochner.kernel_matrix(X, Y, kernel="softmax")
    assert np.sqrt(np.mean((estimate - exact) ** 2)) < 0.1 * np.sqrt(np.mean(exact**2))


def test_random_features_fit_their_weight():
    model = bochner.RandomFeatures(kernel="softmax", map="optimal_positive", n_components=64, lengthscale=3.0).fit(X)
    assert model.features_.spec["A"] < 0
    assert model.transform(X).shape == (300, 64)


@pytest.mark.parametrize("map", ["positive", "positive_paired", "optimal_positive", "optimal_positive_paired"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log_scale(map, dtype):
    features = bochner.features(6, kernel="softmax", map=map, m=50, lengthscale=2.0).fit(X)
    rows = X.astype(dtype)
    Z, s = features.transform(rows, log_scale=True)
    assert Z.dtype == s.dtype == dtype
    assert s.shape == (300,)
    assert np.all(Z.max(axis=1) == 1)
    assert np.all(Z >= 0)
    plain = features.transform(rows)
    assert np.allclose(Z * np.exp(s)[:, None], plain, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=0)
    Z, s = features.transform((rows * 120).astype(dtype), log_scale=True)
    assert np.all(np.isfinite(Z))
    assert np.all(np.isfinite(s))


def test_log_scale_is_refused_for_other_maps_and_with_out():
    with pytest.raises(ValueError, match="map 'trigonometric' has no log scale; maps that do: positive"):
        bochner.features(6).transform(X, log_scale=True)
    features = bochner.features(6, map="positive", m=4)
    with pytest.raises(ValueError, match="expected only one of them"):
        features.transform(X, out=np.zeros((300, 4)), log_scale=True)


NEAR = np.random.default_rng(1).normal(0, 0.25, (2000, 16))
WORTHLESS = (
    r"^map is 'hybrid_clustered', whose relative error is predicted as \d\S* on the rows it was fitted to, where "
    r"features of zeros have 1; map '(\w+)' with coupling '(\w+)' and m = (\d+) has \S+ with a feature vector as long$"
)


def _warnings_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


def test_parameters_that_do_not_serve_the_rows_are_told_once():
    features = bochner.features(16, map="hybrid_clustered", m=512)
    (told,) = _warnings_of(lambda: features.fit(NEAR))
    assert told.category is RuntimeWarning
    assert told.filename == __file__
    assert re.search(WORTHLESS, str(told.message))
    assert _warnings_of(lambda: features.fit(NEAR)) == []
    name, coupling, m = re.search(WORTHLESS, str(told.message)).groups()
    better = bochner.features(16, map=name, coupling=coupling, m=int(m))
    assert _warnings_of(lambda: better.fit(NEAR)) == []
    exact = bochner.kernel_matrix(NEAR[:200])
    Z = better.transform(NEAR[:200])
    assert np.linalg.norm(Z @ Z.T - exact) < 0.5 * np.linalg.norm(exact)


def test_parameters_that_serve_the_rows_or_were_given_are_not_spoken_of():
    for words in ({"map": "optimal_positive"}, {"map": "hybrid_clustered", "lengthscale": 20.0}, {"map": "positive"}):
        features = bochner.features(16, m=512, **words)
        assert _warnings_of(lambda features=features: features.fit(NEAR)) == []


@pytest.mark.parametrize("coupling", ["auto", "iid"])
@pytest.mark.parametrize("name", LEARNERS)
def test_classes_tell_it_once_too(name, coupling):
    """Whether the weight of the map is found by fit, or by a plan, such as that of RandomFeatures if the coupling is
    "auto"."""
    length = "n_features" if name == "KernelPCA" else "n_components"
    rows, y = NEAR[:100] / 4, np.arange(100) % 2

    def told(lengthscale):
        model = getattr(bochner, name)(
            map="optimal_positive", coupling=coupling, lengthscale=lengthscale, random_state=0, **{length: 64}
        )
        caught = [str(warning.message) for warning in _warnings_of(lambda: model.fit(rows, y))]
        return [message for message in caught if message.startswith("map is 'optimal_positive', whose relative error")]

    assert len(told(0.05)) == 1
    assert told(1.0) == []


def test_the_look_takes_no_more_than_fifty_milliseconds():
    rows = np.random.default_rng(1).normal(0, 0.25, (20_000, 16))
    slowest = 0.0
    for name in [entry["name"] for entry in bochner.maps() if entry["name"] != "sign"]:
        for scale in (0.1, 1.0, 20.0):
            features = bochner.features(16, map=name, m=512, lengthscale=scale)
            if features.fitted:
                continue
            features._core.fit(rows, rows)
            times = []
            for _ in range(5):
                start = time.process_time()
                features._core.fit_advice(rows, rows)
                times.append(time.process_time() - start)
            slowest = max(slowest, min(times))
    assert 0 < slowest < 0.05
