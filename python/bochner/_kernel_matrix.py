# SPDX-License-Identifier: Apache-2.0
"""The exact kernel."""

from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_lengthscale, as_name, as_parameters
from bochner._arrays import as_matrix
from bochner._memory import require_result


def kernel_matrix(
    X: npt.ArrayLike,
    Y: npt.ArrayLike | None = None,
    kernel: str = "gaussian",
    lengthscale: npt.ArrayLike = 1.0,
    **params: Any,
) -> npt.NDArray[Any]:
    """The exact Gram matrix K[i, j] = k(x_i, y_j), which random features approximate.

    ``gaussian``: exp(-|x - y|^2 / (2 sigma^2)); ``softmax``: exp(x . y / sigma^2); the others: :func:`kernels`.
    Computed in float64 whatever the dtype; O(n n' d).

    Parameters
    ----------
    X : array of shape (n, d)
    Y : array of shape (n', d), default X
    kernel : str
    lengthscale : float or array of shape (d,)
        sigma, > 0; a vector divides the coordinates.
    **params
        Further parameters of the kernel, as listed by :func:`kernels`.

    Returns
    -------
    array of shape (n, n')
        float32 when X and Y are float32, else float64.

    Raises
    ------
    ValueError
        For arrays that do not fit, entries that are not finite, an unknown kernel or a lengthscale that is not
        positive.

    Examples
    --------
    >>> import bochner
    >>> bochner.kernel_matrix([[0.0, 0.0], [3.0, 4.0]], lengthscale=5.0).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    parameters = as_parameters(params, _core.kernels(), ("X", "Y", "kernel", "lengthscale"), "kernel_matrix")
    left = as_matrix(X, "X")
    right = left if Y is None else as_matrix(Y, "Y")
    common = np.result_type(left, right)
    require_result(len(left), len(right), common.itemsize, "X", f"a matrix of {len(left)} x {len(right)} kernels")
    return _core.kernel_matrix(
        left.astype(common, copy=False),
        right.astype(common, copy=False),
        as_name(kernel, "kernel"),
        as_lengthscale(lengthscale),
        parameters,
    )
