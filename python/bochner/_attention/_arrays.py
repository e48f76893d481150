# SPDX-License-Identifier: Apache-2.0
"""Arrays of attention: (batch, heads, length, dim); leading axes of length one may be left out."""

from typing import Any

import numpy as np
import numpy.typing as npt

from bochner._arrays import readable

Array = npt.NDArray[Any]


_FLOATS = {size: np.dtype(f"f{size}") for size in (2, 4, 8)}


def as_heads(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, state: np.dtype[Any] | None = None
) -> tuple[Array, Array, Array]:
    """Views with four axes and one dtype. Nothing is copied unless it must be.

    All three are float16, float32 or float64, or all hold whole numbers, which become float64. If ``state``, the dtype
    of a state, is given and can hold them, they become that. Lists of plain numbers have no dtype: they take that of
    the state, or float64.
    """
    given = {"q": _as_array(q, "q", state), "k": _as_array(k, "k", state), "v": _as_array(v, "v", state)}
    first = given["q"]
    for name, array in given.items():
        if not 2 <= array.ndim <= 4:
            raise ValueError(
                f"{name} has shape {array.shape}; expected (length, dim), (heads, length, dim) or "
                "(batch, heads, length, dim)"
            )
        if array.ndim != first.ndim:
            raise ValueError(f"{name} has shape {array.shape}; expected {first.ndim} axes, as q has")
        if _float_bytes(array) != _float_bytes(first):
            raise ValueError(f"{name} has dtype {array.dtype}; expected {first.dtype}, as q has")
    dtype = _FLOATS[_float_bytes(first) or 8]
    if state is not None and dtype.itemsize > state.itemsize:
        raise ValueError(f"q has dtype {first.dtype}; expected {state}, as the state has")
    q4, k4, v4 = (_whole_rows(_four_axes(array.astype(state or dtype, copy=False))) for array in given.values())
    return q4, k4, v4


def _as_array(given: Any, name: str, state: np.dtype[Any] | None) -> Array:
    if np.ma.is_masked(given):
        raise ValueError(f"{name} has masked entries; expected numbers only: key_mask hides keys")
    array = np.asarray(readable(given, name, half=True))
    if array.dtype.kind not in "iu" and _float_bytes(array) not in _FLOATS:
        raise ValueError(f"{name} has dtype {array.dtype}; expected float32, float64, float16 or whole numbers")
    return array.astype(state or _FLOATS[8]) if _is_plain(given) else array


def _float_bytes(array: Array) -> int | None:
    """Bytes of a floating-point number, in any byte order; None for all other numbers."""
    return array.dtype.itemsize if array.dtype.kind == "f" else None


def _is_plain(given: Any) -> bool:
    """Whether it is a nested list of Python numbers."""
    while isinstance(given, (list, tuple)) and given:
        given = given[0]
    return isinstance(given, (int, float, list, tuple)) and not isinstance(given, np.generic)


def as_mask(key_mask: npt.ArrayLike | None, k: Array) -> Array | None:
    """One flag per batch and key; a single row is used for every batch."""
    if key_mask is None:
        return None
    if np.ma.is_masked(key_mask):
        raise ValueError("key_mask has masked entries; expected bool, True for keys that are seen")
    mask = np.asarray(readable(key_mask, "key_mask"))
    if mask.dtype != np.bool_:
        raise ValueError(f"key_mask has dtype {mask.dtype}; expected bool, True for keys that are seen")
    shape = (k.shape[0], k.shape[2])
    if mask.shape not in (shape, shape[1:]):
        raise ValueError(f"key_mask has shape {mask.shape}; expected {shape} (batch, keys) or {shape[1:]}")
    return np.ascontiguousarray(np.broadcast_to(mask, shape))


def result_like(q: npt.ArrayLike, q4: Array, v4: Array) -> tuple[Array, Array]:
    """A new array for the results, once with four axes and once with the axes of q."""
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
