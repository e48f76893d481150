# SPDX-License-Identifier: Apache-2.0
"""KernelSVC and KernelLogistic against scikit-learn's kernel classifiers, interleaved in one run.

    build/venv/bin/python bench/compare_svc.py [--rows 50000] [--outputs 1024] [--rounds 3]

d = 32 columns, ten classes (the largest of ten smooth functions, one row in ten relabelled), the same kernel, C and
tolerance and as many outputs for all, all threads of the machine. Seconds are those of `fit`; `test` is the seconds of
`predict` on 10,000 other rows, and the accuracy is that on those rows. SVC is the exact machine, whose loss is the
hinge, not its square.
"""

import argparse
import statistics
import time
import warnings

import bochner
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

COLUMNS, CLASSES, TESTS = 32, 10, 10_000
C = 1.0
TOLERANCE = 1e-4
GAMMA = 1 / (2 * COLUMNS)


def data(rows, dtype):
    """Rows for training and for tests."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows + TESTS, COLUMNS))
    hidden = np.tanh(X @ rng.standard_normal((COLUMNS, 50)) / np.sqrt(COLUMNS))
    y = (hidden @ rng.standard_normal((50, CLASSES))).argmax(axis=1)
    wrong = rng.random(len(y)) < 0.1
    y[wrong] = rng.integers(CLASSES, size=wrong.sum())
    X = X.astype(dtype)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def scikit(last, outputs):
    return make_pipeline(RBFSampler(gamma=GAMMA, n_components=outputs, random_state=0), last)


def ours(kind, outputs):
    return kind(
        C=C, map="trigonometric", coupling="iid", n_components=outputs, gamma=GAMMA, random_state=0, tol=TOLERANCE
    )


CONTENDERS = {
    "RBFSampler + LinearSVC, float64": (
        lambda outputs: scikit(LinearSVC(C=C, dual=False, tol=TOLERANCE), outputs),
        np.float64,
    ),
    "KernelSVC, float64": (lambda outputs: ours(bochner.KernelSVC, outputs), np.float64),
    "KernelSVC, float32": (lambda outputs: ours(bochner.KernelSVC, outputs), np.float32),
    "RBFSampler + LogisticRegression, float64": (
        lambda outputs: scikit(LogisticRegression(C=C, tol=TOLERANCE, max_iter=1000), outputs),
        np.float64,
    ),
    "RBFSampler + LogisticRegression, float32": (
        lambda outputs: scikit(LogisticRegression(C=C, tol=TOLERANCE, max_iter=1000), outputs),
        np.float32,
    ),
    "KernelLogistic, float64": (lambda outputs: ours(bochner.KernelLogistic, outputs), np.float64),
    "KernelLogistic, float32": (lambda outputs: ours(bochner.KernelLogistic, outputs), np.float32),
    "SVC, float64": (lambda outputs: SVC(C=C, gamma=GAMMA, cache_size=1000), np.float64),
}


def measured(make, dtype, outputs, rows):
    """Seconds of the fit and of the prediction, accuracy in per cent."""
    X, y, X_test, y_test = data(rows, dtype)
    start = time.perf_counter()
    model = make(outputs).fit(X, y)
    middle = time.perf_counter()
    accuracy = 100 * np.mean(model.predict(X_test) == y_test)
    return middle - start, time.perf_counter() - middle, accuracy


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--outputs", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("error", ConvergenceWarning)
    print(f"{options.rows} rows, {COLUMNS} columns, {options.outputs} outputs (median of {options.rounds})")
    results = {name: [] for name in CONTENDERS}
    for _ in range(options.rounds):
        for name, (make, dtype) in CONTENDERS.items():
            results[name].append(measured(make, dtype, options.outputs, options.rows))
    for name, values in results.items():
        fit, test, accuracy = map(statistics.median, zip(*values, strict=True))
        print(f"{name:<42} fit {fit:8.2f} s  test {test:7.3f} s  {accuracy:6.2f} %", flush=True)


if __name__ == "__main__":
    main()
