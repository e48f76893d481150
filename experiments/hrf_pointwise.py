# SPDX-License-Identifier: Apache-2.0
"""Pointwise estimates of the softmax kernel (Choromanski et al. 2022, Hybrid Random Features, Figure 2).

    hrf_pointwise.py [--out PICTURE.png] [--draws N]

d = 64, |x| = |y| = r for r = 1, 1.25, 1.5, angles from 0 to pi. Grey: exp(x.y); band: 5 % and 95 % quantiles of N
estimates, each from its own draw (left scale); dots: the root mean square of their relative error; line: the closed
form (right scale). As in the paper the bases have 128 directions, and the hybrid has 16 for each base and 8 signs, 16 *
8 products.
"""

import argparse
from pathlib import Path

import bochner
import numpy as np

D = 64
RADII = (1.0, 1.25, 1.5)
MAPS = {"trigonometric": 128, "positive_paired": 128, "hybrid_angular": 16}  # map -> m
ANGLES = np.linspace(0, np.pi, 25)


def pairs(r):
    """x, and a y at every angle to it."""
    x, Y = np.zeros((1, D)), np.zeros((len(ANGLES), D))
    x[0, 0] = r
    Y[:, 0], Y[:, 1] = r * np.cos(ANGLES), r * np.sin(ANGLES)
    return x, Y


def estimates(map, m, r, draws):
    """One row of estimates for each draw."""
    x, Y = pairs(r)
    rows = []
    for seed in range(draws):
        features = bochner.features(D, kernel="softmax", map=map, coupling="iid", m=m, seed=seed)
        rows.append(features.transform(Y, side="key") @ features.transform(x)[0])
    return np.array(rows)


def study(draws):
    """(r, map) -> exact values, quantiles, measured and closed-form relative errors."""
    curves = {}
    for r in RADII:
        x, Y = pairs(r)
        exact = np.exp(Y @ x[0])
        for map, m in MAPS.items():
            values = estimates(map, m, r, draws)
            error = np.sqrt(np.mean((values / exact - 1) ** 2, axis=0))
            mse = bochner.theory.mse(np.repeat(x, len(Y), axis=0), Y, m=m, kernel="softmax", map=map, coupling="iid")
            curves[r, map] = exact, np.quantile(values, [0.05, 0.95], axis=0), error, np.sqrt(mse) / exact
    return curves


def draw(curves, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(len(RADII), len(MAPS), figsize=(13, 10), layout="constrained", sharex=True)
    most = {r: max(curve[3].max() for (radius, _), curve in curves.items() if radius == r) for r in RADII}
    for row, r in zip(axes, RADII, strict=True):
        for axis, map in zip(row, MAPS, strict=True):
            exact, quantiles, measured, closed = curves[r, map]
            axis.fill_between(ANGLES, *quantiles, color="tab:blue", alpha=0.25, label="5 % to 95 % of estimates")
            axis.plot(ANGLES, exact, color="0.3", label="exp(x.y)")
            axis.axhline(0, color="tab:red", linestyle=":", linewidth=1)
            axis.set_ylim(-1.3 * exact.max(), 2.6 * exact.max())
            axis.set_title(f"{map}, m = {MAPS[map]}, r = {r}")
            errors = axis.twinx()
            errors.plot(ANGLES, closed, color="tab:orange", label="relative error, closed form")
            errors.plot(ANGLES, measured, ".", color="tab:orange", label="relative error, measured")
            errors.set_ylim(0, 1.1 * most[r])
            if map == "hybrid_angular":
                errors.set_ylabel("relative error")
        row[0].set_ylabel("estimate")
    for axis in axes[-1]:
        axis.set_xlabel("angle between x and y")
    lines = [part.get_legend_handles_labels() for part in (axes[0, 0], errors)]
    figure.legend(lines[0][0] + lines[1][0], lines[0][1] + lines[1][1], loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("build/experiments/hrf_pointwise.png"))
    parser.add_argument("--draws", type=int, default=10_000)
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    curves = study(options.draws)
    for (r, map), (_, _, measured, closed) in curves.items():
        print(f"r = {r:<4} {map:16} largest relative error {closed.max():.3f}, measured {measured.max():.3f}")
    draw(curves, options.out)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
