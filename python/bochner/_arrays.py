# SPDX-License-Identifier: Apache-2.0
"""The one rule by which arrays of the user become arrays of the library."""

from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[Any]


def as_matrix(X: npt.ArrayLike, name: str = "X") -> Matrix:
    """X as a float32 or float64 matrix with contiguous rows; X itself, not a copy, when it already is one.

    float32 stays float32; every other real type becomes float64. Rows may lie apart (a slice of rows or of adjacent
    columns, a memory map, read-only memory): nothing is copied. Any other layout (Fortran order, a column step,
    reversed or broadcast rows, foreign byte order, unaligned memory) is copied into C order.
    """
    if type(X).__module__.startswith("scipy.sparse"):
        raise ValueError(f"{name} is sparse; expected a dense array: {name}.toarray() makes one")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(f"{name} has masked entries; expected numbers only")
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"{name} has shape {array.shape}; expected two dimensions, (n, d): "
            f"reshape(1, -1) makes one row, reshape(-1, 1) one column"
        )
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} has dtype {array.dtype}; expected real numbers")
    single = array.dtype.kind == "f" and array.dtype.itemsize == 4
    array = array.astype(np.float32 if single else np.float64, copy=False)
    return array if _has_whole_rows(array) else array.copy(order="C")


def check_output(out: Any, X: Matrix, shape: tuple[int, int]) -> None:
    """Raises unless the features of X can be written into `out` where it lies."""
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


def _has_whole_rows(array: Matrix) -> bool:
    rows, cols = array.shape
    step, item = array.strides
    size = array.itemsize
    if not array.flags.aligned or (cols > 1 and item != size):
        return False
    return rows <= 1 or (step >= cols * size and step % size == 0)
