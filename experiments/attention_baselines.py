# SPDX-License-Identifier: Apache-2.0
"""Compares attention by random features with the cheapest alternatives: the first table of docs/attention.md.

    attention_baselines.py [--seeds 3] [--queries 500] [--times] [--quick]

Errors of the results are relative to that of answering every query with the mean of the values, so that 1 is worthless.
The expansions use no random numbers. With a the mean of the queries and b that of the keys weighted by exp(s a.k),
exp(s q.k) is exp(s a.k) times a factor of the query times exp(s (q - a).(k - b)); the last factor is expanded up to the
degree. Degree 1 needs dim + 1 numbers for each key, degree p needs C(dim + p, p).

--times: CPU milliseconds, on one thread in float32, of attention with 1,024 features between places on a globe, and of
PyTorch's exact attention between them.

The heads are q.npy, k.npy and v.npy of the folder heads/ of BOCHNER_DATA, (passages, heads, rows, columns), recorded in
a trained sentence encoder; without them their row is left out.
"""

import argparse
import math
import time

import bochner
import data_sets
import numpy as np

NUMBERS = (64, 256, 1024)
DEGREES = 30
LENGTHS = (512, 1024, 2048, 4096, 20_000)


def directions(rng, n, dim):
    x = rng.standard_normal((n, dim))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def tasks(queries):
    """(title, queries, keys, values, scale, map and coupling)"""
    rng = np.random.default_rng(0)
    default = {"map": "optimal_positive_paired", "coupling": "orthogonal"}
    few_columns = {"map": "optimal_positive", "coupling": "sobol"}
    x = directions(rng, 20_000, 3)
    v = np.sin(4 * x[:, 2:]) + 0.3 * rng.standard_normal((20_000, 1))
    yield "20,000 places on a globe, scale 20", x[:queries], x, v, 20.0, few_columns
    x = directions(rng, 20_000, 4)
    v = np.sin(4 * x[:, 2:]) + 0.3 * rng.standard_normal((20_000, 2))
    yield "20,000 directions of 4 columns, scale 8", x[:queries], x, v, 8.0, few_columns
    for dim, size in ((8, 1.0), (16, 1.0), (64, 0.5), (64, 1.0)):
        q, k, v = size * rng.standard_normal((3, 2048, dim))
        yield f"normal entries of size {size:g}, {dim} columns", q[:queries], k, v / size, dim**-0.5, default
    if (data_sets.FOLDER / "heads" / "q.npy").is_file():
        heads = [np.load(data_sets.FOLDER / "heads" / f"{name}.npy")[-1].astype(float) for name in "qkv"]
        for number, (q, k, v) in enumerate(zip(*heads, strict=True)):
            yield f"head {number}", q[:queries], k, v, q.shape[1] ** -0.5, default


def rms(difference):
    return float(np.sqrt(np.mean(np.square(difference))))


def exact_attention(q, k, v, scale):
    logits = scale * (q @ k.T)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights @ v / weights.sum(axis=1, keepdims=True), logits.std()


def expansions(q, k, v, scale, most):
    """Results by the expansions of degree 1, 2, ... as long as they need no more than the given count of numbers."""
    a = q.mean(axis=0)
    tilt = np.exp(scale * (k - k.mean(axis=0)) @ a)
    b = tilt @ k / tilt.sum()
    logits = scale * (q - a) @ (k - b).T
    weights, term, degree = np.ones_like(logits), np.ones_like(logits), 0
    while degree < DEGREES and math.comb(q.shape[1] + degree + 1, degree + 1) <= most:
        degree += 1
        term = term * logits / degree
        weights = weights + term
        tilted = weights * tilt
        yield tilted @ v / tilted.sum(axis=1, keepdims=True)


def line(task, seeds):
    """Standard deviation of the logits; errors relative to that of the mean: degrees 1 and 2, the best degree, ours."""
    _, q, k, v, scale, words = task
    exact, spread = exact_attention(q, k, v, scale)
    unit = rms(v.mean(axis=0) - exact)
    cut = [rms(out - exact) / unit for out in expansions(q, k, v, scale, max(NUMBERS))]
    width = 2 if words["map"].endswith("paired") else 1
    found, single = [], [array.astype(np.float32) for array in (q, k, v)]
    for numbers in NUMBERS:
        words = {**words, "m": numbers // width, "scale": scale}
        outs = (bochner.attention(*single, seed=seed, **words) for seed in range(seeds))
        found.append(np.mean([rms(out - exact) / unit for out in outs]))
    return np.array([spread, cut[0], cut[1] if len(cut) > 1 else np.nan, min(cut), *found])


def processor_time(call, rounds):
    """The smallest time of several rounds, in milliseconds."""
    call()
    best = math.inf
    for _ in range(rounds):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return 1e3 * best


def print_times():
    import torch

    bochner.set_num_threads(1)
    torch.set_num_threads(1)
    attend = torch.nn.functional.scaled_dot_product_attention
    print("| places | attention | exact |\n|---|---|---|")
    for n in LENGTHS:
        x = directions(np.random.default_rng(0), n, 3).astype(np.float32)
        X, v = torch.from_numpy(x)[None, None], x[:, 2:].copy()
        V = torch.from_numpy(v)[None, None]
        ours = processor_time(lambda x=x, v=v: bochner.attention(x, x, v, scale=20, coupling="sobol", m=1024), 5)
        exact = processor_time(lambda X=X, V=V: attend(X, X, V, scale=20.0), 2)
        print(f"| {n:,} | {ours:.1f} | {exact:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--times", action="store_true", help="compare times instead of errors")
    parser.add_argument("--quick", action="store_true", help="few queries and one seed: to see that it runs")
    options = parser.parse_args()
    if options.times:
        print_times()
        return
    if options.quick:
        options.seeds, options.queries = 1, 20
    lines = [(task[0], line(task, options.seeds)) for task in tasks(options.queries)]
    heads = [values for title, values in lines if title.startswith("head ")]
    lines = [(title, values) for title, values in lines if not title.startswith("head ")]
    if heads:
        lines.append((f"{len(heads)} heads of a trained encoder, 32 columns: medians", np.median(heads, axis=0)))
    print("| task | deviation of the logits | degree 1 | degree 2 | best degree of at most "
          f"{max(NUMBERS):,} numbers | " + " | ".join(f"{numbers:,} features" for numbers in NUMBERS) + " |")
    print("|---" * (5 + len(NUMBERS)) + "|")
    for title, values in lines:
        cells = ["" if np.isnan(value) else f"{value:.2f}" for value in values]
        print(f"| {title} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
