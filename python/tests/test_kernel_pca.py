# SPDX-License-Identifier: Apache-2.0
"""KernelPCA against numpy's singular values of the centred features."""

import pickle
import subprocess
from pathlib import Path

import bochner
import numpy as np
import pytest
from bochner import KernelPCA
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "bin" / "bochner"
# Planning at every fit would take minutes.
WORDS = {"map": "trigonometric", "coupling": "orthogonal", "random_state": 0}


@parametrize_with_checks([KernelPCA(n_features=16, **WORDS), KernelPCA(1, n_features=6)])
def test_estimator_checks(estimator, check):
    check(estimator)


def test_is_the_svd_of_centred_features(rows):
    model = KernelPCA(5, n_features=24, **WORDS).fit(rows)
    Z = model.features_.transform(rows)
    centred = Z - Z.mean(axis=0)
    _, values, V = np.linalg.svd(centred, full_matrices=False)
    assert np.allclose(model.mean_, Z.mean(axis=0), rtol=0, atol=1e-12)
    assert np.allclose(model.explained_variance_, values[:5] ** 2 / 66, rtol=1e-10)
    assert np.allclose(model.explained_variance_ratio_, values[:5] ** 2 / (values**2).sum(), rtol=1e-10)
    signs = np.sign((V[:5] * model.components_).sum(axis=1))
    assert np.allclose(model.components_, V[:5] * signs[:, None], rtol=0, atol=1e-9)
    assert np.allclose(model.transform(rows), centred @ model.components_.T, rtol=0, atol=1e-12)
    assert (model.components_.max(axis=1) > -model.components_.min(axis=1)).all()


def test_batches_merge_and_pickle(rows):
    words = {"n_components": 3, "n_features": 16, "lengthscale": 2.0, **WORDS}
    whole = KernelPCA(**words).fit(rows)
    batches = KernelPCA(**words).partial_fit(rows[:20])
    batches.transform(rows[:1])
    batches.partial_fit(rows[20:])
    merged = KernelPCA(**words).fit(rows[:20]).merge(KernelPCA(**words).fit(rows[20:]))
    for model in (batches, merged, pickle.loads(pickle.dumps(merged))):
        assert np.allclose(model.transform(rows), whole.transform(rows), rtol=0, atol=1e-10)
    assert not hasattr(clone(merged), "components_")
    assert np.array_equal(merged.fit(rows).transform(rows), whole.transform(rows))


def test_weights_count_rows(rows):
    words = {"n_components": 3, "n_features": 16, "lengthscale": 2.0, **WORDS}
    weights = np.arange(len(rows)) % 3
    counted = KernelPCA(**words).fit(np.repeat(rows, weights, axis=0))
    batches = KernelPCA(**words).partial_fit(rows[:20], sample_weight=weights[:20])
    batches.partial_fit(rows[20:], sample_weight=weights[20:])
    for model in (KernelPCA(**words).fit(rows, sample_weight=weights), batches):
        assert np.allclose(model.explained_variance_, counted.explained_variance_, rtol=1e-10)
        assert np.allclose(model.transform(rows), counted.transform(rows), rtol=0, atol=1e-10)
    with pytest.raises(ValueError, match="at least one non-zero number"):
        KernelPCA(**words).fit(rows, sample_weight=0 * weights)
    with pytest.raises(ValueError, match="sample_weight has 1 numbers > 0; expected at least 2"):
        KernelPCA(n_features=16, **WORDS, lengthscale="median").fit(rows, sample_weight=np.arange(len(rows)) == 3)
    with pytest.raises(ValueError, match=r"sample_weight has -1\.0"):
        KernelPCA(**words).fit(rows, sample_weight=weights - 1)


def test_same_bits_for_any_threads(rows, threads):
    results = []
    for count in (1, 2, 3, 8):
        threads(count)
        results.append(KernelPCA(n_features=64, **WORDS).fit_transform(rows))
    assert all(np.array_equal(result, results[0]) for result in results)


def test_float32_and_names(rows):
    model = KernelPCA(n_features=16, **WORDS).fit(rows.astype(np.float32))
    assert model.transform(rows.astype(np.float32)).dtype == np.float32
    assert list(model.get_feature_names_out()) == ["kernelpca0", "kernelpca1"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_components": 9}, "n_components is 9; expected at most n_features, 8"),
        ({"n_components": 0}, "n_components is 0"),
        ({"n_features": 7}, "n_features is 7; expected a multiple of 2 for map 'trigonometric': 6 or 8"),
        ({"map": "complex_exponential", "params": {"A": [0.5] * 5}}, "'complex_exponential', which treats query"),
    ],
)
def test_bad_words(rows, given, message):
    with pytest.raises(ValueError, match=message):
        KernelPCA(**{"n_features": 8, **WORDS, **given}).fit(rows)


def test_bad_merge(rows):
    model = KernelPCA(n_features=8, lengthscale=1.0, **WORDS).fit(rows)
    with pytest.raises(ValueError, match="expected a fitted KernelPCA"):
        model.merge(clone(model))
    with pytest.raises(ValueError, match="other has the features"):
        model.merge(clone(model).set_params(random_state=1).fit(rows))


def test_model_files_hold_everything(rows, tmp_path):
    model = KernelPCA(3, n_features=16, **WORDS).fit(rows)
    bochner.save_model(model, tmp_path / "m")
    again = bochner.load_model(tmp_path / "m")
    assert type(again) is KernelPCA and again.n_components == 3
    assert np.array_equal(again.transform(rows), model.transform(rows))
    for name in ("components_", "mean_", "explained_variance_", "explained_variance_ratio_"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    assert clone(again).fit(rows).features_.spec == model.features_.spec
    bochner.save_model(again, tmp_path / "n")
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()
    with pytest.raises(ValueError, match="expected a fitted KernelPCA"):
        again.merge(model)


@pytest.mark.skipif(not PROGRAM.exists(), reason="the command line is not built")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_command_line_and_python_have_the_same_bits(rows, dtype, tmp_path):
    def run(*words):
        subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True)

    np.save(tmp_path / "rows.npy", rows)
    run("fit", tmp_path / "rows.npy", "--learner", "pca", "--model", tmp_path / "m", "--m", 10, "--" + dtype)
    run("transform", tmp_path / "rows.npy", "--model", tmp_path / "m", "--out", tmp_path / "t.npy")
    model = bochner.load_model(tmp_path / "m")
    found = np.load(tmp_path / "t.npy")
    assert found.dtype == dtype and np.array_equal(model.transform(rows).astype(dtype), found)
    bochner.save_model(model, tmp_path / "n")
    run("transform", tmp_path / "rows.npy", "--model", tmp_path / "n", "--out", tmp_path / "u.npy")
    assert np.array_equal(np.load(tmp_path / "u.npy"), found)
