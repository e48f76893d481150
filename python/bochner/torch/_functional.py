# SPDX-License-Identifier: Apache-2.0
"""Attention as a function of tensors."""

from typing import Any

from torch import Tensor

from bochner._arguments import as_count, as_flag, as_name
from bochner._attention._function import own_words
from bochner.torch._arguments import (
    as_inputs,
    as_key_mask,
    as_real,
    as_seed,
    check_shapes,
    leading_axes,
    with_four_axes,
)
from bochner.torch._operators import attention, encoded, with_gradient


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
    map: str = "optimal_positive",
    coupling: str = "auto",
    m: int = 256,
    seed: int | Tensor = 0,
    A: float | None = None,
    floor: float | None = None,
    backward_map: str | None = None,
    **params: Any,
) -> Tensor:
    """Softmax attention with random features, with the arguments of torch's function of the same name.

    It computes :func:`bochner.attention` on the CPU, in time and memory linear in the length. It has gradients with
    respect to query, key and value; for these, features are computed again instead of kept. ``torch.compile`` takes it
    without a graph break. float16 and bfloat16 are computed in float32 and rounded once.

    Parameters
    ----------
    query, key, value : tensors of shape (..., heads, length, dim) or (length, dim), of one dtype
    attn_mask : tensor of shape (..., 1, 1, keys) or what broadcasts to it
        Bool, True for keys that are seen; or a float type, 0 for keys that are seen and -inf for the others. Masked
        keys are never read; the result of a query that sees none is zeros. Any other mask is refused, because it would
        need the weights. It may be combined with ``is_causal``.
    dropout_p : float
        Only 0: there are no weights to drop.
    is_causal : bool
        Query t sees keys 0 ... t; there must be as many keys as queries.
    scale : float
        Default 1 / sqrt(dim).
    enable_gqa : bool
        The number of heads of key and value may be a divisor of that of query; neighbouring heads of query then share
        one.
    map, coupling, m, A, floor, **params
        The features, as in :func:`bochner.attention`.
    backward_map : str
        The map whose gradient is used, with the same coupling, m and seed: it estimates the gradient of the same exact
        attention. Hybrids have no gradient and need this for training. Default: ``map``.
    seed : int or tensor of one int64
        A tensor may change without a new compilation.

    Returns
    -------
    tensor of shape (..., heads, length of query, dim of value)
        In memory the heads of a row are neighbours, as in torch's own function. To count rows that are zeros because
        they have no denominator, and rows of hybrids that were raised to their floor, call :func:`bochner.attention`
        with ``diagnostics=True`` on the same numbers.

    Raises
    ------
    ValueError
        For shapes that do not fit, entries that are not finite, values out of range, and options that are not
        supported.

    Examples
    --------
    >>> import torch
    >>> from bochner.torch import scaled_dot_product_attention
    >>> x = torch.randn(2, 4, 50, 8, generator=torch.Generator().manual_seed(0), requires_grad=True)
    >>> out = scaled_dot_product_attention(x, x, x, is_causal=True, map="positive", coupling="simplex", m=64)
    >>> out.shape
    torch.Size([2, 4, 50, 8])
    >>> out.square().sum().backward()
    >>> bool(x.grad.isfinite().all())
    True
    >>> scaled_dot_product_attention(x, x, x, dropout_p=0.1)
    Traceback (most recent call last):
        ...
    ValueError: dropout_p is 0.1; expected 0: random features form no weights that could be dropped
    """
    if dropout_p != 0:
        raise ValueError(f"dropout_p is {dropout_p}; expected 0: random features form no weights that could be dropped")
    is_causal, enable_gqa = as_flag(is_causal, "is_causal"), as_flag(enable_gqa, "enable_gqa")
    inputs = as_inputs(query, key, value)
    check_shapes(*inputs, is_causal)
    common = leading_axes(*inputs, enable_gqa)
    out = attention(
        *(with_four_axes(x, common, enable_gqa) for x in inputs),
        as_key_mask(attn_mask, common, key.shape[-2], enable_gqa),
        as_seed(seed),
        as_name(map, "map"),
        as_name(coupling, "coupling"),
        as_count(m, "m"),
        as_real(A, "A"),
        as_real(floor, "floor"),
        encoded(params, _WORDS) if params else "{}",
        as_real(scale, "scale"),
        is_causal,
        None if backward_map is None else with_gradient(as_name(backward_map, "backward_map")),
    )
    leading = (*common, query.shape[-3]) if enable_gqa else common
    return out if len(leading) == 2 else out.reshape(*leading, *out.shape[-2:])


_WORDS = tuple(own_words(scaled_dot_product_attention))
