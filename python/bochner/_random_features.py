# SPDX-License-Identifier: Apache-2.0
"""The scikit-learn face of random features."""

import math
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner import _core
from bochner._arguments import as_count, as_lengthscale, as_name, as_parameters
from bochner._arrays import as_matrix
from bochner._features import Features
from bochner._make_features import features
from bochner._lengthscale import lengthscale
from bochner._plan import Plan

_DTYPES = (np.float64, np.float32)


class RandomFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Random features as a scikit-learn transformer, a drop-in replacement of ``RBFSampler``.

    k(x, y) ~ phi(x) . phi(y). With the Gaussian kernel k(x, y) = exp(-gamma |x - y|^2) = exp(-|x - y|^2 / (2 sigma^2)):
    a linear model on the transformed data is a kernel model at linear cost.

    Parameters
    ----------
    kernel : str, default "gaussian"
        One of :func:`bochner.kernels`.
    map : str, default "auto"
        One of :func:`bochner.maps`; "auto" is the one with the least predicted error on X, see :func:`bochner.plan`.
    coupling : str, default "auto"
        One of :func:`bochner.couplings`; "auto" as for the map.
    n_components : int or "auto", default 1024
        Length of the feature vector; for an explicit map a multiple of its width (2 for ``trigonometric``). "auto" is the
        shortest one with `target_error`.
    gamma : float or "scale", default "scale"
        1 / (2 sigma^2). "scale" is 1 / (d var(X)), as in scikit-learn; 1 when X is constant.
    lengthscale : float, array of shape (d,), "scale", "median" or "neighbour", default None
        sigma, instead of gamma: with it gamma must be left at "scale" or be None. A vector divides the coordinates;
        a word finds one number from data, see :func:`bochner.lengthscale` ("scale" is the sigma of gamma="scale").
    random_state : int, RandomState or None
        An int is the seed of the features, from 0 to 2**64 - 1; from anything else a seed is drawn. The sample of rows
        that "median" and "neighbour" look at follows it too.
    params : dict, default None
        What the kernel, the map or the coupling takes beside that, as :func:`bochner.features` does. With parameters of
        a map or coupling, "auto" is not planned: it is ``trigonometric`` (``cosine`` when n_components is odd) and
        ``orthogonal`` where the kernel allows.
    target_error : float, default None
        With n_components="auto": the wanted root mean square error of phi(x) . phi(y) over pairs of rows.

    Attributes
    ----------
    features_ : bochner.Features
        The features that were drawn.
    m_ : int
        Number of random directions: n_components divided by the map's width.
    gamma_, lengthscale_ : float or array
        The scale that is used, gamma_ = 1 / (2 lengthscale_^2).
    n_features_in_ : int
    feature_names_in_ : array of str
        Only when X had column names.

    Examples
    --------
    >>> from bochner import RandomFeatures
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = make_pipeline(RandomFeatures(n_components=256, random_state=0), RidgeClassifier())
    >>> bool(model.fit(X, y).score(X, y) > 0.97)
    True
    """

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        map: str = "auto",
        coupling: str = "auto",
        n_components: int | str = 1024,
        gamma: float | str | None = "scale",
        lengthscale: npt.ArrayLike | str | None = None,
        random_state: Any = None,
        params: dict[str, Any] | None = None,
        target_error: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.map = map
        self.coupling = coupling
        self.n_components = n_components
        self.gamma = gamma
        self.lengthscale = lengthscale
        self.random_state = random_state
        self.params = params
        self.target_error = target_error

    def fit(self, X: Any, y: Any = None) -> "RandomFeatures":
        """Draws the features; from X come what is "auto", a scale that is to be found from data, the number of columns.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : ignored

        Returns
        -------
        RandomFeatures
            The object itself.

        Examples
        --------
        >>> from bochner import RandomFeatures
        >>> RandomFeatures(n_components=10, gamma=2.0).fit([[0.0], [1.0]]).m_
        5
        """
        X = validate_data(self, X, dtype=_DTYPES, ensure_min_samples=2 if self._needs_pairs() else 1)
        seed = self._seed()
        gamma, sigma = self._scale(X, seed)
        planned = self._planned(X, seed, sigma)
        self.features_ = features(**planned) if planned else self._chosen(X, seed, sigma)
        self.m_ = self.features_.m
        self.gamma_ = gamma
        self.lengthscale_ = sigma
        return self

    def transform(self, X: Any) -> Any:
        """phi of every row of X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, n_components)
            float32 for float32 input, else float64; a data frame after ``set_output``.

        Examples
        --------
        >>> from bochner import RandomFeatures
        >>> RandomFeatures(n_components=10).fit_transform([[0.0], [1.0]]).shape
        (2, 10)
        """
        check_is_fitted(self)
        # The library itself refuses what is not finite, in the same pass over X, and names the row and the column.
        X = validate_data(self, X, dtype=_DTYPES, reset=False, ensure_all_finite=False)
        try:
            return self.features_.transform(X)
        except ValueError as refusal:
            if np.isfinite(X).all():
                raise
            raise ValueError(f"Input X contains NaN or infinity: {refusal}") from None

    @property
    def _n_features_out(self) -> int:
        return self.features_.outputs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _planned(self, X: npt.NDArray[Any], seed: int, sigma: Any) -> dict[str, Any] | None:
        """Keyword arguments of the mechanism with the least predicted error; None if everything is given."""
        words = [as_name(self.kernel, "kernel"), as_name(self.map, "map"), as_name(self.coupling, "coupling")]
        shortest = isinstance(self.n_components, str) and self.n_components == "auto"
        if shortest != (self.target_error is not None):
            raise ValueError(
                f"n_components is {self.n_components!r} and target_error is {self.target_error!r}; "
                "expected target_error with n_components='auto', and only then"
            )
        own = {name for line in _core.kernels() for name in (entry["name"] for entry in line["parameters"])}
        given = self.params or {}
        width = 1 if words[1] == "auto" else _core.width(words[1])
        if not shortest and ("auto" not in words[1:] or not set(given) <= own or width == 0):
            return None
        if not shortest and as_count(self.n_components, "n_components") % width:
            return None
        request = _core.PlanRequest()
        request.kernel, request.map, request.coupling = words
        request.lengthscale = as_lengthscale(sigma)
        request.parameters = as_parameters(
            {name: value for name, value in given.items() if name in own}, _core.kernels(), (), "RandomFeatures"
        )
        request.outputs = 0 if shortest else as_count(self.n_components, "n_components")
        request.target = float(self.target_error) if shortest else 0.0
        request.require = ["symmetric"] if words[1] == "auto" else []
        request.exact_only = request.kernel != "angular"
        request.seed = seed
        rows = as_matrix(X)
        plan = Plan(_core.plan(rows, rows, request))
        fitting = (i for i, line in enumerate(plan.table) if request.outputs in (0, line["outputs"]))
        first = next(fitting, None)
        return None if first is None else plan.words(first)

    def _chosen(self, X: npt.NDArray[Any], seed: int, sigma: Any) -> Features:
        """The mechanism that was given, with the default for what was not."""
        made = partial(
            features,
            X.shape[1],
            kernel=self.kernel,
            map=self._map(),
            coupling=self.coupling,
            seed=seed,
            lengthscale=sigma,
            **(self.params or {}),
        )
        # The outputs of one direction: some maps know them only once their parameters have been found from data.
        one = made(m=1)
        m = self._directions(one.spec["map"], (one if one.fitted else one.fit(X)).outputs)
        return made(m=m).fit(X)

    def _map(self) -> str:
        name = as_name(self.map, "map")
        if name != "auto":
            return name
        name = _core.default_map(as_name(self.kernel, "kernel"))
        return "cosine" if name == "trigonometric" and as_count(self.n_components, "n_components") % 2 else name

    def _directions(self, name: str, width: int) -> int:
        count = as_count(self.n_components, "n_components")
        if count % width:
            below = max(count // width, 1) * width
            raise ValueError(
                f"n_components is {count}; expected a multiple of {width} for map {name!r}: {below} or {below + width}"
            )
        return count // width

    def _seed(self) -> int:
        if self.random_state is None or isinstance(self.random_state, np.random.RandomState):
            return int(check_random_state(self.random_state).randint(0, 2**64, dtype=np.uint64))
        return as_count(self.random_state, "random_state", least=0)

    def _needs_pairs(self) -> bool:
        return isinstance(self.lengthscale, str) and self.lengthscale in ("median", "neighbour")

    def _scale(self, X: npt.NDArray[Any], seed: int) -> tuple[Any, Any]:
        """(gamma, sigma): numbers, or arrays for a vector of lengthscales."""
        gamma, sigma = self.gamma, self.lengthscale
        if sigma is None:
            return _from_gamma(gamma, X)
        if gamma is not None and not _is_scale(gamma):
            raise ValueError(
                f"gamma is {gamma!r} and lengthscale is {sigma!r}; expected only one of them: "
                "gamma = 1 / (2 lengthscale^2)"
            )
        if isinstance(sigma, str):
            sigma = lengthscale(X, sigma, seed)
        numbers = np.array(as_lengthscale(sigma))
        with np.errstate(all="ignore"):
            inverse = 0.5 / numbers**2
        return (inverse, numbers) if np.ndim(sigma) else (float(inverse[0]), float(numbers[0]))


def _is_scale(value: Any) -> bool:
    return isinstance(value, str) and value == "scale"


def _from_gamma(gamma: Any, X: npt.NDArray[Any]) -> tuple[float, float]:
    if _is_scale(gamma):
        sigma = lengthscale(X, "scale")
        return 0.5 / sigma**2, sigma
    if isinstance(gamma, bool) or not isinstance(gamma, Real):
        raise ValueError(f"gamma is {gamma!r}; expected 'scale' or a number > 0 (or give lengthscale)")
    if not 0 < gamma < math.inf:
        raise ValueError(f"gamma is {gamma}; expected a finite number > 0")
    return float(gamma), math.sqrt(0.5 / gamma)
