# SPDX-License-Identifier: Apache-2.0
"""What there is to know of a result, as warnings."""

import pathlib
import sys
import warnings

_PACKAGE = str(pathlib.Path(__file__).parent)


def warn_of(notes: list[str]) -> None:
    """Warnings that point at the line outside of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for note in notes:
        warnings.warn(note, RuntimeWarning, stacklevel=level)
