# SPDX-License-Identifier: Apache-2.0
"""`bochner::attention` and its gradient as operators of torch.

The seed is a tensor, so that a compiled model draws other features without being compiled again; the other arguments
are constants of a graph. The backward pass computes features again: only the inputs are kept for it.
"""

import functools
import json
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bochner import _core
from bochner._arguments import as_parameters

_TENSORS = "Tensor query, Tensor key, Tensor value, Tensor? key_mask, Tensor seed"
_WORDS = "str map, str coupling, int m, float? A, float? floor, str params, float? scale, bool is_causal"
_NAMES = {"q": "query", "k": "key", "v": "value"}
_SIXTEEN_BITS = {torch.float16: _core.attention_float16, torch.bfloat16: _core.attention_bfloat16}


@torch.compiler.assume_constant_result
def encoded(params: dict[str, Any], own: tuple[str, ...]) -> str:
    """Parameters of a map and a coupling as text, because operators take no dictionaries. `own`: the other argument
    names."""
    lines = (*_core.maps(), *_core.couplings())
    found = as_parameters(params, lines, own, "scaled_dot_product_attention")
    return json.dumps(found, default=lambda z: {"complex": [z.real, z.imag]})


@functools.lru_cache(maxsize=64)
def _decoded(params: str) -> dict[str, Any]:
    return json.loads(params, object_hook=lambda found: complex(*found["complex"]) if "complex" in found else found)


@torch.compiler.assume_constant_result
def with_gradient(backward_map: str) -> str:
    """The name of a map. A map without gradient is refused here, not in a backward pass."""
    _check_gradient(backward_map)
    return backward_map


@functools.lru_cache(maxsize=64)
def _check_gradient(backward_map: str) -> None:
    options = _core.AttentionOptions(
        map=backward_map, coupling="auto", m=1, seed=0, parameters={}, scale=None, causal=False, diagnostics=False
    )
    nothing = np.empty((1, 1, 0, 1), np.float32)
    try:
        _core.attention_gradient(*[nothing] * 7, None, options)
    except ValueError:
        raise ValueError(
            f"backward_map is {backward_map!r}; expected a map that has a gradient: positive, optimal_positive, "
            "positive_paired or optimal_positive_paired"
        ) from None


@torch.compiler.assume_constant_result
def _of_coupling(params: str) -> str:
    """The parameters of the coupling, which another map can share."""
    names = {parameter["name"] for line in _core.couplings() for parameter in line["parameters"]}
    return json.dumps({name: value for name, value in _decoded(params).items() if name in names})


def _options(
    seed: Tensor,
    map: str,
    coupling: str,
    m: int,
    A: float | None,
    floor: float | None,
    params: str,
    scale: float | None,
    is_causal: bool,
) -> _core.AttentionOptions:
    return _core.AttentionOptions(
        map=map,
        coupling=coupling,
        m=m,
        # A seed of 64 bits is kept as the signed number with the same bits.
        seed=int(seed.item()) % 2**64,
        parameters=_decoded(params) if A is None else {**_decoded(params), "A": A},
        scale=scale,
        causal=is_causal,
        diagnostics=False,
        **({} if floor is None else {"floor": floor}),
    )


def _bits(x: Tensor) -> Tensor:
    """16-bit numbers as their bits, because NumPy has no bfloat16."""
    return x.detach().view(torch.uint16) if x.dtype in _SIXTEEN_BITS else x


def _rows(x: Tensor) -> Any:
    """A tensor as an array, on the same memory if its rows are contiguous."""
    x = x.detach()
    whole = x.shape[3] <= 1 or x.stride(3) == 1
    apart = x.shape[2] <= 1 or x.stride(2) >= x.shape[3]
    return (x if whole and apart else x.contiguous()).numpy()


def _seen(key_mask: Tensor | None) -> Any:
    """Flags of keys, True for seen, from flags or from numbers that are added to exponents."""
    if key_mask is None:
        return None
    if key_mask.dtype == torch.bool:
        return key_mask.detach().contiguous().numpy()
    seen = key_mask == 0
    odd = (~seen & (key_mask != -torch.inf)).nonzero()
    if len(odd):
        place = odd[0].tolist()
        raise ValueError(
            f"attn_mask or key_padding_mask adds {key_mask[tuple(place)].item()} at (batch, key) {place}; "
            "expected 0 for a key that is seen, -inf for one that is not"
        )
    return seen.contiguous().numpy()


def _call(function: Any, *arguments: Any) -> None:
    """Calls the C++ library and renames q, k, v in its error messages to torch's query, key, value."""
    try:
        function(*arguments)
    except ValueError as refusal:
        name, space, rest = str(refusal).partition(" ")
        raise ValueError(_NAMES.get(name, name) + space + rest) from None


def _empty(like: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """An empty tensor of shape (batch, heads, length, dim), stored as (batch, length, heads, dim): joining heads needs
    no copy."""
    batch, heads, length, _ = like.shape
    return like.new_empty((batch, length, heads, dim), dtype=dtype).transpose(1, 2)


def _wide(x: Tensor) -> torch.dtype:
    return torch.float64 if x.dtype == torch.float64 else torch.float32


@torch.library.custom_op(
    "bochner::attention",
    mutates_args=(),
    device_types="cpu",
    schema=f"({_TENSORS}, {_WORDS}, str? backward_map) -> Tensor",
)
def attention(query, key, value, key_mask, seed, *words):  # type: ignore[no-untyped-def]
    """Arrays of four axes; key_mask (batch, keys), bool or 0 and -inf."""
    out = _empty(query, value.shape[3])
    function = _SIXTEEN_BITS.get(query.dtype, _core.attention)
    arrays = [_rows(_bits(x)) for x in (query, key, value, out)]
    _call(function, *arrays, _seen(key_mask), _options(seed, *words[:-1]))
    return out


@torch.library.custom_op(
    "bochner::attention_backward",
    mutates_args=(),
    device_types="cpu",
    schema=f"(Tensor grad, {_TENSORS}, {_WORDS}) -> (Tensor, Tensor, Tensor)",
)
def attention_backward(grad, query, key, value, key_mask, seed, *words):  # type: ignore[no-untyped-def]
    """Gradients with respect to query, key and value."""
    inputs = (query, key, value)
    found = [_empty(x, x.shape[3], _wide(x)) for x in inputs]
    options = _options(seed, *words)
    arrays = [_rows(x.to(_wide(x))) for x in (*inputs, grad)] + [x.numpy() for x in found]
    _call(_core.attention_gradient, *arrays, _seen(key_mask), options)
    return tuple(x.to(query.dtype) for x in found)


@attention.register_fake
def _(query, key, value, key_mask, seed, *words):  # type: ignore[no-untyped-def]
    return _empty(query, value.shape[3])


@attention_backward.register_fake
def _(grad, query, key, value, key_mask, seed, *words):  # type: ignore[no-untyped-def]
    return tuple(_empty(x, x.shape[3]) for x in (query, key, value))


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[:5])
    ctx.words = inputs[5:]


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    *words, backward_map = ctx.words
    if backward_map is not None:
        _, coupling, m, _, _, params, scale, is_causal = words
        words = [backward_map, coupling, m, None, None, _of_coupling(params), scale, is_causal]
    gradients = attention_backward(grad, *ctx.saved_tensors, *words)
    return (*gradients, *(None for _ in range(2 + len(ctx.words))))


attention.register_autograd(_backward, setup_context=_keep)
