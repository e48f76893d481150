# SPDX-License-Identifier: Apache-2.0
"""Every bad argument is refused with one sentence that names it."""

import bochner
import numpy as np
import pytest
from bochner import RandomFeatures
from scipy import sparse

X = np.random.default_rng(0).normal(size=(20, 3))
nan, inf = float("nan"), float("inf")


def _with(value, dtype=np.float64):
    spoiled = X.astype(dtype)
    spoiled[17, 2] = value
    return spoiled


def _transform(rows, **options):
    return lambda: bochner.features(3, m=4).transform(rows, **options)


def _features(d=3, **words):
    return lambda: bochner.features(d, **words)


def _gram(*arguments, **words):
    return lambda: bochner.kernel_matrix(*arguments, **words)


def _model(rows=X, **words):
    return lambda: RandomFeatures(**words).fit(rows)


def _read_only():
    out = np.empty((20, 8))
    out.flags.writeable = False
    return out


def _overlapping():
    memory = np.zeros((20, 10))
    memory[:, :3] = X
    return lambda: bochner.features(3, m=4).transform(memory[:, :3], out=memory[:, 2:])


CASES = {
    # X
    "NaN": (_transform(_with(nan)), ValueError, ["X", "nan", "17", "2"]),
    "+Inf": (_transform(_with(inf)), ValueError, ["X", "inf", "17", "2"]),
    "-Inf": (_transform(_with(-inf)), ValueError, ["X", "-inf", "17", "2"]),
    "NaN float32": (_transform(_with(nan, np.float32)), ValueError, ["X", "nan", "17", "2"]),
    "NaN fortran": (_transform(np.asfortranarray(_with(nan))), ValueError, ["X", "nan", "17", "2"]),
    "d too large": (_transform(np.ones((4, 5))), ValueError, ["X", "5", "3"]),
    "d too small": (_transform(np.ones((4, 2))), ValueError, ["X", "2", "3"]),
    "no columns": (_transform(np.ones((4, 0))), ValueError, ["X", "0", "3"]),
    "no rows and wrong d": (_transform(np.ones((0, 5))), ValueError, ["X", "5", "3"]),
    "1-D": (_transform(np.ones(3)), ValueError, ["X", "(3,)", "reshape"]),
    "3-D": (_transform(np.ones((2, 3, 3))), ValueError, ["X", "(2, 3, 3)"]),
    "0-D": (_transform(1.0), ValueError, ["X", "()"]),
    "empty list": (_transform([]), ValueError, ["X", "(0,)"]),
    "None": (_transform(None), ValueError, ["X"]),
    "ragged": (_transform([[1.0, 2.0, 3.0], [1.0]]), ValueError, ["shape"]),
    "object": (_transform(X.astype(object)), ValueError, ["X", "object"]),
    "complex": (_transform(X.astype(complex)), ValueError, ["X", "complex128"]),
    "text": (_transform(X.astype(str)), ValueError, ["X", "dtype"]),
    "dates": (_transform(np.zeros((2, 3), "datetime64[s]")), ValueError, ["X", "datetime64"]),
    "structured": (_transform(np.zeros((2, 3), [("a", "f8")])), ValueError, ["X", "dtype"]),
    "sparse": (_transform(sparse.csr_matrix(X)), ValueError, ["X", "sparse", "toarray"]),
    "masked": (_transform(np.ma.masked_greater(X, 0)), ValueError, ["X", "masked"]),
    # side and out
    "side": (_transform(X, side="left"), ValueError, ["side", "left", "query", "key"]),
    "side not text": (_transform(X, side=1), TypeError, ["side", "1"]),
    "out rows": (_transform(X, out=np.empty((19, 8))), ValueError, ["out", "(19, 8)", "(20, 8)"]),
    "out columns": (_transform(X, out=np.empty((20, 7))), ValueError, ["out", "(20, 7)", "(20, 8)"]),
    "out 1-D": (_transform(X, out=np.empty(160)), ValueError, ["out", "(160,)", "(20, 8)"]),
    "out dtype": (_transform(X, out=np.empty((20, 8), np.float32)), ValueError, ["out", "float32", "float64"]),
    "out byte order": (_transform(X, out=np.empty((20, 8), ">f8")), ValueError, ["out", ">f8", "float64"]),
    "out read-only": (_transform(X, out=_read_only()), ValueError, ["out", "read-only"]),
    "out fortran": (_transform(X, out=np.empty((20, 8), order="F")), ValueError, ["out", "strides"]),
    "out list": (_transform(X, out=[[0.0] * 8] * 20), TypeError, ["out", "list"]),
    "out overlaps": (_overlapping(), ValueError, ["out", "overlap"]),
    # features
    "d zero": (_features(0), ValueError, ["d", "0"]),
    "d negative": (_features(-1), ValueError, ["d", "-1"]),
    "d float": (_features(3.0), TypeError, ["d", "3.0"]),
    "m zero": (_features(m=0), ValueError, ["m", "0"]),
    "m negative": (_features(m=-5), ValueError, ["m", "-5"]),
    "m float": (_features(m=10.0), TypeError, ["m", "10.0"]),
    "m text": (_features(m="10"), TypeError, ["m", "'10'"]),
    "m bool": (_features(m=True), TypeError, ["m", "True"]),
    "m None": (_features(m=None), TypeError, ["m", "None"]),
    "m beyond 64 bits": (_features(m=2**64), ValueError, ["m", str(2**64)]),
    "seed negative": (_features(seed=-1), ValueError, ["seed", "-1"]),
    "seed too large": (_features(seed=2**64), ValueError, ["seed", str(2**64), "2**64 - 1"]),
    "seed float": (_features(seed=0.5), TypeError, ["seed", "0.5"]),
    "lengthscale zero": (_features(lengthscale=0), ValueError, ["lengthscale", "0"]),
    "lengthscale negative": (_features(lengthscale=-2.5), ValueError, ["lengthscale", "-2.5"]),
    "lengthscale NaN": (_features(lengthscale=nan), ValueError, ["lengthscale", "nan"]),
    "lengthscale infinite": (_features(lengthscale=inf), ValueError, ["lengthscale", "inf"]),
    "lengthscale text": (_features(lengthscale="wide"), ValueError, ["lengthscale", "wide"]),
    "lengthscale from data": (_features(lengthscale="median"), ValueError, ["'median'", "bochner.lengthscale(X, 'med"]),
    "lengthscale None": (_features(lengthscale=None), ValueError, ["lengthscale", "None"]),
    "lengthscale complex": (_features(lengthscale=1j), ValueError, ["lengthscale", "1j"]),
    "lengthscale empty": (_features(lengthscale=[]), ValueError, ["lengthscale", "0"]),
    "lengthscale length": (_features(lengthscale=[1.0, 2.0]), ValueError, ["lengthscale", "2", "3"]),
    "lengthscale matrix": (_features(lengthscale=np.ones((3, 3))), ValueError, ["lengthscale"]),
    "lengthscale one negative": (_features(lengthscale=[1.0, 1.0, -4.0]), ValueError, ["lengthscale", "-4"]),
    "kernel": (_features(kernel="gausian"), ValueError, ["kernel", "gausian", "'gaussian'"]),
    "map": (_features(map="trigonometrc"), ValueError, ["map", "trigonometrc", "'trigonometric'"]),
    "coupling": (_features(coupling="ortogonal"), ValueError, ["coupling", "ortogonal", "'orthogonal'"]),
    "map far from all": (_features(map="zzzzzzzz"), ValueError, ["map", "zzzzzzzz", "trigonometric"]),
    "map empty": (_features(map=""), ValueError, ["map", "trigonometric"]),
    "kernel None": (_features(kernel=None), TypeError, ["kernel", "None"]),
    "misfit": (_features(1, coupling="simplex"), ValueError, ["simplex", "d"]),
    "unknown parameter": (_features(length_scale=2.0), TypeError, ["length_scale", "'lengthscale'", "seed"]),
    "parameter of another map": (_features(rate=2.0), ValueError, ["rate", "belongs to map 'poisson'"]),
    # kernel_matrix
    "gram: columns differ": (_gram(X, np.ones((2, 4))), ValueError, ["3", "4"]),
    "gram: 1-D": (_gram(X[0]), ValueError, ["X", "(3,)"]),
    "gram: Y 1-D": (_gram(X, X[0]), ValueError, ["Y", "(3,)"]),
    "gram: NaN in X": (_gram(_with(nan)), ValueError, ["nan", "17", "2"]),
    "gram: NaN in Y": (_gram(X, _with(nan)), ValueError, ["Y", "nan", "17", "2"]),
    "gram: kernel": (_gram(X, kernel="softmx"), ValueError, ["softmx", "'softmax'"]),
    "gram: lengthscale": (_gram(X, lengthscale=-1.0), ValueError, ["lengthscale", "-1"]),
    "gram: lengthscale length": (_gram(X, lengthscale=[1.0, 2.0]), ValueError, ["lengthscale", "2", "3"]),
    "gram: lengthscale from data": (_gram(X, lengthscale="scale"), ValueError, ["bochner.lengthscale(X, 'scale')"]),
    "gram: unknown parameter": (_gram(X, gamma=1.0), TypeError, ["gamma", "lengthscale"]),
    # RandomFeatures
    "gamma zero": (_model(gamma=0), ValueError, ["gamma", "0"]),
    "gamma negative": (_model(gamma=-1.5), ValueError, ["gamma", "-1.5"]),
    "gamma NaN": (_model(gamma=nan), ValueError, ["gamma", "nan"]),
    "gamma infinite": (_model(gamma=inf), ValueError, ["gamma", "inf"]),
    "gamma text": (_model(gamma="auto"), ValueError, ["gamma", "auto", "scale"]),
    "gamma list": (_model(gamma=[1.0]), ValueError, ["gamma", "[1.0]"]),
    "gamma bool": (_model(gamma=True), ValueError, ["gamma", "True"]),
    "no scale at all": (_model(gamma=None), ValueError, ["gamma", "None", "lengthscale"]),
    "two scales": (_model(gamma=1.0, lengthscale=1.0), ValueError, ["gamma", "lengthscale", "only one"]),
    "scale overflows": (_model(X * 1e200), ValueError, ["e+199", "row 0, column 0", "1e150"]),
    "model lengthscale": (_model(lengthscale=-1.0), ValueError, ["lengthscale", "-1"]),
    "model lengthscale text": (_model(lengthscale="median of"), ValueError, ["lengthscale", "median of", "scale"]),
    "model lengthscale of equal rows": (_model(X * 0, lengthscale="median"), ValueError, ["'median' is 0", "equal"]),
    "model lengthscale of one row": (_model(X[:1], lengthscale="neighbour"), ValueError, ["1 sample"]),
    "model lengthscale and gamma": (_model(gamma=1.0, lengthscale="median"), ValueError, ["gamma", "only one"]),
    "model lengthscale length": (_model(lengthscale=[1.0, 2.0]), ValueError, ["lengthscale", "2", "3"]),
    "n_components odd": (_model(n_components=7, map="trigonometric"), ValueError, ["n_components", "7", "6 or 8"]),
    "n_components zero": (_model(n_components=0), ValueError, ["n_components", "0"]),
    "n_components negative": (_model(n_components=-4), ValueError, ["n_components", "-4"]),
    "n_components float": (_model(n_components=8.0), TypeError, ["n_components", "8.0"]),
    "random_state negative": (_model(random_state=-1), ValueError, ["random_state", "-1"]),
    "random_state text": (_model(random_state="zero"), TypeError, ["random_state", "zero"]),
    "model map": (_model(map="trigonometrc"), ValueError, ["map", "trigonometrc", "'trigonometric'"]),
    "model sparse": (_model(sparse.csr_matrix(X)), TypeError, ["Sparse data was passed", "dense data is required"]),
    "model NaN": (_model(_with(nan)), ValueError, ["X", "NaN"]),
    "model 1-D": (_model(X[0]), ValueError, ["2D array"]),
    "model empty": (_model(np.ones((0, 3))), ValueError, ["0 sample"]),
    "model unfitted": (lambda: RandomFeatures().transform(X), ValueError, ["not fitted"]),
    "model wrong d": (lambda: RandomFeatures().fit(X).transform(X[:, :2]), ValueError, ["2 features", "3 features"]),
    # lengthscale
    "rule": (lambda: bochner.lengthscale(X, "medain"), ValueError, ["medain", "'median'"]),
    "rule None": (lambda: bochner.lengthscale(X, None), TypeError, ["rule", "None"]),
    "rule: seed": (lambda: bochner.lengthscale(X, "scale", seed=-1), ValueError, ["seed", "-1"]),
    "rule: NaN": (lambda: bochner.lengthscale(_with(nan), "median"), ValueError, ["nan", "17", "2"]),
    "rule: 1-D": (lambda: bochner.lengthscale(X[0], "scale"), ValueError, ["X", "(3,)"]),
    "rule: empty": (lambda: bochner.lengthscale(X[:0], "scale"), ValueError, ["0 x 3", "at least 1 row"]),
    "rule: one row": (lambda: bochner.lengthscale(X[:1], "median"), ValueError, ["1 x 3", "at least 2 rows"]),
    # threads
    "threads zero": (lambda: bochner.set_num_threads(0), ValueError, ["threads", "0"]),
    "threads negative": (lambda: bochner.set_num_threads(-1), ValueError, ["threads", "-1"]),
    "threads too many": (lambda: bochner.set_num_threads(1025), ValueError, ["threads", "1025"]),
    "threads beyond 64 bits": (lambda: bochner.set_num_threads(2**70), ValueError, ["threads", str(2**70)]),
    "threads beyond an int": (lambda: bochner.set_num_threads(2**40), ValueError, ["threads"]),
    "threads float": (lambda: bochner.set_num_threads(1.5), TypeError, ["threads"]),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_with_a_sentence(case):
    call, error, words = CASES[case]
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    for word in words:
        assert word in message
    assert "\n\n" not in message


def test_a_refused_call_leaves_the_features_usable():
    features = bochner.features(3, m=4)
    expected = features.transform(X)
    for spoiled in (_with(nan), np.ones((4, 5)), np.ones(3)):
        with pytest.raises(ValueError):
            features.transform(spoiled)
    assert np.array_equal(features.transform(X), expected)


def test_out_is_untouched_when_shapes_do_not_fit():
    out = np.full((20, 7), 5.0)
    with pytest.raises(ValueError):
        bochner.features(3, m=4).transform(X, out=out)
    assert (out == 5).all()


def test_more_directions_than_memory():
    with pytest.raises(ValueError, match="m is 1099511627776; expected at most"):
        bochner.features(2**31, m=2**40)


def test_more_output_than_memory():
    features = bochner.features(1, m=2**20, coupling="iid")
    with pytest.raises(ValueError, match=r"^X has 33554432 rows; expected at most \d+: .* of 2097152 features"):
        features.transform(np.zeros((2**25, 1), np.float32))
    assert features.transform(np.zeros((1, 1))).shape == (1, 2**21)
