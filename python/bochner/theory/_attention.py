# SPDX-License-Identifier: Apache-2.0
"""The error of attention with random features, in closed form."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_number
from bochner._arrays import as_matrix
from bochner._make_features import make_spec


class AttentionError(NamedTuple):
    """The error of attention with random features, for every query.

    Attributes
    ----------
    mse : array of shape (queries,)
        Mean over the columns of v of the expected squared distance from exact attention.
    denominator : array of shape (queries,)
        Variance of the denominator, divided by the square of the denominator.

    Examples
    --------
    >>> import bochner
    >>> bochner.theory.AttentionError([0.01], [0.02]).mse
    [0.01]
    """

    mse: Any
    denominator: Any


def attention_error(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    m: int,
    map: str = "positive",
    scale: float | None = None,
    **params: Any,
) -> AttentionError:
    """The error of :func:`bochner.attention` with independent rows (coupling ``iid``), known before anything is drawn.

    It is exact to first order in 1/m: it is the error itself once m is large compared with the relative variance of the
    denominator, the second part of the result. It costs keys^2 for every query, so use a sample of rows.

    Parameters
    ----------
    q : array of shape (queries, dim)
    k : array of shape (keys, dim)
    v : array of shape (keys, columns)
    m : int
        Number of directions.
    map : str
        ``positive``, ``positive_paired``, ``optimal_positive`` or ``optimal_positive_paired``.
    scale : float, default 1 / sqrt(dim)
        Factor of q . k.
    **params
        Parameters of the map: ``A`` for the optimal ones.

    Returns
    -------
    AttentionError

    Raises
    ------
    ValueError
        For other maps, shapes that do not fit and entries that are not finite.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> q, k, v = np.random.default_rng(0).normal(size=(3, 16, 8))
    >>> few, many = (bochner.theory.attention_error(q, k, v, m=m) for m in (64, 256))
    >>> bool(np.allclose(few.mse, 4 * many.mse))
    True
    """
    named = ((q, "q"), (k, "k"), (v, "v"))
    queries, keys, values = (as_matrix(array, name).astype(np.float64) for array, name in named)
    factor = queries.shape[1] ** -0.5 if scale is None else as_number(scale, "scale")
    if not factor > 0:
        raise ValueError(f"scale is {scale}; expected a number > 0")
    spec = make_spec(
        attention_error, queries.shape[1], "softmax", map, "iid", m, 0, factor**-0.5, params
    )
    mse, denominator = _core.theory_attention_error(spec, queries, keys, values)
    return AttentionError(np.array(mse), np.array(denominator))
