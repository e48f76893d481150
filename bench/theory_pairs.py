# SPDX-License-Identifier: Apache-2.0
"""Seconds for the closed-form errors of many pairs, for every kernel, map and coupling that have a closed form.

    build/venv/bin/python bench/theory_pairs.py [--pairs 100000] [--d 64] [--threads 2] [--rounds 3] [--only WORD]

A line ends with `over` if the best of the rounds is above LIMIT seconds. Pairs are rows of a standard normal law at a
lengthscale of sqrt(d). Blocks have d rows and m = 2 d + 2, so the last block is partial.
"""
import argparse
import time

import bochner
import numpy as np

LIMIT = 1.0


def parameters_of(map, d, X, Y):
    """The parameters that the maps need, in the variants whose closed forms differ."""
    halves = np.linspace(0.8, 1.25, d)
    given = {
        "exponential": {"s = 1": {"A": -0.02, "s": 1}, "s = -1": {"A": 0.01, "s": -1},
                        "complex A": {"A": -0.02 + 0.01j, "s": 1}},
        "complex_exponential": {"real diagonal": {"A": halves}, "complex diagonal": {"A": 1j * halves},
                                "real matrix": {"A": (np.diag(halves) + 0.01).ravel()},
                                "complex matrix": {"A": (np.diag(1j * halves) + 0.01).ravel()}},
        "hybrid_gaussian": {"trigonometric": {"radius": 1.0, "lambda_map": "trigonometric"},
                            "positive": {"radius": 1.0, "lambda_map": "positive"}},
        "hybrid_clustered": {f"{coefficients}, {diagonal}": {
            "coefficients": coefficients, "diagonal": diagonal,
            "query_centres": X[:2].ravel() / np.sqrt(d), "key_centres": Y[:2].ravel() / np.sqrt(d)}
            for coefficients in ("zero_one", "gaussian") for diagonal in ("complex", "real")},
        "poisson": {"": {"rate": 0.01}}, "geometric": {"": {"p": 0.9}},
        "poisson_positive": {"": {"rate": 0.5, "shift": np.full(d, -6.0)}},
        "geometric_positive": {"": {"p": 0.5, "shift": np.full(d, -6.0)}},
        "optimal_positive": {"": {"A": -0.02}}, "optimal_positive_paired": {"": {"A": -0.02}},
    }
    return given.get(map, {"": {}})


def best_time(call, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
        if times[-1] > 3 * LIMIT:
            break
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--d", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="lines that have this word in kernel, map or coupling")
    arguments = parser.parse_args()
    bochner.set_num_threads(arguments.threads)
    d = arguments.d
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((2, arguments.pairs, d))
    print(f"{arguments.pairs} pairs, d = {d}, {arguments.threads} threads, seconds (best of {arguments.rounds})")
    print(f"{'kernel':<9} {'map':<42} {'coupling':<17} {'seconds':>8}")
    kernels, maps, couplings = ([entry["name"] for entry in table()] for table in
                                (bochner.kernels, bochner.maps, bochner.couplings))
    for kernel in kernels:
        for map in maps:
            for coupling in couplings:
                for name, params in parameters_of(map, d, X, Y).items():
                    line = f"{kernel:<9} {map + (', ' + name if name else ''):<42} {coupling:<17}"
                    if arguments.only not in line:
                        continue
                    words = dict(params, m=2 * d + 2, kernel=kernel, map=map, coupling=coupling, lengthscale=d**0.5)
                    try:
                        bochner.theory.mse(X[:1], Y[:1], **words)
                    except ValueError:
                        continue  # it does not fit together, or has no closed form
                    try:
                        seconds = best_time(lambda words=words: bochner.theory.mse(X, Y, **words), arguments.rounds)
                    except ValueError:
                        continue  # a clustered hybrid has a formula for some pairs only
                    print(f"{line} {seconds:8.3f}{'  over' if seconds > LIMIT else ''}", flush=True)


if __name__ == "__main__":
    main()
