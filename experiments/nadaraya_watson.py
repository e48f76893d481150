# SPDX-License-Identifier: Apache-2.0
"""Non-parametric classification: the accuracies of mechanisms beside those in the papers.

    nadaraya_watson.py [--sets abalone,...] [--studies maps,couplings] [--seeds 50] [--out TABLES.md]

A row gets the class with the largest sum of k(sigma x, sigma x_i) over the training rows of the class, where the kernel
is estimated by random features. Rows are shuffled by a fixed seed. Nine tenths are for training (of these a ninth for
validation while sigma is chosen), the rest for tests. Categorical columns are one-hot; columns are standardised by the
training rows. The tables show means over the seeds of the features, and their standard errors.

    maps       eight maps on independent rows, m = 128, sigma chosen for each (Chefs' Random Tables, Table 1)
    couplings  positive features on independent, orthogonal and simplex rows, dense and fast, m = d rounded up to a
               power of two, zero-padded; sigma chosen for independent rows at 10 m (Simplex Random Features, Table 3)

Every cell: accuracy in per cent, its standard error, and in brackets the paper's. Below a table: how many pairs of
mechanisms on one set have means that differ by more than 3 standard errors, both here and in the paper (if it gives
none: those of a share of the test rows); for how many of them the paper has the same order; and which mechanisms are in
the others. Parameters of maps come from the inputs of both parts.
"""

import argparse
import collections
import itertools
from pathlib import Path

import bochner
import data_sets
import numpy as np

SETS = ("abalone", "banknote", "car", "yeast", "cmc", "nursery", "wifi", "chess")
SIGMAS = 2.0 ** np.arange(-6, 2.5, 0.5)
SEARCH_ROWS, SEARCH_SEEDS = 2000, 5

# name of the paper: (map, coupling)
MAPS = {
    "TrigRF": ("trigonometric", "iid"),
    "PosRF": ("positive", "iid"),
    "GERF": ("exponential", "iid"),
    "PoisRF": ("poisson", "iid"),
    "GeomRF": ("geometric", "iid"),
    "OPRF": ("optimal_positive", "iid"),
    "PoisRF+": ("poisson_positive", "iid"),
    "GeomRF+": ("geometric_positive", "iid"),
}
COUPLINGS = {
    "IIDRF": ("positive", "iid"),
    "ORF": ("positive", "orthogonal"),
    "fast ORF": ("positive", "hadamard"),
    "SimRF": ("positive", "simplex"),
    "fast SimRF": ("positive", "simplex_hadamard"),
}
# Accuracies in per cent as printed in the papers: one number for each mechanism, in the order above.
PRINTED_MAPS = {
    "abalone": (12.0, 16.0, 17.0, 18.0, 18.3, 17.1, 14.0, 15.1),
    "banknote": (66.2, 83.4, 92.4, 84.4, 94.5, 92.6, 80.1, 85.6),
    "car": (66.3, 69.2, 70.9, 66.3, 66.3, 69.5, 66.3, 67.2),
    "yeast": (29.7, 34.4, 42.9, 36.9, 35.9, 44.4, 29.7, 31.0),
    "cmc": (46.6, 45.1, 47.8, 46.6, 47.3, 46.3, 35.5, 43.5),
    "nursery": (31.3, 77.4, 63.8, 77.1, 77.1, 78.9, 77.3, 71.0),
    "wifi": (15.2, 88.8, 93.3, 95.3, 95.8, 93.3, 77.2, 82.9),
    "chess": (16.5, 20.2, 20.4, 19.1, 19.5, 20.2, 19.2, 22.5),
}
# (accuracies), (standard errors)
PRINTED_COUPLINGS = {
    "abalone": ((14.32, 14.45, 14.47, 14.55, 14.62), (0.03, 0.03, 0.03, 0.03, 0.03)),
    "banknote": ((64.41, 66.12, 65.96, 71.96, 72.96), (0.24, 0.25, 0.24, 0.19, 0.17)),
    "car": ((67.68, 67.88, 67.84, 67.97, 68.00), (0.06, 0.06, 0.06, 0.06, 0.06)),
    "yeast": ((31.87, 31.93, 31.71, 31.87, 31.95), (0.06, 0.06, 0.06, 0.06, 0.06)),
    "cmc": ((40.88, 41.49, 41.59, 42.06, 42.22), (0.09, 0.09, 0.09, 0.08, 0.08)),
    "nursery": ((58.70, 62.13, 61.93, 70.30, 70.37), (0.13, 0.19, 0.19, 0.08, 0.08)),
    "wifi": ((49.14, 52.24, 53.10, 65.09, 65.33), (0.26, 0.25, 0.24, 0.27, 0.27)),
    "chess": ((20.11, 20.17, 20.16, 20.21, 20.21), (0.02, 0.02, 0.02, 0.02, 0.02)),
}


class Task:
    """Rows for training and for tests, and the classifier's accuracy on the latter."""

    def __init__(self, X, y, train, test):
        self.train, self.test = data_sets.standardised(X[train], X[train]), data_sets.standardised(X[test], X[train])
        self.classes = np.eye(y.max() + 1)[y[train]]
        self.truth = y[test]

    def padded(self, d):
        """The same with columns of zeros, d in all."""
        for name in ("train", "test"):
            rows = getattr(self, name)
            setattr(self, name, np.pad(rows, ((0, 0), (0, d - rows.shape[1]))))
        return self

    def accuracy(self, mechanism, m, sigma, seed):
        """Per cent of the test rows; 0 if the mechanism refuses the data."""
        map, coupling = mechanism
        features = bochner.features(
            self.train.shape[1], map=map, coupling=coupling, m=m, lengthscale=1 / sigma, seed=1000 + seed
        )
        try:
            features.fit(self.test, self.train)
            sums = features.transform(self.train, side="key").T @ self.classes
            scores = features.transform(self.test) @ sums
        except ValueError:
            return 0.0
        return 100 * np.mean(scores.argmax(axis=1) == self.truth) if np.isfinite(scores).all() else 0.0


def tasks_of(name):
    """The task of the table, and the one by which sigma is chosen."""
    X, y = data_sets.labelled(name)
    order = np.random.default_rng(0).permutation(len(X))
    count = int(0.9 * len(X))
    train, test = order[:count], order[count:]
    validate = len(X) - count
    search, held = train[validate:][:SEARCH_ROWS], train[:validate][:SEARCH_ROWS]
    return Task(X, y, train, test), Task(X, y, search, held)


def best_sigma(search, mechanism, m):
    means = [np.mean([search.accuracy(mechanism, m, sigma, -1 - i) for i in range(SEARCH_SEEDS)]) for sigma in SIGMAS]
    return SIGMAS[int(np.argmax(means))]


def study_maps(name, seeds):
    task, search = tasks_of(name)
    for mechanism in MAPS.values():
        sigma = best_sigma(search, mechanism, 128)
        yield sigma, [task.accuracy(mechanism, 128, sigma, seed) for seed in range(seeds)]


def study_couplings(name, seeds):
    task, search = tasks_of(name)
    d = 1 << int(np.ceil(np.log2(task.train.shape[1])))
    sigma = best_sigma(search.padded(d), COUPLINGS["IIDRF"], 10 * d)
    task.padded(d)
    for mechanism in COUPLINGS.values():
        yield sigma, [task.accuracy(mechanism, d, sigma, seed) for seed in range(seeds)]


STUDIES = {"maps": (study_maps, MAPS), "couplings": (study_couplings, COUPLINGS)}


def printed(study, name):
    """The paper's accuracies and their standard errors; if it gives none, those of a share of the test rows. NaN for a
    set that it does not have."""
    if name not in PRINTED_MAPS:
        return np.full((2, len(STUDIES[study][1])), np.nan)
    if study == "couplings":
        return PRINTED_COUPLINGS[name]
    tests = len(tasks_of(name)[0].truth)
    return PRINTED_MAPS[name], [np.sqrt(a * (100 - a) / tests) for a in PRINTED_MAPS[name]]


def orderings(names, ours, paper):
    """Pairs that differ by more than 3 standard errors in both, and whether they have the same order:
    [((a, b), same), ...]."""
    found = []
    for i, j in itertools.combinations(range(len(names)), 2):
        (mean, spread), (printed_mean, printed_spread) = ours, paper
        mine, theirs = mean[i] - mean[j], printed_mean[i] - printed_mean[j]
        far = abs(mine) > 3 * np.hypot(spread[i], spread[j])
        if far and abs(theirs) > 3 * np.hypot(printed_spread[i], printed_spread[j]):
            found.append(((names[i], names[j]), (mine > 0) == (theirs > 0)))
    return found


def summary(pairs):
    """(set, mechanism, mechanism), ... as text: how many have the mechanism that occurs most, then the others."""
    if not pairs:
        return "none"
    top, count = collections.Counter(itertools.chain(*(names[1:] for names in pairs))).most_common(1)[0]
    rest = [f"{name} {a} and {b}" for name, a, b in pairs if top not in (a, b)]
    return ", ".join([f"{count} with {top}", *rest])


def table(study, sets, seeds):
    """The table as lines of markdown."""
    run, mechanisms = STUDIES[study]
    yield "| data | " + " | ".join(mechanisms) + " | sigma |"
    yield "|---" * (len(mechanisms) + 2) + "|"
    pairs = []
    for name in sets:
        found = list(run(name, seeds))
        means = [np.mean(values) for _, values in found]
        spreads = [np.std(values, ddof=1) / np.sqrt(seeds) for _, values in found]
        paper = printed(study, name)
        pairs += [((name, *names), same) for names, same in orderings(list(mechanisms), (means, spreads), paper)]
        cells = [
            f"{a:.1f} ± {b:.1f}" + ("" if np.isnan(c) else f" ({c:.1f})")
            for a, b, c in zip(means, spreads, paper[0], strict=True)
        ]
        sigmas = sorted({f"{sigma:.3g}" for sigma, _ in found}, key=float)
        yield f"| {name} | " + " | ".join(cells) + f" | {', '.join(sigmas)} |"
    yield (
        f"\n{len(pairs)} pairs differ by more than 3 standard errors, "
        f"{sum(same for _, same in pairs)} ordered as in the paper."
    )
    yield "Ordered otherwise: " + summary([names for names, same in pairs if not same]) + "."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--studies", default=",".join(STUDIES))
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = []
    sets = data_sets.present(options.sets.split(","))
    for study in options.studies.split(","):
        for line in table(study, sets, options.seeds):
            print(line, flush=True)
            lines.append(line)
        lines.append("")
        print()
    if options.out:
        options.out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
