# SPDX-License-Identifier: Apache-2.0
"""The Nadaraya-Watson classifier at linear cost."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._arrays import as_matrix, in_type_of
from bochner._lengthscale import lengthscale
from bochner.estimators._feature_choice import FeatureChoice
from bochner.estimators._gathered_rows import refuse_loaded
from bochner.estimators._samples import ReadableScores, as_weights, drop_weightless, validated

# For lengthscale="auto": the number of rows that are used, of which every fourth is held out, and the candidates as
# multiples of "scale".
_SEARCH_ROWS = 20_000
_HELD_OUT = 4
_FACTORS = 2.0 ** np.arange(-5, 3)


class KernelClassifier(FeatureChoice, ReadableScores, ClassifierMixin, BaseEstimator):
    """Nadaraya-Watson classification on random features: one pass, O(n D) time, D = n_components.

    The score of a class is sum_i w_i k(x, x_i) over its rows, estimated by phi(x) . sum_i w_i phi(x_i). No equation is
    solved, so rows can be added, merged and weighted freely. With maps whose features are not negative (``positive``
    and similar maps) scores are not negative either, and divided by their sum they are probabilities.

    On most tables it is far less accurate than classifiers that solve for their weights. Unless you need sums, use
    :class:`bochner.KernelRidgeClassifier`, or :class:`bochner.KernelLogistic` for probabilities.

    Parameters
    ----------
    kernel, map, coupling, n_components, gamma, random_state, params, target_error, max_components
        As in :class:`bochner.RandomFeatures`; maps that treat query and key differently are allowed too.
    lengthscale : float, array, "auto", "scale", "median" or "neighbour", default None
        As in :class:`bochner.RandomFeatures`; "auto" is the multiple (1/32 to 4) of "scale" with the best accuracy on
        held-out rows: of at most 20,000 rows, a quarter is held out and the rest is fitted.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_weight_ : array of shape (n_classes,)
        Sum of the weights of each class's rows.
    features_, n_components_, m_, gamma_, lengthscale_, n_features_in_, feature_names_in_
        As in :class:`bochner.RandomFeatures`.

    Examples
    --------
    >>> from bochner import KernelClassifier
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> model = KernelClassifier(n_components=512, lengthscale=0.3, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    _LEARNER = "nadaraya_watson"

    def __init__(
        self,
        *,
        kernel: str = "gaussian",
        map: str = "auto",
        coupling: str = "auto",
        n_components: int | str = 1024,
        gamma: float | str | None = "scale",
        lengthscale: npt.ArrayLike | str | None = None,
        random_state: Any = None,
        params: dict[str, Any] | None = None,
        target_error: float | None = None,
        max_components: int = 65_536,
    ) -> None:
        self.kernel = kernel
        self.map = map
        self.coupling = coupling
        self.n_components = n_components
        self.gamma = gamma
        self.lengthscale = lengthscale
        self.random_state = random_state
        self.params = params
        self.target_error = target_error
        self.max_components = max_components

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelClassifier":
        """Sums the features of every class; rows from earlier calls are forgotten.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,)
            Labels of any type.
        sample_weight : array of shape (n,), default ones
            Numbers >= 0; a row of weight 0 counts as absent.

        Returns
        -------
        KernelClassifier
            The object itself.

        Examples
        --------
        >>> from bochner import KernelClassifier
        >>> KernelClassifier(n_components=64, random_state=0).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.2]])
        array(['a'], dtype='<U1')
        """
        self._sums, self._loaded = None, False
        return self._add(X, y, None, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "KernelClassifier":
        """Adds a batch of rows. The first batch decides the features.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
        y : array of shape (n,)
        classes : array, default None
            All labels that will ever occur, given with the first batch. Default: those of that batch.
        sample_weight : array of shape (n,), default ones

        Returns
        -------
        KernelClassifier
            The object itself.

        Examples
        --------
        >>> from bochner import KernelClassifier
        >>> model = KernelClassifier(n_components=64, lengthscale=0.5, random_state=0)
        >>> model = model.partial_fit([[0.0]], ["a"], classes=["a", "b"]).partial_fit([[1.0]], ["b"])
        >>> model.predict([[0.2], [0.8]])
        array(['a', 'b'], dtype='<U1')
        """
        refuse_loaded(self)
        return self._add(X, y, classes, sample_weight)

    def merge(self, other: "KernelClassifier") -> "KernelClassifier":
        """Adds the rows that another model with the same features and classes has seen.

        Parameters
        ----------
        other : KernelClassifier
            It has the same parameters, an int as random_state, and a map, a coupling and a lengthscale that are given,
            not found from data.

        Returns
        -------
        KernelClassifier
            The object itself.

        Examples
        --------
        >>> from bochner import KernelClassifier
        >>> words = dict(map="trigonometric", coupling="iid", n_components=64, lengthscale=0.5, random_state=0)
        >>> left = KernelClassifier(**words).partial_fit([[0.0]], ["a"], classes=["a", "b"])
        >>> right = KernelClassifier(**words).partial_fit([[1.0]], ["b"], classes=["a", "b"])
        >>> left.merge(right).predict([[0.2], [0.8]])
        array(['a', 'b'], dtype='<U1')
        """
        for model, name in ((self, "self"), (other, "other")):
            if not isinstance(model, KernelClassifier) or getattr(model, "_sums", None) is None:
                raise ValueError(f"{name} is {model!r}; expected a fitted KernelClassifier")
        if other.features_.spec != self.features_.spec:
            raise ValueError(f"other has the features {other.features_!r}; expected {self.features_!r}")
        if not np.array_equal(other.classes_, self.classes_):
            raise ValueError(f"other has the classes {_names(other.classes_)}; expected {_names(self.classes_)}")
        self._sums.merge(other._sums)
        self._publish()
        return self

    def decision_function(self, X: Any) -> npt.NDArray[Any]:
        """Scores of the classes: sum_i w_i phi(x) . phi(x_i) over the rows of each, divided by the sum of all weights.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, n_classes), or (n,) for two classes
            For two classes the score of the second minus that of the first.

        Examples
        --------
        >>> from bochner import KernelClassifier
        >>> model = KernelClassifier(n_components=64, random_state=0).fit([[0.0], [1.0]], [0, 1])
        >>> model.decision_function([[0.0], [1.0]]) > 0
        array([False,  True])
        """
        rows, scores = self._scores(X)
        return in_type_of(rows, scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class with the largest score for every row of X. If all scores are 0, far from all rows, it is the class
        with the largest weight.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> from bochner import KernelClassifier
        >>> KernelClassifier(n_components=64, random_state=0).fit([[0.0], [1.0]], [5, 7]).predict([[0.9]])
        array([7])
        """
        _, scores = self._scores(X)
        scores[~scores.any(axis=1)] = self.class_weight_
        return self.classes_[scores.argmax(axis=1)]

    @available_if(lambda self: getattr(self, "_positive", False))
    def predict_proba(self, X: Any) -> npt.NDArray[Any]:
        """Scores divided by their sum; only for maps whose features are not negative.

        Parameters
        ----------
        X : array or data frame of shape (n, d)

        Returns
        -------
        array of shape (n, n_classes)
            If all scores are 0, far from all rows, these are the shares of the classes.

        Examples
        --------
        >>> from bochner import KernelClassifier
        >>> model = KernelClassifier(map="positive", n_components=512, lengthscale=1.0, random_state=0)
        >>> model.fit([[-1.0], [1.0]], [0, 1]).predict_proba([[0.0]]).round(1)
        array([[0.5, 0.5]])
        """
        rows, scores = self._scores(X)
        return in_type_of(rows, _core.class_shares(scores, self.class_weight_))

    def _add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> "KernelClassifier":
        first = getattr(self, "_sums", None) is None
        least = 2 if first and self._needs_pairs() else 1
        X, y = validated(self, X, y, reset=first, ensure_min_samples=least)
        check_classification_targets(y)
        X, y, weights = drop_weightless(X, y, sample_weight)
        if first:
            self.classes_ = np.unique(y if classes is None else classes)
        labels = self._labels(y)
        if first:
            self._draw_for(X, labels, weights)
            self._sums = _core.ClassSums(self.features_.outputs, len(self.classes_))
        self._sums.add(self.features_._core, as_matrix(X), labels, as_weights(weights))
        self._publish()
        return self

    def _publish(self) -> None:
        self.class_weight_ = np.array(self._sums.weights)
        self._coef = self._sums.sums() / self.class_weight_.sum()

    def _labels(self, y: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        labels = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        unknown = self.classes_[labels] != y
        if unknown.any():
            raise ValueError(f"y has the label {y[unknown][0]}; expected one of {_names(self.classes_)}")
        return labels.astype(np.int64)

    def _scores(self, X: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The rows, and their scores in double."""
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        rows = self._rows_for_features(X)
        return X, _core.predict(self.features_._core, self._coef, [0.0] * len(self.classes_), rows)

    def _draw_for(self, X: npt.NDArray[Any], labels: npt.NDArray[Any], weights: npt.NDArray[Any] | None) -> None:
        if isinstance(self.lengthscale, str) and self.lengthscale == "auto":
            chosen = clone(self).set_params(lengthscale=self._best_lengthscale(X, labels, weights))
            chosen.set_params(random_state=self._seed())
            chosen._draw(X, weights, functions=len(self.classes_))
            for name in ("features_", "n_components_", "m_", "gamma_", "lengthscale_", "_single", "_header"):
                setattr(self, name, getattr(chosen, name))
        else:
            self._draw(X, weights, functions=len(self.classes_))
        try:
            self.features_.transform(X[:1], log_scale=True)
            self._positive = True
        except ValueError:
            self._positive = False

    def _best_lengthscale(self, X: npt.NDArray[Any], labels: npt.NDArray[Any], weights: Any) -> float:
        step = max(1, len(X) // _SEARCH_ROWS)
        rows = np.arange(0, len(X), step)
        order = np.random.default_rng(0).permutation(rows)
        held, kept = order[::_HELD_OUT], np.delete(order, np.s_[::_HELD_OUT])
        candidates = lengthscale(X, "scale") * _FACTORS[::-1]
        if len(kept) == 0:
            return float(candidates[2])
        own = [None if weights is None else weights[rows] for rows in (kept, held)]
        scores = [
            clone(self)
            .set_params(lengthscale=sigma, random_state=0)
            .partial_fit(X[kept], labels[kept], np.arange(len(self.classes_)), own[0])
            .score(X[held], labels[held], own[1])
            for sigma in map(float, candidates)
        ]
        return float(candidates[int(np.argmax(scores))])


def _names(classes: npt.NDArray[Any]) -> str:
    return ", ".join(str(name) for name in classes)
