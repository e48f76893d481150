# SPDX-License-Identifier: Apache-2.0
"""Rows, weights, penalties and seeds of the learners."""

import math
import pathlib
import sys
import warnings
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
_PACKAGE = str(pathlib.Path(__file__).parent)


def validated(model: Any, X: Any, *y: Any, **words: Any) -> Any:
    """scikit-learn's `validate_data`, by which X keeps the type that it says it has: float32, or else float64."""
    targets = [readable(values, "y") for values in y]
    rows = readable(X, "X")
    return validate_data(model, rows, *targets, dtype=float_type(rows), **words)


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
    """What the C++ library takes: an empty array stands for ones."""
    return _NONE if weights is None else np.ascontiguousarray(weights)


def warn_of(notes: list[str]) -> None:
    """What there is to know of a result, as warnings that point at the line outside of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for note in notes:
        warnings.warn(note, RuntimeWarning, stacklevel=level)


def as_alpha(value: Any, name: str = "alpha") -> float:
    """A finite number >= 0."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value!r}; expected 'auto' or a finite number >= 0")
    return float(value)


def as_seed(random_state: Any) -> int:
    """A number as it is; otherwise one drawn from a generator of numpy."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(0, 2**64, dtype=np.uint64))
    return as_count(random_state, "random_state", least=0)
