# SPDX-License-Identifier: Apache-2.0
"""The common part of linear classifiers on features."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._arguments import as_count, as_number
from bochner._arrays import as_matrix, in_type_of
from bochner.estimators._feature_choice import FeatureChoice
from bochner.estimators._samples import ReadableScores, as_weights, drop_weightless, validated


class LinearClassifier(FeatureChoice, ReadableScores, ClassifierMixin, BaseEstimator):
    """Minimises |coef|^2 / 2 + C sum_i w_i loss(y_i, f(x_i)) over f(x) = coef . phi(x) + intercept."""

    def _loss(self) -> str:
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        options = _core.LinearClassifierOptions(
            loss=self._loss(),
            C=as_number(self.C, "C"),
            intercept=bool(self.fit_intercept),
            tolerance=as_number(self.tol, "tol"),
            max_iterations=as_count(self.max_iter, "max_iter"),
            cache_bytes=self._cache_bytes(),
        )
        X, y = validated(self, X, y, ensure_min_samples=2 if self._needs_pairs() else 1)
        check_classification_targets(y)
        X, y, weights = drop_weightless(X, y, sample_weight)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]}; expected at least two classes")
        labels = labels.astype(np.int64)
        self._draw(X, weights, functions=len(self.classes_), cache=float(self._cache_bytes()))
        fit = _core.fit_linear_classifier(
            self.features_._core,
            as_matrix(X),
            labels,
            len(self.classes_),
            as_weights(self._with_class_weights(y, labels, weights)),
            options,
        )
        self.coef_, self.intercept_ = fit["coef"], np.array(fit["intercept"])
        self.n_iter_, self.converged_ = fit["iterations"], fit["reached"]
        self.objective_, self.gradient_norm_ = fit["objective"], fit["gradient"]
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} stopped after {self.n_iter_} steps with a gradient of norm "
                f"{self.gradient_norm_:.3g}; a larger max_iter or tol, or a smaller C, lets it converge",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _cache_bytes(self) -> int:
        size = as_number(self.cache_size, "cache_size")
        if not 0 <= size <= 1e9:
            raise ValueError(f"cache_size is {size}; expected megabytes, a number from 0 to 1e9")
        return int(1e6 * size)

    def _with_class_weights(self, y: npt.NDArray[Any], labels: npt.NDArray[Any], weights: Any) -> Any:
        """The weights of the rows multiplied by those of their classes."""
        if self.class_weight is None:
            return weights
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            return np.array(_core.balanced_weights(labels, len(self.classes_), as_weights(weights)))
        if not isinstance(self.class_weight, dict):
            raise ValueError(f"class_weight is {self.class_weight!r}; expected None, 'balanced' or a dict")
        own = compute_class_weight(self.class_weight, classes=self.classes_, y=y)[labels]
        if not (own >= 0).all():
            raise ValueError(f"class_weight has {own.min()}; expected numbers >= 0")
        return own if weights is None else own * weights

    def _scores(self, X: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The rows, and their scores in double, (n, functions): a column per class, or one column for two classes."""
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        rows = self._rows_for_features(X)
        return X, _core.predict(self.features_._core, self.coef_, list(self.intercept_), rows)

    def _decision(self, X: Any) -> npt.NDArray[Any]:
        scores = in_type_of(*self._scores(X))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def _predicted(self, X: Any) -> npt.NDArray[Any]:
        _, scores = self._scores(X)
        return self.classes_[(scores[:, 0] > 0).astype(int) if len(self.classes_) == 2 else scores.argmax(axis=1)]
