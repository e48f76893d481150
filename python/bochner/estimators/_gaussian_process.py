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
    and variances are those of this model, exactly. Variances and lengthscales that are not given are those that make
    the targets most likely.

    Parameters
    ----------
    noise_variance, signal_variance : float or "auto", default "auto"
        > 0, in units of the squared deviation of each target where ``normalize_y``; "auto" maximises the marginal
        likelihood, from one eigendecomposition, a signal of at most 10.
    normalize_y : bool, default True
        Subtract the mean of each target and divide by its deviation, ``y_scale_``; predictions and standard
        deviations are in units of y.
    prior_variance : {"features", "exact"}, default "features"
        From which variance of f(x) before the data its variance after them is counted: signal_variance |phi(x)|^2 or
        signal_variance k(x, x). They are equal for ``trigonometric``; elsewhere the second has no noise of its own
        and is cut at 0.
    lengthscale : float, array, "search", "ard", "scale", "median" or "neighbour", default "search"
        "search" finds one number and "ard" one per column by the marginal likelihood, from "scale" on, by steps of
        2^(1/8) and more on a sample of the rows, where these are a quarter of it apart or more in the mean; the others
        as in :class:`bochner.RandomFeatures`.
    search_rows : int, default 4096
        Most rows of that sample.
    max_evaluations : int, default 200
        Most values of the marginal likelihood that a search asks for.
    kernel, map, coupling, n_components, gamma, random_state, params, target_error, max_components
        As in :class:`bochner.RandomFeatures`; the map must treat both sides alike. "auto" is the default map
        of the kernel (``trigonometric`` where the kernel depends on x - y; ``cosine`` for an odd length) and
        ``orthogonal`` (``iid`` where the law of W is not isotropic): nothing is planned. A number as gamma
        needs lengthscale=None.

    Attributes
    ----------
    coef_ : array of shape (D,) or (n_targets, D)
        Posterior mean of the weights of features.
    intercept_ : float or array of shape (n_targets,)
        Means of the targets, or 0.
    noise_variance_, signal_variance_ : float
        What was given or found, of normalised targets: times ``y_scale_**2`` in units of y.
    y_scale_ : float or array of shape (n_targets,)
        What each target was divided by: its deviation; 1 for a constant target and without ``normalize_y``.
    log_marginal_likelihood_value_ : float
        Of normalised targets, summed over them.
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
            Several targets, each over its deviation, share variances and lengthscales.
        sample_weight : array of shape (n,), default ones
            Numbers >= 0; a row of weight w stands for w equal rows: its noise has the variance noise_variance / w, and
            the likelihood counts it w times.

        Returns
        -------
        GaussianProcess
            The object itself.

        Examples
        --------
        Which columns matter: the lengthscale of one that does not is large.

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

        Features, and with them a lengthscale that is searched for, follow from the first batch; the variances are found
        from all of them. The posterior is found when it is first asked for, so batches may be small. After :meth:`fit`,
        which keeps no rows, it starts anew.

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
        """Adds the rows that another model has seen, as if they had come here in batches.

        Parameters
        ----------
        other : GaussianProcess
            With the same features: the same parameters, an int as random_state and a scale that is given: the rules of
            scale follow from data.

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
            Standard deviations of a new y instead of those of f.

        Returns
        -------
        array of shape (n,) or (n, n_targets), or two of them
            Of X's dtype, in the shape of the targets of the fit. A warning counts exact variances that were cut at 0.

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
