# SPDX-License-Identifier: Apache-2.0
"""Model files: a model fitted on the command line can predict here, and the other way round."""

import os
from typing import Any

from bochner import _core
from bochner._features import Features

_SAVED = (
    "KernelRidge, GaussianProcess, KernelLogistic, KernelSVC, KernelRidgeClassifier, KernelClassifier or KernelPCA"
)
_DTYPES = ("float64", "float32")


def save_model(
    estimator: Any, file: str | os.PathLike[str], dtype: str = "float64", target: str | None = None
) -> None:
    """Writes a fitted estimator as a model file, for ``bochner predict``, C++ and :func:`load_model`.

    The file is in the safetensors format and holds names, classes, the spec of the features, the weights and a
    checksum; W is drawn again from the seed. It is written completely or not at all. Unlike a pickle it holds no code.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted :class:`KernelRidge`, :class:`GaussianProcess` (each of one target), :class:`KernelLogistic`,
        :class:`KernelSVC`, :class:`KernelRidgeClassifier`, :class:`KernelClassifier` or :class:`KernelPCA`; or a
        pipeline of one of these after scikit-learn's ``StandardScaler`` or after the first step of a pipeline from
        :func:`load_model`.
    file : str or path
    dtype : {"float64", "float32"}, default "float64"
        Precision of the features wherever the file is used. float32 is what predictions for float32 rows use.
    target : str, default None
        Name of the target column in files with column names, for ``bochner evaluate``. None: the name in the file that
        the model came from; else "y", or "y_" if "y" is an input. Columns without names are in the order of the file
        that the model came from, else the inputs and then the target.

    Raises
    ------
    TypeError
        For other estimators and pipelines.
    ValueError
        For what a model file cannot hold: several targets, labels that are neither numbers nor strings, the exact prior
        variance of a Gaussian process. Also if target names an input.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> import bochner
    >>> model = bochner.KernelRidge(n_components=64, random_state=0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bochner.save_model(model, os.path.join(folder, "hat.safetensors"))
    ...     again = bochner.load_model(os.path.join(folder, "hat.safetensors"))
    >>> bool((again.predict([[0.5]]) == model.predict([[0.5]])).all())
    True
    """
    from bochner.models._parts import parts_of

    if dtype not in _DTYPES:
        raise ValueError(f"dtype is {dtype!r}; expected 'float64' or 'float32'")
    columns, learner = _steps(estimator)
    if target is not None and not isinstance(target, str):
        raise ValueError(f"target is {target!r}; expected a str, the name of a column")
    parts = parts_of(columns, learner, target)
    if parts is None:
        raise TypeError(f"estimator is {estimator!r}; expected a {_SAVED}, or a pipeline of a StandardScaler and one")
    parts["single"] = dtype == "float32" or (parts["single"] and columns is not None)
    _core.save_model(os.fspath(file), parts)


def load_model(file: str | os.PathLike[str]) -> Any:
    """The fitted estimator of a model file. Its predictions have the same bits as those of ``bochner predict`` on this
    machine.

    Parameters
    ----------
    file : str or path
        A file that ``bochner fit`` or :func:`save_model` wrote.

    Returns
    -------
    estimator
        :class:`KernelRidge`, :class:`GaussianProcess`, :class:`KernelLogistic`, :class:`KernelSVC`,
        :class:`KernelRidgeClassifier` (the default of ``bochner fit`` for classes), :class:`KernelClassifier` or
        :class:`KernelPCA`, with the parameters of the file. It is the last step of a pipeline if the model standardises
        columns, takes strings or missing values, has float32 features, leaves columns out, or has a target that is not
        the last column or has its own name. The pipeline takes the inputs: a data frame (columns are found by name) or
        rows in the order of the file. Results have the dtype of the rows: float32 rows give float32 results (and
        features), all others give float64 results, from features of the file's precision. ``partial_fit`` can add rows
        to a :class:`KernelClassifier`, whose sums are in the file; the others refuse it, because they need more than
        the file holds.

    Raises
    ------
    OSError
        For anything that is not a complete and unchanged model file; the message names the byte.

    Examples
    --------
    >>> import os, tempfile
    >>> import bochner
    >>> model = bochner.KernelLogistic(n_components=64, random_state=0).fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bochner.save_model(model, os.path.join(folder, "letters.safetensors"))
    ...     again = bochner.load_model(os.path.join(folder, "letters.safetensors"))
    >>> type(again).__name__, again.classes_
    ('KernelLogistic', array(['a', 'b'], dtype='<U1'))
    """
    from bochner.models._parts import estimator_of

    parts = _core.load_model(os.fspath(file))
    return estimator_of(parts, Features(parts["spec"]))


def _steps(estimator: Any) -> tuple[Any, Any]:
    """(the step that prepares the columns, or None; the learner)."""
    steps = [step for _, step in getattr(estimator, "steps", [])]
    if len(steps) == 2:
        return steps[0], steps[1]
    return None, estimator

