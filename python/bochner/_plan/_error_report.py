# SPDX-License-Identifier: Apache-2.0
"""How well the features do on the user's own data."""

from dataclasses import dataclass

import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count
from bochner._arrays import as_matrix
from bochner._features import Features


@dataclass(frozen=True)
class ErrorReport:
    """Errors of features on pairs of rows, root mean squares; made by :func:`error_report`.

    Attributes
    ----------
    pairs : int
        How many pairs were looked at.
    predicted : float or None
        By the closed form, before anything is computed.
    closed_form : str
        "exact", "approximate" (that of the exact counterpart) or "none".
    observed : float
        Of these features, against the exact kernel.
    jackknife : float or None
        Standard error from the spread of independent blocks of directions: it needs no exact kernel.
    kept : bool
        Whether the observed error is at most twice the predicted one.
    advice : str
        What to do; empty where nothing is to be done.

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
        """The report in words."""
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
    """Predicted, observed and jackknifed error of features on pairs of rows, and what to do if the promise is not kept.

    Parameters
    ----------
    features : Features
    X : array of shape (n, d)
        Queries.
    Y : array of shape (n', d), default X
        Keys.
    pairs : int
        Pairs of rows to look at.
    seed : int
        Of the sample.

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
