# SPDX-License-Identifier: Apache-2.0
"""scaled_dot_product_attention of bochner.torch: numbers, gradients, masks and errors."""

import inspect
import math
import subprocess
import sys

import bochner
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="bochner.torch needs PyTorch, which is not installed")

import bochner.torch  # noqa: E402
from bochner.torch import scaled_dot_product_attention as attend  # noqa: E402

torch.set_num_threads(1)
FEW = {"map": "positive", "m": 8, "seed": 3}
RNG = torch.Generator().manual_seed(0)


def normal(*shape, dtype=torch.float64, **words):
    return torch.randn(*shape, generator=RNG, dtype=dtype, **words)


def naive(q, k, v, seen=None, is_causal=False, scale=None, A=0.0, **words):
    """The formula with all weights, in torch operations with gradients; A = 0 is the map `positive`."""
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    map = "optimal_positive" if A else "positive"
    features = bochner.features(q.shape[-1], kernel="softmax", **{"map": map, **words}, **({"A": A} if A else {}))
    W = torch.from_numpy(features.directions()).to(q.dtype)

    def phi(x):
        x = math.sqrt(scale) * x
        return torch.exp(A * W.square().sum(1) + math.sqrt(1 - 4 * A) * x @ W.T - x.square().sum(-1, keepdim=True) / 2)

    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    weights = phi(q) @ phi(k).transpose(-1, -2)
    weights = weights.tril() if is_causal else weights
    weights = weights if seen is None else weights * seen
    return weights @ v / weights.sum(-1, keepdim=True)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("A", [0.0, -0.07])
@pytest.mark.parametrize("scale", [None, 0.2])
def test_is_the_formula_and_so_are_its_gradients(is_causal, A, scale):
    inputs = [normal(2, heads, 130, dim, requires_grad=True) for heads, dim in ((4, 6), (2, 6), (2, 5))]
    seen = torch.rand(2, 130, generator=RNG) < 0.8
    seen[:, 0] = True
    grad = normal(2, 4, 130, 5)
    words = {"is_causal": is_causal, "scale": scale, "coupling": "simplex", "m": 24, "seed": 5}
    map = {"map": "optimal_positive", "A": A} if A else {"map": "positive"}
    out = attend(*inputs, seen[:, None, None], enable_gqa=True, **map, **words)
    expected = naive(*inputs, seen[:, None, None], A=A, **words)
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-12)
    for found, known in zip(torch.autograd.grad(out, inputs, grad), torch.autograd.grad(expected, inputs, grad)):
        torch.testing.assert_close(found, known, rtol=0, atol=1e-11 * known.abs().max().item())


POISSON = {"map": "poisson_positive", "coupling": "iid", "rate": 4.0, "shift": [-9.0] * 6}


@pytest.mark.parametrize("chosen", [{}, FEW, POISSON])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_is_bochner_attention_bit_by_bit(chosen, dtype):
    q, k, v = (normal(2, heads, 100, 6, dtype=dtype) for heads in (4, 2, 2))
    found = attend(q, k, v, enable_gqa=True, is_causal=True, **chosen)
    expected = bochner.attention(q.numpy(), k.numpy(), v.numpy(), causal=True, **chosen)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.numpy(), expected)


def test_signature_is_that_of_torch():
    ours = list(inspect.signature(attend).parameters)
    assert ours[:8] == ["query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa"]


def test_axes():
    q, k, v = (normal(3, 2, 5, 20, 4) for _ in range(3))
    whole = attend(q, k, v, **FEW)
    assert whole.shape == (3, 2, 5, 20, 4)
    for index in ((0,), (1, 1), (2, 0, 3)):
        torch.testing.assert_close(attend(q[index], k[index], v[index], **FEW), whole[index], rtol=0, atol=0)
    shared = attend(q, k[:1, :, :1], v[0], **FEW)
    torch.testing.assert_close(shared[2, 1, 4], attend(q[2, 1, 4], k[0, 1, 0], v[0, 1, 4], **FEW), rtol=0, atol=0)
    assert attend(q[..., :0, :], k, v, **FEW).shape == (3, 2, 5, 0, 4)
    assert (attend(q, k[..., :0, :], v[..., :0, :], **FEW) == 0).all()


def test_layouts_and_their_gradients():
    packed = normal(2, 20, 3, 4, 5)  # batch, row, which, head, coordinate
    expected = attend(*(x.contiguous() for x in packed.permute(2, 0, 3, 1, 4)), **FEW)
    torch.testing.assert_close(attend(*packed.permute(2, 0, 3, 1, 4), **FEW), expected, rtol=0, atol=0)
    assert expected.transpose(1, 2).is_contiguous()
    strided = [x.transpose(-1, -2).contiguous().transpose(-1, -2) for x in packed.permute(2, 0, 3, 1, 4)]
    torch.testing.assert_close(attend(*strided, **FEW), expected, rtol=0, atol=0)
    row = normal(1, 1, 1, 5, requires_grad=True)
    out = attend(row.expand(2, 4, 20, 5), *strided[1:], **FEW)
    out.sum().backward()
    copied = row.detach().clone().requires_grad_()
    attend(copied.repeat(2, 4, 20, 1), *strided[1:], **FEW).sum().backward()
    torch.testing.assert_close(row.grad, copied.grad)


def test_masks():
    q, k, v = (normal(3, 2, 20, 4) for _ in range(3))
    seen = torch.rand(3, 20, generator=RNG) < 0.6
    seen[2] = False
    v[~seen[:, None].expand(3, 2, 20)] = torch.nan
    out = attend(q, k, v, seen[:, None, None], **FEW)
    assert (out[2] == 0).all() and (out[:2] != 0).all()
    added = torch.zeros(3, 1, 1, 20).masked_fill(~seen[:, None, None], -torch.inf)
    torch.testing.assert_close(attend(q, k, v, added, **FEW), out, rtol=0, atol=0)
    torch.testing.assert_close(attend(q[0], k[0], v[0], seen[0], **FEW), out[0], rtol=0, atol=0)
    # With three axes the first is a batch.
    one = attend(q[:, 0], k[:, 0], v[:, 0], seen[:, None], is_causal=True, **FEW)
    both = attend(q, k, v, seen[:, None, None], is_causal=True, **FEW)
    torch.testing.assert_close(one, both[:, 0], rtol=0, atol=0)
    k.requires_grad_(), q.requires_grad_()
    attend(q, k, v, seen[:, None, None], **FEW).sum().backward()
    assert (k.grad[~seen[:, None].expand(3, 2, 20)] == 0).all() and (q.grad[2] == 0).all()
    assert (k.grad[:2][seen[:2, None].expand(2, 2, 20)] != 0).any()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sixteen_bits(dtype):
    q, k, v = (normal(2, 3, 20, 4, dtype=torch.float32).to(dtype).requires_grad_() for _ in range(3))
    out = attend(q, k, v, **FEW)
    wide = [x.detach().float().requires_grad_() for x in (q, k, v)]
    expected = attend(*wide, **FEW)
    torch.testing.assert_close(out, expected.to(dtype), rtol=0, atol=0)
    grad = normal(2, 3, 20, 4, dtype=torch.float32).to(dtype)
    found = torch.autograd.grad(out, (q, k, v), grad)
    for x, y in zip(found, torch.autograd.grad(expected, wide, grad.float())):
        torch.testing.assert_close(x, y.to(dtype), rtol=0, atol=0)


def test_the_largest_float16():
    """The mean of equal values is that value, whatever the rows: here of |x|^2/2 = 4e9."""
    signs = torch.tensor([[1.0, -1, 1, 1], [-1, -1, 1, -1], [1, 1, 1, 1], [1, 1, -1, 1], [-1, 1, 1, -1]])
    rows = (65504 * signs)[None, None].half()
    value = torch.full((1, 1, 5, 4), 65504.0, dtype=torch.float16)
    for is_causal in (False, True):
        torch.testing.assert_close(attend(rows, rows, value, is_causal=is_causal, **FEW), value, rtol=0, atol=0)


def test_autocast():
    x = normal(1, 2, 9, 4, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        found = attend(x, x.bfloat16(), x, **FEW)
        assert attend(x.double(), x.double(), x.double(), **FEW).dtype == torch.float64
    torch.testing.assert_close(found, attend(*[x.bfloat16()] * 3, **FEW), rtol=0, atol=0)


def test_seeds():
    x = normal(1, 1, 9, 4)
    largest = attend(x, x, x, map="positive", m=8, seed=2**64 - 1)
    expected = bochner.attention(*[x.numpy()] * 3, map="positive", m=8, seed=2**64 - 1)
    np.testing.assert_array_equal(largest.numpy(), expected)
    torch.testing.assert_close(attend(x, x, x, map="positive", m=8, seed=torch.tensor(3)), attend(x, x, x, **FEW))


# Shapes of query, key and value, and keyword arguments. An A that is not given comes from the data and counts as a
# constant, so the optimal maps are tested with a given A, or causal.
SHAPES = [
    ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), {}),
    ((2, 3), (4, 3), (4, 2), {}),
    ((2, 3, 2), (2, 4, 2), (2, 4, 1), {"map": "positive_paired"}),
    ((1, 2, 3, 2), (1, 2, 3, 2), (1, 2, 3, 2), {"is_causal": True}),
    ((1, 4, 3, 2), (1, 2, 5, 2), (1, 2, 5, 3), {"enable_gqa": True}),
    ((1, 2, 3, 2), (1, 1, 3, 2), (1, 1, 3, 2), {"enable_gqa": True, "is_causal": True}),
    ((2, 1, 3, 3), (2, 1, 4, 3), (2, 1, 4, 2), {"map": "optimal_positive", "A": -0.2}),
    ((1, 1, 5, 2), (1, 1, 5, 2), (1, 1, 5, 2), {"map": "optimal_positive", "is_causal": True}),
    ((1, 1, 4, 2), (1, 1, 4, 2), (1, 1, 4, 2), {"map": "optimal_positive_paired", "A": -0.1, "coupling": "simplex"}),
    ((2, 1, 2, 2, 2), (1, 1, 1, 3, 2), (2, 1, 1, 3, 2), {"scale": 1.5}),
    ((1, 1, 98, 1), (1, 1, 98, 1), (1, 1, 98, 1), {"is_causal": True, "m": 2}),
    ((1, 1), (2, 1), (2, 1), {}),
    ((3, 1), (3, 1), (3, 1), {"is_causal": True}),
    ((1, 5), (3, 5), (3, 1), {"map": "positive_paired", "coupling": "orthogonal"}),
    ((4, 2, 3), (1, 2, 3), (4, 2, 1), {}),
    ((2, 2, 2), (2, 2, 2), (2, 2, 2), {"is_causal": True, "scale": 0.1}),
    ((3, 2, 2), (1, 3, 2), (1, 3, 2), {"enable_gqa": True}),
    ((2, 6, 2, 1), (2, 2, 2, 1), (2, 2, 2, 3), {"enable_gqa": True, "map": "optimal_positive", "A": -1.0}),
    ((1, 1, 2, 4), (1, 1, 2, 4), (1, 1, 2, 4), {"is_causal": True, "map": "optimal_positive_paired"}),
    ((1, 3, 1, 2), (1, 3, 6, 2), (1, 3, 6, 2), {"coupling": "hadamard"}),
]


@pytest.mark.parametrize("case", SHAPES, ids=lambda case: str(case[0]))
def test_gradcheck(case):
    *shapes, words = case
    inputs = [normal(*shape, requires_grad=True) for shape in shapes]
    keys = shapes[1][-2]
    mask = torch.arange(keys) != 1
    given = {"map": "positive", "m": 5, "coupling": "iid", **words}
    assert torch.autograd.gradcheck(lambda q, k, v: attend(q, k, v, mask, **given), inputs)


def test_gradient_of_another_map():
    x = normal(2, 2, 30, 4, requires_grad=True)
    words = {"m": 8, "coupling": "hadamard", "rounds": 2, "seed": 4}
    poisson = {"map": "poisson_positive", "coupling": "iid", "rate": 4.0, "shift": [-9.0] * 4, "m": 8}
    with pytest.raises(ValueError, match="map is poisson_positive; expected an exponential map"):
        attend(x, x, x, **poisson).sum().backward()
    other = attend(x, x, x, map="optimal_positive", A=-0.1, backward_map="positive", **words)
    torch.testing.assert_close(other, attend(x, x, x, A=-0.1, **words), rtol=0, atol=0)
    known = torch.autograd.grad(attend(x, x, x, map="positive", **words).square().sum(), x)[0]
    assert (torch.autograd.grad(attend(x, x, x, A=-0.1, **words).sum(), x)[0] != known).any()
    grad = 2 * attend(x, x, x, map="positive", **words).detach()
    torch.testing.assert_close(torch.autograd.grad(other, x, grad)[0], known, rtol=0, atol=0)


def test_hybrids():
    x = normal(2, 2, 30, 4, requires_grad=True)
    words = {"map": "hybrid_angular", "m": 16, "lambda_m": 4, "floor": 0.5, "seed": 2}
    expected = bochner.attention(*[x.detach().numpy()] * 3, **words)
    out = attend(x, x, x, backward_map="optimal_positive", **words)
    np.testing.assert_array_equal(out.detach().numpy(), expected)
    grad = normal(2, 2, 30, 4)
    known = torch.autograd.grad(attend(x, x, x, m=16, seed=2), x, grad)[0]
    torch.testing.assert_close(torch.autograd.grad(out, x, grad)[0], known, rtol=0, atol=0)
    with pytest.raises(ValueError, match="map is hybrid_angular"):
        attend(x, x, x, **words).sum().backward()
    seen = torch.tensor([True, False])[:, None, None, None].expand(2, 1, 1, 30)
    out = attend(x, x, x, seen, map="hybrid_clustered", m=4)
    assert (out[0] != 0).any() and (out[1] == 0).all()


def test_no_second_derivative():
    x = normal(1, 1, 3, 2, requires_grad=True)
    (grad,) = torch.autograd.grad(attend(x, x, x, **FEW).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="attention_backward"):
        grad.sum().backward()


def test_torch_is_loaded_by_its_users_alone():
    run = subprocess.run(
        [sys.executable, "-c", "import sys, bochner; assert 'torch' not in sys.modules; sys.modules['torch'] = None\n"
         "import bochner.torch"], capture_output=True, text=True, check=False)  # fmt: skip
    assert run.stderr.splitlines()[-1] == "ImportError: bochner.torch needs PyTorch: pip install 'bochner[torch]'"


X = normal(2, 4, 7, 8)
NAN = X.clone()
NAN[1, 1, 6, 2] = torch.nan
MASK = torch.ones(2, 1, 1, 7)
BAD = {
    "type": (lambda: attend(X.numpy(), X, X), TypeError, ["query", "ndarray", "tensor"]),
    "dtype": (lambda: attend(X, X.int(), X.int()), ValueError, ["key", "int32", "float32"]),
    "dtypes": (lambda: attend(X, X, X.float()), ValueError, ["value", "float32", "float64", "query"]),
    "device": (lambda: attend(X, X.to("meta"), X), ValueError, ["key", "meta", "cpu"]),
    "layout": (lambda: attend(X, X, X.to_sparse()), ValueError, ["value", "sparse", "dense"]),
    "axes": (lambda: attend(X[0, 0, 0], X, X), ValueError, ["query", "(8,)", "(..., length, dim)"]),
    "dim": (lambda: attend(X, X[..., :7], X), ValueError, ["key", "(2, 4, 7, 7)", "dim 8"]),
    "no dim": (lambda: attend(X[..., :0], X[..., :0], X), ValueError, ["query", "dim 0"]),
    "length": (lambda: attend(X, X, X[:, :, :6]), ValueError, ["value", "(2, 4, 6, 8)", "length 7"]),
    "heads": (lambda: attend(X, X[:, :2], X[:, :2]), ValueError, ["key", "(2, 2, 7, 8)", "enable_gqa"]),
    "batch": (lambda: attend(X, X, X[[0, 1, 1]]), ValueError, ["value", "(3, 4, 7, 8)", "(2, 4)"]),
    "groups": (lambda: attend(X, X[:, :3], X[:, :3], enable_gqa=True), ValueError, ["key", "3 heads", "divisor of 4"]),
    "values": (lambda: attend(X, X[:, :2], X, enable_gqa=True), ValueError, ["value", "4 heads", "2"]),
    "no heads": (lambda: attend(X[0, 0], X[0, 0], X[0, 0], enable_gqa=True), ValueError, ["query", "(7, 8)", "heads"]),
    "causal": (lambda: attend(X, X[:, :, :6], X[:, :, :6], is_causal=True), ValueError, ["is_causal", "6", "7"]),
    "dropout": (lambda: attend(X, X, X, dropout_p=0.1), ValueError, ["dropout_p", "0.1", "expected 0"]),
    "query": (lambda: attend(NAN, X, X), ValueError, ["query has nan at [1, 1, 6, 2]"]),
    "key": (lambda: attend(X, NAN, X), ValueError, ["key has nan at [1, 1, 6, 2]"]),
    "mask of pairs": (lambda: attend(X, X, X, torch.ones(7, 7) > 0), ValueError, ["attn_mask", "(7, 7)", "1, 1, 7)"]),
    "mask of heads": (lambda: attend(X, X, X, torch.ones(4, 1, 7) > 0), ValueError, ["attn_mask", "(4, 1, 7)"]),
    "mask length": (lambda: attend(X, X, X, torch.ones(6) > 0), ValueError, ["attn_mask", "(6,)", "whole keys"]),
    "mask batch": (lambda: attend(X, X, X, torch.ones(3, 1, 1, 7) > 0), ValueError, ["attn_mask", "(3, 1, 1, 7)"]),
    "mask type": (lambda: attend(X, X, X, MASK.int()), ValueError, ["attn_mask", "int32", "bool"]),
    "mask values": (lambda: attend(X, X, X, MASK / 2), ValueError, ["attn_mask", "0.5", "[0, 0]", "-inf"]),
    "mask gradient": (lambda: attend(X, X, X, MASK.clone().requires_grad_()), ValueError, ["attn_mask", "gradient"]),
    "mask device": (lambda: attend(X, X, X, MASK.to("meta")), ValueError, ["attn_mask", "meta"]),
    "scale": (lambda: attend(X, X, X, scale=-1.0), ValueError, ["scale", "-1", "> 0"]),
    "scale type": (lambda: attend(X, X, X, scale="big"), TypeError, ["scale", "big"]),
    "map": (lambda: attend(X, X, X, map="cosine"), ValueError, ["map is 'cosine'"]),
    "map type": (lambda: attend(X, X, X, map=3), TypeError, ["map", "3"]),
    "m": (lambda: attend(X, X, X, m=0), ValueError, ["m is 0"]),
    "backward_map": (lambda: attend(X, X, X, backward_map=3), TypeError, ["backward_map", "3"]),
    "A": (lambda: attend(X, X, X, A=0.2), ValueError, ["A", "0.2", "1/8"]),
    "seed": (lambda: attend(X, X, X, seed=-1), ValueError, ["seed", "-1"]),
    "seed tensor": (lambda: attend(X, X, X, seed=torch.tensor([1.0])), ValueError, ["seed", "float32", "int64"]),
    "unknown": (lambda: attend(X, X, X, features=3), TypeError, ["features", "attention"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    call, kind, words = BAD[case]
    with pytest.raises(kind) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message and all(word in message for word in words), message
