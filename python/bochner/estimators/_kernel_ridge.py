# SPDX-License-Identifier: Apache-2.0
"""Kernel ridge regression at linear cost."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._arguments import as_count
from bochner._arrays import as_matrix, in_type_of
from bochner._notes import warn_of
from bochner.estimators._gathered_rows import GatheredRows
from bochner.estimators._samples import ReadableScores, as_alpha, as_weights, validated


def _as_path(alphas: npt.ArrayLike) -> list[float]:
    path = [as_alpha(alpha, "alphas") for alpha in np.atleast_1d(alphas)]
    if 0 in path:
        raise ValueError("alphas has 0; expected finite numbers > 0")
    return path


class KernelRidge(GatheredRows, ReadableScores, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Kernel ridge regression on random features: n rows cost O(n D^2) time and O(D^2) memory, D = n_components.

    It minimises sum_i w_i |y_i - f(x_i)|^2 + alpha |coef|^2 over f(x) = coef . phi(x) + intercept, which is kernel
    ridge regression with the kernel phi(x) . phi(y) ~ k(x, y).

    Parameters
    ----------
    alpha : float or "auto", default "auto"
        Strength of the penalty, >= 0. "auto" is the largest of `alphas` whose mean squared error over all targets is
        within a thousandth of the smallest.
    alphas : array, default None
        The penalties from which "auto" chooses. None is a grid of half decades from 10 to 1e-12 (float32: 1e-7) times
        the largest eigenvalue.
    selection : {"auto", "leave_one_out", "folds", "generalised"}, default "auto"
        The error by which alpha="auto" chooses: exact leave-one-out (equal rows are left out together), the error on
        held-out folds of the rows, or generalised cross-validation (misleading if few rows have most of the leverage).
        "auto" is leave-one-out in :meth:`fit` and folds in :meth:`partial_fit`, which keeps no rows.
    n_folds : int, default 5
    fit_intercept : bool, default True
    lengthscale : float, array, "search", "scale", "median" or "neighbour", default None
        "search" is the largest of 1/8, 1/4, ... 8 times "median" whose error by `selection`, on at most 4096 rows, is
        within a thousandth of the smallest. The other values are as in :class:`bochner.RandomFeatures`.
    kernel, map, coupling, n_components, gamma, random_state, params, target_error, max_components
        As in :class:`bochner.RandomFeatures`; the map must treat both sides alike. Nothing is planned: "auto" is the
        default map of the kernel (``trigonometric`` if the kernel depends on x - y; ``cosine`` for an odd length) and
        ``orthogonal`` (``iid`` if the law of W is not isotropic). In :meth:`partial_fit` the first batch decides the
        features.

    Attributes
    ----------
    coef_ : array of shape (D,) or (n_targets, D)
    intercept_ : float or array of shape (n_targets,)
    alpha_ : float
        The penalty that was used.
    alphas_, errors_ : arrays
        The penalties it was chosen from, descending, and their mean squared errors, summed over targets; empty if alpha
        was given.
    lengthscales_, lengthscale_errors_ : arrays
        The lengthscales that a search tried, descending, and their mean squared errors; only after a search.
    jitter_ : float
        Number added to the diagonal, beyond alpha, where the factorisation would otherwise fail; usually 0.
    condition_ : float
        Condition number of the equation that was solved.
    features_, n_components_, m_, gamma_, lengthscale_, n_features_in_, feature_names_in_
        As in :class:`bochner.RandomFeatures`.

    Examples
    --------
    >>> from bochner import KernelRidge
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=500)
    >>> model = KernelRidge(n_components=64, random_state=0).fit(X, y)
    >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    _LEARNER = "ridge"
    _SEARCHED = ("search",)
    _SOLUTION = ("coef_", "intercept_", "alpha_", "jitter_", "condition_", "alphas_", "errors_")

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelRidge":
        """Fits to rows in memory; rows from earlier calls are forgotten.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,) or (n, n_targets)
        sample_weight : array of shape (n,), default ones
            Numbers >= 0; a row of weight 0 counts as absent.

        Returns
        -------
        KernelRidge
            The object itself.

        Examples
        --------
        With fewer rows than components the dual equation is solved, whose size is the number of rows:

        >>> from bochner import KernelRidge
        >>> model = KernelRidge(n_components=100, alpha=1e-3, random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
        >>> model.predict([[1.0]]).round(1)
        array([1.])
        """
        options = self._options("leave_one_out")
        X, Y, weights = self._rows(X, y, sample_weight, first=True)
        self._draw(X, weights, self._search(X, Y, weights, options), functions=Y.shape[1], **self._sums())
        self._gathered, self._loaded = None, False
        self._publish(_core.fit_kernel_ridge(self.features_._core, as_matrix(X), Y, as_weights(weights), options))
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelRidge":
        """Adds a batch of rows; after any number of batches the model is that of all their rows.

        The first batch decides the features, including gamma="scale" and other rules. The equation is solved when the
        solution is first needed, so batches may be small. After :meth:`fit`, which keeps no rows, this starts anew.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,) or (n, n_targets)
        sample_weight : array of shape (n,), default ones

        Returns
        -------
        KernelRidge
            The object itself.

        Examples
        --------
        >>> from bochner import KernelRidge
        >>> import numpy as np
        >>> X = np.linspace(0, 6, 500)[:, None]
        >>> model = KernelRidge(n_components=64, lengthscale=1.0, random_state=0)
        >>> for rows in (slice(None, None, 2), slice(1, None, 2)):
        ...     model = model.partial_fit(X[rows], np.sin(X[rows, 0]))
        >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.01)
        True
        """
        options = self._options("folds")
        first = self._is_first_batch()
        X, Y, weights = self._rows(X, y, sample_weight, first=first)
        if first:
            folds = as_count(self.n_folds, "n_folds", least=2)
            search = self._search(X, Y, weights, options)
            self._draw(X, weights, search, functions=Y.shape[1], **self._sums(folds))
            self._gathered = _core.FoldGram(self.features_.outputs, Y.shape[1], folds)
        self._gathered.add(self.features_._core, as_matrix(X), Y, as_weights(weights))
        self._forget()
        return self

    def merge(self, other: "KernelRidge") -> "KernelRidge":
        """Adds the rows that another model has seen, as if they had been added here in batches.

        Parameters
        ----------
        other : KernelRidge
            Another model with the same features: it has the same parameters, an int as random_state and a lengthscale
            that is given, not found from data.

        Returns
        -------
        KernelRidge
            The object itself.

        Examples
        --------
        >>> from bochner import KernelRidge
        >>> import numpy as np
        >>> X = np.linspace(0, 6, 500)[:, None]
        >>> words = dict(n_components=64, lengthscale=1.0, random_state=0)
        >>> left, right = (
        ...     KernelRidge(**words).partial_fit(rows, np.sin(rows[:, 0])) for rows in (X[:250], X[250:])
        ... )
        >>> bool(abs(left.merge(right).predict(X) - np.sin(X[:, 0])).max() < 0.01)
        True
        """
        self._merge(other)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """f at every row of X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,) or (n, n_targets)
            Of X's dtype, in the shape of the fitted targets.

        Examples
        --------
        >>> from bochner import KernelRidge
        >>> model = KernelRidge(n_components=4, alpha=0.1, random_state=0)
        >>> model.fit([[0.0], [1.0]], [[1, 2], [1, 2]]).predict([[3.0]])
        array([[1., 2.]])
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        coef, intercept = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)
        result = in_type_of(X, _core.predict(self.features_._core, coef, list(intercept), self._rows_for_features(X)))
        return result[:, 0] if self._flat else result

    def _solve(self) -> dict[str, Any]:
        return _core.fit_kernel_ridge(self._gathered, self._options("folds"))

    def _publish(self, fit: dict[str, Any]) -> None:
        self.coef_ = fit["coef"][0] if self._flat else fit["coef"]
        self.intercept_ = fit["intercept"][0] if self._flat else np.array(fit["intercept"])
        self.alpha_, self.jitter_, self.condition_ = fit["alpha"], fit["jitter"], fit["condition"]
        self.alphas_, self.errors_ = np.array(fit["alphas"]), np.array(fit["errors"])
        warn_of(fit["notes"])

    def _needs_pairs(self) -> bool:
        return super()._needs_pairs() or self._searches()

    def _searches(self) -> bool:
        return isinstance(self.lengthscale, str) and self.lengthscale == "search"

    def _sums(self, folds: int = 0) -> dict[str, int]:
        """What the memory of the fit depends on: folds whose sums are kept apart, and rows of a search."""
        if isinstance(self.alpha, str) and isinstance(self.selection, str) and self.selection == "folds":
            folds = as_count(self.n_folds, "n_folds", least=2)
        return {"folds": folds, "search_rows": 4096 if self._searches() else 0}

    def _search(self, X: Any, Y: Any, weights: Any, options: _core.KernelRidgeOptions) -> Any:
        def search(spec: _core.Spec) -> float:
            found = _core.search_ridge_lengthscale(spec, as_matrix(X), Y, as_weights(weights), options)
            self.lengthscales_, self.lengthscale_errors_ = np.array(found["tried"]), np.array(found["errors"])
            return found["lengthscale"]

        return search if self._searches() else None

    def _options(self, automatic: str) -> _core.KernelRidgeOptions:
        return _core.KernelRidgeOptions(
            alpha=None if isinstance(self.alpha, str) and self.alpha == "auto" else as_alpha(self.alpha),
            selection=automatic if isinstance(self.selection, str) and self.selection == "auto" else self.selection,
            path=[] if self.alphas is None else _as_path(self.alphas),
            folds=as_count(self.n_folds, "n_folds", least=2),
            intercept=bool(self.fit_intercept),
        )
