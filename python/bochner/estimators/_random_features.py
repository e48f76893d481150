# SPDX-License-Identifier: Apache-2.0
"""Random features as a scikit-learn transformer."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._arguments import as_lengthscale, as_name, as_parameters
from bochner._arrays import as_matrix
from bochner._memory import fits_block, require_result
from bochner._plan._plan import Plan
from bochner.estimators._feature_choice import FeatureChoice
from bochner.estimators._samples import validated


class RandomFeatures(FeatureChoice, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Random features as a scikit-learn transformer, a drop-in replacement for ``RBFSampler``.

    k(x, y) ~ phi(x) . phi(y). With the Gaussian kernel k(x, y) = exp(-gamma |x - y|^2) = exp(-|x - y|^2 / (2 sigma^2)):
    a linear model on the transformed data is a kernel model at linear cost.

    Two defaults differ from those of ``RBFSampler``: gamma is "scale", not 1.0, and n_components is 1024, not 100. Give
    both when you compare the two.

    Parameters
    ----------
    kernel : str, default "gaussian"
        One of :func:`bochner.kernels`.
    map : str, default "auto"
        One of :func:`bochner.maps`; "auto" is the one with the smallest predicted root mean square error of phi(x) .
        phi(y) over pairs of rows of X, see :func:`bochner.plan`. That is the error of the kernel: it says little about
        the error of a model fitted afterwards, and a biased coupling (``orthogonal_fixed``) may have the smallest one.
        Learners such as :class:`bochner.KernelRidge` do not choose by it.
    coupling : str, default "auto"
        One of :func:`bochner.couplings`; "auto" as for the map.
    n_components : int or "auto", default 1024
        Length of the feature vector; for an explicit map a multiple of its width (2 for ``trigonometric``). "auto" is
        the shortest one that reaches `target_error`.
    gamma : float or "scale", default "scale"
        A number is scikit-learn's gamma: 1 / (2 sigma^2) for ``gaussian``, 1 / sigma for ``laplace``. For other kernels
        it is refused; use lengthscale instead. "scale" gives the same sigma for every kernel, by 1 / (2 sigma^2) = 1 /
        (d var(X)), or = 1 if X is constant.
    lengthscale : float, array of shape (d,), "scale", "median" or "neighbour", default None
        sigma, instead of gamma, which must then be "scale" or None. A vector divides the coordinates. A name is a rule
        that finds one number from data, see :func:`bochner.lengthscale` ("scale" is the sigma of gamma="scale").
    random_state : int, RandomState or None
        An int is the seed of the features, from 0 to 2**64 - 1; otherwise a seed is drawn. The seed also decides the
        sample of rows for "median" and "neighbour".
    params : dict, default None
        Further parameters of the kernel, the map or the coupling, as in :func:`bochner.features`. With parameters of a
        map or coupling, "auto" is not planned: it is ``trigonometric`` (``cosine`` if n_components is odd) and
        ``orthogonal`` if the kernel allows them.
    target_error : float, default None
        With n_components="auto": the wanted root mean square error of phi(x) . phi(y) over pairs of rows.
    max_components : int, default 65536
        Largest number of features for n_components="auto". A `target_error` that needs more is refused.

    Attributes
    ----------
    features_ : bochner.Features
        The features that were drawn.
    n_components_ : int
        Length of the feature vector, given or planned.
    m_ : int
        Number of random directions: n_components_ divided by the map's width.
    gamma_, lengthscale_ : float or array
        The scale that is used; gamma_ is 1 / (2 lengthscale_^2) for ``gaussian``, 1 / lengthscale_ for ``laplace`` and
        None for the other kernels.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X had column names.

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
        max_components: int = 65_536,
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
        self.max_components = max_components

    def fit(self, X: Any, y: Any = None) -> "RandomFeatures":
        """Draws the features. X decides what is "auto", a lengthscale that is found from data, and the number of
        columns.

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
        X = validated(self, X, ensure_min_samples=2 if self._needs_pairs() else 1)
        self._draw(X)
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
        # The library itself refuses entries that are not finite, in the same pass over X, and names the row and the
        # column.
        X = validated(self, X, reset=False, ensure_all_finite=False)
        item, outputs = X.dtype.itemsize, self.features_.outputs
        require_result(len(X), outputs, item, "X", f"as many rows of n_components = {outputs} features")
        try:
            return self.features_.transform(X)
        except ValueError as refusal:
            if np.isfinite(X).all():
                raise
            raise ValueError(f"Input X contains NaN or infinity: {refusal}") from None

    def _mechanism(self, X: npt.NDArray[Any], seed: int, sigma: Any) -> tuple[dict[str, Any], int]:
        """The mechanism with the smallest predicted error, if map or coupling is "auto" and the only parameters are
        those of the kernel."""
        own = {entry["name"] for line in _core.kernels() for entry in line["parameters"]}
        map, coupling = as_name(self.map, "map"), as_name(self.coupling, "coupling")
        width = 1 if map == "auto" else _core.width(map)
        target = self._target()
        if "auto" not in (map, coupling) or not set(self.params or {}) <= own or width == 0:
            return super()._mechanism(X, seed, sigma)
        if target is None and (self._length() % width or not fits_block(self._length())):
            return super()._mechanism(X, seed, sigma)  # which names what would fit
        request = _core.PlanRequest()
        request.kernel, request.map, request.coupling = as_name(self.kernel, "kernel"), map, coupling
        request.lengthscale = as_lengthscale(sigma)
        request.parameters = as_parameters(self.params or {}, _core.kernels(), (), "RandomFeatures")
        request.outputs = self._length() if target is None else 0
        request.target = 0.0 if target is None else target
        request.require = ["symmetric"] if map == "auto" else []
        # A coupling that the user names is used whether or not its error is known.
        request.exact_only = coupling == "auto" and request.kernel != "angular"
        request.seed = seed
        rows = as_matrix(X)
        plan = self._planned(lambda: Plan(_core.plan(rows, rows, request)))
        if target is not None:
            return plan.best, self._bounded(plan.table[0]["outputs"])
        first = next((i for i, line in enumerate(plan.table) if line["outputs"] == request.outputs), None)
        return super()._mechanism(X, seed, sigma) if first is None else (plan.words(first), request.outputs)

    @property
    def _n_features_out(self) -> int:
        return self.features_.outputs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
