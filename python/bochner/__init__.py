# SPDX-License-Identifier: Apache-2.0
"""Random features: a kernel as an inner product of short random vectors.

    k(x, y) ~ phi(x) . phi(y)        phi(x) = f(W x)        W ~ coupling(law)

>>> import bochner
>>> import numpy as np
>>> X = np.random.default_rng(0).normal(size=(100, 3))
>>> Z = bochner.features(3, m=4096).transform(X)
>>> bool(abs(Z @ Z.T - bochner.kernel_matrix(X)).max() < 0.1)
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bochner import compose, theory
from bochner._attention._function import attention
from bochner._attention._state import AttentionState
from bochner._binary_embedding import BinaryEmbedding
from bochner._core import stream_version
from bochner._core import version as __version__
from bochner._features import Features
from bochner._kernel_matrix import kernel_matrix
from bochner._lengthscale import lengthscale
from bochner._make_features import features
from bochner._plan._error_report import ErrorReport, error_report
from bochner._plan._plan import Plan, plan
from bochner._registry import couplings, kernels, maps
from bochner._softmax_sampler import SoftmaxSampler, kolmogorov_smirnov, negative_fraction, wasserstein
from bochner._threads import num_threads, set_num_threads
from bochner.compose import hybrid
from bochner.models._files import load_model, save_model

if TYPE_CHECKING:
    from bochner.estimators._gaussian_process import GaussianProcess
    from bochner.estimators._kernel_classifier import KernelClassifier
    from bochner.estimators._kernel_logistic import KernelLogistic
    from bochner.estimators._kernel_pca import KernelPCA
    from bochner.estimators._kernel_ridge import KernelRidge
    from bochner.estimators._kernel_svc import KernelSVC
    from bochner.estimators._random_features import RandomFeatures

__all__ = [
    "AttentionState",
    "BinaryEmbedding",
    "ErrorReport",
    "Features",
    "GaussianProcess",
    "KernelClassifier",
    "KernelLogistic",
    "KernelPCA",
    "KernelRidge",
    "KernelRidgeClassifier",
    "KernelSVC",
    "Plan",
    "RandomFeatures",
    "SoftmaxSampler",
    "__version__",
    "attention",
    "compose",
    "couplings",
    "error_report",
    "features",
    "hybrid",
    "kernel_matrix",
    "kernels",
    "kolmogorov_smirnov",
    "lengthscale",
    "load_model",
    "maps",
    "negative_fraction",
    "num_threads",
    "plan",
    "save_model",
    "set_num_threads",
    "stream_version",
    "theory",
    "wasserstein",
]


# scikit-learn takes about a second to import and is optional: it is imported when a class that needs it is first used.
_ON_SCIKIT_LEARN = {
    "GaussianProcess": "estimators._gaussian_process",
    "KernelClassifier": "estimators._kernel_classifier",
    "KernelLogistic": "estimators._kernel_logistic",
    "KernelPCA": "estimators._kernel_pca",
    "KernelRidge": "estimators._kernel_ridge",
    "KernelRidgeClassifier": "estimators._kernel_ridge_classifier",
    "KernelSVC": "estimators._kernel_svc",
    "RandomFeatures": "estimators._random_features",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_SCIKIT_LEARN:
        raise AttributeError(f"module 'bochner' has no attribute {name!r}")
    try:
        found = getattr(import_module(f"bochner.{_ON_SCIKIT_LEARN[name]}"), name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "sklearn":
            raise
        raise ImportError(f"bochner.{name} needs scikit-learn: pip install 'bochner[sklearn]'") from missing
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
