# SPDX-License-Identifier: Apache-2.0
"""Closed forms of the error for pairs of inputs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arrays import as_matrix, readable
from bochner._make_features import make_spec


def mse(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    m: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> Any:
    """The mean squared error of phi(x) . phi(y) over the draw of W, in closed form.

    Parameters
    ----------
    x, y : arrays of shape (d,) or (n, d)
        One pair, or rows of pairs.
    m, kernel, map, coupling, lengthscale, **params
        As for :func:`bochner.features`.

    Returns
    -------
    float, or array of shape (n,)

    Raises
    ------
    ValueError
        For arguments that :func:`bochner.features` refuses, inputs that do not fit, and parameters that come from data
        and are not given. Also if no closed form is known.

    Examples
    --------
    >>> import bochner
    >>> round(bochner.theory.mse([1.0, 0.0], [0.0, 1.0], m=100, coupling="iid"), 6)  # (1 - e^-2)^2 / 200
    0.003738
    >>> bochner.theory.mse([[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], m=100, coupling="iid").round(6)
    array([0.003738, 0.      ])
    """
    return of_pairs(_core.theory_mse, mse, x, y, m, kernel, map, coupling, lengthscale, params)


def variance(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    m: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> Any:
    """The variance of phi(x) . phi(y) over the draw of W, in closed form: :func:`mse` = variance + :func:`bias` ** 2.

    Parameters, result and errors are those of :func:`mse`.

    Examples
    --------
    >>> import bochner
    >>> words = dict(m=8, map="trigonometric", coupling="orthogonal_fixed")
    >>> x, y = [0.5] * 8, [-0.5] * 8
    >>> variance, bias = bochner.theory.variance(x, y, **words), bochner.theory.bias(x, y, **words)
    >>> bool(abs(variance + bias**2 - bochner.theory.mse(x, y, **words)) < 1e-15)
    True
    """
    return of_pairs(_core.theory_variance, variance, x, y, m, kernel, map, coupling, lengthscale, params)


def bias(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    m: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> Any:
    """E phi(x) . phi(y) - k(x, y), in closed form.

    It is 0 except for the Fourier maps on rows of fixed norms (``orthogonal_fixed``, and ``hadamard`` and similar
    couplings with ``norms="fixed"``): there it is about -|x-y|^4 exp(-|x-y|^2 / 2) / (4 D) for the Gaussian kernel,
    where D is the dimension of the block. It is also known for unbiased couplings whose error is unknown, such as
    ``halton``. For couplings that only approximate uniform directions it is that of their exact counterpart.

    Parameters and result are those of :func:`mse`.

    Examples
    --------
    >>> import bochner
    >>> x, y = [0.5, 0.5, 0.5, 0.5], [-0.5, -0.5, -0.5, -0.5]
    >>> round(bochner.theory.bias(x, y, m=4, coupling="orthogonal_fixed"), 4)
    -0.1684
    >>> bochner.theory.bias(x, y, m=4, coupling="orthogonal")
    0.0
    """
    return of_pairs(_core.theory_bias, bias, x, y, m, kernel, map, coupling, lengthscale, params)


def relative_error(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    m: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> Any:
    """sqrt(mse) / abs(k(x, y)), in closed form, also if one of the two is out of the range of a float.

    Choromanski et al. 2022, Definition 3.3. It is infinite if k is 0 and the error is not.

    Parameters, result and errors are those of :func:`mse`.

    Examples
    --------
    >>> import bochner
    >>> far = [30.0, 0.0], [-30.0, 0.1]  # exp(x . y) underflows
    >>> round(bochner.theory.relative_error(*far, m=100, kernel="softmax", map="positive", coupling="iid"), 4)
    0.01
    """
    return of_pairs(_core.theory_relative_error, relative_error, x, y, m, kernel, map, coupling, lengthscale, params)


def of_pairs(
    call: Callable[..., Any],
    function: Callable[..., Any],
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    m: int,
    kernel: str,
    map: str,
    coupling: str,
    lengthscale: npt.ArrayLike,
    params: dict[str, Any],
) -> Any:
    """call(spec, X, Y) as an array with one number for each pair of rows, or as a float for one pair. `function` is the
    public function."""
    queries, keys = np.asarray(readable(x, "x")), np.asarray(readable(y, "y"))
    if queries.shape != keys.shape or queries.ndim not in (1, 2):
        raise ValueError(
            f"x and y have shapes {queries.shape} and {keys.shape}; expected equal ones, (d,) for a pair or (n, d)"
        )
    left, right = (as_matrix(np.atleast_2d(side), name) for side, name in ((queries, "x"), (keys, "y")))
    spec = make_spec(function, left.shape[1], kernel, map, coupling, m, 0, lengthscale, params)
    values = np.array(call(spec, left.astype(np.float64, copy=False), right.astype(np.float64, copy=False)))
    return values if queries.ndim == 2 else float(values[0])
