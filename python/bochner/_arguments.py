# SPDX-License-Identifier: Apache-2.0
"""Checks of argument types. The C++ library decides which values are allowed."""

import difflib
import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arrays import as_numbers


def as_count(value: Any, name: str, least: int = 1) -> int:
    """A whole number that fits into 64 bits. Floats and bools are refused, not rounded."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; expected a whole number")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; expected a whole number") from None
    if not least <= number < 2**64:
        raise ValueError(f"{name} is {number}; expected a whole number from {least} to 2**64 - 1")
    return number


def as_number(value: Any, name: str) -> float:
    """A real number; a bool is refused."""
    number = as_numbers(value, name)
    if number.ndim or number.dtype.kind not in "fiu":
        raise TypeError(f"{name} is {value!r}; expected a number")
    return float(number)


def as_target(value: Any, name: str) -> float:
    """The root mean square error that is wanted."""
    number = as_number(value, name)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} is {value!r}; expected a finite error > 0")
    return number


def as_flag(value: Any, name: str) -> bool:
    """True or False. Anything else is refused: a string such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; expected True or False")
    return bool(value)


def as_name(value: Any, name: str) -> str:
    """A registered name or alias."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; expected a name (a string)")
    return value


def as_lengthscale(value: npt.ArrayLike) -> list[float]:
    """sigma as a list: one number, or one per coordinate."""
    if isinstance(value, str) and value in _core.lengthscale_rules():
        raise ValueError(
            f"lengthscale is {value!r}; expected a number > 0 or one per coordinate: "
            f"bochner.lengthscale(X, {value!r}) finds one from data"
        )
    array = as_numbers(value, "lengthscale")
    if array.dtype.kind not in "fiu" or array.ndim > 1:
        raise ValueError(f"lengthscale is {value!r}; expected a number > 0 or one per coordinate")
    return [float(number) for number in np.atleast_1d(array)]


def as_parameters(given: Mapping[str, Any], declared: Iterable[Mapping[str, Any]], own: Iterable[str], function: str):
    """Further keyword arguments: parameters of the given registry entries. The C++ library decides where they fit."""
    parameters = {parameter["name"] for line in declared for parameter in line["parameters"]}
    _refuse_unknown(given, parameters, (*own, *parameters), function)
    return {name: _as_value(name, value) for name, value in given.items()}


def _as_value(name: str, value: Any) -> float | complex | str | bool | list[float] | list[complex]:
    """The value as the C++ library takes it: a matrix becomes the list of its entries, row by row."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    array = as_numbers(value, name)
    if array.dtype.kind not in "fiuc" or array.ndim > 2:
        raise TypeError(f"{name} is {value!r}; expected a number, a word, True or False, a list or a matrix of numbers")
    kind = complex if array.dtype.kind == "c" else float
    return [kind(number) for number in array.ravel()] if array.ndim else kind(array)


def _refuse_unknown(given: Mapping[str, Any], allowed: set[str], known: Iterable[str], function: str) -> None:
    names = sorted(known)
    for name in given:
        if name in allowed:
            continue
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise TypeError(f"unknown parameter {name!r} of {function}; {hint}known: {', '.join(names)}")
