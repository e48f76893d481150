# SPDX-License-Identifier: Apache-2.0
"""The lengthscale from data."""

import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_name
from bochner._arrays import as_matrix


def lengthscale(X: npt.ArrayLike, rule: str, seed: int = 0) -> float:
    """sigma from data, by one of three rules.

    ``scale``
        sqrt(d var(X) / 2) with the variance of all entries, so that gamma = 1 / (2 sigma^2) = 1 / (d var(X)) is
        scikit-learn's gamma="scale"; sqrt(1/2) (gamma = 1) when X is constant. Two passes over X.
    ``median``
        The median distance between the rows of a sample of min(n, 1000) rows; n >= 2.
    ``neighbour``
        The mean distance of the rows of a sample of min(n, 1000) rows to the 50th nearest of all other rows of X (Yu et
        al., 2016), or to the farthest if there are fewer; n >= 2. Costs 2000 n d flops.

    Computed in float64 on all threads; the same bits for any number of threads and on every machine.

    Parameters
    ----------
    X : array of shape (n, d)
    rule : {"scale", "median", "neighbour"}
    seed : int
        Seed of the sample, from 0 to 2**64 - 1. With up to 1000 rows the sample is X itself.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        For an unknown rule, entries that are not finite (row and column are named), too few rows, or so many equal rows
        that the rule gives 0.

    Examples
    --------
    >>> import bochner
    >>> X = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]
    >>> bochner.lengthscale(X, "median")
    5.0
    >>> features = bochner.features(2, lengthscale=bochner.lengthscale(X, "median"))
    >>> features.spec["lengthscale"]
    5.0
    """
    return _core.lengthscale(as_matrix(X), as_name(rule, "rule"), as_count(seed, "seed", least=0))
