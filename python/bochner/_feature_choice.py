# SPDX-License-Identifier: Apache-2.0
"""What all scikit-learn classes share: from their parameters and data to random features."""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_lengthscale, as_name, as_parameters, as_target
from bochner._arrays import as_matrix
from bochner._lengthscale import lengthscale
from bochner._make_features import features
from bochner._plan import Plan
from bochner._samples import as_seed

DTYPES = (np.float64, np.float32)


class FeatureChoice:
    """Draws features by kernel, map, coupling, n_components, gamma, lengthscale, random_state and params.

    It sets features_, m_, gamma_ and lengthscale_. With target_error, n_components may be "auto".
    """

    _LENGTH = "n_components"  # the name of the parameter that is the length of the feature vector

    _SEARCHED: tuple[str, ...] = ()  # words of lengthscale for which the learner has a search of its own

    def _draw(
        self,
        X: npt.NDArray[Any],
        weights: npt.NDArray[Any] | None = None,
        search: Callable[[_core.Spec], Any] | None = None,
    ) -> None:
        """`search` finds the lengthscale for features whose mechanism was chosen at the scale of the data."""
        seed = self._seed()
        gamma, sigma = self._scale(X, seed, weights)
        words = self._planned(X, seed, sigma) or self._chosen(X, seed, sigma)
        if search is not None:
            gamma, sigma = _with_gamma(search(features(**words)._core.spec))
            words["lengthscale"] = sigma
        self.features_ = features(**words).fit(X)
        self.m_ = self.features_.m
        self.gamma_ = gamma
        self.lengthscale_ = sigma

    def _planned(self, X: npt.NDArray[Any], seed: int, sigma: Any) -> dict[str, Any] | None:
        """Keyword arguments of the mechanism with the least predicted error; None if everything is given."""
        length, target = getattr(self, self._LENGTH), getattr(self, "target_error", None)
        words = [as_name(self.kernel, "kernel"), as_name(self.map, "map"), as_name(self.coupling, "coupling")]
        shortest = isinstance(length, str) and length == "auto"
        if shortest != (target is not None):
            raise ValueError(
                f"{self._LENGTH} is {length!r} and target_error is {target!r}; "
                f"expected target_error with {self._LENGTH}='auto', and only then"
            )
        own = {name for line in _core.kernels() for name in (entry["name"] for entry in line["parameters"])}
        given = self.params or {}
        width = 1 if words[1] == "auto" else _core.width(words[1])
        if not shortest and ("auto" not in words[1:] or not set(given) <= own or width == 0):
            return None
        if not shortest and self._length() % width:
            return None
        request = _core.PlanRequest()
        request.kernel, request.map, request.coupling = words
        request.lengthscale = as_lengthscale(sigma)
        request.parameters = as_parameters(
            {name: value for name, value in given.items() if name in own}, _core.kernels(), (), type(self).__name__
        )
        request.outputs = 0 if shortest else self._length()
        request.target = as_target(target, "target_error") if shortest else 0.0
        request.require = ["symmetric"] if words[1] == "auto" else []
        # A coupling that is named is taken whatever is known of its error.
        request.exact_only = request.coupling == "auto" and request.kernel != "angular"
        request.seed = seed
        rows = as_matrix(X)
        plan = Plan(_core.plan(rows, rows, request))
        fitting = (i for i, line in enumerate(plan.table) if request.outputs in (0, line["outputs"]))
        first = next(fitting, None)
        return None if first is None else plan.words(first)

    def _chosen(self, X: npt.NDArray[Any], seed: int, sigma: Any) -> dict[str, Any]:
        """The mechanism that was given, with the default for what was not."""
        words = {
            "d": X.shape[1],
            "kernel": self.kernel,
            "map": self._map(),
            "coupling": self.coupling,
            "seed": seed,
            "lengthscale": sigma,
            **(self.params or {}),
        }
        # The outputs of one direction: some maps know them only once their parameters have been found from data.
        one = features(**words, m=1)
        return {**words, "m": self._directions(one.spec["map"], (one if one.fitted else one.fit(X)).outputs)}

    def _length(self) -> int:
        return as_count(getattr(self, self._LENGTH), self._LENGTH)

    def _map(self) -> str:
        name = as_name(self.map, "map")
        if name != "auto":
            return name
        name = _core.default_map(as_name(self.kernel, "kernel"))
        return "cosine" if name == "trigonometric" and self._length() % 2 else name

    def _directions(self, name: str, width: int) -> int:
        count = self._length()
        if count % width:
            below = max(count // width, 1) * width
            raise ValueError(
                f"{self._LENGTH} is {count}; expected a multiple of {width} for map {name!r}: "
                f"{below} or {below + width}"
            )
        return count // width

    def _seed(self) -> int:
        return as_seed(self.random_state)

    def _needs_pairs(self) -> bool:
        return isinstance(self.lengthscale, str) and self.lengthscale in ("median", "neighbour")

    def _scale(self, X: npt.NDArray[Any], seed: int, weights: npt.NDArray[Any] | None) -> tuple[Any, Any]:
        """(gamma, sigma): numbers, or arrays for a vector of lengthscales."""
        gamma, sigma = self.gamma, self.lengthscale
        if sigma is None:
            return _from_gamma(gamma, X, weights)
        if gamma is not None and not _is_scale(gamma):
            raise ValueError(
                f"gamma is {gamma!r} and lengthscale is {sigma!r}; expected only one of them: "
                "gamma = 1 / (2 lengthscale^2)"
            )
        if isinstance(sigma, str):
            own = _is_scale(sigma) or sigma in self._SEARCHED
            sigma = _weighted_scale(X, weights) if own else lengthscale(X, sigma, seed)
        return _with_gamma(sigma)


def _with_gamma(sigma: Any) -> tuple[Any, Any]:
    numbers = np.array(as_lengthscale(sigma))
    with np.errstate(all="ignore"):
        inverse = 0.5 / numbers**2
    return (inverse, numbers) if np.ndim(sigma) else (float(inverse[0]), float(numbers[0]))


def _is_scale(value: Any) -> bool:
    return isinstance(value, str) and value == "scale"


def _weighted_scale(X: npt.NDArray[Any], weights: npt.NDArray[Any] | None) -> float:
    """The rule "scale"; a row of weight w counts as w rows."""
    if weights is None:
        return lengthscale(X, "scale")
    means = X.mean(axis=1, dtype=np.float64)
    centre = np.average(means, weights=weights)
    squares = np.square(X - centre, dtype=np.float64).mean(axis=1)
    variance = np.average(squares, weights=weights)
    return math.sqrt(X.shape[1] * variance / 2) if variance > 0 else math.sqrt(0.5)


def _from_gamma(gamma: Any, X: npt.NDArray[Any], weights: npt.NDArray[Any] | None) -> tuple[float, float]:
    if _is_scale(gamma):
        sigma = _weighted_scale(X, weights)
        return 0.5 / sigma**2, sigma
    if isinstance(gamma, bool) or not isinstance(gamma, Real):
        raise ValueError(f"gamma is {gamma!r}; expected 'scale' or a number > 0 (or give lengthscale)")
    if not 0 < gamma < math.inf:
        raise ValueError(f"gamma is {gamma}; expected a finite number > 0")
    return float(gamma), math.sqrt(0.5 / gamma)
