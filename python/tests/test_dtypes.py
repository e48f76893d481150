# SPDX-License-Identifier: Apache-2.0
"""float32 stays float32 in every class, whatever array it comes in; narrower numbers are refused with the cast."""

import bochner
import numpy as np
import pytest
from bochner import _core

ROWS = np.random.default_rng(0).normal(size=(60, 4))
NUMBERS = np.sin(ROWS[:, 0])
LABELS = np.array(["a", "b", "c"])[np.arange(60) % 3]
CLASSES = {
    "RandomFeatures": None, "KernelPCA": None, "KernelRidge": NUMBERS, "GaussianProcess": NUMBERS,
    "KernelRidgeClassifier": LABELS, "KernelClassifier": LABELS, "KernelSVC": LABELS, "KernelLogistic": LABELS,
}  # fmt: skip
RESULTS = ("transform", "predict", "decision_function", "predict_proba", "predict_log_proba", "sample_y")


class ByArray:
    """What arrays of JAX and others offer: their dtype, and __array__."""

    def __init__(self, array, dtype=None):
        self.array, self.dtype, self.shape, self.ndim = array, dtype or array.dtype, array.shape, array.ndim

    def __len__(self):
        return len(self.array)

    def __array__(self, dtype=None, copy=None):
        return self.array.astype(dtype or self.array.dtype)


class ByDlpack:
    """An array that can be exchanged only by DLPack."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def __dlpack__(self, **words):
        return self.array.__dlpack__(**words)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def _torch(array):
    return pytest.importorskip("torch").from_numpy(array)


def _polars(array):
    return pytest.importorskip("polars").DataFrame(array, schema=list("abcd"))


def _pandas(array):
    return pytest.importorskip("pandas").DataFrame(array, columns=list("abcd"))


def _pandas_own(array):
    return _pandas(array).astype({4: "Float32", 8: "Float64"}[array.itemsize])


def _rows_of_a_list(array):
    return list(array)


def _foreign(array):
    return array.astype(array.dtype.newbyteorder())


def _columns_first(array):
    return np.asfortranarray(array)


KINDS = (
    np.asarray, _columns_first, _foreign, _torch, _polars, _pandas, _pandas_own, _rows_of_a_list, ByArray, ByDlpack
)  # fmt: skip


def model_of(name, X, **words):
    kind = getattr(bochner, name)
    length = "n_features" if name == "KernelPCA" else "n_components"
    if name == "KernelClassifier":
        words = {"map": "positive", "lengthscale": 2.0, **words}
    return kind(random_state=0, **{length: 16}, **words).fit(X, CLASSES[name])


def results_of(model, X):
    """Every array of numbers that the model returns for X, by method."""
    found = {name: getattr(model, name)(X) for name in RESULTS if hasattr(model, name)}
    if isinstance(model, bochner.GaussianProcess):
        found["mean"], found["std"] = model.predict(X, return_std=True)
        found["function"] = model.sample_functions(2)(X)
    return {name: result for name, result in found.items() if result.dtype.kind == "f"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", CLASSES)
def test_results_have_the_type_of_X(name, kind):
    double, single = kind(ROWS), kind(ROWS.astype(np.float32))
    expected = results_of(model_of(name, ROWS.astype(np.float32)), ROWS.astype(np.float32))
    assert expected
    for X, dtype in ((double, np.float64), (single, np.float32)):
        found = results_of(model_of(name, X), X)
        assert {result: values.dtype for result, values in found.items()} == dict.fromkeys(expected, np.dtype(dtype))
    for result, values in expected.items():  # of the last, single
        assert np.array_equal(found[result], values), result


@pytest.mark.parametrize("name", ["KernelRidge", "GaussianProcess"])
def test_the_type_of_y_decides_nothing(name):
    for X_type, y_type in ((np.float32, np.float64), (np.float64, np.float32), (np.float32, np.int64)):
        X = ROWS.astype(X_type)
        model = getattr(bochner, name)(n_components=16, random_state=0).fit(X, (100 * NUMBERS).astype(y_type))
        assert model.predict(X).dtype == X_type
        assert model.coef_.dtype == np.float64


def test_sums_are_double_and_cast_last():
    X = ROWS.astype(np.float32)
    model = model_of("KernelRidge", X)
    exact = _core.predict(model.features_._core, model.coef_[None], [model.intercept_], X)[:, 0]
    assert exact.dtype == np.float64
    assert np.array_equal(model.predict(X), exact.astype(np.float32))
    logistic = model_of("KernelLogistic", X, C=1e6)
    probabilities = _core.class_probabilities(
        _core.predict(logistic.features_._core, logistic.coef_, list(logistic.intercept_), X), "multinomial"
    )
    assert np.array_equal(logistic.predict_proba(X), probabilities.astype(np.float32))
    assert np.array_equal(logistic.predict_log_proba(X), np.log(probabilities).astype(np.float32))


def test_predictions_beyond_float32_are_refused():
    X = ROWS.astype(np.float32)
    model = bochner.KernelRidge(n_components=16, random_state=0).fit(X, 1e60 * NUMBERS)
    assert np.abs(model.predict(ROWS)).max() > 1e59
    with pytest.raises(ValueError, match=r"^X has dtype float32, as the result would have, .*X.astype\('float64'\)"):
        model.predict(X)


def test_loaded_models_keep_float32(tmp_path):
    for name in CLASSES:
        if name == "RandomFeatures":
            continue
        bochner.save_model(model_of(name, ROWS), tmp_path / "m.safetensors")
        model = bochner.load_model(tmp_path / "m.safetensors")
        for dtype in (np.float32, np.float64):
            X = ROWS.astype(dtype)
            assert {values.dtype for values in results_of(model, X).values()} == {np.dtype(dtype)}, name


def test_the_sampler_keeps_float32():
    sampler = bochner.SoftmaxSampler(ROWS / 4, m=16)
    for dtype in (np.float32, np.float64):
        queries = (ROWS[:3] / 4).astype(dtype)
        ids, logs = sampler.sample(queries, 5, seed=0)
        assert logs.dtype == dtype
        assert np.allclose(sampler.log_probability(queries, ids), logs, rtol=1e-6)


FACES = {
    "features.transform": lambda X: bochner.features(4).transform(X),
    "features.fit": lambda X: bochner.features(4, kernel="softmax", map="optimal_positive").fit(X),
    "kernel_matrix": bochner.kernel_matrix,
    "lengthscale": lambda X: bochner.lengthscale(X, "scale"),
    "plan": lambda X: bochner.plan(X, m=8),
    "error_report": lambda X: bochner.error_report(bochner.features(4), X),
    "theory.mse": lambda X: bochner.theory.mse(X, X, m=8),
    "wasserstein": lambda X: bochner.wasserstein(X, X),
    "optimal_parameters": lambda X: bochner.theory.optimal_parameters(X, map="optimal_positive", kernel="softmax"),
    "BinaryEmbedding": lambda X: bochner.BinaryEmbedding(64).encode(X),
    "SoftmaxSampler": bochner.SoftmaxSampler,
    "log_probability": lambda X: bochner.SoftmaxSampler(ROWS).log_probability(X, np.zeros((60, 1), int)),
    "predict": lambda X: model_of("KernelRidge", ROWS).predict(X),
    **{name: lambda X, name=name: model_of(name, X) for name in CLASSES},
}


def _narrow(kind):
    torch = pytest.importorskip("torch") if kind.startswith("torch") else None
    return {
        "numpy.float16": lambda: ROWS.astype(np.float16),
        "pandas.float16": lambda: _pandas(ROWS.astype(np.float16)),
        "torch.float16": lambda: torch.from_numpy(ROWS).half(),
        "torch.bfloat16": lambda: torch.from_numpy(ROWS).bfloat16(),
        "jax.bfloat16": lambda: ByArray(ROWS, "bfloat16"),
    }[kind]()


@pytest.mark.parametrize("kind", ["numpy.float16", "pandas.float16", "torch.float16", "torch.bfloat16", "jax.bfloat16"])
@pytest.mark.parametrize("face", FACES)
def test_narrow_numbers_are_refused_with_the_cast(face, kind):
    cast = r"float\(\)" if kind.startswith("torch") else r"astype\('float32'\)"
    name = kind.partition(".")[2]
    with pytest.raises(ValueError, match=rf"has dtype {name}; expected float32 or float64: \w+\.{cast} makes one"):
        FACES[face](_narrow(kind))


def test_narrow_targets_and_weights_are_refused():
    with pytest.raises(ValueError, match="y has dtype float16; expected float32 or float64"):
        bochner.KernelRidge(n_components=8).fit(ROWS, NUMBERS.astype(np.float16))
    with pytest.raises(ValueError, match="sample_weight has dtype float16"):
        bochner.KernelRidge(n_components=8).fit(ROWS, NUMBERS, np.ones(60, np.float16))


def test_attention_keeps_float16():
    q = ROWS.astype(np.float16)
    assert bochner.attention(q, q, q).dtype == np.float16
    torch = pytest.importorskip("torch")
    half = torch.from_numpy(ROWS).half()
    assert np.array_equal(bochner.attention(half, half, half), bochner.attention(q, q, q))
    with pytest.raises(ValueError, match=r"^q has dtype bfloat16; expected float32 or float64: q.float\(\) makes one"):
        bochner.attention(half.bfloat16(), half, half)
    with pytest.raises(ValueError, match=r"^v is a tensor that requires grad"):
        bochner.attention(half, half, half.clone().requires_grad_())


def test_targets_and_other_devices_are_refused_with_what_to_do():
    torch = pytest.importorskip("torch")
    y = torch.from_numpy(NUMBERS.copy()).requires_grad_()
    with pytest.raises(ValueError, match=r"^y is a tensor that requires grad"):
        bochner.KernelRidge(n_components=8).fit(ROWS, y)
    bochner.KernelRidge(n_components=8).fit(ROWS, y.detach(), torch.ones(60))
    with pytest.raises(ValueError, match=r"^X is a tensor on device 'meta'; .*X.cpu\(\) makes it"):
        bochner.lengthscale(torch.ones(4, 2, device="meta"), "scale")
