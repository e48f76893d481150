# SPDX-License-Identifier: Apache-2.0
"""Functions drawn from the posterior of a Gaussian process."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._arguments import as_count
from bochner._arrays import as_matrix, in_type_of
from bochner._features import Features
from bochner.estimators._samples import as_seed


def warn_of_variances(clamped: int, rows: int) -> None:
    warnings.warn(
        f"{clamped} of {rows} variances were below 0 and became 0: the features have more error than the exact prior "
        "leaves; more of them, or prior_variance='features', has none below 0",
        RuntimeWarning,
        stacklevel=3,
    )


class PosteriorFunctions:
    """Functions x -> coef . phi(x) + intercept; made by :meth:`bochner.GaussianProcess.sample_functions`.

    Examples
    --------
    >>> from bochner import GaussianProcess
    >>> model = GaussianProcess(n_components=64, lengthscale=1.0, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> f = model.sample_functions(1)
    >>> bool(f([[0.5]])[0, 0] == f([[0.5], [0.7]])[0, 0])
    True
    """

    def __init__(
        self,
        features: Features,
        coef: npt.NDArray[Any],
        intercept: list[float],
        targets: int | None,
        single: bool = False,
    ) -> None:
        self.features, self.coef, self.intercept, self.targets = features, coef, intercept, targets
        self.single = single  # whether features are float32 whatever the dtype of the rows

    def __call__(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        given = as_matrix(X)
        rows = given.astype(np.float32, copy=False) if self.single else given
        values = in_type_of(given, _core.predict(self.features._core, self.coef, self.intercept, rows))
        if self.targets is None:
            return values
        return values.reshape(len(values), -1, self.targets).transpose(0, 2, 1)


class PosteriorDraws:
    """How a fitted Gaussian process draws functions."""

    def sample_functions(self, n_functions: int = 1, random_state: Any = 0) -> PosteriorFunctions:
        """Draws functions from the posterior, which can be called with any rows.

        Parameters
        ----------
        n_functions : int, default 1
        random_state : int, RandomState or None, default 0

        Returns
        -------
        PosteriorFunctions
            Called with X of shape (n, d) it returns an array of shape (n, n_functions), or (n, n_targets, n_functions),
            of X's dtype.

        Examples
        --------
        >>> from bochner import GaussianProcess
        >>> model = GaussianProcess(n_components=64, lengthscale=1.0, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
        >>> draws = model.sample_functions(3)
        >>> draws([[0.0], [0.5], [1.0], [2.0]]).shape
        (4, 3)
        """
        check_is_fitted(self)
        count = as_count(n_functions, "n_functions")
        coef, intercept = self._posterior.draw(count, as_seed(random_state))
        targets = None if self._flat else len(self._posterior.intercept)
        return PosteriorFunctions(self.features_, coef, intercept, targets, self._single)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> npt.NDArray[Any]:
        """Draws functions from the posterior and returns their values at the rows of X.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        n_samples : int, default 1
        random_state : int, RandomState or None, default 0

        Returns
        -------
        array of shape (n, n_samples) or (n, n_targets, n_samples)

        Examples
        --------
        >>> from bochner import GaussianProcess
        >>> model = GaussianProcess(n_components=64, lengthscale=1.0, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
        >>> model.sample_y([[0.5]], n_samples=5).shape
        (1, 5)
        """
        rows = self._validated(X)
        return self.sample_functions(as_count(n_samples, "n_samples"), random_state)(rows)
