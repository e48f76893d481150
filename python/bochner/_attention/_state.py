# SPDX-License-Identifier: Apache-2.0
"""Causal attention with constant memory, a few rows at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_flag
from bochner._attention._arrays import as_heads, as_mask, result_like
from bochner._attention._function import as_report, make_options


class AttentionState:
    """Causal attention step by step, for decoders: memory does not grow with the length.

    Results are those of :func:`attention` with ``causal=True`` up to rounding: 1e-6 in float32, 1e-12 in float64, and
    more for hybrids if a denominator is near 0. Steps called from several threads run one after the other.

    Parameters
    ----------
    dim : int
        Length of a query and of a key.
    value_dim : int, default dim
        Length of a value.
    heads : int
    kv_heads : int, default heads
        Heads of k and v; a divisor of ``heads``.
    batch : int
    dtype : float32 or float64
        Dtype of the state and the results.
    map, coupling, m, seed, A, scale, diagnostics, floor, **params
        As in :func:`attention`.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> q, k, v = np.random.default_rng(0).normal(size=(3, 2, 50, 8))
    >>> state = bochner.AttentionState(8, heads=2, m=64, dtype=np.float64)
    >>> first = state.step(q[:, :40], k[:, :40], v[:, :40])
    >>> rest = [state.step(q[:, [t]], k[:, [t]], v[:, [t]]) for t in range(40, 50)]
    >>> state.length
    50
    >>> whole = bochner.attention(q, k, v, m=64, causal=True)
    >>> bool(np.allclose(np.concatenate([first, *rest], axis=1), whole, rtol=0, atol=1e-12))
    True
    """

    def __init__(
        self,
        dim: int,
        value_dim: int | None = None,
        heads: int = 1,
        kv_heads: int | None = None,
        batch: int = 1,
        dtype: npt.DTypeLike = np.float32,
        map: str = "optimal_positive",
        coupling: str = "auto",
        m: int = 256,
        seed: int = 0,
        A: float | None = None,
        scale: float | None = None,
        diagnostics: bool = False,
        floor: float = 1.0,
        **params: Any,
    ) -> None:
        self._dtype = np.dtype(dtype)
        kinds = {np.dtype(np.float32): _core.AttentionStateFloat, np.dtype(np.float64): _core.AttentionStateDouble}
        if self._dtype not in kinds:
            raise ValueError(f"dtype is {self._dtype}; expected float32 or float64")
        self._diagnostics = as_flag(diagnostics, "diagnostics")
        options = make_options(AttentionState, map, coupling, m, seed, A, scale, True, diagnostics, params, floor)
        self._state = kinds[self._dtype](
            batch=as_count(batch, "batch"),
            heads=as_count(heads, "heads"),
            kv_heads=as_count(heads if kv_heads is None else kv_heads, "kv_heads"),
            dim=as_count(dim, "dim"),
            value_dim=as_count(dim if value_dim is None else value_dim, "value_dim"),
            options=options,
        )

    def step(
        self, q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, key_mask: npt.ArrayLike | None = None
    ) -> Any:
        """Appends one or more rows and returns their results.

        Arrays are as in :func:`attention`. Their dtype is that of the state or one that it can hold: float16 in
        float32, both in float64. Others are refused, not narrowed; lists of plain numbers have no dtype and take that
        of the state.

        Raises ValueError as :func:`attention` does, and then appends nothing.

        Examples
        --------
        >>> import bochner
        >>> state = bochner.AttentionState(2, m=16)
        >>> state.step([[1.0, 2.0]], [[0.5, 0.5]], [[3.0, 4.0]]).round(3)
        array([[3., 4.]], dtype=float32)
        """
        queries, keys, values = as_heads(q, k, v, self._dtype)
        out, shaped = result_like(q, queries, values)
        report = self._state.step(queries, keys, values, out, as_mask(key_mask, keys))
        return (shaped, as_report(report, shaped, keys)) if self._diagnostics else shaped

    def reset(self) -> None:
        """Forgets all rows.

        Examples
        --------
        >>> import bochner
        >>> state = bochner.AttentionState(2, m=16)
        >>> first = state.step([[1.0, 2.0]], [[0.5, 0.5]], [[3.0, 4.0]])
        >>> state.reset()
        >>> state.length
        0
        """
        self._state.reset()

    @property
    def length(self) -> int:
        """Number of rows so far.

        Examples
        --------
        >>> import bochner
        >>> bochner.AttentionState(2, m=16).length
        0
        """
        return self._state.length
