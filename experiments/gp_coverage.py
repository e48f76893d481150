# SPDX-License-Identifier: Apache-2.0
"""Measures how good the deviations of GaussianProcess are: the share of held-out rows whose target lies within the 90 %
interval of a new y, mean -/+ 1.645 std with include_noise, beside error, the farthest prediction and CPU seconds.

The tables are abalone (rings), boston and california, with one lengthscale and one per column, and two generated ones:
a smooth function with noise, and rows of which a few lie far out (`far_rows`). On `far_rows` fixed lengthscales are
tried too: the last column is the largest error divided by that of the best fixed lengthscale.

    python experiments/gp_coverage.py [--sets NAMES] [--seeds 5] [--rows 45730]
"""

import argparse
import sys
import time

import numpy as np
from bochner import GaussianProcess
from data_sets import Missing, rows_and_target, standardised

QUANTILE = 1.6448536269514722  # of the normal law at 95 %
FIXED = [2.0**exponent for exponent in range(-2, 4)]  # times `scale`


def far_rows(rows, seed, share=0.001):
    """Nine columns, six of them nearly equal, and a target that depends on the differences between three of these, on a
    wave of two others and on noise of deviation 4. In a thousandth of the rows one column is anything up to 28
    deviations, and the target does not follow it."""
    generator = np.random.default_rng(seed)
    common, own = generator.normal(size=(rows, 1)), generator.normal(size=(rows, 9))
    X = common + np.where(np.arange(9) < 6, 0.1, 1.0) * own
    X /= X.std(axis=0)
    wave = np.sin(2 * own[:, 6]) * np.cos(2 * own[:, 7])
    y = 8 + 2 * common[:, 0] + 1.5 * (own[:, 0] - own[:, 1] + own[:, 2]) + wave + 4 * generator.normal(size=rows)
    far = np.flatnonzero(generator.random(rows) < share)
    X[far, generator.integers(0, 9, size=len(far))] = generator.uniform(-28, 28, size=len(far))
    return X, y


def smooth(rows, seed):
    """Five columns, a smooth function of three of them, and noise of a fifth of its deviation."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, 5))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, y + 0.2 * y.std() * generator.normal(size=rows)


def table(name, rows, seed):
    if name in ("far", "smooth"):
        return (far_rows if name == "far" else smooth)(rows if name == "far" else rows // 10, seed)
    X, y = rows_and_target(name)
    return standardised(X, X), y


def scores(X, y, held_out, seed, **words):
    """rmse, its standard error, coverage, the farthest prediction in deviations of y, CPU seconds of the fit."""
    start = time.process_time()
    model = GaussianProcess(random_state=seed, **words).fit(X[~held_out], y[~held_out])
    seconds = time.process_time() - start
    mean, std = model.predict(X[held_out], return_std=True, include_noise=True)
    squares = (mean - y[held_out]) ** 2
    error = np.sqrt(squares.mean())
    return (
        error,
        squares.std() / np.sqrt(len(squares)) / (2 * error),
        (np.sqrt(squares) < QUANTILE * std).mean(),
        np.abs(mean - y.mean()).max() / y.std(),
        seconds,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="abalone,boston,california,smooth,far")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=45730, help="of the generated table; the smooth one has a tenth")
    chosen = parser.parse_args()
    print("| set | lengthscale | rows | rmse | ± | coverage | farthest | CPU s | beside the best fixed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in chosen.sets.split(","):
        for rule in ("search", "ard"):
            runs, best = [], []
            for seed in range(chosen.seeds):
                try:
                    X, y = table(name, chosen.rows, seed)
                except Missing as missing:
                    print(missing, file=sys.stderr)
                    break
                held_out = np.random.default_rng(seed).permutation(len(y)) < len(y) // 5
                runs.append(scores(X, y, held_out, seed, lengthscale=rule))
                if name == "far" and rule == "search":
                    scale = np.sqrt(X.shape[1] * X[~held_out].var() / 2)
                    fixed = (scores(X, y, held_out, seed, lengthscale=part * scale)[0] for part in FIXED)
                    best.append(runs[-1][0] / min(fixed))
            if not runs:
                continue
            error, spread, coverage, _, seconds = np.mean(runs, axis=0)
            worst = f"{max(best):.3f}" if best else ""
            print(
                f"| {name} | {rule} | {len(y):,} | {error:.4g} | {spread:.2g} | {100 * coverage:.1f} % "
                f"| {max(run[3] for run in runs):.1f} | {seconds:.1f} | {worst} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
