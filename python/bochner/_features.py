# SPDX-License-Identifier: Apache-2.0
"""Random features of a kernel."""

import inspect
import json
from typing import Any

import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_lengthscale, as_name, as_parameters
from bochner._arrays import as_matrix, check_output


class Features:
    """Random features, phi(x) = f(W x / sigma) with k(x, y) ~ phi(x) . phi(y); made by :func:`features`.

    Immutable: any number of threads may use one object. Pickled as its spec, a few hundred bytes: W is drawn again from
    the seed, the same bits on every machine.

    Examples
    --------
    >>> import bochner
    >>> bochner.features(3, m=5, seed=1)
    bochner.features(kernel='gaussian', map='trigonometric', coupling='orthogonal', d=3, m=5, seed=1, lengthscale=1.0, block=3)
    """

    __slots__ = ("_core",)

    def __init__(self, spec: _core.Spec) -> None:
        self._core = _core.Features(spec)

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
        """What was chosen, as keyword arguments: ``features(**spec)`` makes the same features again.

        Examples
        --------
        >>> import bochner
        >>> spec = bochner.features(3, map="rff").spec
        >>> spec["map"], spec["m"]
        ('trigonometric', 256)
        >>> bochner.features(**spec).spec == spec
        True
        """
        spec: dict[str, Any] = json.loads(self._core.spec.to_json())
        del spec["stream_version"]
        return spec

    def directions(self) -> npt.NDArray[Any]:
        """W of the unit lengthscale: the projection of a row is W (x / sigma).

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
        """Chooses from data what was not given; does nothing for a map without such parameters.

        Returns
        -------
        Features
            The object itself.

        Examples
        --------
        >>> import bochner
        >>> features = bochner.features(2)
        >>> features.fit([[0.0, 1.0]]) is features
        True
        """
        return self

    def transform(self, X: npt.ArrayLike, side: str = "query", out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """phi of every row of X, all factors such as 1/sqrt(m) inside.

        The bits of a row of the result depend on that row of X alone: not on the batch it comes in, nor on the number
        of threads. The GIL is released.

        Parameters
        ----------
        X : array of shape (n, d)
            float32 or float64; other real numbers are converted to float64. Arrays with contiguous rows (also slices of
            rows, windows of columns, memory maps, read-only arrays) are read where they lie; any other layout is copied
            into C order.
        side : {"query", "key"}
            Which argument of k(x, y) the rows are; both are the same for a symmetric map.
        out : array of shape (n, outputs), optional
            Where to write: the dtype of X, contiguous rows, separate from X.

        Returns
        -------
        array of shape (n, outputs)
            `out`, or a new array of X's dtype.

        Raises
        ------
        ValueError
            When shapes or types do not fit or an entry of X is not finite (its row and column are named). The contents
            of `out` are then unspecified.

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
        """
        rows = as_matrix(X)
        side = as_name(side, "side")
        if out is None:
            return self._core.transform(rows, side)
        check_output(out, rows, (rows.shape[0], self.outputs))
        self._core.transform_into(rows, out, side)
        return out

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.spec.items())
        return f"bochner.features({arguments})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_json, (self._core.spec.to_json(),)


def features(
    d: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    m: int = 256,
    seed: int = 0,
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> Features:
    """Draws W and makes random features of a kernel: k(x, y) ~ phi(x) . phi(y), phi(x) = f(W x / sigma).

    Parameters
    ----------
    d : int
        Length of an input row, >= 1.
    kernel : str
        ``gaussian`` exp(-|x - y|^2 / (2 sigma^2)) or another of :func:`kernels`.
    map : str
        f, one of :func:`maps`: ``trigonometric`` (cos and sin of W x / sigma), ...; "auto" is ``trigonometric``, or
        what serves the kernel.
    coupling : str
        The joint law of the rows of W, one of :func:`couplings`: ``orthogonal``, ...; "auto" is ``orthogonal`` where
        the law of the rows is isotropic, else ``iid``.
    m : int
        Number of random directions (rows of W), >= 1; the feature vector has width(map) m numbers.
    seed : int
        From 0 to 2**64 - 1. Equal seeds give equal draws, bit by bit, on every machine.
    lengthscale : float or array of shape (d,)
        sigma, > 0; a vector divides the coordinates.
    **params
        What the kernel, the map or the coupling takes beside that, as listed by :func:`kernels`, :func:`maps` and
        :func:`couplings`: ``block`` (dimension in which blocks of directions are drawn, or "auto"), ...

    Returns
    -------
    Features

    Raises
    ------
    ValueError
        For values out of range, unknown names (the nearest known one is suggested) and combinations that do not
        compose (what would fit is named).
    TypeError
        For parameters that do not exist.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> x, y = np.array([[0.3, 0.1]]), np.array([[0.2, 0.5]])
    >>> features = bochner.features(2, kernel="softmax", map="positive", m=10000)
    >>> estimate = features.transform(x) @ features.transform(y, side="key").T
    >>> bool(abs(estimate[0, 0] - np.exp(x @ y.T)[0, 0]) < 0.05)
    True
    """
    own = [name for name in inspect.signature(features).parameters if name != "params"]
    declared = (*_core.kernels(), *_core.maps(), *_core.couplings())
    return Features(
        _core.Spec(
            d=as_count(d, "d"),
            kernel=as_name(kernel, "kernel"),
            map=as_name(map, "map"),
            coupling=as_name(coupling, "coupling"),
            m=as_count(m, "m"),
            seed=as_count(seed, "seed", least=0),
            lengthscale=as_lengthscale(lengthscale),
            parameters=as_parameters(params, declared, own, "features"),
        )
    )


def _from_json(text: str) -> Features:
    return Features(_core.Spec.from_json(text))
