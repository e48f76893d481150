# SPDX-License-Identifier: Apache-2.0
"""Model files: what the command line fits predicts here, and the other way round."""

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

    The file is safetensors: names, classes, the spec of the features and the weights, checksummed; W is drawn again
    from the seed. It appears whole or not at all. Unlike a pickle it holds no code.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted :class:`KernelRidge`, :class:`GaussianProcess` (each of one target), :class:`KernelLogistic`,
        :class:`KernelSVC`, :class:`KernelRidgeClassifier`, :class:`KernelClassifier` or :class:`KernelPCA`; or a
        pipeline of scikit-learn's
        ``StandardScaler``, or of what :func:`load_model` puts first, and one of these.
    file : str or path
    dtype : {"float64", "float32"}, default "float64"
        Precision of the features wherever the file is used: float32 is that of predictions for float32 rows.
    target : str, default None
        How files with names call the column of the target, for ``bochner evaluate``. None: as in the file that the
        model came from; else "y", or where that is an input "y_". Columns without names are the inputs and then the
        target, or those of the file that the model came from.

    Raises
    ------
    TypeError
        For other estimators and pipelines.
    ValueError
        For what a model file does not hold: several targets, labels that are neither numbers nor strings, the exact
        prior variance of a Gaussian process; for a target that is an input.
    OSError
        Where the file cannot be written.

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
    from bochner._model_parts import parts_of

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
    """The estimator of a model file, fitted; it predicts the bits that ``bochner predict`` predicts on this machine.

    Parameters
    ----------
    file : str or path
        What ``bochner fit`` or :func:`save_model` wrote.

    Returns
    -------
    estimator
        :class:`KernelRidge`, :class:`GaussianProcess`, :class:`KernelLogistic`, :class:`KernelSVC`,
        :class:`KernelRidgeClassifier` (what ``bochner fit`` makes of classes unless told otherwise),
        :class:`KernelClassifier` or :class:`KernelPCA`, whose parameters are those of the file. Where the file
        standardises columns, has words or missing values, or float32 features, leaves columns out, or has the target
        elsewhere than last or under a name of its own, it is the last step of a pipeline, which takes the inputs: a
        data frame (found by name) or rows in the order of the file. Results have the dtype of the rows: float32 rows
        have float32 results (and features), all others float64 results of features as the file has them.
        ``partial_fit`` adds rows to a :class:`KernelClassifier`, whose sums are in the file; of the others, which need
        more than it holds, it is refused.

    Raises
    ------
    OSError
        For anything that is not a model file, whole and unchanged; the sentence names the byte.

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
    from bochner._model_parts import estimator_of

    parts = _core.load_model(os.fspath(file))
    return estimator_of(parts, Features(parts["spec"]))


def _steps(estimator: Any) -> tuple[Any, Any]:
    """(what prepares the columns or None, the learner)."""
    steps = [step for _, step in getattr(estimator, "steps", [])]
    if len(steps) == 2:
        return steps[0], steps[1]
    return None, estimator

