# SPDX-License-Identifier: Apache-2.0
"""The cost model of plans beside measured transforms: `cost` of plan.table against nanoseconds per row, \
float32, one thread.

    cost_model.py [--columns 16,64,256] [--m 512] [--rounds 7]

For every map on `orthogonal`, `iid` and `hadamard` rows (as far as they fit the map): predicted and measured
nanoseconds per row and their ratio; at the end the median ratio and the largest factor by which a prediction is off.
The constants of src/plan/cost.cpp bring the ratios of the dense and the structured couplings to 1 on an AVX2 machine;
only ratios between mechanisms matter for a plan.
"""

import argparse
import time

import bochner
import numpy as np

COUPLINGS = ("orthogonal", "iid", "hadamard")
NUMBERS = 4_000_000  # least size of a result: smaller ones do not reuse the memory of the one before


def measured(words, X, rounds):
    """Nanoseconds per row: the smallest of several rounds, with the result in existing memory."""
    words.pop("shift", None)  # the smallest entries of a sketch; here all rows are measured
    features = bochner.features(**words).fit(X)
    X = np.tile(X, (-(-NUMBERS // (features.outputs * len(X))), 1))
    best = np.inf
    for _ in range(rounds):
        started = time.perf_counter()
        features.transform(X)
        best = min(best, time.perf_counter() - started)
    return best / len(X) * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", default="16,64,256")
    parser.add_argument("--m", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    bochner.set_num_threads(1)
    ratios = []
    print("| d | map | coupling | outputs | predicted ns/row | measured | ratio |\n|---|---|---|---|---|---|---|")
    for d in map(int, options.columns.split(",")):
        X = np.random.default_rng(0).normal(size=(2000, d))/ np.sqrt(d)
        X = X.astype(np.float32)
        plan = bochner.plan(X, m=options.m)
        seen = set()
        for i, line in enumerate(plan.table):
            name = (line["map"], line["coupling"])
            if line["coupling"] not in COUPLINGS or name in seen:
                continue
            seen.add(name)
            took = measured(plan.words(i), X, options.rounds)
            ratios.append(line["cost"] / took)
            print(
                f"| {d} | {name[0]} | {name[1]} | {line['outputs']} | {line['cost']:.0f} | {took:.0f} "
                f"| {ratios[-1]:.2f} |",
                flush=True,
            )
    ratios = np.array(ratios)
    print(
        f"median of predicted / measured {np.median(ratios):.2f}, "
        f"largest factor {np.exp(abs(np.log(ratios)).max()):.2f}"
    )


if __name__ == "__main__":
    main()
