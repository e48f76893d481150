# SPDX-License-Identifier: Apache-2.0
"""How a model file prepares the columns of a table."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from bochner._arrays import float_type, readable

_MISSING = ("", "na", "n/a", "nan", "null", "?")
_BLANKS = " \t"
# ASCII only, as in the reader of CSV files.
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


class Layout(NamedTuple):
    """The positions of inputs and target in the file that a model is fitted to; other columns are left out. `header`:
    whether its first line had names; None if that is not known."""

    positions: tuple[int, ...]
    columns: int
    target: str
    target_position: int
    header: bool | None = None

    @classmethod
    def of(cls, names: list[str], predicts: bool = True) -> "Layout":
        """The layout of rows in memory. The target, if the model predicts one, comes last; if columns have names, it is
        called y, or y_, y__, ... if that is taken."""
        target, d = "y" if predicts and all(names) else "", len(names)
        while target and target in names:
            target += "_"
        return cls(tuple(range(d)), d + predicts, target, d)


class ModelColumns(TransformerMixin, BaseEstimator):
    """The first step of a pipeline that :func:`bochner.load_model` returns. Strings become columns of 0 and 1, missing
    values are filled in or refused, and numbers become (x - mean) / scale, rounded to float32 if the model's features
    are float32. The result is float32 if X is. There is nothing to fit.

    Parameters
    ----------
    inputs : list of (name, categories, fill)
        One for each column of the table; a column without categories holds numbers.
    mean, scale : arrays of shape (d,)
    impute : bool
        Whether missing values become `fill`, a number or the index of a category.
    single : bool
    layout : Layout, default None
        The layout of the file that the model was fitted to. None: the inputs and then the target.

    Examples
    --------
    >>> from bochner.models._columns import ModelColumns
    >>> columns = ModelColumns([("x", [], 0.0), ("colour", ["blue", "red"], 0.0)], [5, 0, 0], [2, 1, 1])
    >>> columns.transform([[7.0, "red"]])
    array([[1., 0., 1.]])
    """

    def __init__(
        self,
        inputs: list[tuple[str, list[str], float]],
        mean: npt.ArrayLike,
        scale: npt.ArrayLike,
        impute: bool = False,
        single: bool = False,
        layout: Layout | None = None,
    ) -> None:
        self.inputs = inputs
        self.mean = mean
        self.scale = scale
        self.impute = impute
        self.single = single
        self.layout = layout

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> "ModelColumns":
        """Does nothing."""
        return self

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Rows of numbers from a data frame, whose columns are found by name, or from rows in the order of the
        inputs."""
        X = readable(X, "X")
        parts = [
            self._coded(column, j) if self.inputs[j][1] else self._numbers(column, j)[:, None]
            for j, column in enumerate(self._columns(X))
        ]
        rows = (np.concatenate(parts, axis=1) - np.asarray(self.mean)) / np.asarray(self.scale)
        rows = rows.astype(np.float32) if self.single else rows
        return rows.astype(float_type(X), copy=False)

    def _columns(self, X: Any) -> list[npt.NDArray[Any]]:
        names = [name for name, _, _ in self.inputs]
        if hasattr(X, "columns") and all(names) and set(names) <= set(X.columns):
            return [np.asarray(X[name]) for name in names]
        words = any(categories for _, categories, _ in self.inputs)
        table = np.asarray(X, dtype=object) if words else np.asarray(X)
        if table.ndim != 2 or table.shape[1] != len(names):
            known = f" ({', '.join(names)})" if all(names) else ""
            raise ValueError(f"X has shape {table.shape}; expected (n, {len(names)}), the inputs of the model{known}")
        return list(table.T)

    def _name(self, j: int) -> str:
        return repr(self.inputs[j][0]) if self.inputs[j][0] else str(j)

    def _numbers(self, column: npt.NDArray[Any], j: int) -> npt.NDArray[np.float64]:
        numbers = np.empty(len(column))
        for row, value in enumerate(column):
            try:
                numbers[row] = np.nan if _is_missing(value) else _number(value)
            except (TypeError, ValueError):
                where = f"column {self._name(j)}, {value!r} at row {row}"
                raise ValueError(f"X has a word in {where}; expected numbers") from None
        self._check(np.isnan(numbers), j)
        numbers[np.isnan(numbers)] = self.inputs[j][2]
        if not np.isfinite(numbers).all():
            raise ValueError(f"X has an infinite number in column {self._name(j)}; expected finite ones")
        return numbers

    def _coded(self, column: npt.NDArray[Any], j: int) -> npt.NDArray[np.float64]:
        _, categories, fill = self.inputs[j]
        missing = np.array([_is_missing(value) for value in column], dtype=bool)
        self._check(missing, j)
        known = {word: code for code, word in enumerate(categories)}
        codes = [known.get(_word(value), -1) for value in column]
        codes = [int(fill) if gone else code for code, gone in zip(codes, missing, strict=True)]
        if -1 in codes:
            value = column[codes.index(-1)]
            raise ValueError(f"X has {value!r} in column {self._name(j)}; expected one of {', '.join(categories)}")
        return np.eye(len(categories))[np.array(codes, dtype=int)]

    def _check(self, missing: npt.NDArray[np.bool_], j: int) -> None:
        if missing.any() and not self.impute:
            row = int(missing.argmax())
            raise ValueError(f"X has a missing value at row {row}, column {self._name(j)}; the model fills in none")


def _is_missing(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip(_BLANKS).translate(_LOWER) in _MISSING
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ == "NAType"  # pandas' missing value


def _number(value: Any) -> float:
    """Like float(), but without the underscores that Python allows in numbers such as 1_000."""
    if isinstance(value, str) and "_" in value:
        raise ValueError
    return float(value)


def _word(value: Any) -> str:
    """The value as a CSV file writes it: 3.0 as 3."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
