# SPDX-License-Identifier: Apache-2.0
"""The scikit-learn face of random features."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner._feature_choice import DTYPES, FeatureChoice


class RandomFeatures(FeatureChoice, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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
        Length of the feature vector; for an explicit map a multiple of its width (2 for ``trigonometric``). "auto" is
        the shortest one with `target_error`.
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
        X = validate_data(self, X, dtype=DTYPES, ensure_min_samples=2 if self._needs_pairs() else 1)
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
        # The library itself refuses what is not finite, in the same pass over X, and names the row and the column.
        X = validate_data(self, X, dtype=DTYPES, reset=False, ensure_all_finite=False)
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
