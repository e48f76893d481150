# SPDX-License-Identifier: Apache-2.0
"""The error of features on the user's own data."""

from dataclasses import dataclass

import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count
from bochner._arrays import as_matrix
from bochner._features import Features


@dataclass(frozen=True)
class ErrorReport:
    """Root mean square errors of features on pairs of rows; made by :func:`error_report`.

    Attributes
    ----------
    pairs : int
        Number of pairs that were used.
    predicted : float or None
        The error by the closed form, before anything is computed.
    closed_form : str
        "exact", "approximate" (that of the exact counterpart) or "none".
    observed : float
        The error of these features, against the exact kernel.
    jackknife : float or None
        The standard error by the spread of independent blocks of directions, which needs no exact kernel.
    kept : bool
        Whether the observed error is at most twice the predicted one.
    advice : str
        What to do; empty if there is nothing to do.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> bochner.error_report(bochner.features(3, m=300), X).kept
    True
    """

    pairs: int
    predicted: float | None
    closed_form: str
    observed: float
    jackknife: float | None
    kept: bool
    advice: str

    def __str__(self) -> str:
        """The report as text."""
        predicted = "unknown" if self.predicted is None else f"{self.predicted:.4g}"
        jackknife = "" if self.jackknife is None else f", {self.jackknife:.4g} by the jackknife"
        verdict = "kept" if self.kept else "NOT kept"
        promise = "" if self.predicted is None else f"; the promise is {verdict}"
        advice = f"\n{self.advice}" if self.advice else ""
        return (
            f"rms error over {self.pairs} pairs: predicted {predicted}, "
            f"observed {self.observed:.4g}{jackknife}{promise}{advice}"
        )


def error_report(
    features: Features, X: npt.ArrayLike, Y: npt.ArrayLike | None = None, pairs: int = 1000, seed: int = 0
) -> ErrorReport:
    """Predicted, observed and jackknifed error of features on pairs of rows, and advice if the error is larger than
    predicted.

    Parameters
    ----------
    features : Features
    X : array of shape (n, d)
        Queries.
    Y : array of shape (n', d), default X
        Keys.
    pairs : int
        Number of pairs of rows to use.
    seed : int
        Seed of the sample.

    Returns
    -------
    ErrorReport

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> report = bochner.error_report(bochner.features(3, m=300), X)
    >>> report.kept, bool(0.5 < report.observed / report.predicted < 2)
    (True, True)
    """
    if not isinstance(features, Features):
        raise TypeError(f"features is a {type(features).__name__}; expected what bochner.features makes")
    queries = as_matrix(X, "X")
    keys = queries if Y is None else as_matrix(Y, "Y").astype(queries.dtype, copy=False)
    return ErrorReport(
        **_core.error_report(features._core, queries, keys, as_count(pairs, "pairs"), as_count(seed, "seed", least=0))
    )
