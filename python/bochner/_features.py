# SPDX-License-Identifier: Apache-2.0
"""The class of random features."""

import json
from numbers import Real
from typing import Any

import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_name
from bochner._arrays import as_matrix, check_output
from bochner._memory import require_result
from bochner._notes import warn_of


class Features:
    """Random features, phi(x) = f(W x / sigma) with k(x, y) ~ phi(x) . phi(y); made by :func:`features`.

    Immutable except for :meth:`fit`, so any number of threads may use one object. It is pickled as its spec, a few
    hundred bytes; W is drawn again from the seed, with the same bits on every machine. ``f + g``, ``f * g`` and
    ``2.0 * f`` are features of the sum, product and multiple of kernels; see :mod:`bochner.compose`.

    Examples
    --------
    >>> import bochner
    >>> bochner.features(3, m=5, seed=1)  # doctest: +NORMALIZE_WHITESPACE
    bochner.features(kernel='gaussian', map='trigonometric', coupling='orthogonal', d=3, m=5, seed=1, lengthscale=1.0,
                     block=3)
    """

    __slots__ = ("_core", "_recipe")

    def __init__(self, spec: _core.Spec) -> None:
        self._core = _core.Features(spec)
        self._recipe: tuple[Any, tuple[Any, ...]] | None = None  # for a composition: the function and its arguments

    @property
    def d(self) -> int:
        """Length of an input row.

        Examples
        --------
        >>> import bochner
        >>> bochner.features(3, m=5).d
        3
        """
        return self._core.d

    @property
    def m(self) -> int:
        """Number of random directions.

        Examples
        --------
        >>> import bochner
        >>> bochner.features(3, m=5).m
        5
        """
        return self._core.m

    @property
    def outputs(self) -> int:
        """Length of a feature vector: width of the map times m.

        Examples
        --------
        >>> import bochner
        >>> bochner.features(3, m=5, map="trigonometric").outputs
        10
        >>> bochner.features(3, m=5, map="positive").outputs
        5
        """
        return self._core.outputs

    @property
    def symmetric(self) -> bool:
        """Whether both sides are mapped alike, so that phi(x) . phi(y) is a positive semidefinite kernel.

        Examples
        --------
        >>> import bochner
        >>> bochner.features(3).symmetric
        True
        """
        return self._core.symmetric

    @property
    def spec(self) -> dict[str, Any]:
        """All choices as keyword arguments: ``features(**spec)`` makes the same features again.

        Examples
        --------
        >>> import bochner
        >>> spec = bochner.features(3, map="rff").spec
        >>> spec["map"], spec["m"]
        ('trigonometric', 256)
        >>> bochner.features(**spec).spec == spec
        True
        """
        return spec_from_json(self._core.spec.to_json())

    def directions(self) -> npt.NDArray[Any]:
        """W, without the lengthscale: the projection of a row is W (x / sigma).

        Returns
        -------
        array of shape (m, d), float64

        Examples
        --------
        The first d rows of the ``orthogonal`` coupling are orthogonal:

        >>> import bochner
        >>> W = bochner.features(2, m=6).directions()
        >>> W.shape
        (6, 2)
        >>> bool(abs(W[0] @ W[1]) < 1e-12)
        True
        """
        return self._core.directions()

    def fit(self, X: npt.ArrayLike, Y: npt.ArrayLike | None = None) -> "Features":
        """Uses data to find the parameters that were not given. Does nothing if none is missing.

        Parameters
        ----------
        X : array of shape (n, d)
            Queries: the first arguments of k(x, y).
        Y : array of shape (n', d), default X
            Keys.

        Returns
        -------
        Features
            The object itself; ``spec`` shows what was found.

        Raises
        ------
        ValueError
            For arrays without rows, a wrong number of columns and entries that are not finite.

        Warns
        -----
        RuntimeWarning
            If parameters were found and the error of phi(x) . phi(y) predicted for pairs of these rows is larger than k
            itself, both as root mean squares: the features are worthless there. The warning names a mechanism that does
            better.

        Examples
        --------
        >>> import bochner
        >>> features = bochner.features(2, kernel="softmax", map="optimal_positive")
        >>> features.fitted
        False
        >>> round(features.fit([[0.0, 1.0], [1.0, 0.0]]).spec["A"], 4)
        -0.4557
        """
        rows = as_matrix(X, "X")
        keys = rows if Y is None else as_matrix(Y, "Y").astype(rows.dtype, copy=False)
        if not self.fitted:
            self._core.fit(rows, keys)
            self._warn_of_fit(rows, keys)
        return self

    def _warn_of_fit(self, rows: npt.NDArray[Any], keys: npt.NDArray[Any]) -> None:
        """Warns if the parameters found from these rows do not suit them."""
        advice = self._core.fit_advice(rows, keys)
        warn_of([advice] if advice else [])

    @property
    def fitted(self) -> bool:
        """Whether every parameter is known; ``transform`` raises an error otherwise.

        Examples
        --------
        >>> import bochner
        >>> bochner.features(2).fitted
        True
        """
        return self._core.fitted

    def transform(
        self,
        X: npt.ArrayLike,
        side: str = "query",
        out: npt.NDArray[Any] | None = None,
        log_scale: bool = False,
    ) -> Any:
        """phi of every row of X, including all factors such as 1/sqrt(m).

        The bits of a row of the result depend on that row of X alone, not on its batch or the number of threads. The
        GIL is released.

        Parameters
        ----------
        X : array of shape (n, d)
            float32 or float64; other real numbers are converted to float64. Arrays with contiguous rows (also slices of
            rows, windows of columns, memory maps, read-only arrays) are read without a copy; any other layout is copied
            into C order.
        side : {"query", "key"}
            Which argument of k(x, y) the rows are. It makes no difference for a symmetric map.
        out : array of shape (n, outputs), optional
            The array to write to: it has the dtype of X and contiguous rows, and does not overlap X.
        log_scale : bool
            For positive maps: return (Z, s) with phi(x) = Z exp(s), row by row, 0 <= Z <= 1 with a 1 in each row. This
            is exact where the plain features would overflow or vanish. It excludes `out`.

        Returns
        -------
        array of shape (n, outputs), or a pair of arrays of shapes (n, outputs) and (n,)
            `out`, or a new array of X's dtype.

        Raises
        ------
        ValueError
            If shapes or types do not fit or an entry of X is not finite (its row and column are named). The contents of
            `out` are then unspecified.

        Examples
        --------
        >>> import bochner
        >>> import numpy as np
        >>> features = bochner.features(2, m=4096, lengthscale=5.0)
        >>> Z = features.transform([[0.0, 0.0], [3.0, 4.0]])
        >>> Z.shape
        (2, 8192)
        >>> bool(abs(Z[0] @ Z[1] - np.exp(-0.5)) < 0.05)
        True
        >>> features.transform(np.zeros((1, 2), np.float32)).dtype
        dtype('float32')
        >>> far = bochner.features(2, kernel="softmax", map="positive", m=4, seed=1)
        >>> Z, s = far.transform([[300.0, 400.0]], log_scale=True)
        >>> Z.max(), bool(s[0] < -1e5)
        (np.float64(1.0), True)
        """
        rows = as_matrix(X)
        side = as_name(side, "side")
        if log_scale:
            if out is not None:
                raise ValueError("out is given and log_scale is True; expected only one of them")
            require_result(len(rows), self.outputs, rows.itemsize, "X", f"as many rows of {self.outputs} features")
            Z, s = self._core.transform_scaled(rows, side)
            return Z, s[:, 0]
        if out is None:
            require_result(len(rows), self.outputs, rows.itemsize, "X", f"as many rows of {self.outputs} features")
            return self._core.transform(rows, side)
        check_output(out, rows, (rows.shape[0], self.outputs))
        self._core.transform_into(rows, out, side)
        return out

    def __add__(self, other: Any) -> "Features":
        return compose.concatenation([self, other]) if isinstance(other, Features) else NotImplemented

    def __sub__(self, other: Any) -> "Features":
        return self + -1.0 * other if isinstance(other, Features) else NotImplemented

    def __mul__(self, other: Any) -> "Features":
        if isinstance(other, Features):
            return compose.tensor_product(self, other)
        return compose.scaled(other, self) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> "Features":
        return compose.scaled(-1.0, self)

    def __repr__(self) -> str:
        if self._recipe is not None:
            function, arguments = self._recipe
            return f"bochner.compose.{function.__name__}({', '.join(map(repr, arguments))})"
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.spec.items())
        return f"bochner.features({arguments})"

    def __reduce__(self) -> tuple[Any, ...]:
        return self._recipe if self._recipe is not None else (_from_json, (self._core.spec.to_json(),))


def spec_from_json(text: str) -> dict[str, Any]:
    """A spec as keyword arguments of ``features``."""
    spec: dict[str, Any] = json.loads(text, object_hook=_complex)
    del spec["stream_version"]
    return spec


def _complex(parts: dict[str, Any]) -> Any:
    """Turns {"re": ..., "im": ...} of a spec into complex numbers."""
    if set(parts) != {"re", "im"}:
        return parts
    if isinstance(parts["re"], list):
        return [complex(re, im) for re, im in zip(parts["re"], parts["im"], strict=True)]
    return complex(parts["re"], parts["im"])


def _from_json(text: str) -> Features:
    return Features(_core.Spec.from_json(text))


from bochner import compose  # noqa: E402  (its functions make Features)
