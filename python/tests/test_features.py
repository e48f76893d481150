# SPDX-License-Identifier: Apache-2.0
"""bochner.features: shapes, types and properties."""

import copy
import json
import pickle
from pathlib import Path

import bochner
import numpy as np
import pytest
from bochner import _core


def test_names(words):
    features = bochner.features(5, m=7, **words)
    assert {name: features.spec[name] for name in words} == words
    parameters = {name: value for name, value in words.items() if name not in ("kernel", "map", "coupling")}
    assert features.outputs == 7 * _core.width(words["map"], parameters)


@pytest.mark.parametrize("group", ["kernel", "map", "coupling"])
def test_every_registered_name_composes_with_something(compositions, group):
    registered = {entry["name"] for entry in getattr(bochner, f"{group}s")()}
    assert {words[group] for words in compositions} == registered
    for entry in getattr(bochner, f"{group}s")():
        assert entry["summary"] and entry["formula"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 67])
def test_shape_and_dtype(rows, words, dtype, n):
    features = bochner.features(5, m=7, **words)
    for side in ("query", "key"):
        Z = features.transform(rows[:n].astype(dtype), side=side)
        assert Z.dtype == dtype
        assert Z.shape == (n, features.outputs)
        assert Z.flags.c_contiguous and Z.flags.writeable
        assert Z.ctypes.data % 64 == 0


def test_float32_is_float64_rounded(rows, words):
    features = bochner.features(5, m=7, lengthscale=2.0, **words)
    single = features.transform(rows.astype(np.float32))
    double = features.transform(rows.astype(np.float32).astype(np.float64))
    # The promise: 4 * 2^-23 * max(1, sum |w x|) times the scale of a feature; exponentials add |x|^2 to the exponent.
    norm = np.abs(features.directions()).max() * np.abs(rows / 2).sum(axis=1) + np.square(rows / 2).sum(axis=1)
    bound = 4 * 2.0**-23 * np.maximum(1, norm)[:, None] * np.maximum(np.abs(double).max(), 1)
    assert (np.abs(single - double) <= bound).all()


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64, np.bool_, ">f8"])
def test_other_real_types_become_float64(dtype):
    X = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    features = bochner.features(3, m=4)
    Z = features.transform(X)
    assert Z.dtype == np.float64
    assert np.array_equal(Z, features.transform(X.astype(np.float64)))


def test_foreign_byte_order_keeps_the_precision(rows):
    features = bochner.features(5, m=4)
    Z = features.transform(rows.astype(">f4"))
    assert Z.dtype == np.float32
    assert np.array_equal(Z, features.transform(rows.astype(np.float32)))


def test_lists_and_frames(rows):
    pandas = pytest.importorskip("pandas")
    features = bochner.features(5, m=4)
    assert np.array_equal(features.transform(rows.tolist()), features.transform(rows))
    assert np.array_equal(features.transform(pandas.DataFrame(rows)), features.transform(rows))


def test_defaults_are_as_documented(rows):
    explicit = bochner.features(5, "gaussian", "trigonometric", "orthogonal", 256, 0, 1.0)
    assert bochner.features(5).spec == explicit.spec
    assert np.array_equal(bochner.features(5).transform(rows), explicit.transform(rows))


def test_aliases_give_the_same_features(rows):
    short = bochner.features(5, kernel="rbf", map="rff", coupling="orf")
    assert short.spec == bochner.features(5).spec
    assert np.array_equal(short.transform(rows), bochner.features(5).transform(rows))


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1, np.uint64(2**64 - 1), np.int8(3)])
def test_seed_is_kept(seed):
    features = bochner.features(3, m=2, seed=seed)
    assert features.spec["seed"] == int(seed)
    assert np.array_equal(features.directions(), bochner.features(3, m=2, seed=int(seed)).directions())


def test_seeds_differ():
    seeds = [0, 1, 2, 2**32, 2**63, 2**64 - 1]
    draws = {bochner.features(3, m=2, seed=seed).directions().tobytes() for seed in seeds}
    assert len(draws) == len(seeds)


def test_directions_project(rows):
    sigma = np.array([0.5, 1.0, 2.0, 3.0, 4.0])
    features = bochner.features(5, m=11, lengthscale=sigma)
    W = features.directions()
    assert W.shape == (11, 5) and W.dtype == np.float64
    angles = rows / sigma @ W.T
    expected = np.sort(np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(11), axis=1)
    assert np.allclose(np.sort(features.transform(rows), axis=1), expected, rtol=0, atol=1e-14)


def test_directions_are_a_copy(rows):
    features = bochner.features(5, m=3)
    before = features.transform(rows)
    features.directions()[:] = 0
    assert np.array_equal(features.transform(rows), before)


def test_lengthscale_divides(rows):
    scaled = bochner.features(5, m=9, lengthscale=4.0).transform(rows)
    assert np.allclose(scaled, bochner.features(5, m=9).transform(rows / 4), rtol=0, atol=1e-14)
    vector = bochner.features(5, m=9, lengthscale=np.full(5, 4.0))
    assert np.allclose(vector.transform(rows), scaled, rtol=0, atol=1e-14)


@pytest.mark.parametrize("lengthscale", [2.5, [1.0, 2.0, 3.0]])
def test_spec_makes_it_again(lengthscale):
    features = bochner.features(3, map="cosine", m=5, seed=2**63 + 1, lengthscale=lengthscale)
    assert features.spec["lengthscale"] == lengthscale
    assert bochner.features(**features.spec).spec == features.spec
    assert eval(repr(features), {"bochner": bochner}).spec == features.spec
    assert (features.d, features.m) == (3, 5)


def test_spec_is_a_copy():
    features = bochner.features(3, m=5)
    features.spec["m"] = 6
    assert features.spec["m"] == features.m == 5


def test_features_are_immutable():
    with pytest.raises(AttributeError):
        bochner.features(3).m = 5
    with pytest.raises(AttributeError):
        bochner.features(3).other = 5


def test_pickling(rows, words):
    features = bochner.features(5, m=300, seed=5, lengthscale=0.7, **words)
    data = pickle.dumps(features)
    again = pickle.loads(data)
    assert pickle.dumps(again) == data
    assert len(data) < 500
    for other in (again, pickle.loads(pickle.dumps(again)), copy.copy(features), copy.deepcopy(features)):
        assert other.spec == features.spec
        assert np.array_equal(other.transform(rows), features.transform(rows))


def test_pickle_of_another_stream_is_refused():
    restore, (text,) = bochner.features(3).__reduce__()
    document = json.loads(text)
    assert document["stream_version"] == bochner.stream_version
    document["stream_version"] += 1
    with pytest.raises(ValueError, match="stream_version"):
        restore(json.dumps(document))


def test_fit_changes_nothing(rows):
    features = bochner.features(5, m=3)
    before = features.spec
    assert features.fit(rows) is features
    assert features.fit(rows, rows) is features
    assert features.spec == before


def test_symmetric_maps_ignore_the_side(rows, words):
    features = bochner.features(5, m=3, **words)
    same = np.array_equal(features.transform(rows, side="query"), features.transform(rows, side="key"))
    assert same == features.symmetric


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_out(rows, dtype):
    features = bochner.features(5, m=6)
    X = rows.astype(dtype)
    expected = features.transform(X)
    out = np.full(expected.shape, np.nan, dtype)
    assert features.transform(X, out=out) is out
    assert np.array_equal(out, expected)
    wide = np.full((67, 20), 9, dtype)
    features.transform(X, out=wide[:, 4:16])
    assert np.array_equal(wide[:, 4:16], expected)
    assert (wide[:, :4] == 9).all() and (wide[:, 16:] == 9).all()


def test_out_beside_the_input(rows):
    features = bochner.features(5, m=6)
    both = np.hstack([rows, np.zeros((67, 12))])
    features.transform(both[:, :5], out=both[:, 5:])
    assert np.array_equal(both[:, 5:], features.transform(rows))


def test_result_outlives_the_features(rows):
    Z = bochner.features(5, m=100).transform(rows)
    assert np.array_equal(Z, bochner.features(5, m=100).transform(rows))


def test_version_is_the_one_of_the_build():
    source = Path(__file__).parents[2] / "CMakeLists.txt"
    assert f"project(bochner VERSION {bochner.__version__} " in source.read_text()
