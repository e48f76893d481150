# SPDX-License-Identifier: Apache-2.0
"""Gaussian process regression at linear cost."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._arguments import as_count, as_number
from bochner._arrays import as_matrix, in_type_of
from bochner.estimators._gathered_rows import GatheredRows
from bochner.estimators._posterior_functions import PosteriorDraws, warn_of_variances
from bochner.estimators._samples import ReadableScores, as_weights, validated

_PRIORS = ("features", "exact")


class GaussianProcess(PosteriorDraws, GatheredRows, ReadableScores, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Gaussian process regression on random features: O(n D^2) time and O(D^2) memory, D = n_components.

    y = f(x) + noise, where f has the prior covariance signal_variance phi(x) . phi(y) ~ signal_variance k(x, y). Means
    and variances are exactly those of this model. Variances and lengthscales that are not given are chosen to maximise
    the likelihood of the targets.

    Parameters
    ----------
    noise_variance, signal_variance : float or "auto", default "auto"
        > 0; with ``normalize_y`` in units of the squared deviation of each target. "auto" maximises the marginal
        likelihood, with one eigendecomposition and a signal variance of at most 10.
    normalize_y : bool, default True
        Subtract the mean of each target and divide by its deviation, ``y_scale_``; predictions and standard
        deviations are in units of y.
    prior_variance : {"features", "exact"}, default "features"
        The prior variance of f(x) from which posterior variances are computed: signal_variance |phi(x)|^2 or
        signal_variance k(x, x). They are equal for ``trigonometric``. For other maps the second has no error from the
        features, and posterior variances below 0 become 0.
    lengthscale : float, array, "search", "ard", "scale", "median" or "neighbour", default "search"
        "search" finds one number and "ard" one per column by the marginal likelihood on a sample of the rows. Both
        start from "scale", take steps of 2^(1/8) or more, and keep the mean distance between rows at least a quarter of
        the lengthscale. The other values are as in :class:`bochner.RandomFeatures`.
    search_rows : int, default 4096
        Largest number of rows in that sample.
    max_evaluations : int, default 200
        Largest number of evaluations of the marginal likelihood in a search.
    kernel, map, coupling, n_components, gamma, random_state, params, target_error, max_components
        As in :class:`bochner.RandomFeatures`; the map must treat both sides alike. Nothing is planned: "auto" is the
        default map of the kernel (``trigonometric`` if the kernel depends on x - y; ``cosine`` for an odd length) and
        ``orthogonal`` (``iid`` if the law of W is not isotropic). A number for gamma needs lengthscale=None.

    Attributes
    ----------
    coef_ : array of shape (D,) or (n_targets, D)
        Posterior mean of the weights of the features.
    intercept_ : float or array of shape (n_targets,)
        Means of the targets; 0 without ``normalize_y``.
    noise_variance_, signal_variance_ : float
        The variances that were given or found, for normalised targets; multiply by ``y_scale_**2`` to get units of y.
    y_scale_ : float or array of shape (n_targets,)
        The number that each target was divided by: its deviation, or 1 for a constant target and without
        ``normalize_y``.
    log_marginal_likelihood_value_ : float
        For normalised targets, summed over them.
    features_, n_components_, m_, gamma_, lengthscale_, n_features_in_, feature_names_in_
        As in :class:`bochner.RandomFeatures`.

    Examples
    --------
    >>> from bochner import GaussianProcess
    >>> import numpy as np
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=200)
    >>> model = GaussianProcess(n_components=64, random_state=0).fit(X, y)
    >>> bool(0.08 < model.y_scale_ * model.noise_variance_**0.5 < 0.12)
    True
    >>> mean, std = model.predict([[3.0], [30.0]], return_std=True)
    >>> bool(std[0] < 0.05 < 0.5 < std[1])
    True
    """

    _LEARNER = "gp"
    _SEARCHED = ("search", "ard")
    _VARIANCES = ("noise_variance_", "signal_variance_", "log_marginal_likelihood_value_")
    _SOLUTION = ("coef_", "intercept_", "y_scale_", "_posterior", *_VARIANCES)

    def __init__(
        self,
        *,
        noise_variance: float | str = "auto",
        signal_variance: float | str = "auto",
        normalize_y: bool = True,
        prior_variance: str = "features",
        search_rows: int = 4096,
        max_evaluations: int = 200,
        kernel: str = "gaussian",
        map: str = "auto",
        coupling: str = "auto",
        n_components: int | str = 1024,
        gamma: float | str | None = "scale",
        lengthscale: npt.ArrayLike | str | None = "search",
        random_state: Any = None,
        params: dict[str, Any] | None = None,
        target_error: float | None = None,
        max_components: int = 65_536,
    ) -> None:
        self.noise_variance = noise_variance
        self.signal_variance = signal_variance
        self.normalize_y = normalize_y
        self.prior_variance = prior_variance
        self.search_rows = search_rows
        self.max_evaluations = max_evaluations
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "GaussianProcess":
        """Fits to rows in memory.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,) or (n, n_targets)
            Several targets, each divided by its deviation, share variances and lengthscales.
        sample_weight : array of shape (n,), default ones
            Numbers >= 0. A row of weight w stands for w equal rows: its noise has variance noise_variance / w, and it
            counts w times in the likelihood.

        Returns
        -------
        GaussianProcess
            The object itself.

        Examples
        --------
        Which columns matter? A column that does not has a large lengthscale.

        >>> from bochner import GaussianProcess
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal(size=(150, 2))
        >>> model = GaussianProcess(n_components=64, lengthscale="ard", random_state=0).fit(X, np.sin(X[:, 0]))
        >>> bool(model.lengthscale_[1] > 4 * model.lengthscale_[0])
        True
        """
        options, self._exact_prior = self._options(), self._exact()
        X, Y, weights = self._rows(X, y, sample_weight, first=True)
        self._draw(X, weights, self._search(X, Y, weights, options), functions=Y.shape[1], **self._sample())
        self._gathered, self._loaded = None, False
        self._publish(_core.fit_gaussian_process(self.features_._core, as_matrix(X), Y, as_weights(weights), options))
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "GaussianProcess":
        """Adds a batch of rows; after any number of batches the model is that of all their rows.

        The first batch decides the features, including a lengthscale that is searched for; all batches decide the
        variances. The posterior is computed when it is first needed, so batches may be small. After :meth:`fit`, which
        keeps no rows, this starts anew.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,) or (n, n_targets)
        sample_weight : array of shape (n,), default ones

        Returns
        -------
        GaussianProcess
            The object itself.

        Examples
        --------
        >>> from bochner import GaussianProcess
        >>> import numpy as np
        >>> X = np.linspace(0, 6, 200)[:, None]
        >>> model = GaussianProcess(n_components=64, lengthscale=1.0, random_state=0)
        >>> for rows in (slice(None, None, 2), slice(1, None, 2)):
        ...     model = model.partial_fit(X[rows], np.sin(X[rows, 0]))
        >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.01)
        True
        """
        options, self._exact_prior = self._options(), self._exact()
        first = self._is_first_batch()
        X, Y, weights = self._rows(X, y, sample_weight, first=first)
        if first:
            search = self._search(X, Y, weights, options)
            self._draw(X, weights, search, functions=Y.shape[1], gathered=True, **self._sample())
            self._gathered = _core.Gram(self.features_.outputs, Y.shape[1])
        self._gathered.add(self.features_._core, as_matrix(X), Y, as_weights(weights))
        self._forget()
        return self

    def merge(self, other: "GaussianProcess") -> "GaussianProcess":
        """Adds the rows that another model has seen, as if they had been added here in batches.

        Parameters
        ----------
        other : GaussianProcess
            Another model with the same features: it has the same parameters, an int as random_state and a lengthscale
            that is given, not found from data.

        Returns
        -------
        GaussianProcess
            The object itself.

        Examples
        --------
        >>> from bochner import GaussianProcess
        >>> import numpy as np
        >>> X = np.linspace(0, 6, 200)[:, None]
        >>> words = dict(map="trigonometric", coupling="iid", n_components=64, lengthscale=1.0, random_state=0)
        >>> left, right = (
        ...     GaussianProcess(**words).partial_fit(rows, np.sin(rows[:, 0])) for rows in (X[:100], X[100:])
        ... )
        >>> bool(abs(left.merge(right).predict(X) - np.sin(X[:, 0])).max() < 0.01)
        True
        """
        self._merge(other)
        return self

    def predict(self, X: Any, return_std: bool = False, include_noise: bool = False) -> Any:
        """Posterior mean of f at every row of X, and its standard deviation.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        return_std : bool, default False
        include_noise : bool, default False
            Whether standard deviations are those of a new y instead of those of f.

        Returns
        -------
        array of shape (n,) or (n, n_targets), or two of them
            Of X's dtype, in the shape of the fitted targets. A warning counts the variances below 0 that became 0.

        Examples
        --------
        >>> from bochner import GaussianProcess
        >>> given = dict(noise_variance=0.01, signal_variance=1.0, lengthscale=1.0)
        >>> model = GaussianProcess(n_components=64, random_state=0, **given)
        >>> mean, std = model.fit([[0.0], [1.0]], [0.0, 1.0]).predict([[0.0], [9.0]], return_std=True)
        >>> std.round(2)
        array([0.05, 0.5 ])
        """
        X = self._validated(X)
        rows = self._rows_for_features(X)
        coef, intercept = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)
        mean = in_type_of(X, _core.predict(self.features_._core, coef, list(intercept), rows))
        if not return_std:
            return mean[:, 0] if self._flat else mean
        variances, clamped = self._posterior.variance(self.features_._core, rows, self._exact_prior)
        if clamped and self._exact_prior:
            warn_of_variances(clamped, len(rows))
        noise = self.noise_variance_ * np.square(self._posterior.y_scale) if include_noise else 0.0
        std = in_type_of(X, np.sqrt(variances + noise))
        return (mean[:, 0], std[:, 0]) if self._flat else (mean, std)

    def _solve(self) -> _core.GaussianProcessFit:
        return _core.fit_gaussian_process(self._gathered, self._options())

    def _publish(self, fit: _core.GaussianProcessFit) -> None:
        self._posterior = fit
        self.coef_ = fit.coef[0] if self._flat else fit.coef
        self.intercept_ = fit.intercept[0] if self._flat else np.array(fit.intercept)
        self.y_scale_ = fit.y_scale[0] if self._flat else np.array(fit.y_scale)
        self.noise_variance_, self.signal_variance_ = fit.noise_variance, fit.signal_variance
        self.log_marginal_likelihood_value_ = fit.log_marginal_likelihood

    def _validated(self, X: Any) -> npt.NDArray[Any]:
        check_is_fitted(self)
        return as_matrix(validated(self, X, reset=False))

    def _sample(self) -> dict[str, int]:
        searches = isinstance(self.lengthscale, str) and self.lengthscale in self._SEARCHED
        return {"search_rows": as_count(self.search_rows, "search_rows", least=2)} if searches else {}

    def _search(self, X: Any, Y: Any, weights: Any, options: _core.GaussianProcessOptions) -> Any:
        word = self.lengthscale
        if not isinstance(word, str) or word not in self._SEARCHED:
            return None
        rows = as_count(self.search_rows, "search_rows", least=2)
        most = as_count(self.max_evaluations, "max_evaluations")

        def search(spec: _core.Spec) -> Any:
            found = _core.likeliest_lengthscale(
                spec, as_matrix(X), Y, as_weights(weights), options, word == "ard", rows, most
            )["lengthscale"]
            return found[0] if word == "search" else np.array(found)

        return search

    def _exact(self) -> bool:
        if self.prior_variance not in _PRIORS:
            raise ValueError(f"prior_variance is {self.prior_variance!r}; expected 'features' or 'exact'")
        return self.prior_variance == "exact"

    def _options(self) -> _core.GaussianProcessOptions:
        return _core.GaussianProcessOptions(
            noise_variance=_as_variance(self.noise_variance, "noise_variance"),
            signal_variance=_as_variance(self.signal_variance, "signal_variance"),
            normalise=bool(self.normalize_y),
        )


def _as_variance(value: Any, name: str) -> float | None:
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name} is {value!r}; expected 'auto' or a finite number > 0")
        return None
    return as_number(value, name)
