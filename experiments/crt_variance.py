# SPDX-License-Identifier: Apache-2.0
"""Variance of the maps of "Chefs' Random Tables" (Likhosherstov et al. 2022, Figure 2) over four kinds of data.

    crt_variance.py [--out PICTURE.png] [--pairs N] [--directions M]

The mean over pairs of log Var of one random feature of the Gaussian kernel, against sigma, the factor of the inputs,
for d = 64. Curves are the closed forms, dots are measured on M directions. A dot is left out if the tails of the
features are too heavy for M directions: for more than a tenth of the pairs the standard error of the measured variance
is above a third of it, or the measured mean is more than 5 standard errors from the kernel. Parameters are those that
`fit` finds for the whole data set, as a user would do it.
"""

import argparse
from pathlib import Path

import bochner
import numpy as np

D = 64
MAPS = (
    "trigonometric",
    "positive",
    "optimal_positive",
    "exponential",
    "poisson",
    "geometric",
    "poisson_positive",
    "geometric_positive",
)
SIGMAS = np.linspace(0.1, 1.0, 10)


def digits(rng, n):
    """Images of 8 x 8 pixels, values in [0, 1]."""
    from sklearn.datasets import load_digits

    images = load_digits().data / 16
    return images[rng.choice(len(images), n, replace=False)]


def data_sets(rng, n):
    """Name -> (queries, keys) for sigma = 1."""
    normal = rng.normal(size=(2, n, D))
    sphere = normal / np.linalg.norm(normal, axis=2, keepdims=True)
    other = rng.normal(size=(2, n, D))
    return {
        "normal": normal,
        "sphere": sphere,
        "heterogen": (other[0], other[1] + 1),
        "8 x 8 digits": (digits(rng, n), digits(rng, n)),
    }


def closed_form(map, X, Y, parameters):
    """Mean of log Var over the pairs of rows."""
    with np.errstate(divide="ignore"):
        return np.log(bochner.theory.mse(X, Y, m=1, map=map, coupling="iid", **parameters)).mean()


def measured(map, X, Y, parameters, directions, seed):
    """The same from the products of each direction, or None if it is too uncertain."""
    features = bochner.features(D, map=map, coupling="iid", m=directions, seed=seed, **parameters)
    products = features.transform(X) * features.transform(Y, side="key")
    products = directions * products.reshape(len(X), -1, directions).sum(axis=1)
    exact = np.exp(-0.5 * ((X - Y) ** 2).sum(axis=1))
    squares = (products - exact[:, None]) ** 2
    variance = squares.mean(axis=1)
    root = np.sqrt(directions)
    steady = squares.std(axis=1) / root < variance / 3
    right = np.abs(products.mean(axis=1) - exact) < 5 * products.std(axis=1) / root
    return np.log(variance).mean() if np.mean(steady & right) > 0.9 else None


def study(pairs, directions, seed=0):
    """(data, map) -> (sigmas, closed forms, measurements)."""
    rng = np.random.default_rng(seed)
    curves = {}
    for name, (queries, keys) in data_sets(rng, pairs).items():
        for map in MAPS:
            lines = []
            for sigma in SIGMAS:
                X, Y = sigma * queries, sigma * keys
                parameters = bochner.theory.optimal_parameters(X, Y, map=map, coupling="iid")
                lines.append(
                    (closed_form(map, X, Y, parameters), measured(map, X, Y, parameters, directions, seed))
                )
            curves[name, map] = lines
    return curves


def draw(curves, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(name for name, _ in curves))
    figure, axes = pyplot.subplots(1, len(names), figsize=(17, 4.6), layout="constrained")
    colours = pyplot.get_cmap("tab10").colors
    for axis, name in zip(axes, names, strict=True):
        for colour, map in zip(colours, MAPS, strict=False):
            lines = curves[name, map]
            style = "--" if map == "exponential" else "-"  # it is the better of two others, and lies on it
            axis.plot(SIGMAS, [line[0] for line in lines], style, color=colour, label=map)
            dots = [(sigma, line[1]) for sigma, line in zip(SIGMAS, lines, strict=True) if line[1] is not None]
            if dots:
                axis.plot(*zip(*dots, strict=True), ".", color=colour, markersize=8)
        axis.set(title=name, xlabel="sigma, factor of the inputs")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("mean of log variance")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(MAPS))
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("build/experiments/crt_variance.png"))
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--directions", type=int, default=100_000)
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    curves = study(options.pairs, options.directions)
    for (name, map), lines in curves.items():
        print(f"{name:13} {map:20} log variance at sigma = {SIGMAS[-1]:.3g}: {lines[-1][0]:.4g}")
    draw(curves, options.out)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
