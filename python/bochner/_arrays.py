# SPDX-License-Identifier: Apache-2.0
"""How the user's arrays become arrays of the library: one rule for all functions."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[Any]


def as_matrix(X: npt.ArrayLike, name: str = "X") -> Matrix:
    """X as a float32 or float64 matrix with contiguous rows; X itself, not a copy, when it already is one.

    float32 stays float32, whatever array it comes in (numpy, torch, JAX, polars, pandas, any object with __array__ or
    __dlpack__); float16 and bfloat16 are refused; every other real type becomes float64. Rows may lie apart (a slice of
    rows or of adjacent columns, a memory map, read-only memory): nothing is copied. Any other layout (Fortran order, a
    column step, reversed or broadcast rows, foreign byte order, unaligned memory) is copied into C order.
    """
    if type(X).__module__.startswith("scipy.sparse"):
        raise ValueError(f"{name} is sparse; expected a dense array: {name}.toarray() makes one")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(f"{name} has masked entries; expected numbers only")
    array = np.asarray(readable(X, name))
    if array.dtype.kind == "O" and hasattr(X, "dtypes") and _stated(X).startswith(("float", "int", "uint")):
        # pandas' own numbers
        array = np.asarray(X, dtype=float_type(X, name))
    if array.ndim != 2:
        raise ValueError(
            f"{name} has shape {array.shape}; expected two dimensions, (n, d): "
            f"reshape(1, -1) makes one row, reshape(-1, 1) one column"
        )
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} has dtype {array.dtype}; expected real numbers")
    array = array.astype(float_type(array, name), copy=False)
    return array if _has_whole_rows(array) else array.copy(order="C")


def readable(X: Any, name: str, half: bool = False) -> Any:
    """X, or what numpy reads in its place. Refuses what numpy cannot read or would silently widen. `half`: whether
    float16 is allowed."""
    _refuse_remote(X, name)
    if not (half and _stated(X) == "float16"):
        float_type(X, name)
    if isinstance(X, (np.ndarray, np.generic)) or hasattr(X, "dtypes") or hasattr(X, "toarray"):
        return X
    if hasattr(X, "__dlpack__") and not hasattr(X, "__array__"):
        return np.from_dlpack(X)
    return as_numbers(X, name) if hasattr(X, "__array__") or isinstance(X, (list, tuple)) else X


def as_numbers(value: Any, name: str) -> Matrix:
    """A number, a list or an array of any type as a numpy array. Tensors that numpy cannot read are refused."""
    _refuse_remote(value, name)
    try:
        return np.asarray(value)
    except (RuntimeError, TypeError) as error:
        tensors = [item for item in _items(value) if type(item).__module__.partition(".")[0] == "torch"]
        if not tensors:
            raise
        for tensor in tensors:
            _refuse_remote(tensor, name, "detach() of each makes it", "cpu() of each makes it")
        raise ValueError(f"{name} is a tensor that numpy does not read ({error}); expected a dense one") from None


def _items(value: Any) -> Iterator[Any]:
    """The items of nested lists, one by one."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _items(item)
    else:
        yield value


def _refuse_remote(X: Any, name: str, detached: str = "", moved: str = "") -> None:
    """Refuses a tensor whose numbers numpy cannot read; the message says which call makes it readable."""
    if getattr(X, "requires_grad", False) is True:
        raise ValueError(
            f"{name} is a tensor that requires grad; expected one without: {detached or f'{name}.detach() makes it'} "
            "(gradients pass through the modules of bochner.torch)"
        )
    device = getattr(getattr(X, "device", None), "type", "cpu")
    if isinstance(device, str) and device != "cpu":
        raise ValueError(
            f"{name} is a tensor on device {device!r}; expected one in main memory: {moved or f'{name}.cpu() makes it'}"
        )


def float_type(X: Any, name: str = "X") -> type[np.floating[Any]]:
    """np.float32 if X states that type, else np.float64."""
    stated = _stated(X)
    if stated in ("float16", "bfloat16") or stated.startswith("float8"):
        module = type(X).__module__.partition(".")[0]
        cast = {"torch": "float()", "polars": "cast(polars.Float32)"}.get(module, "astype('float32')")
        raise ValueError(f"{name} has dtype {stated}; expected float32 or float64: {name}.{cast} makes one")
    return np.float32 if stated == "float32" else np.float64


def in_type_of(X: Matrix, result: Any) -> Any:
    """A result computed in double, converted to X's dtype. Refused if that dtype cannot hold it."""
    if result.dtype == X.dtype:
        return result
    with np.errstate(over="ignore", under="ignore"):
        rounded = result.astype(X.dtype)
    if np.isinf(rounded).any() and not np.isinf(result).any():
        raise ValueError(
            f"X has dtype {X.dtype}, as the result would have, which reaches {np.abs(result).max():.3g}; "
            "expected X.astype('float64')"
        )
    return rounded


def check_output(out: Any, X: Matrix, shape: tuple[int, int]) -> None:
    """Raises an error unless the features of X can be written directly into `out`."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}; expected a numpy array")
    if out.dtype != X.dtype:
        raise ValueError(f"out has dtype {out.dtype}; expected {X.dtype}, as X")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}; expected {shape}")
    if not out.flags.writeable:
        raise ValueError("out is read-only; expected a writeable array")
    if not _has_whole_rows(out):
        raise ValueError(f"out has strides {out.strides}; expected aligned, contiguous rows (C order)")
    if np.shares_memory(out, X):
        raise ValueError("out overlaps X; expected separate memory")


def _stated(X: Any) -> str:
    """The name of X's number type, in lower case: libraries agree on the names except for case. For a data frame it is
    the common type of all columns; it is empty if X states none, as a list does."""
    columns = getattr(X, "dtypes", None)
    if columns is None:
        return _name(getattr(X, "dtype", ""))
    names = {_name(dtype) for dtype in (columns if hasattr(columns, "__iter__") else [columns])}
    try:
        return np.result_type(*names).name if names else ""
    except TypeError:  # strings, dates, categories
        return ""


def _name(dtype: Any) -> str:
    dtype = getattr(dtype, "numpy_dtype", dtype)  # for pandas' own types and Arrow's
    return dtype.name if isinstance(dtype, np.dtype) else str(dtype).rpartition(".")[2].lower()


def _has_whole_rows(array: Matrix) -> bool:
    rows, cols = array.shape
    step, item = array.strides
    size = array.itemsize
    if not array.flags.aligned or (cols > 1 and item != size):
        return False
    return rows <= 1 or (step >= cols * size and step % size == 0)
