# SPDX-License-Identifier: Apache-2.0
"""Sampled softmax: classes drawn in logarithmic time, and how near a distribution is to another."""

from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count
from bochner._arrays import as_matrix
from bochner._make_features import make_spec

Logs = npt.NDArray[np.float64]


class SoftmaxSampler:
    """Draws classes for queries with probabilities near those of exp(h . c_i / sigma^2 + b_i), in O(D log n) each.

    The proposal of sampled softmax: probabilities are q_i = e^b_i phi(h) . phi(c_i) / sum_j e^b_j phi(h) . phi(c_j),
    walked to along a tree of sums of features, and returned with the draws. Exact for maps that are not negative
    (``positive``, ``optimal_positive``, ...). Others may estimate a kernel below 0 and need a ``floor``, the least
    weight of a class in units of the kernel; the probabilities returned are those of the draws all the same.

    Parameters
    ----------
    class_embeddings : array of shape (n, d)
    map, coupling, m, lengthscale, seed, **params
        As in :func:`bochner.features`, for the kernel ``softmax``; parameters that are missing are chosen from the
        embeddings. The seed is that of W.
    floor : float, default 0
    biases : array of shape (n,), default None
        b_i: those of the output layer, or log-frequencies of the classes. They add no error to that of the features,
        which an entry of the embeddings does. None: zeros.

    Attributes
    ----------
    n_classes : int

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> C = np.random.default_rng(0).normal(size=(10_000, 16)) / 4
    >>> sampler = bochner.SoftmaxSampler(C, m=256)
    >>> ids, log_q = sampler.sample(C[:2], 40, seed=1)
    >>> ids.shape, bool(np.allclose(log_q, sampler.log_probability(C[:2], ids)))
    ((2, 40), True)
    """

    def __init__(
        self,
        class_embeddings: npt.ArrayLike,
        map: str = "optimal_positive",
        coupling: str = "orthogonal",
        m: int = 256,
        lengthscale: npt.ArrayLike = 1.0,
        seed: int = 0,
        floor: float = 0.0,
        biases: npt.ArrayLike | None = None,
        **params: Any,
    ) -> None:
        rows = as_matrix(class_embeddings, "class_embeddings").astype(np.float64, copy=False)
        spec = make_spec(SoftmaxSampler, rows.shape[1], "softmax", map, coupling, m, seed, lengthscale, params)
        self._core = _core.SoftmaxSampler(spec, rows, float(floor), _biases(biases))

    @property
    def n_classes(self) -> int:
        """Number of classes.

        Examples
        --------
        >>> import bochner
        >>> bochner.SoftmaxSampler([[0.0], [1.0], [2.0]], m=8).n_classes
        3
        """
        return self._core.classes

    def sample(
        self, queries: npt.ArrayLike, n: int, seed: int = 0, exclude: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.int64], Logs]:
        """n classes for each query, with replacement.

        Parameters
        ----------
        queries : array of shape (b, d)
        n : int
        seed : int
            Draws of a query depend on it, on the row of the query and on its numbers alone.
        exclude : array of shape (b,), default None
            For each query a class that is not drawn: the target. Probabilities are then over the sum of the others'.

        Returns
        -------
        ids : array of shape (b, n), int64
        log_probabilities : array of shape (b, n)

        Examples
        --------
        >>> import bochner
        >>> sampler = bochner.SoftmaxSampler([[0.0], [1.0], [2.0]], m=64)
        >>> ids, log_q = sampler.sample([[0.5]], 100, exclude=[1])
        >>> sorted(set(ids[0].tolist()))
        [0, 2]
        """
        ids, logs = self._core.sample(_rows(queries), as_count(n, "n"), as_count(seed, "seed", least=0), _ids(exclude))
        return ids.astype(np.int64), logs

    def log_probability(self, queries: npt.ArrayLike, ids: npt.ArrayLike, exclude: npt.ArrayLike | None = None) -> Logs:
        """Logarithms of the probabilities with which :meth:`sample` draws these classes.

        Parameters
        ----------
        queries : array of shape (b, d)
        ids : array of shape (b, n)
        exclude : as in :meth:`sample`

        Returns
        -------
        array of shape (b, n)

        Examples
        --------
        >>> import bochner
        >>> import numpy as np
        >>> sampler = bochner.SoftmaxSampler([[0.0], [1.0], [2.0]], m=64)
        >>> float(np.exp(sampler.log_probability([[0.5]], [[0, 1, 2]])).sum().round(12))
        1.0
        """
        chosen = np.asarray(ids)
        if chosen.ndim != 2 or chosen.dtype.kind not in "iu" or (chosen.size and chosen.min() < 0):
            raise ValueError("ids is not an array (b, n) of class numbers; expected whole numbers >= 0")
        return self._core.log_probability(_rows(queries), np.ascontiguousarray(chosen, np.uint64), _ids(exclude))

    def update(self, id: int, embedding: npt.ArrayLike, bias: float | None = None) -> None:
        """Gives a class another embedding, in O(D log n); rarely, where sums would leave their range, in O(n D).

        Waits until other threads have sampled.

        Parameters
        ----------
        id : int
        embedding : array of shape (d,)
        bias : float, default None
            Its new bias; None: as before.

        Examples
        --------
        >>> import bochner
        >>> sampler = bochner.SoftmaxSampler([[0.0], [1.0], [2.0]], m=64)
        >>> before = sampler.log_probability([[1.0]], [[0]])
        >>> sampler.update(0, [3.0])
        >>> bool(sampler.log_probability([[1.0]], [[0]]) > before)
        True
        """
        row = _rows(np.asarray(embedding, float).reshape(1, -1))
        self._core.update(as_count(id, "id", least=0), row, None if bias is None else float(bias))


def wasserstein(p: npt.ArrayLike, q: npt.ArrayLike) -> Logs:
    """1-d Wasserstein distance of distributions on 0, 1, ..., n - 1, over n: mean |F_p - F_q| of their cumulated sums.

    Parameters
    ----------
    p, q : arrays of shape (..., n)
        Estimates may have entries below 0.

    Returns
    -------
    array of shape (...)

    Examples
    --------
    >>> import bochner
    >>> float(bochner.wasserstein([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]))
    0.75
    """
    return np.abs(_cumulated_difference(p, q)).mean(axis=-1)


def kolmogorov_smirnov(p: npt.ArrayLike, q: npt.ArrayLike) -> Logs:
    """Kolmogorov-Smirnov distance of distributions on 0, 1, ..., n - 1: max |F_p - F_q|.

    Parameters
    ----------
    p, q : arrays of shape (..., n)

    Returns
    -------
    array of shape (...)

    Examples
    --------
    >>> import bochner
    >>> float(bochner.kolmogorov_smirnov([0.5, 0.5, 0.0], [0.25, 0.5, 0.25]))
    0.25
    """
    return np.abs(_cumulated_difference(p, q)).max(axis=-1)


def negative_fraction(p: npt.ArrayLike) -> Logs:
    """Share of the entries below 0: what estimates of probabilities by maps that are not positive must be cleaned of.

    Parameters
    ----------
    p : array of shape (..., n)

    Returns
    -------
    array of shape (...)

    Examples
    --------
    >>> import bochner
    >>> float(bochner.negative_fraction([0.5, -0.1, 0.4, 0.2]))
    0.25
    """
    return np.mean(np.asarray(p, float) < 0, axis=-1)


def _cumulated_difference(p: npt.ArrayLike, q: npt.ArrayLike) -> Logs:
    first, second = np.asarray(p, float), np.asarray(q, float)
    if first.shape[-1:] != second.shape[-1:] or first.ndim == 0:
        raise ValueError(f"p and q have shapes {first.shape} and {second.shape}; expected equally many classes")
    return np.cumsum(first - second, axis=-1)


def _rows(queries: npt.ArrayLike) -> Logs:
    return as_matrix(queries, "queries").astype(np.float64, copy=False)


def _biases(biases: npt.ArrayLike | None) -> list[float]:
    if biases is None:
        return []
    values = np.asarray(biases)
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "iuf":
        raise ValueError(
            f"biases has shape {values.shape} and dtype {values.dtype}; expected one number for each class"
        )
    return values.tolist()


def _ids(exclude: npt.ArrayLike | None) -> list[int]:
    if exclude is None:
        return []
    ids = np.asarray(exclude)
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or (ids.size and ids.min() < 0):
        raise ValueError("exclude is not a list of class numbers; expected one whole number >= 0 for each query")
    return ids.tolist()
