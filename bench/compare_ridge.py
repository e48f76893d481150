# SPDX-License-Identifier: Apache-2.0
"""KernelRidge against scikit-learn's RBFSampler + Ridge(solver="cholesky"), interleaved in one run.

    build/venv/bin/python bench/compare_ridge.py [--rows 100000] [--outputs 1024,4096] [--rounds 3]

d = 32 columns, as many outputs and the same penalty for all, all threads of the machine. `memory` is the largest growth
of the resident size during a fit in a separate process. The last line compares predictions of float32 with those of
Ridge on the same features in float64: the largest difference over the largest prediction.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import time

import bochner
import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

COLUMNS = 32
ALPHA = 1.0
GAMMA = 1 / (2 * COLUMNS)


def data(rows, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, COLUMNS))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(rows)
    return X.astype(dtype), y.astype(dtype)


def scikit(outputs):
    sampler = RBFSampler(gamma=GAMMA, n_components=outputs, random_state=0)
    return make_pipeline(sampler, Ridge(alpha=ALPHA, solver="cholesky"))


def ours(outputs):
    return bochner.KernelRidge(
        alpha=ALPHA, map="trigonometric", coupling="orthogonal", n_components=outputs, gamma=GAMMA, random_state=0
    )


CONTENDERS = {
    "scikit-learn, float64": (scikit, np.float64),
    "scikit-learn, float32": (scikit, np.float32),
    "KernelRidge, float32": (ours, np.float32),
    "KernelRidge, float64": (ours, np.float64),
}


def seconds(make, outputs, rows):
    start = time.perf_counter()
    make(outputs).fit(*rows)
    return time.perf_counter() - start


def resident_bytes(word):
    """VmRSS: the current size, VmHWM: the largest size since the last reset."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(word))


def fit_once(name, outputs, rows):
    """Prints how much one fit raises the peak of this process."""
    make, dtype = CONTENDERS[name]
    X, y = data(rows, dtype)
    make(16).fit(X[:100], y[:100])
    before = resident_bytes("VmRSS")
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    make(outputs).fit(X, y)
    print(resident_bytes("VmHWM") - before)


def memory(name, outputs, rows):
    command = [sys.executable, __file__, "--fit-once", name, "--outputs", str(outputs), "--rows", str(rows)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compare(outputs, rows, rounds):
    times = {name: [] for name in CONTENDERS}
    for _ in range(rounds):
        for name, (make, dtype) in CONTENDERS.items():
            times[name].append(seconds(make, outputs, data(rows, dtype)))
    median = {name: statistics.median(values) for name, values in times.items()}
    for name, value in median.items():
        bytes_used = memory(name, outputs, rows)
        ratios = "  ".join(f"{median[peer] / value:6.2f}" for peer in list(CONTENDERS)[:2])
        print(f"{outputs:>5}  {name:<22} {value:8.2f} s  {ratios}  {bytes_used / 2**20:9.0f} MiB", flush=True)


def agreement(outputs, rows):
    X, y = data(rows, np.float64)
    model = ours(outputs).fit(X.astype(np.float32), y.astype(np.float32))
    seed, sigma = model.features_.spec["seed"], np.sqrt(1 / (2 * GAMMA))
    features = bochner.features(COLUMNS, m=outputs // 2, seed=seed, lengthscale=sigma)
    Z = features.transform(X)
    exact = Ridge(alpha=ALPHA, solver="cholesky").fit(Z, y).predict(Z[:2000])
    return np.abs(model.predict(X[:2000].astype(np.float32)) - exact).max() / np.abs(exact).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--outputs", default="1024,4096")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fit-once", choices=CONTENDERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = [int(word) for word in options.outputs.split(",")]
    if options.fit_once:
        fit_once(options.fit_once, sizes[0], options.rows)
        return
    print(f"{options.rows} rows, {COLUMNS} columns (median of {options.rounds})")
    print("columns: x scikit-learn float64, x float32, memory")
    for outputs in sizes:
        compare(outputs, options.rows, options.rounds)
    print(f"float32 against float64 on {sizes[0]} features: {agreement(sizes[0], min(options.rows, 20_000)):.1e}")


if __name__ == "__main__":
    main()
