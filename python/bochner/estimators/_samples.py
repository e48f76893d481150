# SPDX-License-Identifier: Apache-2.0
"""Rows, weights, penalties and seeds of the learners."""

import math
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, validate_data

from bochner._arguments import as_count
from bochner._arrays import float_type, readable

_NONE = np.empty(0)
_LEAST_HEAVIEST, _MOST_WEIGHT = 1e-150, 1e150  # as in the C++ library


def validated(model: Any, X: Any, *y: Any, **words: Any) -> Any:
    """scikit-learn's `validate_data`, but X keeps the dtype that it states: float32, or else float64."""
    targets = [readable(values, "y") for values in y]
    rows = readable(X, "X")
    return validate_data(model, rows, *targets, dtype=float_type(rows), **words)


class ReadableScores:
    """scikit-learn's score, for targets and weights in any kind of array."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy, or R^2 of a regression, of the predictions for X, as in scikit-learn.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,) or (n, n_targets)
        sample_weight : array of shape (n,), default None

        Returns
        -------
        float

        Examples
        --------
        >>> from bochner import KernelRidge
        >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 2.0]
        >>> KernelRidge(n_components=64, alpha=1e-6, random_state=0).fit(X, y).score(X, y) > 0.99
        True
        """
        weights = None if sample_weight is None else readable(sample_weight, "sample_weight")
        return super().score(X, readable(y, "y"), weights)  # type: ignore[misc]


def drop_weightless(X: npt.NDArray[Any], Y: npt.NDArray[Any], sample_weight: Any) -> tuple[Any, Any, Any]:
    """Rows of weight > 0 and their weights; the weights are None if none were given."""
    if sample_weight is None:
        return X, Y, None
    weights = _check_sample_weight(readable(sample_weight, "sample_weight"), X, dtype=np.float64)
    if (weights < 0).any():
        raise ValueError(f"sample_weight has {weights.min()}; expected numbers >= 0")
    if not _LEAST_HEAVIEST <= weights.max() <= _MOST_WEIGHT:
        raise ValueError(
            f"sample_weight has {weights.max()} as its largest number; expected one from {_LEAST_HEAVIEST} to "
            f"{_MOST_WEIGHT}: multiply all of them by one number"
        )
    kept = weights > 0
    return (X, Y, weights) if kept.all() else (X[kept], Y[kept], weights[kept])


def as_weights(weights: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
    """Weights as the C++ library takes them: an empty array stands for ones."""
    return _NONE if weights is None else np.ascontiguousarray(weights)


def as_alpha(value: Any, name: str = "alpha") -> float:
    """A finite number >= 0."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value!r}; expected 'auto' or a finite number >= 0")
    return float(value)


def as_seed(random_state: Any) -> int:
    """The seed that is given, or one drawn from a numpy generator."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(0, 2**64, dtype=np.uint64))
    return as_count(random_state, "random_state", least=0)
