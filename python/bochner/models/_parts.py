# SPDX-License-Identifier: Apache-2.0
"""Converts estimators to the parts of a model file and back."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._features import Features
from bochner.estimators._gaussian_process import GaussianProcess
from bochner.estimators._kernel_classifier import KernelClassifier
from bochner.estimators._kernel_logistic import KernelLogistic
from bochner.estimators._kernel_pca import KernelPCA
from bochner.estimators._kernel_ridge import KernelRidge
from bochner.estimators._kernel_ridge_classifier import KernelRidgeClassifier
from bochner.estimators._kernel_svc import KernelSVC
from bochner.models._columns import Layout, ModelColumns

_SPEC = ("kernel", "map", "coupling", "d", "m", "seed", "lengthscale")
_MULTI_CLASS = {"logistic": "multinomial", "logistic_one_vs_rest": "one_vs_rest"}


def parts_of(columns: Any, learner: Any, target: str | None = None) -> dict[str, Any] | None:
    """The argument of `_core.save_model`; None for an estimator that no file can hold. `target` is the name of the
    target."""
    describe = next((describe for kind, describe in _DESCRIBE.items() if isinstance(learner, kind)), None)
    if describe is None or not isinstance(columns, (ModelColumns, StandardScaler, type(None))):
        return None
    check_is_fitted(learner)
    parts = {
        "single": bool(getattr(columns, "single", False)),
        "spec": learner.features_._core.spec,
        "class_weights": [],
        "posterior": None,
        "components": None,
        **describe(learner),
        "preprocessing": _preprocessing_of(columns, learner, target),
    }
    parts["coef"] = np.ascontiguousarray(np.atleast_2d(parts["coef"]), dtype=np.float64)
    parts["intercept"] = [float(number) for number in np.atleast_1d(parts["intercept"])]
    parts["facts"] = {name: float(value) for name, value in parts["facts"].items() if math.isfinite(value)}
    return parts


def _preprocessing_of(columns: Any, learner: Any, target: str | None) -> dict[str, Any]:
    d = learner.features_.d
    found = getattr(learner, "feature_names_in_", getattr(columns, "feature_names_in_", [""] * d))
    inputs = [(str(name), [], 0.0) for name in found]
    mean, scale, impute, layout = np.zeros(d), np.ones(d), False, None
    if isinstance(columns, ModelColumns):
        inputs, mean, scale, impute = columns.inputs, columns.mean, columns.scale, columns.impute
        layout = columns.layout
    elif columns is not None:
        check_is_fitted(columns)
        mean = mean if columns.mean_ is None or not columns.with_mean else columns.mean_
        scale = scale if columns.scale_ is None or not columns.with_std else columns.scale_
    names = [name for name, _, _ in inputs]
    layout = layout or Layout.of(names, not isinstance(learner, KernelPCA))._replace(header=learner._header)
    if target in names:
        raise ValueError(f"target is {target!r}, an input; expected another name")
    regression = not hasattr(learner, "classes_")
    return {
        "inputs": [
            (str(name), int(position), list(words), float(fill))
            for (name, words, fill), position in zip(inputs, layout.positions, strict=True)
        ],
        "columns": int(layout.columns),
        "target": layout.target if target is None else target,
        "target_position": int(layout.target_position),
        "impute": bool(impute),
        "mean": [float(number) for number in mean],
        "scale": [float(number) for number in scale],
        "regression": regression,
        "classes": [] if regression else _labels(learner.classes_),
        "number_classes": not regression and learner.classes_.dtype.kind in "iuf",
        "header": layout.header,
    }


def _labels(classes: Any) -> list[str]:
    if classes.dtype.kind in "iuf":
        return [repr(label.item()) for label in classes]
    for label in classes:
        if not isinstance(label, str):
            raise ValueError(f"classes_ has {label!r}; a model file holds classes that are all numbers or all strings")
    return [str(label) for label in classes]


def _require_one_target(learner: Any) -> None:
    if not learner._flat:
        raise ValueError(f"{type(learner).__name__} was fitted to y of two dimensions; a model file holds one target")


def _ridge(learner: Any) -> dict[str, Any]:
    _require_one_target(learner)
    facts = {"alpha": learner.alpha_, "condition": getattr(learner, "condition_", math.inf)}
    return {"learner": "ridge", "coef": learner.coef_, "intercept": learner.intercept_, "facts": facts}


def _ridge_classes(learner: Any) -> dict[str, Any]:
    facts = {"alpha": learner.alpha_, "condition": getattr(learner, "condition_", math.inf)}
    return {"learner": "ridge", "coef": learner.coef_, "intercept": learner.intercept_, "facts": facts}


def _process(learner: Any) -> dict[str, Any]:
    _require_one_target(learner)
    if learner._exact_prior:
        raise ValueError("prior_variance is 'exact'; a model file holds that of the features")
    facts = {
        "noise_variance": learner.noise_variance_,
        "signal_variance": learner.signal_variance_,
        "log_marginal_likelihood": learner.log_marginal_likelihood_value_,
    }
    posterior = learner._posterior
    return {
        "learner": "gp",
        "coef": learner.coef_,
        "intercept": learner.intercept_,
        "facts": facts,
        "posterior": posterior,
    }


def _linear(learner: Any) -> dict[str, Any]:
    word = "svc"
    if isinstance(learner, KernelLogistic):
        word = next(name for name, multi_class in _MULTI_CLASS.items() if multi_class == learner.multi_class)
    facts = {"C": learner.C, "objective": learner.objective_, "gradient": learner.gradient_norm_}
    facts |= {"steps": learner.n_iter_, "converged": learner.converged_}
    return {"learner": word, "coef": learner.coef_, "intercept": learner.intercept_, "facts": facts}


def _sums(learner: Any) -> dict[str, Any]:
    weights = [float(weight) for weight in learner.class_weight_]
    none = np.zeros(len(weights))
    return {
        "learner": "nadaraya_watson",
        "coef": learner._coef,
        "intercept": none,
        "facts": {},
        "class_weights": weights,
    }


def _components(learner: Any) -> dict[str, Any]:
    found = {
        "mean": learner.mean_.tolist(),
        "explained_variance": learner.explained_variance_.tolist(),
        "total_variance": float(learner._total_variance),
    }
    facts = {"components": len(learner.components_), "total_variance": learner._total_variance}
    return {
        "learner": "pca",
        "coef": learner.components_,
        "intercept": learner._offset,
        "facts": facts,
        "components": found,
    }


_DESCRIBE: dict[type, Callable[[Any], dict[str, Any]]] = {
    KernelRidge: _ridge,
    GaussianProcess: _process,
    KernelLogistic: _linear,
    KernelSVC: _linear,
    KernelClassifier: _sums,
    KernelRidgeClassifier: _ridge_classes,
    KernelPCA: _components,
}


def estimator_of(parts: dict[str, Any], features: Features) -> Any:
    """The fitted estimator, or a pipeline that ends with it."""
    made, name, facts = parts["preprocessing"], parts["learner"], parts["facts"]
    words = _words(features)
    coef, intercept = parts["coef"], np.array(parts["intercept"])
    if name == "ridge" and made["regression"]:
        learner: Any = KernelRidge(alpha=facts.get("alpha", "auto"), **words)
        learner.coef_, learner.intercept_, learner._flat = coef[0], float(intercept[0]), True
        learner._gathered, learner._loaded = None, True
    elif name == "ridge":
        learner = KernelRidgeClassifier(alpha=facts.get("alpha", "auto"), **words)
        learner.coef_, learner.intercept_ = coef, intercept
    elif name == "gp":
        learner = GaussianProcess(**words)
        learner._gathered, learner._loaded, learner._flat, learner._exact_prior = None, True, True, False
        learner._publish(parts["posterior"])
        learner.log_marginal_likelihood_value_ = facts.get("log_marginal_likelihood", math.nan)
    elif name == "nadaraya_watson":
        learner = KernelClassifier(**words)
        _restore_sums(learner, coef, parts["class_weights"])
        learner._positive = _is_positive(features)
    elif name == "pca":
        words["n_features"] = words.pop("n_components")
        learner = KernelPCA(len(coef), **words)
        learner._gram, learner._loaded = None, True
        learner._count = learner.n_components_ = len(coef)
        learner._publish({"components": coef, "offset": intercept, **parts["components"]})
    else:
        learner = _linear_of(name, facts, words, coef, intercept)
    if name == "ridge":
        learner.alpha_, learner.condition_ = facts.get("alpha", math.nan), facts.get("condition", math.inf)
    if made["classes"]:
        learner.classes_ = _classes_of(made)
    return _with_columns(parts, learner, features)


def _restore_sums(learner: Any, coef: Any, class_weights: list[float]) -> None:
    """Restores sums over rows from coef, which is the sums divided by the sum of all weights. A file without weights
    gives no sums to which rows could be added."""
    learner._coef, learner._loaded, learner._sums = coef, not class_weights, None
    learner.class_weight_ = np.array(class_weights or [1.0] * len(coef))
    if class_weights:
        sums = np.append(coef * learner.class_weight_.sum(), learner.class_weight_)
        empty = _core.ClassSums(coef.shape[1], len(coef)).__getstate__()
        learner._sums = _core.ClassSums.__new__(_core.ClassSums)
        learner._sums.__setstate__(empty[: len(empty) - sums.nbytes] + sums.tobytes())


def _linear_of(name: str, facts: dict[str, float], words: dict[str, Any], coef: Any, intercept: Any) -> Any:
    C = facts.get("C", 1.0)
    if name in _MULTI_CLASS:
        learner: Any = KernelLogistic(C=C, multi_class=_MULTI_CLASS[name], **words)
    else:
        learner = KernelSVC(C=C, **words)
    learner.coef_, learner.intercept_ = coef, intercept
    learner.n_iter_, learner.converged_ = int(facts.get("steps", 0)), bool(facts.get("converged", True))
    learner.objective_, learner.gradient_norm_ = facts.get("objective", math.nan), facts.get("gradient", math.nan)
    return learner


def _words(features: Features) -> dict[str, Any]:
    """Parameters by which `fit` would draw the same features again."""
    spec = features.spec
    own = {name: value for name, value in spec.items() if name not in _SPEC}
    return {
        "kernel": spec["kernel"],
        "map": spec["map"],
        "coupling": spec["coupling"],
        "n_components": features.outputs,
        "lengthscale": spec["lengthscale"],
        "random_state": spec["seed"],
        "params": own or None,
    }


def _is_positive(features: Features) -> bool:
    try:
        features.transform(np.zeros((0, features.d)), log_scale=True)
    except ValueError:
        return False
    return True


def _classes_of(made: dict[str, Any]) -> Any:
    labels = made["classes"]
    if not made["number_classes"]:
        return np.array(labels)
    whole = all(label.lstrip("+-").isdigit() for label in labels)
    return np.array([int(label) for label in labels]) if whole else np.array([float(label) for label in labels])


def _with_columns(parts: dict[str, Any], learner: Any, features: Features) -> Any:
    made = parts["preprocessing"]
    learner._publish_features(features, features.spec["lengthscale"])
    learner._single, learner._header = parts["single"], made["header"]
    learner.n_features_in_ = features.d
    inputs = [(name, words, fill) for name, _, words, fill in made["inputs"]]
    names = [name for name, _, _ in inputs]
    positions = tuple(position for _, position, _, _ in made["inputs"])
    layout = Layout(positions, made["columns"], made["target"], made["target_position"], made["header"])
    mean, scale = np.array(made["mean"]), np.array(made["scale"])
    plain = not any(words for _, words, _ in inputs) and not made["impute"] and not parts["single"]
    if (
        plain
        and not mean.any()
        and (scale == 1).all()
        and layout._replace(header=None) == Layout.of(names, not isinstance(learner, KernelPCA))
    ):
        if all(names):
            learner.feature_names_in_ = np.array(names, dtype=object)
        return learner
    columns = ModelColumns(inputs, mean, scale, made["impute"], parts["single"], layout)
    return Pipeline([("columns", columns), (type(learner).__name__.lower(), learner)])
