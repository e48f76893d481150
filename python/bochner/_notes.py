# SPDX-License-Identifier: Apache-2.0
"""Notes about a result, given as warnings."""

import pathlib
import sys
import warnings

_PACKAGE = str(pathlib.Path(__file__).parent)


def warn_of(notes: list[str]) -> None:
    """Warns for each note, pointing at the line outside this package that made the call."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    for note in notes:
        warnings.warn(note, RuntimeWarning, stacklevel=level)
