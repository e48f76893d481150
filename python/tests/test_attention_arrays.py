# SPDX-License-Identifier: Apache-2.0
"""The arrays that attention and its state take: dtypes, layouts, empty shapes."""

import bochner
import numpy as np
import pytest

RNG = np.random.default_rng(0)
Q, K, V = (RNG.normal(size=(2, 3, 7, 4)) for _ in range(3))
WORDS = {"map": "positive", "m": 8}


def attend(q, k, v, **words):
    return bochner.attention(q, k, v, **WORDS, **words)


def state(**words):
    return bochner.AttentionState(4, heads=3, batch=2, **WORDS, **words)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", [(0, 3, 7, 4), (2, 0, 7, 4), (0, 0, 7, 4), (0, 7, 4), (2, 3, 0, 4), (0, 4)], ids=str)
def test_arrays_without_a_number(shape, causal, dtype):
    empty = np.zeros(shape, dtype)
    for given in ([empty] * 3, [np.asfortranarray(empty)] * 3):
        out, report = attend(*given, causal=causal, diagnostics=True)
        assert out.shape == shape and out.dtype == dtype
        assert report["undefined_rows"] == 0 and report["effective_features"].shape == shape[:-1]


def test_slices_without_a_number():
    assert attend(Q[:0], K[:0], V[:0]).shape == (0, 3, 7, 4)
    assert attend(Q[:, :0], K[:, :0], V[:, :0]).shape == (2, 0, 7, 4)
    assert attend(Q[:0], K[:0], V[:0], key_mask=np.ones((0, 7), bool)).shape == (0, 3, 7, 4)
    assert (attend(Q, K[:, :, :0], V[:, :, :0]) == 0).all()


def test_whole_numbers_are_float64_if_all_are():
    whole = [(10 * x).astype(kind) for x, kind in zip((Q, K, V), (np.int64, np.int8, np.uint16), strict=True)]
    found = attend(*whole, scale=0.01)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, attend(*(x.astype(float) for x in whole), scale=0.01))
    lists = [x[0, 0].tolist() for x in (Q, K, V)]
    np.testing.assert_array_equal(attend(*lists), attend(Q[0, 0], K[0, 0], V[0, 0]))
    np.testing.assert_array_equal(attend([[1, 0, 2, 0]], *lists[1:]), attend([[1.0, 0, 2, 0]], *lists[1:]))
    assert attend(*([list(x[0].astype("f"))] for x in (Q, K, V))).dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_state_takes_views_that_are_broadcast_over_heads(dtype):
    shared = [np.broadcast_to(x[:, :1].astype(np.float16), Q.shape) for x in (Q, K, V)]
    whole = [x.astype(dtype, order="C") for x in shared]
    for given in (shared, [np.broadcast_to(x[:, :1], Q.shape) for x in whole]):
        found = state(dtype=dtype).step(*given)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, state(dtype=dtype).step(*whole))
    np.testing.assert_array_equal(attend(*(np.broadcast_to(x[:, :1], Q.shape) for x in whole)), attend(*whole))


def test_state_takes_lists_and_widens():
    one = bochner.AttentionState(4, **WORDS).step(*(x[0, 0].tolist() for x in (Q, K, V)))
    other = bochner.AttentionState(4, **WORDS).step(*(x[0, 0].astype("f") for x in (Q, K, V)))
    np.testing.assert_array_equal(one, other)
    single = [x.astype("f") for x in (Q, K, V)]
    wide = state(dtype=np.float64).step(*single)
    np.testing.assert_array_equal(wide, state(dtype=np.float64).step(*(x.astype(float) for x in single)))


def _masked(x):
    return np.ma.array(x, mask=np.arange(x.size).reshape(x.shape) == 5)


F, H = Q.astype("f"), Q.astype("e")
BAD = {
    "k": (lambda: attend(F, K, V), ValueError, "k has dtype float64; expected float32, as q has"),
    "v": (lambda: attend(Q, K, V.astype("f")), ValueError, "v has dtype float32; expected float64, as q has"),
    "half": (lambda: attend(H, H, F), ValueError, "v has dtype float32; expected float16, as q has"),
    "whole": (lambda: attend(Q, Q.astype(int), V), ValueError, "k has dtype int64; expected float64, as q has"),
    "whole q": (lambda: attend(Q.astype(int), K, V), ValueError, "k has dtype float64; expected int64, as q has"),
    "bool": (lambda: attend(Q, K, V > 0), ValueError, "v has dtype bool; expected float32, float64, float16 or whole"),
    "bools": (lambda: attend(*[Q > 0] * 3), ValueError, "q has dtype bool"),
    "long": (lambda: attend(*[Q.astype(np.longdouble)] * 3), ValueError, "q has dtype float128"),
    "text": (lambda: attend(Q.astype(str), K, V), ValueError, "q has dtype <U"),
    "masked": (lambda: attend(Q, _masked(K), V), ValueError, "k has masked entries; expected numbers only: key_mask"),
    "masked flags": (
        lambda: attend(Q, K, V, key_mask=_masked(np.ones(7, bool))), ValueError, "key_mask has masked entries"),
    "causal": (lambda: attend(Q, K, V, causal="no"), TypeError, "causal is 'no'; expected True or False"),
    "causal 1": (lambda: attend(Q, K, V, causal=1), TypeError, "causal is 1; expected True or False"),
    "diagnostics": (lambda: attend(Q, K, V, diagnostics="no"), TypeError, "diagnostics is 'no'; expected True or"),
    "state": (lambda: state().step(Q, K, V), ValueError, "q has dtype float64; expected float32, as the state has"),
    "state whole": (lambda: state().step(*[Q.astype(int)] * 3), ValueError, "q has dtype int64; expected float32, as"),
    "state mixed": (lambda: state(dtype="d").step(Q, F, Q), ValueError, "k has dtype float32; expected float64, as q"),
    "state masked": (lambda: state(dtype="d").step(Q, K, _masked(V)), ValueError, "v has masked entries"),
    "state flag": (lambda: state(diagnostics=2), TypeError, "diagnostics is 2; expected True or False"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    call, kind, message = BAD[case]
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(message) and "\n" not in str(raised.value), str(raised.value)


def test_masked_arrays_without_a_mask_are_arrays():
    np.testing.assert_array_equal(attend(np.ma.array(Q), K, V), attend(Q, K, V))
    assert attend(Q, K, V, causal=np.bool_(True)).shape == Q.shape
