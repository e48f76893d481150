# SPDX-License-Identifier: Apache-2.0
"""Kernel support vector machines at linear cost."""

from typing import Any

import numpy.typing as npt

from bochner.estimators._linear_classifier import LinearClassifier


class KernelSVC(LinearClassifier):
    """Kernel support vector classification on random features, O(n D) time a pass, D = n_components.

    For each class against the rest, Newton's method minimises |coef|^2 / 2 + C sum_i w_i max(0, 1 - y_i f(x_i))^2 with
    f(x) = coef . phi(x) + intercept. This is the objective of scikit-learn's ``LinearSVC`` on the features, without its
    penalty on the intercept. Features beyond ``cache_size`` are computed again in every pass. The result has the same
    bits for any number of threads.

    Parameters
    ----------
    C : float, default 1.0
        Weight of the losses relative to the penalty, > 0.
    class_weight : dict, "balanced" or None, default None
        Weights of classes, which multiply the weights of their rows; with "balanced" all classes have the same total
        weight.
    tol : float, default 1e-4
        Newton's method stops when the norm of the gradient is at most this fraction of its norm at zero weights. For
        one class against the rest the fraction is multiplied by the share of the rarer of the two.
    max_iter : int, default 100
        Largest number of steps of Newton's method. If it is not enough, a ``ConvergenceWarning`` is given.
    fit_intercept : bool, default True
        The intercept has no penalty.
    cache_size : float, default 200
        Megabytes for features of the first rows, which are kept from pass to pass; those of the other rows are computed
        again. It changes the time, not the result.
    kernel, map, coupling, n_components, gamma, lengthscale, random_state, params, target_error, max_components
        As in :class:`bochner.RandomFeatures`; the map must treat both sides alike. Nothing is planned: "auto" is the
        default map of the kernel (``trigonometric`` if the kernel depends on x - y; ``cosine`` for an odd length) and
        ``orthogonal`` (``iid`` if the law of W is not isotropic).

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_classes, D), or (1, D) for two classes
    intercept_ : array of shape (n_classes,), or (1,) for two classes
    n_iter_ : int
        Number of steps of Newton's method.
    converged_ : bool
    objective_, gradient_norm_ : float
        For all classes together, at the solution.
    features_, n_components_, m_, gamma_, lengthscale_, n_features_in_, feature_names_in_
        As in :class:`bochner.RandomFeatures`.

    Examples
    --------
    >>> from bochner import KernelSVC
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = KernelSVC(n_components=128, lengthscale=0.5, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.98)
    True
    """

    _LEARNER = "svc"

    def __init__(
        self,
        *,
        C: float = 1.0,
        class_weight: dict[Any, float] | str | None = None,
        tol: float = 1e-4,
        max_iter: int = 100,
        fit_intercept: bool = True,
        cache_size: float = 200,
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
        self.C = C
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.cache_size = cache_size
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelSVC":
        """Fits to rows in memory.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,)
            Labels of any type, at least two of them.
        sample_weight : array of shape (n,), default ones
            Numbers >= 0; a row of weight 0 counts as absent.

        Returns
        -------
        KernelSVC
            The object itself.

        Examples
        --------
        >>> from bochner import KernelSVC
        >>> model = KernelSVC(n_components=64, C=10, random_state=0).fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])
        >>> model.predict([[0.9], [2.1]])
        array(['b', 'a'], dtype='<U1')
        """
        self._fit(X, y, sample_weight)
        return self

    def decision_function(self, X: Any) -> npt.NDArray[Any]:
        """f of every class at every row of X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, n_classes), or (n,) for two classes
            For two classes f of the second, which is predicted if f > 0.

        Examples
        --------
        >>> from bochner import KernelSVC
        >>> model = KernelSVC(n_components=64, random_state=0).fit([[0.0], [1.0]], [0, 1])
        >>> model.decision_function([[0.0], [1.0]]) > 0
        array([False,  True])
        """
        return self._decision(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class with the largest f at every row of X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> from bochner import KernelSVC
        >>> KernelSVC(n_components=64, random_state=0).fit([[0.0], [1.0]], [5, 7]).predict([[0.9]])
        array([7])
        """
        return self._predicted(X)

    def _loss(self) -> str:
        return "squared_hinge"
