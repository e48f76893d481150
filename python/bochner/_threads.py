# SPDX-License-Identifier: Apache-2.0
"""How many threads the library uses."""

from bochner import _core
from bochner._arguments import as_count


def num_threads() -> int:
    """The number of threads that every call on blocks of rows uses.

    Initially it is the environment variable ``BOCHNER_NUM_THREADS``, else the number of cores this process may use.
    Results do not depend on it, bit by bit.

    Returns
    -------
    int

    Examples
    --------
    >>> import bochner
    >>> bochner.num_threads() >= 1
    True
    """
    return _core.num_threads()


def set_num_threads(threads: int) -> None:
    """Sets the number of threads of this process.

    Parameters
    ----------
    threads : int
        From 1 to 1024.

    Examples
    --------
    >>> import bochner
    >>> before = bochner.num_threads()
    >>> bochner.set_num_threads(1)
    >>> bochner.num_threads()
    1
    >>> bochner.set_num_threads(before)
    """
    _core.set_num_threads(as_count(threads, "threads"))
