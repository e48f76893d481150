# SPDX-License-Identifier: Apache-2.0
"""Kernel ridge regression on classes."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._arrays import in_type_of
from bochner.estimators._feature_choice import FeatureChoice
from bochner.estimators._kernel_ridge import KernelRidge
from bochner.estimators._samples import ReadableScores, drop_weightless, validated

_DRAWN = ("features_", "n_components_", "m_", "gamma_", "lengthscale_", "_single", "_header")
_SOLUTION = ("coef_", "intercept_", "alpha_", "condition_", *_DRAWN)


class KernelRidgeClassifier(FeatureChoice, ReadableScores, ClassifierMixin, BaseEstimator):
    """Classification by :class:`bochner.KernelRidge`, the default of ``bochner fit`` for classes.

    The target of each class is 1 for its rows and 0 for the others; the class with the largest prediction wins. One
    equation is solved for all classes, without iterations: this is the fastest of the classifiers, but it has no
    probabilities.

    Parameters
    ----------
    alpha : float or "auto", default "auto"
    alphas : array, default None
    selection : {"auto", "leave_one_out", "folds", "generalised"}, default "auto"
    n_folds : int, default 5
    fit_intercept : bool, default True
    kernel, map, coupling, n_components, gamma, lengthscale, random_state, params, target_error, max_components
        All as in :class:`bochner.KernelRidge`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_, intercept_ : arrays of shapes (n_classes, D) and (n_classes,)
    alpha_, condition_ : float
        As in :class:`bochner.KernelRidge`.
    features_, n_components_, m_, gamma_, lengthscale_, n_features_in_, feature_names_in_
        As in :class:`bochner.RandomFeatures`.

    Examples
    --------
    >>> from bochner import KernelRidgeClassifier
    >>> model = KernelRidgeClassifier(n_components=64, alpha=0.1, random_state=0)
    >>> model.fit([[0.0], [1.0], [2.0]], ["a", "b", "a"]).predict([[1.1]])
    array(['b'], dtype='<U1')
    """

    def __init__(
        self,
        *,
        alpha: float | str = "auto",
        alphas: npt.ArrayLike | None = None,
        selection: str = "auto",
        n_folds: int = 5,
        fit_intercept: bool = True,
        kernel: str = "gaussian",
        map: str = "auto",
        coupling: str = "auto",
        n_components: int | str = 1024,
        gamma: float | str | None = "scale",
        lengthscale: npt.ArrayLike | str | None = None,
        random_state: Any = None,
        params: dict[str, Any] | None = None,
        target_error: float | None = None,
        max_components: int = 65_536,
    ) -> None:
        self.alpha = alpha
        self.alphas = alphas
        self.selection = selection
        self.n_folds = n_folds
        self.fit_intercept = fit_intercept
        self.kernel = kernel
        self.map = map
        self.coupling = coupling
        self.n_components = n_components
        self.gamma = gamma
        self.lengthscale = lengthscale
        self.random_state = random_state
        self.params = params
        self.target_error = target_error
        self.max_components = max_components

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelRidgeClassifier":
        """Fits to rows in memory.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,)
            Labels of at least two classes.
        sample_weight : array of shape (n,), default ones
            Numbers >= 0; a row of weight 0 counts as absent.

        Returns
        -------
        KernelRidgeClassifier
            The object itself.

        Examples
        --------
        >>> from bochner import KernelRidgeClassifier
        >>> model = KernelRidgeClassifier(n_components=64, alpha=0.1, random_state=0)
        >>> model.fit([[0.0], [1.0], [2.0]], [3, 5, 3], sample_weight=[1, 2, 1]).classes_
        array([3, 5])
        """
        ridge = KernelRidge(**self.get_params())
        X, y = validated(self, X, y, ensure_min_samples=2 if ridge._needs_pairs() else 1)
        check_classification_targets(y)
        X, y, weights = drop_weightless(X, y, sample_weight)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]}; expected at least two classes")
        ridge.fit(X, np.eye(len(self.classes_))[labels], weights)
        for name in _SOLUTION:
            setattr(self, name, getattr(ridge, name))
        return self

    def decision_function(self, X: Any) -> npt.NDArray[Any]:
        """Scores of every row of X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, n_classes), or (n,) for two classes
            f of each class; for two classes that of the second minus that of the first.

        Examples
        --------
        >>> from bochner import KernelRidgeClassifier
        >>> model = KernelRidgeClassifier(n_components=64, alpha=0.1, random_state=0)
        >>> bool(model.fit([[0.0], [1.0], [2.0]], ["a", "b", "a"]).decision_function([[1.0]])[0] > 0)
        True
        """
        rows, scores = self._scores(X)
        return in_type_of(rows, scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class with the largest score for every row of X; of equal ones the first.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> from bochner import KernelRidgeClassifier
        >>> model = KernelRidgeClassifier(n_components=64, alpha=0.1, random_state=0)
        >>> model.fit([[0.0], [1.0], [2.0]], [0, 1, 2]).predict([[1.9]])
        array([2])
        """
        _, scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def _scores(self, X: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The rows, and their scores in double."""
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        rows = self._rows_for_features(X)
        return X, _core.predict(self.features_._core, self.coef_, list(self.intercept_), rows)
