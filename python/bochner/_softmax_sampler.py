# SPDX-License-Identifier: Apache-2.0
"""Sampled softmax: classes drawn in logarithmic time, and distances between distributions."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_number
from bochner._arrays import as_matrix, as_numbers, in_type_of, readable
from bochner._make_features import make_spec

Logs = npt.NDArray[np.float64]

# The names that the C++ library uses.
_NAMES = {"embeddings": "class_embeddings", "excluded": "exclude"}


class SoftmaxSampler:
    """Draws classes for queries with probabilities near those of exp(h . c_i / sigma^2 + b_i), in O(D log n) each.

    This is the proposal of sampled softmax: a class is drawn with probability q_i = e^b_i phi(h) . phi(c_i) / sum_j
    e^b_j phi(h) . phi(c_j) by walking down a tree of sums of features, and the probabilities are returned with the
    draws. They are exactly these for maps that are not negative (``positive``, ``optimal_positive``, ...). Other maps
    may estimate a kernel below 0 and need a ``floor``, the least weight of a class in units of the kernel; the
    probabilities that are returned are still those of the draws.

    Parameters
    ----------
    class_embeddings : array of shape (n, d)
    map, coupling, m, lengthscale, seed, **params
        As in :func:`bochner.features`, for the kernel ``softmax``; parameters that are not given are chosen from the
        embeddings. The seed is that of W.
    floor : float, default 0
    biases : array of shape (n,), default None
        b_i: the biases of the output layer, or log-frequencies of the classes. They add no error to that of the
        features; a further column of the embeddings would. None: zeros.

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
        coupling: str = "auto",
        m: int = 256,
        lengthscale: npt.ArrayLike = 1.0,
        seed: int = 0,
        floor: float = 0.0,
        biases: npt.ArrayLike | None = None,
        **params: Any,
    ) -> None:
        rows = _rows(class_embeddings, "class_embeddings")
        spec = make_spec(SoftmaxSampler, rows.shape[1], "softmax", map, coupling, m, seed, lengthscale, params)
        self._core = _call(_core.SoftmaxSampler, spec, rows, as_number(floor, "floor"), _biases(biases))
        self._seed, self._calls = as_count(seed, "seed", least=0), itertools.count()

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
        self, queries: npt.ArrayLike, n: int, seed: int | None = None, exclude: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.int64], Logs]:
        """Draws n classes for each query, with replacement.

        Parameters
        ----------
        queries : array of shape (b, d)
        n : int
        seed : int, default None
            The draws of a query depend only on the seed, on the query's row and on its numbers. None: every call draws
            anew; the draws follow from the sampler's seed and the number of such calls before, so that a program gives
            the same results when it is run again.
        exclude : array of shape (b,), default None
            For each query a class that is not drawn: the target. Probabilities are then relative to the sum over the
            other classes.

        Returns
        -------
        ids : array of shape (b, n), int64
        log_probabilities : array of shape (b, n), of the dtype of the queries

        Examples
        --------
        >>> import bochner
        >>> sampler = bochner.SoftmaxSampler([[0.0], [1.0], [2.0]], m=64)
        >>> ids, log_q = sampler.sample([[0.5]], 100, exclude=[1])
        >>> sorted(set(ids[0].tolist()))
        [0, 2]
        >>> again, _ = sampler.sample([[0.5]], 100, exclude=[1])
        >>> bool((again == ids).all())
        False
        """
        given = as_matrix(queries, "queries")
        chosen = self._next_seed() if seed is None else as_count(seed, "seed", least=0)
        rows, excluded = _doubles(given), _ids(exclude, len(given))
        ids, logs = _call(self._core.sample, rows, as_count(n, "n"), chosen, excluded)
        return ids.astype(np.int64), in_type_of(given, logs)

    def _next_seed(self) -> int:
        """64 bits from the sampler's seed and the number of the call."""
        return int(np.random.SeedSequence([self._seed, next(self._calls)]).generate_state(1, np.uint64)[0])

    def log_probability(self, queries: npt.ArrayLike, ids: npt.ArrayLike, exclude: npt.ArrayLike | None = None) -> Logs:
        """Logarithms of the probabilities with which :meth:`sample` draws these classes.

        Parameters
        ----------
        queries : array of shape (b, d)
        ids : array of shape (b, n)
        exclude : as in :meth:`sample`

        Returns
        -------
        array of shape (b, n), of the dtype of the queries

        Examples
        --------
        >>> import bochner
        >>> import numpy as np
        >>> sampler = bochner.SoftmaxSampler([[0.0], [1.0], [2.0]], m=64)
        >>> float(np.exp(sampler.log_probability([[0.5]], [[0, 1, 2]])).sum().round(12))
        1.0
        """
        chosen = as_numbers(ids, "ids")
        if chosen.ndim != 2 or chosen.dtype.kind not in "iu" or (chosen.size and chosen.min() < 0):
            raise ValueError("ids is not an array (b, n) of class numbers; expected whole numbers >= 0")
        given = as_matrix(queries, "queries")
        rows, excluded = _doubles(given), _ids(exclude, len(given))
        logs = _call(self._core.log_probability, rows, np.ascontiguousarray(chosen, np.uint64), excluded)
        return in_type_of(given, logs)

    def update(self, id: int, embedding: npt.ArrayLike, bias: float | None = None) -> None:
        """Gives a class another embedding, in O(D log n). Waits until other threads have finished sampling.

        Parameters
        ----------
        id : int
        embedding : array of shape (d,)
        bias : float, default None
            The new bias. None: the bias stays.

        Examples
        --------
        >>> import bochner
        >>> sampler = bochner.SoftmaxSampler([[0.0], [1.0], [2.0]], m=64)
        >>> before = sampler.log_probability([[1.0]], [[0]])
        >>> sampler.update(0, [3.0])
        >>> bool(sampler.log_probability([[1.0]], [[0]]) > before)
        True
        """
        row = np.asarray(readable(embedding, "embedding"))
        if row.ndim != 1:
            raise ValueError(f"embedding has shape {row.shape}; expected (d,), one row of numbers")
        given = None if bias is None else as_number(bias, "bias")
        _call(self._core.update, as_count(id, "id", least=0), _rows(row[None], "embedding"), given)


def wasserstein(p: npt.ArrayLike, q: npt.ArrayLike) -> Logs:
    """1-d Wasserstein distance of distributions on 0, 1, ..., n - 1, divided by n: mean |F_p - F_q| of their cumulative
    sums.

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
    """Share of the entries below 0. Estimates of probabilities by maps that are not positive can have such entries.

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
    values = np.asarray(readable(p, "p"), float)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError(f"p has shape {values.shape}; expected (..., n), at least one class")
    return np.mean(values < 0, axis=-1)


def _cumulated_difference(p: npt.ArrayLike, q: npt.ArrayLike) -> Logs:
    first, second = np.asarray(readable(p, "p"), float), np.asarray(readable(q, "q"), float)
    if first.shape[-1:] != second.shape[-1:] or first.ndim == 0:
        raise ValueError(f"p and q have shapes {first.shape} and {second.shape}; expected equally many classes")
    if first.shape[-1] == 0:
        raise ValueError(f"p and q have shapes {first.shape} and {second.shape}; expected at least one class")
    return np.cumsum(first - second, axis=-1)


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function of the C++ library; its error messages then use the argument names of Python."""
    try:
        return function(*arguments)
    except ValueError as refusal:
        name, space, rest = str(refusal).partition(" ")
        raise ValueError(_NAMES.get(name, name) + space + rest) from None


def _rows(X: npt.ArrayLike, name: str) -> Logs:
    return _doubles(as_matrix(X, name))


def _doubles(rows: npt.NDArray[Any]) -> Logs:
    return rows.astype(np.float64, copy=False)


def _biases(biases: npt.ArrayLike | None) -> list[float]:
    if biases is None:
        return []
    values = np.asarray(readable(biases, "biases"))
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "iuf":
        raise ValueError(
            f"biases has shape {values.shape} and dtype {values.dtype}; expected one number for each class"
        )
    return values.tolist()


def _ids(exclude: npt.ArrayLike | None, queries: int) -> list[int]:
    if exclude is None:
        return []
    ids = as_numbers(exclude, "exclude")
    if ids.ndim != 1 or (ids.size and (ids.dtype.kind not in "iu" or ids.min() < 0)):
        raise ValueError("exclude is not a list of class numbers; expected one whole number >= 0 for each query")
    if len(ids) != queries:  # an empty list would mean that nothing is excluded
        raise ValueError(f"exclude is a list of {len(ids)} classes; expected one for each of {queries} queries")
    return ids.tolist()
