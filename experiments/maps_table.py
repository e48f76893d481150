# SPDX-License-Identifier: Apache-2.0
"""Which map wins where: predicted errors of all maps on seven kinds of data, the table of docs/plan.md.

    maps_table.py [--columns 16] [--outputs 512] [--rows 500]

Nothing is transformed: errors are those of bochner.plan (theory.mse over pairs of rows) for each map with its best
coupling, at equal length of the feature vector. Only exact closed forms and unbiased couplings are used. Parameters
from data come from the rows. Gaussian kernel: root mean square error of k; softmax: the same relative to the mean of k
in its row, which matters for attention. The last column is the largest relative error of exp(x.y) on a sphere,
theory.max_relative_error for independent rows. An error of 1 or more says nothing about k; the smallest errors of a
column are bold.
"""

import argparse

import bochner
import numpy as np

RADIUS = 1.25
# For hybrids: outputs for each direction, with their default of 8 directions for the coefficients.
WIDTHS = {"trigonometric": 2, "positive": 1, "positive_paired": 2, "hybrid_angular": 36}


def tables(n, d, outputs):
    """title -> plan"""
    rng = np.random.default_rng(0)
    Q, K = rng.standard_normal((2, n, d)) / np.sqrt(d)  # of norm about 1
    one, m = np.ones(d) / np.sqrt(d), outputs // 2
    sides = np.where(np.arange(n) < n // 2, 1.0, -1.0)[:, None]
    softmax = {"kernel": "softmax", "measure": "attention", "m": m, "require": ("unbiased",)}
    yield "Gaussian kernel, norms 1 σ", bochner.plan(Q, m=m, require=("unbiased",))
    yield "Gaussian kernel, norms 2 σ", bochner.plan(Q, lengthscale=0.5, m=m, require=("unbiased",))
    yield "attention, norms 1", bochner.plan(Q, K, **softmax)
    yield "attention, norms 2", bochner.plan(2 * Q, 2 * K, **softmax)
    yield "attention, entries from 0.8 to 1.2", bochner.plan(*rng.uniform(0.8, 1.2, (2, n, d)), **softmax)
    apart = np.linspace(-1, 1, d)[:, None].T
    yield "attention, queries about one centre, keys about another", bochner.plan(
        2 * one + Q / 5, 2 * apart * one + K / 5, **softmax
    )
    yield "attention, two opposite clusters", bochner.plan(2 * sides * one + Q / 5, 2 * sides * one + K / 5, **softmax)


def errors(plan):
    """map -> (error, coupling)"""
    best = {}
    for line in plan.table:
        if line["closed_form"] == "exact":
            best.setdefault(line["map"], (line["error"], line["coupling"]))
    return best


def on_sphere(d, outputs):
    words = {"kernel": "softmax", "coupling": "iid"}
    return {
        map: (bochner.theory.max_relative_error(RADIUS, d, max(1, outputs // width), map=map, **words), "iid")
        for map, width in WIDTHS.items()
    }


def cell(found, least):
    if found is None:
        return ""
    error, coupling = found
    rounded = float(f"{error:.2g}")
    number = f"10^{np.log10(error):.0f}" if error >= 1e4 else f"{rounded:,.0f}" if error >= 10 else f"{rounded:g}"
    return f"**{number}**, {coupling}" if rounded == float(f"{least:.2g}") else f"{number}, {coupling}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--outputs", type=int, default=512)
    parser.add_argument("--rows", type=int, default=500)
    options = parser.parse_args()
    columns = {title: errors(plan) for title, plan in tables(options.rows, options.columns, options.outputs)}
    columns[f"largest relative error, sphere of radius {RADIUS}"] = on_sphere(options.columns, options.outputs)
    least = {title: min(best.values())[0] for title, best in columns.items()}
    print("| map | " + " | ".join(columns) + " |")
    print("|---" * (1 + len(columns)) + "|")
    for entry in bochner.maps():
        cells = [cell(best.get(entry["name"]), least[title]) for title, best in columns.items()]
        if any(cells):
            print(f"| `{entry['name']}` | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
