# SPDX-License-Identifier: Apache-2.0
"""What `bochner fit` makes of classes by default."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner import _core
from bochner._arrays import as_matrix
from bochner._feature_choice import DTYPES
from bochner._kernel_ridge import KernelRidge


class RidgeClassifier(ClassifierMixin, BaseEstimator):
    """Ridge on 0 and 1 for each class, the largest wins; what :func:`bochner.load_model` finds in a file.

    Parameters
    ----------
    words : dict
        Parameters of :class:`bochner.KernelRidge`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_, intercept_ : arrays of shapes (n_classes, D) and (n_classes,)
    features_, m_, gamma_, lengthscale_, n_features_in_, feature_names_in_
        As in :class:`bochner.RandomFeatures`.

    Examples
    --------
    >>> from bochner._ridge_classifier import RidgeClassifier
    >>> model = RidgeClassifier({"n_components": 64, "alpha": 0.1, "random_state": 0})
    >>> model.fit([[0.0], [1.0], [2.0]], ["a", "b", "a"]).predict([[1.1]])
    array(['b'], dtype='<U1')
    """

    def __init__(self, words: dict[str, Any]) -> None:
        self.words = words

    def fit(self, X: Any, y: Any) -> "RidgeClassifier":
        """Fits to rows in memory."""
        X, y = validate_data(self, X, y, dtype=DTYPES)
        self.classes_, labels = np.unique(y, return_inverse=True)
        ridge = KernelRidge(**self.words).fit(X, np.eye(len(self.classes_))[labels])
        for name in ("coef_", "intercept_", "features_", "m_", "gamma_", "lengthscale_"):
            setattr(self, name, getattr(ridge, name))
        return self

    def decision_function(self, X: Any) -> npt.NDArray[Any]:
        """Scores of shape (n, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=DTYPES, reset=False)
        return _core.predict(self.features_._core, self.coef_, list(self.intercept_), as_matrix(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of the largest score of every row."""
        return self.classes_[self.decision_function(X).argmax(axis=1)]
