# SPDX-License-Identifier: Apache-2.0
"""The function that makes random features of a kernel."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_lengthscale, as_name, as_parameters
from bochner._features import Features


def features(
    d: int,
    kernel: str = "gaussian",
    map: str = "auto",
    coupling: str = "auto",
    m: int = 256,
    seed: int = 0,
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> Features:
    """Draws W and makes random features of a kernel: k(x, y) ~ phi(x) . phi(y), phi(x) = f(W x / sigma).

    Parameters
    ----------
    d : int
        Length of an input row, >= 1.
    kernel : str
        ``gaussian`` exp(-|x - y|^2 / (2 sigma^2)) or another of :func:`kernels`.
    map : str
        f, one of :func:`maps`: ``trigonometric`` (cos and sin of W x / sigma), ...; "auto" is ``trigonometric``, or
        another map if the kernel needs it.
    coupling : str
        How the rows of W depend on each other, one of :func:`couplings`: ``orthogonal``, ...; "auto" is ``orthogonal``
        if the law of the rows is isotropic, else ``iid``.
    m : int
        Number of random directions (rows of W), >= 1; the feature vector has width(map) m numbers.
    seed : int
        From 0 to 2**64 - 1. Equal seeds give equal draws, bit by bit, on every machine.
    lengthscale : float or array of shape (d,)
        sigma, > 0; a vector divides the coordinates.
    **params
        Further parameters of the kernel, the map or the coupling, as listed by :func:`kernels`, :func:`maps` and
        :func:`couplings`: ``block`` (dimension in which blocks of directions are drawn, or "auto"), ...

    Returns
    -------
    Features

    Raises
    ------
    ValueError
        For values out of range, unknown names (the nearest known one is suggested) and combinations that do not fit
        together (the message names what would fit).
    TypeError
        For parameters that do not exist.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> x, y = np.array([[0.3, 0.1]]), np.array([[0.2, 0.5]])
    >>> features = bochner.features(2, kernel="softmax", map="positive", m=10000)
    >>> estimate = features.transform(x) @ features.transform(y, side="key").T
    >>> bool(abs(estimate[0, 0] - np.exp(x @ y.T)[0, 0]) < 0.05)
    True
    """
    return Features(make_spec(features, d, kernel, map, coupling, m, seed, lengthscale, params))


def make_spec(
    function: Callable[..., Any],
    d: int,
    kernel: str,
    map: str,
    coupling: str,
    m: int,
    seed: int,
    lengthscale: npt.ArrayLike,
    params: dict[str, Any],
) -> _core.Spec:
    """The spec from the arguments of a public function that takes parameters as further keyword arguments."""
    own = [name for name in inspect.signature(function).parameters if name != "params"]
    declared = (*_core.kernels(), *_core.maps(), *_core.couplings())
    if isinstance(m, str) and m == "auto":
        raise ValueError("m is 'auto', which needs data; expected a whole number; bochner.plan(X, target=...) has one")
    return _core.Spec(
        d=as_count(d, "d"),
        kernel=as_name(kernel, "kernel"),
        map=as_name(map, "map"),
        coupling=as_name(coupling, "coupling"),
        m=as_count(m, "m"),
        seed=as_count(seed, "seed", least=0),
        lengthscale=as_lengthscale(lengthscale),
        parameters=as_parameters(params, declared, own, function.__name__),
    )
