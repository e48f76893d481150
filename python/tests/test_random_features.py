# SPDX-License-Identifier: Apache-2.0
"""bochner.RandomFeatures keeps scikit-learn's contract."""

import pickle
import subprocess
import sys

import bochner
import numpy as np
import pytest
from bochner import RandomFeatures
from sklearn.base import clone
from sklearn.kernel_approximation import RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

ESTIMATORS = [
    RandomFeatures(),
    RandomFeatures(lengthscale=2.0, n_components=6),
    RandomFeatures(lengthscale="scale", n_components=6),
    RandomFeatures(lengthscale="median", n_components=6),
    RandomFeatures(lengthscale="neighbour", n_components=6),
    RandomFeatures(kernel="softmax", map="positive", coupling="iid", n_components=3),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_is_kept(rows, dtype):
    Z = RandomFeatures(n_components=8).fit_transform(rows.astype(dtype))
    assert Z.dtype == dtype
    assert Z.shape == (67, 8)


def test_is_the_features_function(rows):
    words = {"map": "trigonometric", "coupling": "orthogonal"}
    model = RandomFeatures(n_components=12, lengthscale=3.0, random_state=42, **words).fit(rows)
    expected = bochner.features(5, m=6, seed=42, lengthscale=3.0)
    assert model.features_.spec == expected.spec
    assert model.m_ == 6
    assert np.array_equal(model.transform(rows), expected.transform(rows))


@pytest.mark.filterwarnings("ignore:map is '.*', whose relative error is predicted:RuntimeWarning")
@pytest.mark.parametrize("map", [entry["name"] for entry in bochner.maps()])
def test_n_components_is_the_length_of_the_feature_vector(rows, map):
    kernel = "angular" if map == "sign" else "softmax" if "positive" in map else "gaussian"
    width = bochner.features(5, kernel=kernel, map=map, m=1, lengthscale=2.0).fit(rows).outputs
    count = 24 if 24 % width == 0 else 2 * width
    model = RandomFeatures(kernel=kernel, map=map, n_components=count, lengthscale=2.0, random_state=0).fit(rows)
    assert model.transform(rows).shape == (67, count)
    assert model.m_ * (count // model.m_) == count
    assert len(model.get_feature_names_out()) == count


@pytest.mark.parametrize(("count", "near"), [(1, "2 or 4"), (3, "2 or 4"), (1023, "1022 or 1024")])
def test_odd_n_components_names_the_nearest_two(rows, count, near):
    with pytest.raises(ValueError, match=f"n_components is {count}; .* multiple of 2 .*: {near}"):
        RandomFeatures(n_components=count, map="trigonometric").fit(rows)


@pytest.mark.parametrize("count", [1, 2, 7, 1024])
def test_auto_has_exactly_n_components(rows, count):
    assert RandomFeatures(n_components=count).fit(rows).features_.outputs == count


def test_auto_is_what_plan_finds(rows):
    model = RandomFeatures(n_components=64, lengthscale=2.0, random_state=3).fit(rows)
    plan = bochner.plan(rows, m=32, lengthscale=2.0, seed=3, require=["symmetric"])
    lines = [line for line in plan.table if line["closed_form"] == "exact" and line["outputs"] == 64]
    assert model.features_.spec["map"] == lines[0]["map"]
    assert model.features_.spec["coupling"] == lines[0]["coupling"]


def test_auto_coupling_of_a_given_map(rows):
    errors = {
        coupling: bochner.theory.mse(rows[0], rows[0], m=5, map="positive", coupling=coupling, lengthscale=9.0)
        for coupling in ("iid", "orthogonal", "simplex")
    }
    model = RandomFeatures(n_components=5, map="positive", lengthscale=9.0).fit(rows[:1])
    assert model.features_.spec["coupling"] == min(errors, key=errors.get) == "simplex"


def test_shortest_features_with_a_target(rows):
    model = RandomFeatures(n_components="auto", target_error=0.02, random_state=0).fit(rows)
    report = bochner.error_report(model.features_, rows)
    assert report.predicted == pytest.approx(0.02, rel=0.1)
    for arguments in ({"n_components": "auto"}, {"target_error": 0.1}, {"n_components": "aut", "target_error": 0.1}):
        with pytest.raises(ValueError, match="expected target_error with n_components='auto', and only then"):
            RandomFeatures(**arguments).fit(rows)


def test_gamma_scale_is_scikit_learns(rows):
    ours = RandomFeatures(gamma="scale").fit(rows)
    theirs = RBFSampler(gamma="scale").fit(rows)
    assert ours.gamma_ == pytest.approx(1 / (5 * rows.var()), rel=1e-13)
    assert ours.gamma_ == pytest.approx(theirs._gamma, rel=1e-13)
    assert ours.gamma_ == pytest.approx(1 / (2 * ours.lengthscale_**2), rel=1e-15)
    assert RandomFeatures(gamma=0.3).fit(rows).gamma_ == 0.3
    assert RandomFeatures(lengthscale=0.3).fit(rows).lengthscale_ == 0.3
    assert RandomFeatures(lengthscale="scale").fit(rows).lengthscale_ == ours.lengthscale_


def test_scale_of_many_rows_and_a_far_mean():
    X = np.random.default_rng(1).normal(loc=1e6, size=(10_000, 3)).astype(np.float32)
    assert RandomFeatures().fit(X).gamma_ == pytest.approx(1 / (3 * X.astype(np.float64).var()), rel=1e-9)


def test_scale_does_not_depend_on_the_layout():
    X = np.random.default_rng(1).normal(size=(9000, 3))
    assert RandomFeatures().fit(X).gamma_ == RandomFeatures().fit(np.asfortranarray(X)).gamma_


@pytest.mark.parametrize("value", [7.0, 0.1, -1e30])
def test_scale_of_constant_data_is_one(value):
    assert RandomFeatures().fit(np.full((11, 3), value)).gamma_ == pytest.approx(1, rel=1e-15)
    assert RBFSampler(gamma="scale").fit(np.full((4, 3), 7.0))._gamma == 1


@pytest.mark.parametrize("rule", ["scale", "median", "neighbour"])
@pytest.mark.parametrize("gamma", ["scale", None])
def test_lengthscale_from_data(rule, gamma):
    X = np.random.default_rng(1).normal(size=(3000, 3))
    model = RandomFeatures(lengthscale=rule, gamma=gamma, random_state=5, n_components=4).fit(X)
    assert model.lengthscale_ == bochner.lengthscale(X, rule, seed=5)
    assert model.gamma_ == pytest.approx(1 / (2 * model.lengthscale_**2), rel=1e-15)
    assert model.features_.spec["lengthscale"] == model.lengthscale_
    assert model.lengthscale == rule


def test_vector_lengthscale(rows):
    sigma = [0.5, 1.0, 2.0, 3.0, 4.0]
    model = RandomFeatures(n_components=8, lengthscale=sigma, random_state=0).fit(rows)
    assert np.array_equal(model.lengthscale_, sigma)
    assert np.array_equal(model.gamma_, 0.5 / np.square(sigma))
    expected = RandomFeatures(n_components=8, lengthscale=1, random_state=0).fit_transform(rows / sigma)
    assert np.allclose(model.transform(rows), expected, rtol=0, atol=1e-14)


def test_random_state(rows):
    def seed(state):
        return RandomFeatures(n_components=4, random_state=state).fit(rows).features_.spec["seed"]

    assert seed(2**64 - 1) == 2**64 - 1
    assert seed(np.int64(5)) == 5
    assert seed(np.random.RandomState(3)) == seed(np.random.RandomState(3))
    state = np.random.RandomState(3)
    assert seed(state) != seed(state)
    assert seed(None) != seed(None)
    np.random.seed(9)
    first = seed(None)
    np.random.seed(9)
    assert seed(None) == first


def test_int_seed_is_the_same_at_every_fit(rows):
    model = RandomFeatures(n_components=4, random_state=1)
    assert np.array_equal(model.fit_transform(rows), clone(model).fit_transform(rows))


def test_pickle_twice(rows):
    model = RandomFeatures(n_components=64, random_state=0).fit(rows)
    first = pickle.dumps(model)
    again = pickle.loads(first)
    assert np.array_equal(again.transform(rows), model.transform(rows))
    assert pickle.dumps(again) == first
    # W is not in it, only the spec: 32 directions would take 1280 bytes.
    assert len(first) < 1200


def test_pandas_in_and_out(rows):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=list("abcde"), index=np.arange(67) * 3)
    model = RandomFeatures(n_components=4, random_state=0).fit(frame)
    assert list(model.feature_names_in_) == list("abcde")
    plain = model.transform(frame)
    assert isinstance(plain, np.ndarray)
    assert np.array_equal(plain, RandomFeatures(n_components=4, random_state=0).fit_transform(rows))
    result = model.set_output(transform="pandas").transform(frame)
    assert list(result.columns) == ["randomfeatures0", "randomfeatures1", "randomfeatures2", "randomfeatures3"]
    assert list(result.index) == list(frame.index)
    assert np.array_equal(result.to_numpy(), plain)
    single = model.fit(frame.astype(np.float32)).transform(frame.astype(np.float32))
    assert (single.dtypes == np.float32).all()
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame[list("edcba")])


def test_polars_in_and_out(rows):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(rows, schema=list("abcde"))
    model = RandomFeatures(n_components=4, random_state=0).set_output(transform="polars")
    result = model.fit_transform(frame)
    assert isinstance(result, polars.DataFrame)
    assert result.columns == list(model.get_feature_names_out())
    assert np.array_equal(result.to_numpy(), RandomFeatures(n_components=4, random_state=0).fit_transform(rows))


def test_no_copy_on_the_way_through_scikit_learn(tmp_path, monkeypatch):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).normal(size=(1000, 8)))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = RandomFeatures(n_components=4, random_state=0).fit(X)
    given = []
    transform = bochner.Features.transform
    monkeypatch.setattr(bochner.Features, "transform", lambda self, X: given.append(X) or transform(self, X))
    model.transform(X[::2])
    assert np.shares_memory(given[0], X)


def test_not_finite_is_refused_with_its_place(rows):
    model = RandomFeatures(n_components=4).fit(rows)
    rows[13, 2] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN or infinity: X has nan at row 13, column 2"):
        model.transform(rows)


def test_grid_search_in_a_pipeline():
    """A linear model on the features comes as near to the target as the exact kernel machine does."""
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 3, size=(400, 2))
    y = np.sin(X).sum(axis=1)
    pipeline = make_pipeline(RandomFeatures(n_components=200, random_state=0), Ridge(alpha=1e-4))
    search = GridSearchCV(pipeline, {"randomfeatures__gamma": [1e-6, 0.2, 1e6]}, cv=3).fit(X, y)
    assert search.best_params_ == {"randomfeatures__gamma": 0.2}
    exact = KernelRidge(kernel="rbf", gamma=0.2, alpha=1e-4).fit(X, y).predict(X)
    assert np.abs(search.predict(X) - exact).max() < 0.05


def test_scikit_learn_is_loaded_by_first_use_only():
    program = "import sys, bochner; bochner.features(2); assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-I", "-c", program], check=True)


def test_missing_scikit_learn_is_told():
    program = "import sys; sys.modules['sklearn'] = None; import bochner; bochner.RandomFeatures"
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last == "ImportError: bochner.RandomFeatures needs scikit-learn: pip install 'bochner[sklearn]'"
