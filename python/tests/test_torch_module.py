# SPDX-License-Identifier: Apache-2.0
"""bochner.torch under torch's own checks of operators and its compiler, and RandomFeatureAttention."""

import copy
import doctest
import importlib
import inspect
import io

import pytest

torch = pytest.importorskip("torch", reason="bochner.torch needs PyTorch, which is not installed")

from bochner.torch import RandomFeatureAttention  # noqa: E402
from bochner.torch import scaled_dot_product_attention as attend  # noqa: E402
from torch import nn  # noqa: E402

# Small sums gain nothing from threads, and waiting for them is slow if other programs use the processor.
torch.set_num_threads(1)
RNG = torch.Generator().manual_seed(0)


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=RNG, dtype=dtype)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_opcheck(dtype, is_causal):
    q, k, v = (normal(2, heads, 5, 4).to(dtype).requires_grad_() for heads in (4, 2, 2))
    seen = torch.tensor([[True] * 5, [True, False, True, True, False]])
    words = (torch.tensor(3), "optimal_positive", "orthogonal", 8, -0.1, None, "{}", None, is_causal)
    torch.library.opcheck(torch.ops.bochner.attention, (q, k, v, seen, *words, None))
    grad = normal(2, 4, 5, 4).to(dtype)
    inputs = [x.detach() for x in (q, k, v)]
    torch.library.opcheck(torch.ops.bochner.attention_backward, (grad, *inputs, None, *words))


@pytest.mark.parametrize("lead", [(), (3,), (2, 4)], ids=str)
def test_compiled_is_eager(lead):
    """Forward and backward for 24 shapes without a graph break (``fullgraph``): one compilation for shapes of one row,
    one for all others.
    """

    def step(x, y):
        both = [attend(x * 2, y, x + y, is_causal=is_causal, map="positive", m=8) for is_causal in (False, True)]
        return (both[0] * 2 + both[1]).square().sum()

    torch.compiler.reset()
    compiled = torch.compile(step, fullgraph=True, dynamic=True, backend="aot_eager")
    for length, dim in ((1, 4), (1, 2), (7, 4), (2, 3), (33, 8), (97, 5), (100, 2), (13, 6)):
        results = []
        inputs = [normal(*lead, length, dim) for _ in range(2)]
        for function in (step, compiled):
            x, y = (z.clone().requires_grad_() for z in inputs)
            function(x, y).backward()
            results.append((x.grad, y.grad))
        for eager, found in zip(*results):
            torch.testing.assert_close(found, eager, rtol=1e-6, atol=1e-6)


def test_words_pass_the_compiler():
    x = normal(2, 3, 9, 4)
    mask = torch.arange(9) < 7
    for words in (
        {"A": -0.1, "scale": 0.3, "coupling": "hadamard", "rounds": 2},
        {"map": "poisson_positive", "coupling": "iid", "rate": 4.0, "shift": [-9.0] * 4},
        {"enable_gqa": True, "seed": torch.tensor(5), "attn_mask": mask},
        {"seed": 2**64 - 1, "attn_mask": torch.zeros(2, 1, 1, 9), "backward_map": "positive"},
    ):
        compiled = torch.compile(lambda x, w=words: attend(x, x, x, m=8, **w), fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(x), attend(x, x, x, m=8, **words), rtol=0, atol=0)


def test_export():
    layer = RandomFeatureAttention(8, 2, batch_first=True, m=8, seed=1).eval()
    x = normal(2, 5, 8)
    program = torch.export.export(layer, (x, x, x))
    torch.testing.assert_close(program.module()(x, x, x)[0], layer(x, x, x)[0], rtol=0, atol=0)


def test_redraw_needs_no_new_compilation():
    layer = RandomFeatureAttention(8, 2, m=8, seed=1)
    counter = torch._dynamo.testing.CompileCounter()
    torch.compiler.reset()
    compiled = torch.compile(layer, fullgraph=True, backend=counter)
    x = normal(5, 2, 8)
    first = compiled(x, x, x)[0]
    layer.redraw(2)
    second = compiled(x, x, x)[0]
    assert counter.frame_count == 1
    assert (first != second).any()
    torch.testing.assert_close(second, layer(x, x, x)[0], rtol=0, atol=0)


def _both(*arguments, **words):
    """Exact attention and ours with the same random numbers."""
    torch.manual_seed(1)
    exact = nn.MultiheadAttention(*arguments, **words)
    torch.manual_seed(1)
    return exact, RandomFeatureAttention(*arguments, **words, m=8, seed=3)


@pytest.fixture
def inner_attention_is_ours(monkeypatch):
    """nn.MultiheadAttention with our function in place of torch's must give what our module gives."""

    def ours(q, k, v, mask, dropout_p, is_causal):
        return attend(q, k, v, mask if mask is None else mask[:, :1], dropout_p, is_causal, m=8, seed=3)

    monkeypatch.setattr(nn.functional, "scaled_dot_product_attention", ours)


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("chosen", [{}, {"bias": False}, {"kdim": 6, "vdim": 10}], ids=str)
def test_is_multihead_attention(chosen, batch_first, inner_attention_is_ours):
    exact, ours = _both(8, 2, batch_first=batch_first, **chosen)
    weights = dict(exact.named_parameters())
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter, weights.pop(name), rtol=0, atol=0)
    assert not weights
    q, k, v = normal(3, 4, 8), normal(5, 4, chosen.get("kdim", 8)), normal(5, 4, chosen.get("vdim", 8))
    padding = torch.zeros(4, 5, dtype=torch.bool)
    padding[1, 3:] = True
    inputs = [x.transpose(0, 1) for x in (q, k, v)] if batch_first else [q, k, v]
    for mask in (None, padding, torch.zeros(4, 5).masked_fill(padding, -torch.inf)):
        found, none = ours(*inputs, mask)
        assert none is None
        torch.testing.assert_close(found, exact(*inputs, mask, need_weights=False)[0])
    alone = [x[:, 1] for x in (q, k, v)]
    torch.testing.assert_close(ours(*alone, padding[1])[0], found[1] if batch_first else found[:, 1])


def test_takes_one_tensor_for_all(inner_attention_is_ours):
    exact, ours = _both(8, 2)
    x = normal(7, 3, 8)
    torch.testing.assert_close(ours(x, x, x)[0], exact(x, x, x, need_weights=False)[0])
    first = ours(x, x, x, is_causal=True)[0]
    torch.testing.assert_close(ours(x[:4], x[:4], x[:4], is_causal=True)[0], first[:4])


def test_is_made_on_the_meta_device():
    with torch.device("meta"):
        layer = RandomFeatureAttention(8, 2, m=8, seed=3)
        drawn = RandomFeatureAttention(8, 2, m=8)
    assert layer.in_proj_weight.is_meta and drawn.in_proj_weight.is_meta
    other = RandomFeatureAttention(8, 2, m=8, seed=3)
    layer.load_state_dict(other.state_dict(), assign=True)
    x = normal(5, 8)
    torch.testing.assert_close(layer(x, x, x)[0], other(x, x, x)[0], rtol=0, atol=0)


@pytest.mark.parametrize("map", ["hybrid_angular", "hybrid_gaussian", "hybrid_clustered"])
def test_hybrids_can_be_made(map):
    layer = RandomFeatureAttention(8, 2, map=map, m=4, seed=1)
    x = normal(5, 2, 8)
    assert layer(x, x, x)[0].isfinite().all()


def test_state_restores_the_features():
    made = RandomFeatureAttention(8, 2, m=8)
    x = normal(5, 8)
    out = made(x, x, x)[0]
    file = io.BytesIO()
    torch.save(made.state_dict(), file)
    file.seek(0)
    other = RandomFeatureAttention(8, 2, m=8)
    assert other.seed != made.seed
    other.load_state_dict(torch.load(file, weights_only=True))
    torch.testing.assert_close(other(x, x, x)[0], out, rtol=0, atol=0)
    torch.testing.assert_close(copy.deepcopy(made)(x, x, x)[0], out, rtol=0, atol=0)
    assert made.half().seed.dtype == torch.int64


def test_redraw():
    torch.manual_seed(3)
    layers = [RandomFeatureAttention(8, 2, m=8) for _ in range(2)]
    assert layers[0].seed != layers[1].seed
    layer = layers[0]
    x = normal(5, 8)
    before = layer(x, x, x)[0]
    gradient = torch.autograd.grad(layer(x, x, x)[0].sum(), layer.in_proj_weight)[0]
    seed = layer.seed.item()
    pending = layer(x, x, x)[0].sum()
    layer.redraw()
    assert layer.seed.item() != seed and (layer(x, x, x)[0] != before).any()
    # The backward pass belongs to the features of its forward pass.
    torch.testing.assert_close(torch.autograd.grad(pending, layer.in_proj_weight)[0], gradient, rtol=0, atol=0)
    layer.redraw(seed)
    torch.testing.assert_close(layer(x, x, x)[0], before, rtol=0, atol=0)
    assert "seed" in layer.state_dict() and layer.state_dict()["seed"] == seed


def test_in_place_of_exact_attention():
    torch.manual_seed(2)
    exact = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    ours = copy.deepcopy(exact)
    ours.self_attn = RandomFeatureAttention.from_multihead(ours.self_attn, map="positive", m=8, seed=1)
    encoder = nn.TransformerEncoder(ours, 1, enable_nested_tensor=False)
    x = normal(2, 5, 8)
    training = ours(x)
    assert (training - exact(x)).abs().max() > 1e-3
    # Without gradients, layers of torch take a short cut past the attention of nn.MultiheadAttention.
    with torch.no_grad():
        torch.testing.assert_close(ours.eval()(x), training)
        torch.testing.assert_close(encoder.eval()(x), training)
        future = x.clone()
        future[:, 3:] = 1
        causal = encoder(x, is_causal=True)
        torch.testing.assert_close(encoder(future, is_causal=True)[:, :3], causal[:, :3], rtol=0, atol=0)
    # Parameters are shared, and a state of exact attention can be loaded: the seed stays.
    source = nn.MultiheadAttention(8, 2)
    shared = RandomFeatureAttention.from_multihead(source.eval())
    assert shared.in_proj_weight is source.in_proj_weight and shared.out_proj.weight is source.out_proj.weight
    assert not shared.training
    seed = ours.self_attn.seed.item()
    ours.load_state_dict(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0).state_dict())
    assert ours.self_attn.seed == seed


def test_learns():
    """The task is to copy the first row to the others, which only attention can do."""
    torch.manual_seed(0)
    layer = RandomFeatureAttention(8, 2, batch_first=True, map="positive", m=16)
    place = nn.Parameter(torch.randn(6, 8))
    optimiser = torch.optim.Adam([*layer.parameters(), place], lr=0.01)
    losses = []
    for _ in range(150):
        x = torch.randn(16, 6, 8)
        loss = (layer(x + place, x + place, x)[0] - x[:, :1]).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    # The mean of all rows has a loss of 1 - 1/6; only weights that find the first row are better.
    assert sum(losses[-10:]) / 10 < 0.6


def test_signatures_are_those_of_torch():
    for method in ("__init__", "forward"):
        theirs = list(inspect.signature(getattr(nn.MultiheadAttention, method)).parameters)
        assert list(inspect.signature(getattr(RandomFeatureAttention, method)).parameters)[: len(theirs)] == theirs


MODULES = [importlib.import_module(f"bochner.torch{part}") for part in ("", "._functional", "._module")]
EXAMPLES = [
    example
    for module in MODULES
    for example in doctest.DocTestFinder(exclude_empty=True).find(module)
    if example.examples
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example(example):
    output = []
    runner = doctest.DocTestRunner()
    runner.run(example, out=output.append)
    assert not runner.failures, "".join(output)


X = normal(5, 2, 8)
LAYER = RandomFeatureAttention(8, 2, m=4)
BAD = {
    "weights": (lambda: LAYER(X, X, X, need_weights=True), ValueError, ["need_weights", "True", "False"]),
    "mask": (lambda: LAYER(X, X, X, attn_mask=torch.zeros(5, 5)), ValueError, ["attn_mask", "is_causal"]),
    "padding": (lambda: LAYER(X, X, X, torch.ones(5, 2) > 0), ValueError, ["key_padding_mask", "(5, 2)", "(2, 5)"]),
    "padding type": (lambda: LAYER(X, X, X, torch.ones(2, 5).int()), ValueError, ["key_padding_mask", "int32"]),
    "padding values": (lambda: LAYER(X, X, X, torch.ones(2, 5)), ValueError, ["key_padding_mask", "1.0", "-inf"]),
    "axes": (lambda: LAYER(X[0, 0], X, X), ValueError, ["query", "(8,)", "2 or 3 axes"]),
    "axes differ": (lambda: LAYER(X, X[0], X), ValueError, ["key", "(2, 8)", "3 axes"]),
    "dim": (lambda: LAYER(X, X, X[..., :7]), ValueError, ["value", "(5, 2, 7)", "dim 8"]),
    "device": (lambda: LAYER(X, X.to("meta"), X), ValueError, ["key", "meta", "cpu"]),
    "heads": (lambda: RandomFeatureAttention(8, 3), ValueError, ["num_heads", "3", "8"]),
    "dropout": (lambda: RandomFeatureAttention(8, 2, dropout=0.1), ValueError, ["dropout", "0.1"]),
    "bias_kv": (lambda: RandomFeatureAttention(8, 2, add_bias_kv=True), ValueError, ["add_bias_kv", "False"]),
    "zero": (lambda: RandomFeatureAttention(8, 2, add_zero_attn=True), ValueError, ["add_zero_attn", "False"]),
    "map": (lambda: RandomFeatureAttention(8, 2, map="cosine"), ValueError, ["map is 'cosine'"]),
    "unknown": (lambda: RandomFeatureAttention(8, 2, fetaures=2), TypeError, ["fetaures"]),
    "seed": (lambda: LAYER.redraw(-1), ValueError, ["seed", "-1"]),
    "source": (lambda: RandomFeatureAttention.from_multihead(nn.Linear(2, 2)), TypeError, ["attention", "Linear"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    call, kind, words = BAD[case]
    with pytest.raises(kind) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message and all(word in message for word in words), message
