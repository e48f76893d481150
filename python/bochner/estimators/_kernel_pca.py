# SPDX-License-Identifier: Apache-2.0
"""Kernel principal components at linear cost."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._arguments import as_count
from bochner._arrays import as_matrix, in_type_of
from bochner.estimators._feature_choice import FeatureChoice
from bochner.estimators._gathered_rows import refuse_loaded
from bochner.estimators._samples import as_weights, drop_weightless, validated

_SOLUTION = (
    "components_",
    "mean_",
    "explained_variance_",
    "explained_variance_ratio_",
    "_projection",
    "_offset",
    "_total_variance",
)


class KernelPCA(FeatureChoice, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel PCA on random features: n rows cost O(n D^2) time and O(D^2) memory, D = n_features.

    Principal components of phi(x) about its mean: centred kernel PCA with the kernel phi(x) . phi(y) ~ k(x, y).

    Parameters
    ----------
    n_components : int, default 2
        Number of components, from 1 to n_features.
    n_features : int or "auto", default 1024
        Length of the feature vector, which :class:`bochner.RandomFeatures` calls n_components; "auto" needs
        `target_error`.
    kernel, map, coupling, gamma, lengthscale, random_state, params, target_error, max_components
        As in :class:`bochner.RandomFeatures`; the map must treat both sides alike. Nothing is planned: "auto" is the
        default map of the kernel (``trigonometric`` if the kernel depends on x - y; ``cosine`` for an odd length) and
        ``orthogonal`` (``iid`` if the law of W is not isotropic). max_components bounds n_features="auto". In
        :meth:`partial_fit` the first batch decides the features.

    Attributes
    ----------
    components_ : array of shape (n_components, D)
        Orthonormal directions in feature space; the largest entry of each in absolute value is positive.
    mean_ : array of shape (D,)
        The mean of the features.
    explained_variance_ : array of shape (n_components,)
        The variance along each component, descending, with n - 1 degrees of freedom; n is the sum of the weights.
    explained_variance_ratio_ : array of shape (n_components,)
        The same divided by the variance of the features; zeros if that is zero.
    n_components_ : int
    features_, n_features_, m_, gamma_, lengthscale_, n_features_in_, feature_names_in_
        As in :class:`bochner.RandomFeatures`.

    Examples
    --------
    No line separates two rings, but the first component does:

    >>> from bochner import KernelPCA
    >>> from sklearn.datasets import make_circles
    >>> X, ring = make_circles(400, factor=0.3, noise=0.05, random_state=0)
    >>> T = KernelPCA(n_components=1, n_features=256, lengthscale=0.4, random_state=0).fit_transform(X)
    >>> inner, outer = T[ring == 1], T[ring == 0]
    >>> bool(inner.min() > outer.max() or inner.max() < outer.min())
    True
    """

    _LENGTH = "n_features"
    _LEARNER = "pca"

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_features: int | str = 1024,
        kernel: str = "gaussian",
        map: str = "auto",
        coupling: str = "auto",
        gamma: float | str | None = "scale",
        lengthscale: npt.ArrayLike | str | None = None,
        random_state: Any = None,
        params: dict[str, Any] | None = None,
        target_error: float | None = None,
        max_components: int = 65_536,
    ) -> None:
        self.n_components = n_components
        self.n_features = n_features
        self.kernel = kernel
        self.map = map
        self.coupling = coupling
        self.gamma = gamma
        self.lengthscale = lengthscale
        self.random_state = random_state
        self.params = params
        self.target_error = target_error
        self.max_components = max_components

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "KernelPCA":
        """Finds the components of the rows of X; rows from earlier calls are forgotten.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : ignored
        sample_weight : array of shape (n,), default ones
            How often each row counts, >= 0.

        Returns
        -------
        KernelPCA
            The object itself.

        Examples
        --------
        >>> from bochner import KernelPCA
        >>> KernelPCA(1, n_features=4, random_state=0).fit([[0.0], [1.0], [2.0]]).components_.shape
        (1, 4)
        """
        self._gram, self._loaded = None, False
        self.partial_fit(X, sample_weight=sample_weight)
        self._solve()
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "KernelPCA":
        """Adds a batch of rows; the components are computed when they are first needed.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : ignored
        sample_weight : array of shape (n,), default ones

        Returns
        -------
        KernelPCA
            The object itself.

        Examples
        --------
        >>> from bochner import KernelPCA
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> words = dict(n_features=16, map="trigonometric", coupling="iid", lengthscale=1.0, random_state=0)
        >>> batches = KernelPCA(2, **words).partial_fit(X[:30]).partial_fit(X[30:])
        >>> bool(np.allclose(batches.transform(X), KernelPCA(2, **words).fit_transform(X)))
        True
        """
        refuse_loaded(self)
        first = getattr(self, "_gram", None) is None
        least = 2 if first and self._needs_pairs() else 1
        X = validated(self, X, reset=first, ensure_min_samples=least)
        X, none, weights = drop_weightless(X, np.empty((len(X), 0)), sample_weight)
        if first:
            if len(X) < least:
                raise ValueError(f"sample_weight has {len(X)} numbers > 0; expected at least {least}")
            self._draw(X, weights, gathered=True)
            count, outputs = as_count(self.n_components, "n_components"), self.features_.outputs
            if count > outputs:
                raise ValueError(f"n_components is {count}; expected at most n_features, {outputs}")
            self._count = self.n_components_ = count
            self._gram = _core.Gram(outputs, 0)
        self._gram.add(self.features_._core, as_matrix(X), none, as_weights(weights))
        self._forget()
        return self

    def merge(self, other: "KernelPCA") -> "KernelPCA":
        """Adds the rows that another model with the same features has seen.

        Parameters
        ----------
        other : KernelPCA
            It has the same parameters, an int as random_state and a lengthscale that is given, not found from data.

        Returns
        -------
        KernelPCA
            The object itself.

        Examples
        --------
        >>> from bochner import KernelPCA
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> words = dict(n_features=16, map="trigonometric", coupling="iid", lengthscale=1.0, random_state=0)
        >>> merged = KernelPCA(2, **words).fit(X[:30]).merge(KernelPCA(2, **words).fit(X[30:]))
        >>> bool(np.allclose(merged.transform(X), KernelPCA(2, **words).fit_transform(X)))
        True
        """
        for model, name in ((self, "self"), (other, "other")):
            if not isinstance(model, KernelPCA) or getattr(model, "_gram", None) is None:
                raise ValueError(f"{name} is {model!r}; expected a fitted KernelPCA, not one from a file")
        if other.features_.spec != self.features_.spec:
            raise ValueError(f"other has the features {other.features_!r}; expected {self.features_!r}")
        self._gram.merge(other._gram)
        self._forget()
        return self

    def transform(self, X: Any) -> Any:
        """Projections of every row of X onto the components.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, n_components)
            float32 for float32 input, else float64; a data frame after ``set_output``.

        Examples
        --------
        >>> from bochner import KernelPCA
        >>> KernelPCA(1, n_features=4, random_state=0).fit_transform([[0.0], [1.0], [2.0]]).shape
        (3, 1)
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        rows = self._rows_for_features(X)
        return in_type_of(X, _core.predict(self.features_._core, self._projection, self._offset, rows))

    @property
    def _n_features_out(self) -> int:
        return self._count

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getattr__(self, name: str) -> Any:
        if name not in _SOLUTION or self.__dict__.get("_gram") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._solve()
        return self.__dict__[name]

    def _solve(self) -> None:
        self._publish(_core.fit_kernel_pca(self._gram, self._count))

    def _publish(self, fit: dict[str, Any]) -> None:
        self.components_ = self._projection = fit["components"]
        self._offset = fit["offset"]
        self.mean_ = np.array(fit["mean"])
        self.explained_variance_ = np.array(fit["explained_variance"])
        self._total_variance = total = fit["total_variance"]
        self.explained_variance_ratio_ = self.explained_variance_ / (total if total > 0 else 1.0)

    def _forget(self) -> None:
        for name in _SOLUTION:
            self.__dict__.pop(name, None)
