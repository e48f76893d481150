# SPDX-License-Identifier: Apache-2.0
"""Functions drawn from the posterior of a Gaussian process."""

from typing import Any

import numpy.typing as npt

from bochner import _core
from bochner._arrays import as_matrix
from bochner._features import Features


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

    def __init__(self, features: Features, coef: npt.NDArray[Any], intercept: list[float], targets: int | None) -> None:
        self.features, self.coef, self.intercept, self.targets = features, coef, intercept, targets

    def __call__(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        values = _core.predict(self.features._core, self.coef, self.intercept, as_matrix(X))
        if self.targets is None:
            return values
        return values.reshape(len(values), -1, self.targets).transpose(0, 2, 1)
