# SPDX-License-Identifier: Apache-2.0
"""The names that can be given as kernel, map and coupling."""

from typing import Any

from bochner import _core


def kernels() -> list[dict[str, Any]]:
    """The kernels: name, aliases, formula, summary, reference, bias and parameters of each.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> import bochner
    >>> "gaussian" in [kernel["name"] for kernel in bochner.kernels()]
    True
    """
    return _core.kernels()


def maps() -> list[dict[str, Any]]:
    """The maps f of phi(x) = f(W x): name, aliases, formula, summary, reference, bias and parameters of each.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> import bochner
    >>> "trigonometric" in [map["name"] for map in bochner.maps()]
    True
    """
    return _core.maps()


def couplings() -> list[dict[str, Any]]:
    """The couplings of the rows of W: name, aliases, formula, summary, reference, bias and parameters of each.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> import bochner
    >>> "orthogonal" in [coupling["name"] for coupling in bochner.couplings()]
    True
    """
    return _core.couplings()
