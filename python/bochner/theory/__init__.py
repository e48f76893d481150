# SPDX-License-Identifier: Apache-2.0
"""What is known about random features before anything is drawn: errors in closed form, the best parameters."""

from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_name
from bochner._arrays import as_matrix, readable
from bochner._make_features import make_spec
from bochner.theory._attention import AttentionError, attention_error
from bochner.theory._bounds import (
    EstimatedError,
    estimated_mse,
    max_relative_error,
    max_relative_error_bound,
    tail_bound,
)
from bochner.theory._pairs import bias, mse, relative_error, variance

__all__ = [
    "AttentionError",
    "EstimatedError",
    "attention_error",
    "bias",
    "conformity",
    "estimated_mse",
    "exactness",
    "max_relative_error",
    "max_relative_error_bound",
    "mse",
    "optimal_parameters",
    "relative_error",
    "tail_bound",
    "variance",
]


def conformity(v: npt.ArrayLike, d: int, coupling: str = "orthogonal", map: str = "positive") -> Any:
    """The conformity of two rows w, w' of one block of W, which decides the error of a coupling.

    ``positive``: E exp((w + w') . v), v = x + y; ``positive_paired``: E cosh(w . v) cosh(w' . v); ``trigonometric``: E
    cos(w . v) cos(w' . v), v = x - y. The smaller it is, the better the coupling.

    Parameters
    ----------
    v : float or array
        Norms |v| in units of the lengthscale, >= 0.
    d : int
        Dimension in which a block is drawn.
    coupling, map : str

    Returns
    -------
    float, or array of v's shape

    Examples
    --------
    >>> import bochner
    >>> [round(bochner.theory.conformity(1.0, 6, coupling=name), 2) for name in ("iid", "orthogonal", "simplex")]
    [2.72, 2.58, 2.18]
    """
    norms = np.asarray(readable(v, "v"), dtype=np.float64)
    dimension = as_count(d, "d")
    words = as_name(coupling, "coupling"), as_name(map, "map")
    values = np.array([_core.conformity(float(norm), dimension, *words) for norm in norms.ravel()])
    return values.reshape(norms.shape) if norms.ndim else float(values[0])


def exactness(
    d: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    m: int = 256,
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> str:
    """How exact the closed form of :func:`mse` is for these features.

    Parameters
    ----------
    d, kernel, map, coupling, m, lengthscale, **params
        As for :func:`bochner.features`.

    Returns
    -------
    str
        "exact"; "approximate": it is the error of the coupling that this one approximates; "none": no closed form is
        known, and :func:`mse` raises an error.

    Examples
    --------
    >>> import bochner
    >>> [bochner.theory.exactness(64, coupling=name) for name in ("orthogonal", "hadamard", "sobol")]
    ['exact', 'approximate', 'none']
    """
    return _core.theory_exactness(make_spec(exactness, d, kernel, map, coupling, m, 0, lengthscale, params))


def optimal_parameters(
    X: npt.ArrayLike,
    Y: npt.ArrayLike | None = None,
    kernel: str = "gaussian",
    map: str = "optimal_positive",
    coupling: str = "auto",
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> dict[str, Any]:
    """The parameters of a map with the smallest mean error over the pairs of two data sets.

    These are the parameters that :meth:`bochner.Features.fit` would find. Parameters that are given are kept.

    Parameters
    ----------
    X : array of shape (n, d)
        Queries.
    Y : array of shape (n', d), default X
        Keys.
    kernel, map, coupling, lengthscale, **params
        As for :func:`bochner.features`.

    Returns
    -------
    dict
        Empty for a map without parameters from data.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> bochner.theory.optimal_parameters(X)["A"] < 0
    True
    """
    queries = as_matrix(X, "X").astype(np.float64)
    keys = queries if Y is None else as_matrix(Y, "Y").astype(np.float64)
    spec = make_spec(optimal_parameters, queries.shape[1], kernel, map, coupling, 1, 0, lengthscale, params)
    return _core.optimal_parameters(spec, queries, keys)
