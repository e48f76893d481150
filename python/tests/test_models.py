# SPDX-License-Identifier: Apache-2.0
"""Model files: predictions have the same bits before saving, after loading, and on the command line."""

import json

import bochner
import numpy as np
import pytest
from bochner import (
    GaussianProcess,
    KernelClassifier,
    KernelLogistic,
    KernelPCA,
    KernelRidge,
    KernelRidgeClassifier,
    KernelSVC,
    RandomFeatures,
)
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

WORDS = {"map": "trigonometric", "coupling": "orthogonal", "n_components": 40, "lengthscale": 1.5, "random_state": 3}
POSITIVE = {**WORDS, "map": "positive"}
ESTIMATORS = {
    "ridge": KernelRidge(**WORDS),
    "process": GaussianProcess(**WORDS),
    "logistic": KernelLogistic(C=10, **WORDS),
    "one_vs_rest": KernelLogistic(C=10, multi_class="one_vs_rest", **WORDS),
    "svc": KernelSVC(C=10, **WORDS),
    "ridge_classes": KernelRidgeClassifier(alpha=0.1, **WORDS),
    "sums": KernelClassifier(**WORDS),
    "positive_sums": KernelClassifier(**POSITIVE),
}

NUMBERS = ("ridge", "process")
CASES = [(name, two) for name in ESTIMATORS for two in ((False,) if name in NUMBERS else (False, True))]


@pytest.fixture
def data():
    generator = np.random.default_rng(5)
    X = generator.normal(size=(150, 3))
    y = np.sin(X[:, 0]) + 0.1 * generator.normal(size=150)
    return X, y, (np.arctan2(X[:, 0], X[:, 1]) * 0.49 + 1.6).astype(int)


def everything(model, X):
    """All results of a model for rows."""
    results = [model.predict(X)]
    for name in ("decision_function", "predict_proba"):
        if hasattr(model, name):
            results.append(getattr(model, name)(X))
    if isinstance(model, GaussianProcess):
        results += [*model.predict(X, return_std=True), model.sample_y(X, 2)]
    return results


def assert_same_bits(model, again, X):
    before, after = everything(model, X), everything(again, X)
    assert len(before) == len(after)
    for left, right in zip(before, after, strict=True):
        assert np.array_equal(left, right)


@pytest.mark.parametrize(("name", "two"), CASES)
def test_come_back_as_they_were(name, two, data, tmp_path):
    X, numbers, classes = data
    regression = name in NUMBERS
    y = numbers if regression else np.array(["no", "yes"])[classes % 2] if two else classes
    model = clone(ESTIMATORS[name]).fit(X, y)
    bochner.save_model(model, tmp_path / "m")
    again = bochner.load_model(tmp_path / "m")
    assert type(again) is type(model)
    assert_same_bits(model, again, X)
    assert again.features_.spec == model.features_.spec
    if not regression:
        assert np.array_equal(again.classes_, model.classes_) and again.classes_.dtype == model.classes_.dtype
    # Its parameters draw the same features, and a further save writes the same file.
    assert clone(again).fit(X, y).features_.spec == model.features_.spec
    bochner.save_model(again, tmp_path / "n")
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "n"]


def test_pipelines_names_and_labels(data, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, classes = data
    scaled = make_pipeline(StandardScaler(), KernelRidge(**WORDS)).fit(7 + 3 * X, y)
    bochner.save_model(scaled, tmp_path / "scaled")
    again = bochner.load_model(tmp_path / "scaled")
    assert np.array_equal(again.predict(7 + 3 * X), scaled.predict(7 + 3 * X))
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    named = KernelSVC(**WORDS).fit(frame, classes.astype(float))
    bochner.save_model(named, tmp_path / "named")
    again = bochner.load_model(tmp_path / "named")
    assert list(again.feature_names_in_) == ["a", "b", "c"]
    assert again.classes_.dtype == np.float64
    assert np.array_equal(again.predict(frame), named.predict(frame))
    single = KernelRidge(**WORDS).fit(X.astype(np.float32), y)
    bochner.save_model(single, tmp_path / "single", dtype="float32")
    again = bochner.load_model(tmp_path / "single")
    assert np.array_equal(again.predict(X.astype(np.float32)), single.predict(X.astype(np.float32)))
    assert np.array_equal(again.predict(X).astype(np.float32), single.predict(X.astype(np.float32)))


@pytest.mark.parametrize("kind", [KernelRidge, GaussianProcess, KernelPCA])
def test_batches_after_loading_are_refused(kind, data, tmp_path):
    X, y, _ = data
    words = dict(WORDS)
    if kind is KernelPCA:
        words["n_features"] = words.pop("n_components")
    model = kind(**words).partial_fit(X, y)
    bochner.save_model(model, tmp_path / "m")
    again = bochner.load_model(tmp_path / "m")
    said = again.transform if kind is KernelPCA else again.predict
    before = said(X)
    with pytest.raises(ValueError, match="expected a"):
        model.merge(again)
    with pytest.raises(ValueError, match=f"{kind.__name__} comes from a file, which holds no rows .*clone"):
        again.partial_fit(X[:50], y[:50])
    assert np.array_equal(said(X), before)
    clone(again).partial_fit(X[:50], y[:50])
    again.fit(X, y).partial_fit(X[:50], y[:50])


def test_batches_after_loading_are_added_to_class_sums(data, tmp_path):
    X, _, y = data
    model = KernelClassifier(**POSITIVE).partial_fit(X[:100], y[:100], np.unique(y))
    bochner.save_model(model, tmp_path / "m")
    again, other = (bochner.load_model(tmp_path / "m") for _ in range(2))
    assert_same_bits(model, again, X)
    more = KernelClassifier(**POSITIVE).partial_fit(X[100:], y[100:], np.unique(y))
    whole = model.partial_fit(X[100:], y[100:])
    for added in (again.partial_fit(X[100:], y[100:]), other.merge(more)):
        assert np.allclose(added.decision_function(X), whole.decision_function(X), rtol=1e-12, atol=0)
        assert np.array_equal(added.class_weight_, whole.class_weight_)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_command_line_predicts_what_python_fits(name, data, tmp_path, run):
    X, y, classes = data
    model = clone(ESTIMATORS[name]).fit(X, y if name in NUMBERS else classes)
    bochner.save_model(model, tmp_path / "m")
    np.save(tmp_path / "rows.npy", X)
    more = ["--std"] if name == "process" else ["--probabilities"] if hasattr(model, "predict_proba") else []
    run("predict", tmp_path / "m", tmp_path / "rows.npy", "--out", tmp_path / "p.npy", *more)
    found = np.load(tmp_path / "p.npy")
    found = found[:, None] if found.ndim == 1 else found
    assert np.array_equal(found[:, 0], model.predict(X))
    if name == "process":
        assert np.array_equal(found[:, 1], model.predict(X, return_std=True)[1])
    elif more:
        assert np.array_equal(found[:, 1:], model.predict_proba(X))


def write_table(path, data, words):
    X, y, classes = data
    lines = ["a,b,w,c,y"]
    for i, (a, b, c) in enumerate(X):
        first = "" if i % 11 == 3 else repr(float(a))
        target = ["low", "mid", "top"][min(classes[i], 2)] if words else repr(float(y[i]))
        word = "NA" if i % 13 == 5 else ["red", "blue", "7"][i % 3]
        lines.append(f"{first},{float(b)!r},{word},{float(c)!r},{target}")
    path.write_text("\n".join(lines) + "\n")
    return [[a, b, w, c] for a, b, w, c, _ in (line.split(",") for line in lines[1:])]


@pytest.mark.parametrize("learner", ["ridge", "gp", "ridge_classes", "logistic", "svc", "nadaraya_watson"])
@pytest.mark.parametrize("single", [False, True])
def test_python_predicts_what_the_command_line_fits(learner, single, data, tmp_path, run):
    words = learner not in ("ridge", "gp")
    table = write_table(tmp_path / "rows.csv", data, words)
    options = ["--float32"] if single else []
    options += ["--learner", learner.removesuffix("_classes"), "--impute", "--json"]
    told = run("fit", tmp_path / "rows.csv", "--target", "y", "--model", tmp_path / "m", "--m", 20, *options)
    model = bochner.load_model(tmp_path / "m")
    more = ["--probabilities"] if learner == "logistic" else ["--std"] if learner == "gp" else []
    run("predict", tmp_path / "m", tmp_path / "rows.csv", "--out", tmp_path / "p.csv", *more)
    lines = [line.split(",") for line in (tmp_path / "p.csv").read_text().splitlines()[1:]]
    found = np.array([line[0] for line in lines], dtype=str if words else float)
    assert np.array_equal(model.predict(table), found)
    if learner == "logistic":
        assert np.array_equal(model.predict_proba(table), np.array([line[1:] for line in lines], dtype=float))
    if learner == "gp":
        deviations = np.array([line[1] for line in lines], dtype=float)
        assert np.array_equal(model.predict(table, return_std=True)[1], deviations)
    assert json.loads(told)["spec"]["m"] == model[-1].m_
    # Back to a file, which predicts the same on the command line.
    bochner.save_model(model, tmp_path / "again")
    run("predict", tmp_path / "again", tmp_path / "rows.csv", "--out", tmp_path / "q.csv", *more)
    assert (tmp_path / "q.csv").read_text() == (tmp_path / "p.csv").read_text()


def test_tables_that_do_not_fit_are_refused(data, tmp_path, run):
    pandas = pytest.importorskip("pandas")
    table = write_table(tmp_path / "rows.csv", data, True)
    run("fit", tmp_path / "rows.csv", "--target", "y", "--model", tmp_path / "m", "--m", 20, "--impute")
    model = bochner.load_model(tmp_path / "m")
    frame = pandas.DataFrame(table, columns=["a", "b", "w", "c"])
    assert np.array_equal(model.predict(frame[["c", "w", "b", "a"]]), model.predict(table))
    for row, message in (
        (["1", "2", "green", "3"], "'green' in column 'w'; expected one of 7, blue, red"),
        (["1", "two", "red", "3"], "a word in column 'b', 'two' at row 0"),
        (["1", "1_000", "red", "3"], "a word in column 'b', '1_000' at row 0"),
        (["1", float("inf"), "red", "3"], "infinite number in column 'b'"),
        (["1", "2", "red"], r"shape \(1, 3\); expected \(n, 4\).*a, b, w, c"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict([row])
    strict = clone(model[0]).set_params(impute=False)
    with pytest.raises(ValueError, match="missing value at row 0, column 'a'"):
        strict.transform([["", "2", "red", "3"]])


def test_what_no_file_holds_is_refused(data, tmp_path):
    X, y, classes = data
    file = tmp_path / "m"
    for model, message in (
        (KernelRidge(**WORDS).fit(X, np.stack([y, y], axis=1)), "one target"),
        (KernelSVC(**WORDS).fit(X, classes > 1), "numbers or all strings"),
        (GaussianProcess(prior_variance="exact", **WORDS).fit(X, y), "'exact'"),
    ):
        with pytest.raises(ValueError, match=message):
            bochner.save_model(model, file)
    ridge = KernelRidge(**WORDS).fit(X, y)
    for model in (RandomFeatures(n_components=40).fit(X), 5, make_pipeline(MinMaxScaler(), ridge)):
        with pytest.raises(TypeError, match="expected a KernelRidge"):
            bochner.save_model(model, file)
    with pytest.raises(NotFittedError):
        bochner.save_model(KernelRidge(), file)
    with pytest.raises(ValueError, match="dtype is 'float16'"):
        bochner.save_model(ridge, file, dtype="float16")
    with pytest.raises(OSError, match="does not exist"):
        bochner.save_model(ridge, tmp_path / "no" / "m")
    for name in ("rows.csv", "rows.npy", "rows.libsvm", "rows.CSV.gz", "rows.tsv"):
        with pytest.raises(OSError, match=f"{name}.* those of tables"):
            bochner.save_model(ridge, tmp_path / name)
    assert not any(tmp_path.iterdir())
    with pytest.raises(OSError, match="No such file"):
        bochner.load_model(file)
    file.write_bytes(b"not a model at all")
    with pytest.raises(OSError, match="not a model"):
        bochner.load_model(file)
