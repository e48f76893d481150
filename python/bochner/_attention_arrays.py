# SPDX-License-Identifier: Apache-2.0
"""Arrays of attention: (batch, heads, length, dim), with leading axes left out where they are one."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def as_heads(q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike) -> tuple[Array, Array, Array]:
    """Views of four axes and one dtype: float16 or float32 if all are, else float64; no copy that need not be."""
    given = {"q": np.asarray(q), "k": np.asarray(k), "v": np.asarray(v)}
    for name, array in given.items():
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name} has dtype {array.dtype}; expected real numbers")
        if not 2 <= array.ndim <= 4:
            raise ValueError(
                f"{name} has shape {array.shape}; expected (length, dim), (heads, length, dim) or "
                "(batch, heads, length, dim)"
            )
        if array.ndim != given["q"].ndim:
            raise ValueError(f"{name} has shape {array.shape}; expected {given['q'].ndim} axes, as q has")
    kinds = {(array.dtype.kind, array.dtype.itemsize) for array in given.values()}
    dtype = {("f", 2): np.float16, ("f", 4): np.float32}.get(*kinds, np.float64) if len(kinds) == 1 else np.float64
    q4, k4, v4 = (_whole_rows(_four_axes(array.astype(dtype, copy=False))) for array in given.values())
    return q4, k4, v4


def as_mask(key_mask: npt.ArrayLike | None, k: Array) -> Array | None:
    """One flag per batch and key; one row serves every batch."""
    if key_mask is None:
        return None
    mask = np.asarray(key_mask)
    if mask.dtype != np.bool_:
        raise ValueError(f"key_mask has dtype {mask.dtype}; expected bool, True for keys that are seen")
    shape = (k.shape[0], k.shape[2])
    if mask.shape not in (shape, shape[1:]):
        raise ValueError(f"key_mask has shape {mask.shape}; expected {shape} (batch, keys) or {shape[1:]}")
    return np.ascontiguousarray(np.broadcast_to(mask, shape))


def result_like(q: npt.ArrayLike, q4: Array, v4: Array) -> tuple[Array, Array]:
    """A new array for the results, with four axes and with those of q."""
    out = np.empty((*q4.shape[:3], v4.shape[3]), q4.dtype)
    return out, out.reshape(out.shape[4 - np.ndim(q) :])


def _four_axes(array: Array) -> Array:
    return array.reshape((1,) * (4 - array.ndim) + array.shape) if array.ndim < 4 else array


def _whole_rows(array: Array) -> Array:
    size = array.itemsize
    whole = array.flags.aligned and array.dtype.isnative and (array.shape[3] <= 1 or array.strides[3] == size)
    apart = array.shape[2] <= 1 or array.strides[2] >= size * array.shape[3]
    if whole and apart and all(step >= 0 and step % size == 0 for step in array.strides[:3]):
        return array
    return array.astype(array.dtype.newbyteorder("="), order="C")
