# SPDX-License-Identifier: Apache-2.0
"""Largest errors, bounds on the probability of large errors, and measured errors."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_number
from bochner._make_features import make_spec
from bochner.theory._pairs import of_pairs


def max_relative_error(
    radius: float,
    d: int,
    m: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    lengthscale: float = 1.0,
    **params: Any,
) -> float:
    """The largest :func:`relative_error` over all x and y of norm `radius`.

    Only for kernels and maps whose error depends on the angle alone if the norms are equal; others are refused.

    Parameters
    ----------
    radius : float
        |x| = |y|, >= 0.
    d : int
        Length of an input row.
    m, kernel, map, coupling, lengthscale, **params
        As for :func:`bochner.features`.

    Returns
    -------
    float

    Examples
    --------
    At norm 1.5, a hybrid of 64 directions with 8 signs is better than 128 directions of either base:

    >>> import bochner
    >>> for map, m in (("trigonometric", 128), ("positive_paired", 128), ("hybrid_angular", 64)):
    ...     print(map, round(bochner.theory.max_relative_error(1.5, 64, m, "softmax", map, "iid"), 2))
    trigonometric 5.63
    positive_paired 5.63
    hybrid_angular 1.27
    """
    spec = make_spec(max_relative_error, d, kernel, map, coupling, m, 0, lengthscale, params)
    return float(_core.theory_max_relative_error(spec, as_number(radius, "radius")))


def max_relative_error_bound(
    radius: float,
    d: int,
    m: int,
    kernel: str = "softmax",
    map: str = "hybrid_angular",
    coupling: str = "iid",
    lengthscale: float = 1.0,
    **params: Any,
) -> float:
    """A bound on :func:`max_relative_error` for ``hybrid_angular`` on independent rows and radius >= lengthscale.

    With r = radius / lengthscale and n = lambda_m it is W sqrt(((1 - 1/n) / (pi r^2) + 1 / (n sqrt(pi) r)) / (2 m)),
    W = exp(2 r^2) (1 - exp(-4 r^2)): Choromanski et al. 2022, Theorem 3.5, whose last 1/r is misprinted as 1/r^2.

    Parameters
    ----------
    radius, d, m, kernel, map, coupling, lengthscale, **params
        As for :func:`max_relative_error`.

    Returns
    -------
    float

    Examples
    --------
    >>> import bochner
    >>> bound = bochner.theory.max_relative_error_bound(2.0, 64, 64)
    >>> largest = bochner.theory.max_relative_error(2.0, 64, 64, "softmax", "hybrid_angular", "iid")
    >>> largest < bound
    True
    """
    spec = make_spec(max_relative_error_bound, d, kernel, map, coupling, m, 0, lengthscale, params)
    return float(_core.theory_max_relative_error_bound(spec, as_number(radius, "radius")))


def tail_bound(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    t: float,
    m: int,
    kernel: str = "gaussian",
    map: str = "optimal_positive",
    coupling: str = "iid",
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> Any:
    """A bound on the probability that phi(x) . phi(y) is off by t or more.

    For bounded positive features on independent rows: maps ``optimal_positive``, ``optimal_positive_paired`` and
    ``exponential`` (s = 1) with real A < 0, coupling ``iid``. It is min(1, 2 exp(-2 m t^2 / b^2)), where
    b = (1-4A)^(d/2) exp(-|x+y|^2 / (8A) - |x-y|^2 / 2) is the largest product of two features of one row (Gaussian
    kernel): Likhosherstov et al. 2022, Theorem 4.2, corrected.

    Parameters
    ----------
    x, y : arrays of shape (d,) or (n, d)
        One pair, or rows of pairs.
    t : float
        The deviation, >= 0.
    m, kernel, map, coupling, lengthscale, **params
        As for :func:`bochner.features`.

    Returns
    -------
    float, or array of shape (n,)

    Examples
    --------
    >>> import bochner
    >>> x, y = [0.1, 0.2], [0.2, -0.1]
    >>> [round(bochner.theory.tail_bound(x, y, 0.1, m, A=-0.2), 4) for m in (100, 1000, 3000)]
    [1.0, 0.0049, 0.0]
    """
    call = partial(_core.theory_tail_bound, t=as_number(t, "t"))
    return of_pairs(call, tail_bound, x, y, m, kernel, map, coupling, lengthscale, params)


class EstimatedError(NamedTuple):
    """A mean squared error measured on several draws.

    Attributes
    ----------
    mse : float or array of shape (n,)
        The mean over draws of the squared deviation from the exact kernel: unbiased.
    standard_error : float or array of shape (n,)
        Standard error of that mean.

    Examples
    --------
    >>> import bochner
    >>> bochner.theory.EstimatedError(mse=0.25, standard_error=0.01).mse
    0.25
    """

    mse: Any
    standard_error: Any


def estimated_mse(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    m: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    lengthscale: npt.ArrayLike = 1.0,
    draws: int = 100,
    seed: int = 0,
    **params: Any,
) -> EstimatedError:
    """The mean squared error of phi(x) . phi(y), measured on independent draws of W.

    Use it for mechanisms without a closed form (``halton``, ``sobol``, ``fastfood``, ``circulant``, hybrids that share
    coupled rows, ...) and to check those that have one. Exponential features of long inputs have such heavy tails that
    their measured error, and its standard error, look too small.

    Parameters
    ----------
    x, y, m, kernel, map, coupling, lengthscale, **params
        As for :func:`mse`.
    draws : int
        Number of draws, >= 2.
    seed : int
        Equal seeds give equal draws.

    Returns
    -------
    EstimatedError

    Examples
    --------
    >>> import bochner
    >>> x, y = [0.5, 0.2], [-0.3, 0.1]
    >>> nets = bochner.theory.estimated_mse(x, y, m=64, coupling="sobol")
    >>> nets.mse < 0.1 * bochner.theory.mse(x, y, m=64, coupling="orthogonal")
    True
    """
    words = {"draws": as_count(draws, "draws", least=2), "seed": as_count(seed, "seed", least=0)}
    halves = []

    def call(spec: _core.Spec, left: Any, right: Any) -> Any:
        halves.extend(_core.theory_estimated_mse(spec, left, right, **words))
        return halves[0]

    errors = of_pairs(call, estimated_mse, x, y, m, kernel, map, coupling, lengthscale, params)
    spread = np.array(halves[1])
    return EstimatedError(errors, spread if np.ndim(errors) else float(spread[0]))
