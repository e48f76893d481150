# SPDX-License-Identifier: Apache-2.0
"""The arguments of torch.nn.functional.scaled_dot_product_attention as arrays of four axes.

Nothing here looks at the numbers in tensors, so all of it can be traced.
"""

import torch
from torch import Tensor

from bochner._arguments import as_count, as_number

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def check_tensor(tensor: Tensor, name: str, axes: tuple[int, ...] | None = None) -> None:
    """Refuses anything but a dense tensor on the CPU."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} is of type {type(tensor).__name__}; expected a tensor")
    if tensor.device.type != "cpu":
        raise ValueError(f"{name} is on device {tensor.device}; expected cpu")
    if tensor.layout != torch.strided:
        raise ValueError(f"{name} has layout {tensor.layout}; expected a dense tensor")
    if axes is not None and tensor.dim() not in axes:
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}; expected {' or '.join(map(str, axes))} axes")


def as_inputs(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Tensors of one dtype. With autocast it is the dtype of autocast, as in torch's own attention."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        check_tensor(tensor, name)
        if tensor.dtype not in DTYPES:
            raise ValueError(f"{name} has dtype {tensor.dtype}; expected float32, float64, float16 or bfloat16")
        if tensor.dim() < 2:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}; expected (..., length, dim)")
    if torch.is_autocast_enabled("cpu"):
        query, key, value = _autocast(query), _autocast(key), _autocast(value)
    for name, tensor in (("key", key), ("value", value)):
        if tensor.dtype != query.dtype:
            raise ValueError(f"{name} has dtype {tensor.dtype}; expected {query.dtype}, as query has")
    return query, key, value


def _autocast(x: Tensor) -> Tensor:
    return x if x.dtype == torch.float64 else x.to(torch.get_autocast_dtype("cpu"))


def check_shapes(query: Tensor, key: Tensor, value: Tensor, is_causal: bool) -> None:
    """Checks the shapes, apart from leading axes."""
    if key.shape[-1] != query.shape[-1]:
        raise ValueError(f"key has shape {tuple(key.shape)}; expected dim {query.shape[-1]}, as query has")
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(f"value has shape {tuple(value.shape)}; expected length {key.shape[-2]}, as key has")
    if is_causal and key.shape[-2] != query.shape[-2]:
        raise ValueError(
            f"is_causal is True and key has length {key.shape[-2]}; expected {query.shape[-2]}, a key for each query"
        )


def product(sizes: tuple[int, ...]) -> int:
    total = 1
    for size in sizes:
        total = total * size
    return total


def leading_axes(query: Tensor, key: Tensor, value: Tensor, grouped: bool) -> tuple[int, ...]:
    """The leading axes to which all three broadcast: those before (heads, length, dim) if `grouped`, else before
    (length, dim)."""
    shapes = {name: tuple(x.shape) for name, x in (("query", query), ("key", key), ("value", value))}
    if grouped:
        for name, shape in shapes.items():
            if len(shape) < 3:
                raise ValueError(f"{name} has shape {shape}; expected (..., heads, length, dim) with enable_gqa")
        heads = query.shape[-3]
        if key.shape[-3] == 0 or heads % key.shape[-3] != 0:
            raise ValueError(f"key has {key.shape[-3]} heads; expected a divisor of {heads}, the number of query")
        if value.shape[-3] != key.shape[-3]:
            raise ValueError(f"value has {value.shape[-3]} heads; expected {key.shape[-3]}, as key has")
    own = 3 if grouped else 2
    common: tuple[int, ...] = ()
    for name, shape in shapes.items():
        try:
            common = tuple(torch.broadcast_shapes(common, shape[:-own]))
        except RuntimeError:
            raise ValueError(
                f"{name} has shape {shape}; expected leading axes that fit {common}"
                + ("" if grouped or shape[:-3] != tuple(query.shape)[:-3] else ", or enable_gqa for fewer heads")
            ) from None
    return common


def with_four_axes(x: Tensor, common: tuple[int, ...], grouped: bool) -> Tensor:
    """(batch, heads, length, dim): of two or more leading axes the last is the heads and the others are the batch."""
    if grouped:
        common = (*common, x.shape[-3])
    if x.shape[:-2] != common:
        x = x.expand(*common, *x.shape[-2:])
    heads = common[-1] if grouped or len(common) >= 2 else 1
    batch = product(common[:-1]) if grouped or len(common) >= 2 else product(common)
    return x if len(common) == 2 else x.reshape(batch, heads, *x.shape[-2:])


def as_key_mask(mask: Tensor | None, common: tuple[int, ...], keys: int, grouped: bool) -> Tensor | None:
    """(batch, keys) from a mask that broadcasts over queries and heads."""
    if mask is None:
        return None
    check_tensor(mask, "attn_mask")
    if mask.dtype != torch.bool and mask.dtype not in DTYPES:
        raise ValueError(f"attn_mask has dtype {mask.dtype}; expected bool, or a float type with entries 0 and -inf")
    if mask.requires_grad:
        raise ValueError("attn_mask requires a gradient; expected a mask of keys, which has none")
    has_heads = grouped or len(common) >= 2
    batch = common if grouped or not has_heads else common[:-1]
    shape = tuple(mask.shape)
    between = shape[-3:-1] if has_heads else shape[-2:-1]
    outer = shape[: -3 if has_heads else -2]
    fits = len(shape) >= 1 and shape[-1] in (1, keys) and len(outer) <= len(batch) and all(n == 1 for n in between)
    if not fits or not all(n in (1, size) for n, size in zip(outer[::-1], batch[::-1])):
        wanted = (*batch, 1, 1, keys) if has_heads else (*batch, 1, keys)
        raise ValueError(
            f"attn_mask has shape {shape}; expected {wanted} or what broadcasts to it: only whole keys can be masked"
        )
    return mask.reshape(*outer, shape[-1]).expand(*batch, keys).reshape(product(batch), keys)


def as_seed(seed: int | Tensor) -> Tensor:
    """One int64 number; an unsigned seed becomes the signed number with the same 64 bits."""
    if isinstance(seed, Tensor):
        if seed.dtype != torch.int64 or seed.dim() != 0 or seed.device.type != "cpu":
            raise ValueError(
                f"seed is a tensor of {seed.dtype} and shape {tuple(seed.shape)} on {seed.device}; "
                "expected one number of int64 on cpu"
            )
        return seed
    number = as_count(seed, "seed", least=0)
    return torch.tensor(number if number < 2**63 else number - 2**64, dtype=torch.int64, device="cpu")


def as_real(value: float | None, name: str) -> float | None:
    """A float. None and plain floats are returned unchecked, because the check cannot be traced."""
    return value if value is None or type(value) is float else as_number(value, name)
