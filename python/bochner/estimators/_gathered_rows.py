# SPDX-License-Identifier: Apache-2.0
"""The common part of regressions that can add batches of rows."""

from typing import Any

import numpy as np

from bochner._arrays import as_matrix
from bochner.estimators._feature_choice import FeatureChoice
from bochner.estimators._samples import drop_weightless, validated


def refuse_loaded(model: Any) -> None:
    """Refuses to add rows to a model from a file: it has no sums over rows, so adding rows would discard the model."""
    if getattr(model, "_loaded", False):
        raise ValueError(
            f"{type(model).__name__} comes from a file, which holds no rows to add these to; "
            "expected fit, or partial_fit of a new one (sklearn.base.clone makes it)"
        )


class GatheredRows(FeatureChoice):
    """Keeps the sums over the rows of batches in `_gathered` (None without any). The solution is computed when it is
    needed."""

    _SOLUTION: tuple[str, ...] = ()

    def _solve(self) -> Any:
        raise NotImplementedError

    def _publish(self, fit: Any) -> None:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if name not in type(self)._SOLUTION or self.__dict__.get("_gathered") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._publish(self._solve())
        return self.__dict__[name]

    def _forget(self) -> None:
        for name in self._SOLUTION:
            self.__dict__.pop(name, None)

    def _is_first_batch(self) -> bool:
        refuse_loaded(self)
        return self._is_first()

    def _is_first(self) -> bool:
        return getattr(self, "_gathered", None) is None

    def _merge(self, other: Any) -> None:
        kind = type(self)
        for model, name in ((self, "self"), (other, "other")):
            if not isinstance(model, kind) or model._is_first():
                raise ValueError(f"{name} is {model!r}; expected a {kind.__name__} that has seen rows by partial_fit")
        if other.features_.spec != self.features_.spec:
            raise ValueError(f"other has the features {other.features_!r}; expected {self.features_!r}")
        self._gathered.merge(other._gathered)
        self._forget()

    def _rows(self, X: Any, y: Any, sample_weight: Any, first: bool) -> tuple[Any, Any, Any]:
        """Rows of weight > 0, targets as a matrix, weights or None."""
        least = 2 if first and self._needs_pairs() else 1
        X, y = validated(self, X, y, multi_output=True, y_numeric=True, reset=first, ensure_min_samples=least)
        flat = y.ndim == 1
        Y = as_matrix(y[:, None] if flat else y, "y").astype(np.float64, copy=False)
        if first:
            self._flat = flat
        elif (flat, Y.shape[1]) != (self._flat, self._gathered.targets):
            shape = "(n,)" if self._flat else f"(n, {self._gathered.targets})"
            raise ValueError(f"y has shape {y.shape}; expected {shape} as in the first batch")
        return drop_weightless(X, Y, sample_weight)
