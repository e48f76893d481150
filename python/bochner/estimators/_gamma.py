# SPDX-License-Identifier: Apache-2.0
"""gamma: the scale of a kernel in scikit-learn, for the kernels that have one there."""

import functools
import math
from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

from bochner import _core
from bochner._arguments import as_name


class _Meaning(NamedTuple):
    formula: str
    of_sigma: Callable[[Any], Any]
    sigma: Callable[[float], float]


# exp(-gamma |x - y|^2) of rbf_kernel and exp(-gamma sum |x_l - y_l|) of laplacian_kernel.
_MEANINGS = {
    "gaussian": _Meaning("1 / (2 lengthscale^2)", lambda sigma: 0.5 / sigma**2, lambda gamma: math.sqrt(0.5 / gamma)),
    "laplace": _Meaning("1 / lengthscale", lambda sigma: 1 / sigma, lambda gamma: 1 / gamma),
}


def gamma_of(sigma: Any, kernel: str) -> Any:
    """gamma of a lengthscale, a number or an array; None for a kernel that has no gamma."""
    meaning = _MEANINGS.get(_registered(kernel))
    return None if meaning is None else meaning.of_sigma(sigma)


def sigma_of(gamma: Any, kernel: str) -> float:
    """The lengthscale of a number gamma."""
    if isinstance(gamma, bool) or not isinstance(gamma, Real):
        raise ValueError(f"gamma is {gamma!r}; expected 'scale' or a number > 0 (or give lengthscale)")
    name = _registered(kernel)
    if name not in _MEANINGS:
        raise ValueError(
            f"gamma is {gamma} with kernel {name!r}; expected 'scale', or lengthscale in its place: a number as gamma "
            f"has a meaning for {_known()} alone"
        )
    if not 0 < gamma < math.inf:
        raise ValueError(f"gamma is {gamma}; expected a finite number > 0")
    try:
        sigma = _MEANINGS[name].sigma(float(gamma))
    except ZeroDivisionError:  # the result is below the smallest double
        sigma = math.inf
    if not 1e-307 < sigma < math.inf:
        raise ValueError(f"gamma is {gamma}; expected a number with a lengthscale, {formula(name)}, above 1e-307")
    return sigma


def formula(kernel: str) -> str:
    """The formula of gamma as text; empty for a kernel that has no gamma."""
    meaning = _MEANINGS.get(_registered(kernel))
    return "" if meaning is None else f"gamma = {meaning.formula}"


def _known() -> str:
    return " and ".join(f"{name} ({meaning.formula})" for name, meaning in _MEANINGS.items())


@functools.lru_cache
def _registered(kernel: str) -> str:
    """The registered name of a kernel given by its name or an alias. The C++ library refuses unknown names."""
    name = as_name(kernel, "kernel")
    _core.default_map(name)
    return next(line["name"] for line in _core.kernels() if name == line["name"] or name in line["aliases"].split())
