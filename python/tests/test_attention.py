# SPDX-License-Identifier: Apache-2.0
"""Linear attention and its state."""

import threading

import bochner
import numpy as np
import pytest
from bochner import _core
from bochner._attention._function import make_options

RNG = np.random.default_rng(0)
Q, K, V = (RNG.normal(size=(2, 4, 130, 8)), RNG.normal(size=(2, 2, 130, 8)), RNG.normal(size=(2, 2, 130, 5)))


def _naive(q, k, v, causal=False, mask=None, **words):
    features = bochner.features(q.shape[-1], kernel="softmax", lengthscale=q.shape[-1] ** 0.25, **words)
    out = np.empty((*q.shape[:3], v.shape[3]))
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            g = h // (q.shape[1] // k.shape[1])
            weights = features.transform(q[b, h]) @ features.transform(k[b, g], side="key").T
            weights = np.tril(weights) if causal else weights
            weights = weights if mask is None else weights * mask[b]
            out[b, h] = weights @ v[b, g] / weights.sum(axis=1, keepdims=True)
    return out


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "chosen",
    [
        {"map": "positive", "coupling": "simplex"},
        {"map": "optimal_positive_paired", "coupling": "orthogonal", "A": -0.05},
        {"map": "favor++", "coupling": "hadamard", "A": -0.1, "rounds": 2},
        {"map": "poisson_positive", "coupling": "iid", "rate": 4.0, "shift": [-5.0] * 8},
    ],
    ids=lambda chosen: chosen["map"],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_is_the_formula(chosen, causal, dtype):
    mask = RNG.random((2, 130)) < 0.7
    mask[:, 0] = True
    out = bochner.attention(
        Q.astype(dtype), K.astype(dtype), V.astype(dtype), causal=causal, key_mask=mask, m=32, seed=3, **chosen
    )
    assert out.dtype == dtype
    expected = _naive(Q, K, V, causal=causal, mask=mask, m=32, seed=3, **chosen)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-5 if dtype == np.float32 else 1e-11)


@pytest.mark.parametrize("causal", [False, True])
def test_float16_is_float32_rounded(causal):
    q, k, v = (array.astype(np.float16) for array in (Q, K, V))
    out = bochner.attention(q, k, v, m=16, causal=causal)
    wide = (array.astype(np.float32) for array in (q, k, v))
    expected = bochner.attention(*wide, m=16, causal=causal).astype(np.float16)
    assert out.dtype == np.float16
    np.testing.assert_array_equal(out, expected)


@pytest.mark.filterwarnings("ignore:effective_features is below 2")
@pytest.mark.parametrize("causal", [False, True])
def test_hybrids_have_a_floor(causal):
    words = {"map": "hybrid_angular", "m": 8, "seed": 3}
    weights = np.exp(np.einsum("bhtd,bhid->bhti", Q, np.repeat(K, 2, axis=1)) / np.sqrt(8))
    weights = np.tril(weights) if causal else weights
    exact = weights @ np.repeat(V, 2, axis=1) / weights.sum(axis=-1, keepdims=True)
    out, report = bochner.attention(Q, K, V, causal=causal, diagnostics=True, **words)
    free, without = bochner.attention(Q, K, V, causal=causal, diagnostics=True, floor=0, **words)
    assert 0 < report["floored_rows"] < Q.shape[0] * Q.shape[1] * Q.shape[2] and without["floored_rows"] == (
        without["negative_rows"]
    )
    assert 0 <= report["negative_weights"] < report["sampled_weights"]
    assert np.square(out - exact).mean() < np.square(free - exact).mean()
    np.testing.assert_array_equal(out, bochner.attention(Q, K, V, causal=causal, **words))


def test_axes_that_are_one_may_be_left_out():
    whole = bochner.attention(Q[:1, :1], K[:1, :1], V[:1, :1], m=16)
    np.testing.assert_array_equal(bochner.attention(Q[0, :1], K[0, :1], V[0, :1], m=16), whole[0])
    np.testing.assert_array_equal(bochner.attention(Q[0, 0], K[0, 0], V[0, 0], m=16), whole[0, 0])


def test_layouts():
    packed = RNG.normal(size=(2, 60, 3, 2, 8))  # batch, row, which, head, coordinate
    q, k, v = packed.transpose(2, 0, 3, 1, 4)
    expected = bochner.attention(q.copy(), k.copy(), v.copy(), m=16)
    np.testing.assert_array_equal(bochner.attention(q, k, v, m=16), expected)
    np.testing.assert_array_equal(bochner.attention(q[:, :, ::-1], k, v, m=16), expected[:, :, ::-1])
    q.flags.writeable = False
    np.testing.assert_array_equal(bochner.attention(q, np.asfortranarray(k), v.astype(">f8"), m=16), expected)


def test_auto_is_the_default():
    found = bochner.attention(Q, K, V, map="auto", coupling="auto", m=16)
    expected = bochner.attention(Q, K, V, map="optimal_positive", coupling="orthogonal", m=16)
    np.testing.assert_array_equal(found, expected)


def test_the_past_does_not_see_the_future():
    words = {"causal": True, "m": 16}
    whole = bochner.attention(Q, K, V, **words)
    other = K.copy(), V.copy()
    other[0][:, :, 100:] *= 30
    other[1][:, :, 100:] = 1e30
    np.testing.assert_array_equal(bochner.attention(Q, *other, **words)[:, :, :100], whole[:, :, :100])


def test_threads_do_not_matter(threads):
    out = []
    for count in (1, 2, 3):
        threads(count)
        out.append(bochner.attention(Q, K, V, m=16))
    np.testing.assert_array_equal(out[0], out[1])
    np.testing.assert_array_equal(out[0], out[2])


def test_all_keys_masked():
    mask = np.ones((2, 130), bool)
    mask[1] = False
    out, report = bochner.attention(Q, K, V, m=16, key_mask=mask, diagnostics=True)
    assert (out[1] == 0).all() and (out[0] != 0).all()
    assert report["undefined_rows"] == 4 * 130
    assert report["effective_features"].shape == (2, 4, 130) == report["relative_error"].shape
    assert (report["effective_features"][0] >= 1).all() and (report["effective_features"][1] == 0).all()
    assert report["A"].shape == (2, 2)
    one_row = bochner.attention(Q, K, V, m=16, key_mask=mask[0])
    np.testing.assert_array_equal(one_row, bochner.attention(Q, K, V, m=16))


def test_diagnostics_see_collapse():
    small = bochner.attention(Q / 10, K / 10, V, m=64, diagnostics=True)[1]
    words = {"m": 64, "map": "positive", "diagnostics": True}
    with pytest.warns(RuntimeWarning, match="effective_features is below 2 .* in 8 of 8 heads, .* helps$") as caught:
        large = bochner.attention(Q * 20, K * 20, V, **words)[1]
    assert caught[0].filename == __file__
    mixed = np.concatenate([Q[:1] / 10, Q[1:] * 20]), np.concatenate([K[:1] / 10, K[1:] * 20]), V
    with pytest.warns(RuntimeWarning, match="in 4 of 8 heads"):
        bochner.attention(*mixed, **words)
    state = bochner.AttentionState(8, 5, heads=4, kv_heads=2, batch=2, dtype=np.float64, **words)
    with pytest.warns(RuntimeWarning, match="in 8 of 8 heads") as caught:
        state.step(Q * 20, K * 20, V)
    assert caught[0].filename == __file__
    assert small["effective_features"].min() > 40 and small["relative_error"].max() < 0.2
    assert np.median(large["effective_features"]) < 2 and np.median(large["relative_error"]) > 0.5
    assert large["A"] is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_state_is_causal_attention(dtype):
    q, k, v = Q.astype(dtype), K.astype(dtype), V.astype(dtype)
    whole = bochner.attention(q, k, v, m=32, causal=True)
    state = bochner.AttentionState(8, 5, heads=4, kv_heads=2, batch=2, m=32, dtype=dtype)
    parts = [slice(0, 1), slice(1, 2), slice(2, 99), slice(99, 100), slice(100, 130)]
    out = np.concatenate([state.step(q[:, :, p], k[:, :, p], v[:, :, p]) for p in parts], axis=2)
    assert out.dtype == dtype and state.length == 130
    np.testing.assert_allclose(out, whole, rtol=0, atol=1e-6 if dtype == np.float32 else 1e-12)
    state.reset()
    np.testing.assert_array_equal(state.step(q, k, v), whole)


def test_other_threads_run_meanwhile():
    ticks = []
    done = threading.Event()
    worker = threading.Thread(target=lambda: (bochner.attention(*([np.ones((1, 8, 4000, 64), "f")] * 3)), done.set()))
    worker.start()
    while not done.is_set():
        ticks.append(1)
    worker.join()
    assert len(ticks) > 100


def test_threads_share_a_state():
    """Every thread appends its rows, in any order; the sums are those of all to the rounding of 12,000 additions."""
    rows = RNG.normal(size=(4, 60, 50, 4))
    words = {"map": "positive", "m": 256}
    state = bochner.AttentionState(4, dtype=np.float64, **words)

    def append(part):
        for x in part:
            state.step(x, x, x)

    workers = [threading.Thread(target=append, args=(part,)) for part in rows]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert state.length == 4 * 60 * 50
    x = np.ones((1, 4))
    everything = np.concatenate([rows.reshape(-1, 4), x])
    np.testing.assert_allclose(state.step(x, x, x), bochner.attention(x, everything, everything, **words), atol=1e-11)


@pytest.mark.parametrize("causal", [False, True])
def test_gradient(causal):
    q, k, v, grad = (RNG.normal(size=(1, 1, 20, 3)) for _ in range(4))
    words = {"map": "positive", "m": 8, "causal": causal}
    options = make_options(bochner.attention, "positive", "orthogonal", 8, 0, None, None, causal, False, {})
    found = [np.empty_like(q) for _ in range(3)]
    _core.attention_gradient(q, k, v, grad, *found, None, options)
    direction = RNG.normal(size=(3, 1, 1, 20, 3))
    above, below = (
        bochner.attention(*(x + step * d for x, d in zip((q, k, v), direction, strict=True)), **words)
        for step in (1e-5, -1e-5)
    )
    expected = ((above - below) * grad).sum() / 2e-5
    np.testing.assert_allclose(sum((f * d).sum() for f, d in zip(found, direction, strict=True)), expected, rtol=1e-6)


def _with(array, value):
    spoiled = array.copy()
    spoiled[1, 1, 7, 2] = value
    return spoiled


BAD = {
    "axes": (lambda: bochner.attention(Q[0, 0, 0], K, V), ValueError, ["q", "(8,)", "(length, dim)"]),
    "axes differ": (lambda: bochner.attention(Q, K[0], V), ValueError, ["k", "(2, 130, 8)", "4 axes"]),
    "dtype": (lambda: bochner.attention(Q + 0j, K, V), ValueError, ["q", "complex128"]),
    "dim": (lambda: bochner.attention(Q, K[..., :7], V), ValueError, ["k", "(2, 2, 130, 7)", "dim 8"]),
    "heads": (lambda: bochner.attention(Q[:, :3], K, V), ValueError, ["k", "2 heads", "divisor of 3"]),
    "length": (lambda: bochner.attention(Q, K, V[:, :, :9]), ValueError, ["v", "length 130"]),
    "causal": (lambda: bochner.attention(Q, K[:, :, :9], V[:, :, :9], causal=True), ValueError, ["k", "causal"]),
    "nan": (lambda: bochner.attention(_with(Q, np.nan), K, V), ValueError, ["q has nan at [1, 1, 7, 2]"]),
    "inf": (lambda: bochner.attention(Q, K, _with(V, np.inf)), ValueError, ["v has inf at [1, 1, 7, 2]"]),
    "mask": (lambda: bochner.attention(Q, K, V, key_mask=np.ones(7, bool)), ValueError, ["key_mask", "(7,)", "(130,)"]),
    "mask type": (lambda: bochner.attention(Q, K, V, key_mask=np.ones(130)), ValueError, ["key_mask", "float64"]),
    "scale": (lambda: bochner.attention(Q, K, V, scale=0), ValueError, ["scale", "0", "> 0"]),
    "map": (lambda: bochner.attention(Q, K, V, map="cosine"), ValueError, ["map is 'cosine'", "positive"]),
    "A": (lambda: bochner.attention(Q, K, V, A=0.2), ValueError, ["A", "0.2", "1/8"]),
    "A range": (lambda: bochner.attention(Q, K, V, A=-1e12), ValueError, ["A is", "a number < 1/8 and > -1e12"]),
    "A type": (lambda: bochner.attention(Q, K, V, A="best"), TypeError, ["A", "best"]),
    "floor": (lambda: bochner.attention(Q, K, V, floor=2), ValueError, ["floor", "2", "0 to 1"]),
    "m": (lambda: bochner.attention(Q, K, V, m=0), ValueError, ["m", "0"]),
    "unknown": (lambda: bochner.attention(Q, K, V, dropout=0.1), TypeError, ["dropout", "attention"]),
    "state dtype": (lambda: bochner.AttentionState(3, dtype=np.float16), ValueError, ["dtype", "float16"]),
    "state heads": (lambda: bochner.AttentionState(3, heads=4, kv_heads=3), ValueError, ["kv_heads", "3", "4"]),
    "state dim": (
        lambda: bochner.AttentionState(3, m=4).step([[1, 1, 1, 1]], [[1, 1, 1, 1]], [[1, 1, 1]]),
        ValueError,
        ["dim of q", "4", "3"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    call, kind, words = BAD[case]
    with pytest.raises(kind) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message and all(word in message for word in words), message
