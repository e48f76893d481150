# SPDX-License-Identifier: Apache-2.0
"""Arguments and shapes that bochner.torch refuses at the call, with one sentence that uses the caller's names."""

import inspect

import bochner
import pytest

torch = pytest.importorskip("torch", reason="bochner.torch needs PyTorch, which is not installed")

from bochner.torch import RandomFeatureAttention  # noqa: E402
from bochner.torch import scaled_dot_product_attention as attend  # noqa: E402

X = torch.randn(2, 4, 7, 8, generator=torch.Generator().manual_seed(0))


def rows(*shape):
    return torch.zeros(*shape)


def layer(**words):
    return RandomFeatureAttention(8, 2, batch_first=True, m=4, **words)


GRADIENT = (
    "; expected a map that has a gradient: positive, optimal_positive, positive_paired or optimal_positive_paired"
)
BAD = {
    "is_causal": (lambda: attend(X, X, X, is_causal="no"), "is_causal is 'no'; expected True or False"),
    "enable_gqa": (lambda: attend(X, X, X, enable_gqa="no"), "enable_gqa is 'no'; expected True or False"),
    "module is_causal": (
        lambda: layer()(rows(2, 5, 8), rows(2, 5, 8), rows(2, 5, 8), is_causal="no"),
        "is_causal is 'no'; expected True or False",
    ),
    "batch_first": (
        lambda: RandomFeatureAttention(8, 2, batch_first="no"),
        "batch_first is 'no'; expected True or False",
    ),
    "bias": (lambda: RandomFeatureAttention(8, 2, bias="no"), "bias is 'no'; expected True or False"),
    "no map": (lambda: layer(backward_map="zzz"), "backward_map is 'zzz'" + GRADIENT),
    "no gradient": (lambda: layer(backward_map="hybrid_angular"), "backward_map is 'hybrid_angular'" + GRADIENT),
    "shift": (
        lambda: attend(X, X, X, backward_map="poisson_positive"),
        "backward_map is 'poisson_positive'" + GRADIENT,
    ),
    "batch of keys": (
        lambda: layer()(rows(2, 5, 8), rows(3, 5, 8), rows(3, 5, 8)),
        "key has shape (3, 5, 8); expected batch 2, as query has",
    ),
    "batch of values": (
        lambda: RandomFeatureAttention(8, 2, m=4)(rows(5, 2, 8), rows(5, 2, 8), rows(5, 3, 8)),
        "value has shape (5, 3, 8); expected batch 2, as key has",
    ),
    "length of values": (
        lambda: layer()(rows(2, 5, 8), rows(2, 4, 8), rows(2, 6, 8)),
        "value has shape (2, 6, 8); expected length 4, as key has",
    ),
    "length without a batch": (
        lambda: layer()(rows(5, 8), rows(4, 8), rows(6, 8)),
        "value has shape (6, 8); expected length 4, as key has",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_is_refused(case):
    call, message = BAD[case]
    with pytest.raises((TypeError, ValueError)) as raised:
        call()
    assert str(raised.value) == message


def test_unknown_words_are_compared_with_those_of_the_function():
    for call in (lambda: attend(X, X, X, causal=True), lambda: layer(is_casual=True)):
        near = "of scaled_dot_product_attention; did you mean 'is_causal'[?] known: A, "
        with pytest.raises(TypeError, match=near) as raised:
            call()
        known = str(raised.value).split("known: ")[1].split(", ")
        assert len(known) == len(set(known)) and {"query", "enable_gqa", "backward_map", "shift"} <= set(known)
        assert not {"q", "causal", "diagnostics"} & set(known)
    with pytest.raises(TypeError, match=r"of attention; did you mean 'causal'[?] known: A, block, causal,"):
        bochner.attention(X.numpy(), X.numpy(), X.numpy(), caus=True)


def test_the_coupling_is_auto_everywhere():
    for function in (bochner.attention, bochner.AttentionState, bochner.SoftmaxSampler, attend, RandomFeatureAttention):
        assert inspect.signature(function).parameters["coupling"].default == "auto"
    for map, coupling in (("optimal_positive", "orthogonal"), ("poisson_positive", "iid")):
        assert (attend(X, X, X, map=map, m=16) == attend(X, X, X, map=map, coupling=coupling, m=16)).all()


def test_gradients_of_large_values_are_finite():
    q, k, v = (x.clone() for x in torch.randn(3, 1, 1, 50, 8, generator=torch.Generator().manual_seed(0)))
    large = [x.requires_grad_() for x in (q, k, v.clamp(-1, 1) * 2.0**59)]
    plain = [x.detach().clone().requires_grad_() for x in (q, k, v.clamp(-1, 1))]
    steep, flat = (
        torch.autograd.grad(attend(*x, map="positive").sum() * grad, x) for x, grad in ((large, 2.0**59), (plain, 1.0))
    )
    for found, expected, factor in zip(steep, flat, (2.0**118, 2.0**118, 2.0**59), strict=True):
        assert (found == expected * factor).all()
