# SPDX-License-Identifier: Apache-2.0
"""Features of new kernels from existing features: sums, products, multiples, linear maps of the inputs, hybrids.

The parts must be fitted and take inputs of the same length d. The result is a :class:`bochner.Features` like any other.
Its ``spec`` describes the composition but cannot rebuild it; a pickle can.

>>> import bochner
>>> import numpy as np
>>> X = np.random.default_rng(0).normal(size=(20, 3))
>>> smooth, rough = bochner.features(3, m=2000), bochner.features(3, kernel="laplace", m=2000)
>>> Z = (0.7 * smooth + 0.3 * rough).transform(X)
>>> K = 0.7 * bochner.kernel_matrix(X) + 0.3 * bochner.kernel_matrix(X, kernel="laplace")
>>> bool(abs(Z @ Z.T - K).max() < 0.1)
True
"""

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arrays import readable
from bochner._features import Features


def scaled(c: float, features: Features) -> Features:
    """c k(x, y); also written ``c * features``.

    Parameters
    ----------
    c : float
        Not 0. If it is negative, the sign is put on the key side, so the result is not symmetric.
    features : Features

    Returns
    -------
    Features

    Examples
    --------
    >>> import bochner
    >>> features = -2.0 * bochner.features(3, m=4)
    >>> features.outputs, features.symmetric
    (8, False)
    """
    return _composed(scaled, _core.scaled(_number(c, "c"), _part(features)), c, features)


def concatenation(parts: Sequence[Features]) -> Features:
    """k_1(x, y) + k_2(x, y) + ...: feature vectors one after the other; also written ``a + b``.

    Examples
    --------
    >>> import bochner
    >>> a, b = bochner.features(3, m=4), bochner.features(3, map="positive", m=5)
    >>> (a + b).outputs
    13
    """
    return _composed(concatenation, _core.concatenation([_part(part) for part in parts]), list(parts))


def tensor_product(a: Features, b: Features) -> Features:
    """k_a(x, y) k_b(x, y): outer products of feature vectors; also written ``a * b``.

    Examples
    --------
    >>> import bochner
    >>> a, b = bochner.features(3, m=4), bochner.features(3, map="positive", m=5)
    >>> (a * b).outputs
    40
    """
    return _composed(tensor_product, _core.tensor_product(_part(a), _part(b)), a, b)


def on_inputs(features: Features, P: npt.ArrayLike, Q: npt.ArrayLike | None = None) -> Features:
    """k(P x, Q y).

    Parameters
    ----------
    features : Features
    P : array of shape (features.d, d)
        The matrix that multiplies queries.
    Q : array of shape (features.d, d), default P
        The matrix that multiplies keys.

    Returns
    -------
    Features

    Examples
    --------
    exp(-|x + y|^2 / 2), a coefficient that is large for opposite inputs:

    >>> import bochner
    >>> import numpy as np
    >>> opposite = bochner.compose.on_inputs(bochner.features(2, m=5000), np.eye(2), -np.eye(2))
    >>> x, y = np.array([[0.3, 0.4]]), np.array([[-0.3, -0.4]])
    >>> float(np.round(opposite.transform(x) @ opposite.transform(y, side="key").T, 6)[0, 0])
    1.0
    """
    queries = np.ascontiguousarray(readable(P, "P"), dtype=np.float64)
    keys = queries if Q is None else np.ascontiguousarray(readable(Q, "Q"), dtype=np.float64)
    if queries.ndim != 2 or keys.ndim != 2:
        raise ValueError(f"P and Q have {queries.ndim} and {keys.ndim} dimensions; expected two matrices")
    return _composed(on_inputs, _core.on_inputs(_part(features), queries, keys), features, queries, keys)


def hybrid(terms: Sequence[tuple[Any, Features]], rest: Features | None = None) -> Features:
    """sum_k lambda_k base_k + (1 - sum_k lambda_k) rest: each estimate where it is good.

    All bases and the rest estimate the same kernel. So does the hybrid, without bias, as long as the coefficients are
    drawn independently of the bases (give them different seeds).

    Parameters
    ----------
    terms : sequence of (lambda, base)
        lambda is a number, features whose kernel is lambda, or a pair (number, features) for their sum.
    rest : Features, optional
        None leaves the last term out.

    Returns
    -------
    Features

    Examples
    --------
    lambda = theta / pi, estimated by signs: there is no error for parallel and for opposite inputs (the map
    ``hybrid_angular``).

    >>> import bochner
    >>> import numpy as np
    >>> positive = bochner.features(3, kernel="softmax", map="positive_paired", m=32, seed=1)
    >>> trigonometric = bochner.features(3, kernel="softmax", map="trigonometric", m=32, seed=2)
    >>> signs = bochner.features(3, kernel="angular", map="sign", m=8, seed=3)
    >>> angular = bochner.hybrid([((0.5, -0.5 * signs), positive)], rest=trigonometric)
    >>> x = np.array([[0.6, 0.0, 0.8]])
    >>> for y in (x, -x):
    ...     estimate = angular.transform(x) @ angular.transform(y, side="key").T
    ...     print(bool(abs(estimate[0, 0] / np.exp(x @ y.T)[0, 0] - 1) < 1e-12))
    True
    True
    """
    converted = [(*_coefficient(coefficient), _part(base)) for coefficient, base in terms]
    core = _core.hybrid(converted, None if rest is None else _part(rest))
    return _composed(hybrid, core, list(terms), rest)


def _coefficient(value: Any) -> tuple[float, _core.Features | None]:
    if isinstance(value, Features):
        return 0.0, _part(value)
    if isinstance(value, tuple) and len(value) == 2:
        return _number(value[0], "coefficient"), _part(value[1])
    return _number(value, "coefficient"), None


def _number(value: Any, name: str) -> float:
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; expected a number")
    return float(value)


def _part(features: Any) -> _core.Features:
    if not isinstance(features, Features):
        raise TypeError(f"a part is {features!r}; expected Features")
    return features._core


def _composed(function: Callable[..., Features], core: _core.Features, *arguments: Any) -> Features:
    made = object.__new__(Features)
    made._core = core
    made._recipe = (function, arguments)
    return made
