# SPDX-License-Identifier: Apache-2.0
"""Refuses what does not fit into memory, before anything is drawn or allocated."""

from typing import Any

from bochner import _core

_GIB = 2.0**30
_SMALL = 2**28  # bytes that need no check


def require_fit(spec: _core.Spec, outputs: int, argument: str, what: str, learner: str = "", **size: Any) -> None:
    """Refuses more features than there is memory for in the fit of a learner: W, blocks of features and its own
    matrices.

    `argument` is the caller's name for the number of features, `what` says what they are for.
    """
    needed, left, most = _core.fit_memory(learner, spec, outputs, **size)
    if needed > left:
        expected = f"at most {most:.0f}" if most >= 1 else "fewer rows or columns"
        raise ValueError(
            f"{argument} is {outputs}; expected {expected}: {what} would need {needed / _GIB:.3g} GiB of "
            f"{left / _GIB:.3g} GiB; lower {argument}"
        )


def fits_block(outputs: int) -> bool:
    """Whether there is memory for this many features of a block of rows, whatever the mechanism."""
    directions = max(outputs // 2, 1)
    spec = _core.Spec(
        d=1, kernel="gaussian", map="trigonometric", coupling="iid", m=directions, seed=0, lengthscale=[1.0],
        parameters={},
    )  # fmt: skip
    needed, left, _ = _core.fit_memory("", spec, outputs)
    return needed <= left


def require_result(rows: int, columns: int, itemsize: int, name: str, what: str) -> None:
    """Refuses rows whose results do not fit into memory; `name` is the argument that holds them."""
    bytes_ = rows * columns * itemsize
    if bytes_ <= _SMALL:
        return
    left = _core.memory_left()
    if bytes_ > left:
        most = int(left // (columns * itemsize))
        raise ValueError(
            f"{name} has {rows} rows; expected at most {most}: {what} would need {bytes_ / _GIB:.3g} GiB of "
            f"{left / _GIB:.3g} GiB"
        )
