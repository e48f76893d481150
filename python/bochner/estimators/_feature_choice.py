# SPDX-License-Identifier: Apache-2.0
"""How all scikit-learn classes get from their parameters and data to random features."""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_lengthscale, as_name, as_target
from bochner._arrays import as_matrix
from bochner._features import spec_from_json
from bochner._lengthscale import lengthscale
from bochner._make_features import features, make_spec
from bochner._memory import require_fit
from bochner.estimators._gamma import formula, gamma_of, sigma_of
from bochner.estimators._samples import as_seed


class FeatureChoice:
    """Draws features by kernel, map, coupling, n_components, gamma, lengthscale, random_state and params.

    It sets features_, n_components_, m_, gamma_ and lengthscale_. With target_error, n_components may be "auto".
    """

    _LENGTH = "n_components"  # the name of the parameter that is the length of the feature vector

    _LEARNER = ""  # its name in the C++ library; empty: none

    _single = False  # a model file with float32 features was loaded
    _header: bool | None = None  # whether the file that a loaded model was fitted to had column names

    _SEARCHED: tuple[str, ...] = ()  # values of lengthscale for which the learner has its own search

    def _draw(
        self,
        X: npt.NDArray[Any],
        weights: npt.NDArray[Any] | None = None,
        search: Callable[[_core.Spec], Any] | None = None,
        **size: Any,
    ) -> None:
        """`search` finds the lengthscale, after the mechanism of the features was chosen at the scale of the data.
        `size` is what the memory of the fit depends on apart from rows and features."""
        seed = self._seed()
        sigma = self._scale(X, seed, weights)
        words, outputs = self._mechanism(X, seed, sigma)
        what = f"{type(self).__name__} on {len(X)} x {X.shape[1]} numbers"
        single = X.dtype == np.float32
        require_fit(_spec(words), outputs, self._LENGTH, what, self._LEARNER, rows=len(X), single=single, **size)
        if search is not None:
            words["lengthscale"] = sigma = search(features(**words)._core.spec)
        drawn = features(**words)
        if drawn.fitted and self._lacks_parameters(words):  # a plan has found what `fit` would find
            rows = as_matrix(X)
            drawn._warn_of_fit(rows, rows)
        self._publish_features(drawn.fit(X), sigma)

    def _lacks_parameters(self, words: dict[str, Any]) -> bool:
        """Whether the user named a map that takes parameters from data and did not give them."""
        own = {name: words[name] for name in ("d", "kernel", "map", "coupling")}
        return as_name(self.map, "map") != "auto" and not features(**own, m=1, **(self.params or {})).fitted

    def _publish_features(self, drawn: Any, sigma: Any) -> None:
        numbers = as_lengthscale(sigma)
        self.features_, self.m_, self._single, self._header = drawn, drawn.m, False, None
        setattr(self, f"{self._LENGTH}_", drawn.outputs)
        self.lengthscale_ = np.array(numbers) if np.ndim(sigma) else numbers[0]
        with np.errstate(all="ignore"):
            given = isinstance(self.gamma, Real) and self.lengthscale is None
            self.gamma_ = float(self.gamma) if given else gamma_of(self.lengthscale_, drawn.spec["kernel"])

    def _rows_for_features(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Rows with the dtype in which features are computed: that of a model file, else X's own."""
        rows = as_matrix(X)
        return rows.astype(np.float32, copy=False) if self._single else rows

    def _mechanism(self, X: npt.NDArray[Any], seed: int, sigma: Any) -> tuple[dict[str, Any], int]:
        """Keyword arguments of `features`, and their outputs. Map and coupling are as given; "auto" means the defaults
        of the kernel. The length is as given, or the shortest one with the wanted error."""
        words = {
            "d": X.shape[1],
            "kernel": as_name(self.kernel, "kernel"),
            "map": self._map(),
            "coupling": as_name(self.coupling, "coupling"),
            "seed": seed,
            "lengthscale": sigma,
            **(self.params or {}),
        }
        target = self._target()
        # The outputs of one direction: some maps know them only after their parameters have been found from data.
        one = features(**words, m=1)
        if target is None:
            width = _outputs(one, X)
            return {**words, "m": self._directions(one.spec["map"], width)}, self._length()
        words.update(map=one.spec["map"], coupling=one.spec["coupling"])
        found = self._planned(lambda: _core.with_directions(_spec({**words, "m": 1}), as_matrix(X), target))
        words = spec_from_json(found.to_json())
        return words, self._bounded(features(**{**words, "m": 1}).outputs * words["m"])

    def _target(self) -> float | None:
        """The error that decides the length; None if the length is given."""
        length, target = getattr(self, self._LENGTH), self.target_error
        shortest = isinstance(length, str) and length == "auto"
        if shortest != (target is not None):
            raise ValueError(
                f"{self._LENGTH} is {length!r} and target_error is {target!r}; "
                f"expected target_error with {self._LENGTH}='auto', and only then"
            )
        as_count(self.max_components, "max_components")
        return as_target(target, "target_error") if shortest else None

    def _bounded(self, outputs: int) -> int:
        """Refuses more outputs than max_components allows for "auto"."""
        most = as_count(self.max_components, "max_components")
        if outputs > most:
            raise ValueError(
                f"target_error is {self.target_error!r}; expected a larger error, or max_components={outputs} instead "
                f"of {most}: so many features have this error"
            )
        return outputs

    def _planned(self, plan: Callable[[], Any]) -> Any:
        """What a plan finds. Its error messages say target, which is called target_error here."""
        try:
            return plan()
        except ValueError as refusal:
            name, space, rest = str(refusal).partition(" ")
            if name != "target":
                raise
            raise ValueError(f"target_error{space}{rest}") from None

    def _length(self) -> int:
        return as_count(getattr(self, self._LENGTH), self._LENGTH)

    def _map(self) -> str:
        name = as_name(self.map, "map")
        if name != "auto":
            return name
        name = _core.default_map(as_name(self.kernel, "kernel"))
        return "cosine" if name == "trigonometric" and self._target() is None and self._length() % 2 else name

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

    def _scale(self, X: npt.NDArray[Any], seed: int, weights: npt.NDArray[Any] | None) -> Any:
        """The lengthscale sigma, a number or an array."""
        gamma, sigma = self.gamma, self.lengthscale
        if sigma is None:
            return _weighted_scale(X, weights) if _is_scale(gamma) else sigma_of(gamma, self.kernel)
        if gamma is not None and not _is_scale(gamma):
            meaning = formula(self.kernel)
            raise ValueError(
                f"gamma is {gamma!r} and lengthscale is {sigma!r}; expected only one of them"
                f"{': ' if meaning else ''}{meaning}"
            )
        if isinstance(sigma, str):
            own = _is_scale(sigma) or sigma in self._SEARCHED
            return _weighted_scale(X, weights) if own else lengthscale(X, sigma, seed)
        return sigma


def _outputs(drawn: Any, X: npt.NDArray[Any]) -> int:
    """The outputs of features, which are fitted first if needed, without the warning about their error."""
    if not drawn.fitted:
        rows = as_matrix(X)
        drawn._core.fit(rows, rows)
    return drawn.outputs


def _spec(words: dict[str, Any]) -> _core.Spec:
    own = ("d", "kernel", "map", "coupling", "m", "seed", "lengthscale")
    further = {name: value for name, value in words.items() if name not in own}
    return make_spec(features, *(words[name] for name in own), further)


def _is_scale(value: Any) -> bool:
    return isinstance(value, str) and value == "scale"


def _weighted_scale(X: npt.NDArray[Any], weights: npt.NDArray[Any] | None) -> float:
    """The lengthscale by the rule "scale"; a row of weight w counts as w rows."""
    if weights is None:
        return lengthscale(X, "scale")
    means = X.mean(axis=1, dtype=np.float64)
    centre = np.average(means, weights=weights)
    squares = np.square(X - centre, dtype=np.float64).mean(axis=1)
    variance = np.average(squares, weights=weights)
    return math.sqrt(X.shape[1] * variance / 2) if variance > 0 else math.sqrt(0.5)
