# SPDX-License-Identifier: Apache-2.0
"""Random features and other methods on real tables: for README.md, docs/README.md, docs/learners/kernel_classifier.md.

    real_tables.py [--tables regression,classification] [--sets california,...] [--lengths 1024] [--seeds 5]

A tenth of the rows are for tests; columns are standardised by the others. Everything runs on one thread.

Regression: root mean square error on the test rows, and CPU seconds for the fit and for predicting the test rows
(medians); means and standard deviations over the seeds of the features or trees, which are run in turn. gamma and alpha
are the best of a grid for each method, at the shortest of its lengths, by the error on a fifth of the training rows;
the exact machine has those of Nystroem features, which converge to it. The search is not part of the seconds. The exact
machine is run once, and left out if three copies of its kernel matrix do not fit into free memory. Boosted trees have
their defaults; nothing is searched.

Classification: accuracy in per cent on the test rows, means and standard deviations over the seeds. KernelClassifier
has lengthscale="auto", the best of eight by held-out rows. "exact" is the same estimate with the same lengthscale and
the exact kernel instead of features. All others, boosted trees included, have their defaults.

--quick takes few rows and features and one seed, to show that the program runs.
"""

import argparse
import os
import statistics
import time
import warnings

import bochner
import data_sets
import numpy as np
import scipy.linalg
import threadpoolctl
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

REGRESSION = ("california", "abalone")
CLASSIFICATION = ("banknote", "car", "cmc", "yeast", "wifi", "nursery", "letter")
FACTORS = 2.0 ** np.arange(-2, 4)  # of 1 / columns, which is gamma
ALPHAS = 10.0 ** np.arange(-4, 2)
COPIES = 3


def fourier(D, gamma, seed):
    return RBFSampler(gamma=gamma, n_components=D, random_state=seed)


def nystroem(D, gamma, seed):
    return Nystroem(gamma=gamma, n_components=D, random_state=seed)


def ours(D, gamma, seed):
    return bochner.RandomFeatures(
        map="trigonometric", coupling="orthogonal", gamma=gamma, n_components=D, random_state=seed
    )


def exact(*_):
    """No features."""


def trees(*_):
    """No kernel."""


def model_of(make, D, gamma, alpha, seed):
    if make is trees:
        return HistGradientBoostingRegressor(random_state=seed)
    if make is exact:
        return KernelRidge(kernel="rbf", gamma=gamma, alpha=alpha)
    if make is ours:
        return bochner.KernelRidge(n_components=D, gamma=gamma, alpha=alpha, random_state=seed)
    return make_pipeline(make(D, gamma, seed), Ridge(alpha, solver="cholesky"))


def methods(lengths):
    """title -> (how it is made, length of the feature vector)"""
    found = {}
    for D in lengths:
        found[f"`RBFSampler` + `Ridge`, D = {D:,}"] = (fourier, D)
        found[f"`bochner.KernelRidge`, D = {D:,}"] = (ours, D)
        found[f"`Nystroem` + `Ridge`, D = {D:,}"] = (nystroem, D)
    found["exact: scikit-learn's `KernelRidge`"] = (exact, None)
    found["`HistGradientBoostingRegressor`"] = (trees, None)
    return found


def divided(name, rows=None):
    """Rows and targets for training, rows and targets for tests, from at most the given number of rows of the set."""
    X, y = data_sets.rows_and_target(name)
    order = np.random.default_rng(0).permutation(len(X))[:rows]
    test, train = np.split(order, [len(order) // 10])
    by = X[train]
    return data_sets.standardised(by, by), y[train], data_sets.standardised(X[test], by), y[test]


def rms(errors):
    return float(np.sqrt(np.mean(np.square(errors))))


def path(make, D, gamma, X, y, held):
    """Errors on the first rows of ridge regressions fitted to the others, for all alphas with one matrix product."""
    features = make(D, gamma, 0).fit(X[held:])
    Z = features.transform(X[held:])
    mean = Z.mean(axis=0)
    Z -= mean
    left, right, gram = features.transform(X[:held]) - mean, Z.T @ y[held:], Z.T @ Z
    for alpha in ALPHAS:
        weights = scipy.linalg.solve(gram + alpha * np.eye(len(gram)), right, assume_a="pos")
        yield rms(left @ weights - y[:held]), gamma, alpha


def searched(make, D, X, y):
    """The gamma and alpha with the smallest error on the first fifth of the rows when fitted to the others."""
    if make is trees:
        return None, None
    held = len(X) // 5
    return min(found for gamma in FACTORS / X.shape[1] for found in path(make, D, gamma, X, y, held))[1:]


def processor_time(call):
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def fits_into_memory(n):
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return COPIES * 8 * n**2 < free


def runs(contenders, table, seeds):
    """title -> (error, seconds of fit, seconds of predict) of each seed."""
    X, y, X_test, y_test = table
    mean = y.mean()
    words = {}
    for make, D in contenders.values():  # the shortest comes first
        if make not in words:  # Nystroem comes before the exact machine, to which it converges
            words[make] = words[nystroem] if make is exact else searched(make, D, X, y - mean)
    found = {title: [] for title in contenders}
    for seed in range(seeds):
        for title, (make, D) in contenders.items():
            if make is exact and seed > 0:
                continue
            model, fit = processor_time(
                lambda m=make, D=D, s=seed: model_of(m, D, *words[m], s).fit(X, y - mean)
            )
            answers, predict = processor_time(lambda model=model: model.predict(X_test))
            found[title].append((rms(answers + mean - y_test), fit, predict))
    return found, words


def significant(value, digits=3):
    """At least the given number of digits, and all of those before the point."""
    return f"{value:,.0f}" if value >= 10**digits else f"{value:#.{digits}g}".rstrip(".")


def regression_lines(name, lengths, seeds, rows):
    table = divided(name, rows)
    n, d = table[0].shape
    contenders = {
        title: made for title, made in methods(lengths).items() if made[0] is not exact or fits_into_memory(n)
    }
    found, words = runs(contenders, table, seeds)
    yield f"| {name}: {n:,} rows of {d} columns to fit, {len(table[2]):,} for tests | error | fit | predict |"
    yield "|---|---|---|---|"
    for title, values in found.items():
        errors, fit, predict = zip(*values, strict=True)
        spread = f" ± {significant(statistics.stdev(errors), 2)}" if len(errors) > 1 else ""
        yield (
            f"| {title} | {significant(statistics.mean(errors))}{spread} | {statistics.median(fit):.2g} s "
            f"| {statistics.median(predict):.2g} s |"
        )
    chosen = (f"{make.__name__} {g * d:g} / d and {a:g}" for make, (g, a) in words.items() if g is not None)
    yield "\ngamma and alpha: " + ", ".join(chosen)


def shares(X, y, X_test, lengthscale):
    """The predictions of Nadaraya-Watson with the exact kernel."""
    labels, numbers = np.unique(y, return_inverse=True)
    classes, answers = np.eye(len(labels))[numbers], []
    for block in np.array_split(X_test, 1 + len(X_test) // 500):
        answers.append((bochner.kernel_matrix(block, X, lengthscale=lengthscale) @ classes).argmax(axis=1))
    return labels[np.concatenate(answers)]


LEARNERS = {
    "`KernelClassifier`": lambda seed: bochner.KernelClassifier(lengthscale="auto", random_state=seed),
    "the same, exact": None,
    "`KernelRidgeClassifier`": lambda seed: bochner.KernelRidgeClassifier(random_state=seed),
    "`KernelLogistic`": lambda seed: bochner.KernelLogistic(random_state=seed),
    "`KernelSVC`": lambda seed: bochner.KernelSVC(random_state=seed),
    "boosted trees": lambda seed: HistGradientBoostingClassifier(random_state=seed),
}


def accuracies(name, seeds, rows):
    """title -> per cent of the test rows, for each seed."""
    X, y, X_test, y_test = divided(name, rows)
    found = {title: [] for title in LEARNERS}
    for seed in range(seeds):
        lengthscale = None
        for title, make in LEARNERS.items():
            if make is None:  # the contender before it has chosen the lengthscale
                answers = shares(X, y, X_test, lengthscale)
            else:
                model = make(seed).fit(X, y)
                answers, lengthscale = model.predict(X_test), getattr(model, "lengthscale_", None)
            found[title].append(100 * np.mean(answers == y_test))
    return found


def classification_lines(sets, seeds, rows):
    yield "| data | " + " | ".join(LEARNERS) + " |"
    yield "|---" * (1 + len(LEARNERS)) + "|"
    for name in sets:
        cells = [
            f"{statistics.mean(values):.1f}" + (f" ± {statistics.stdev(values):.1f}" if len(values) > 1 else "")
            for values in accuracies(name, seeds, rows).values()
        ]
        yield f"| {name} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", default="regression,classification")
    parser.add_argument("--sets", help="of those of the tables")
    parser.add_argument("--lengths", default="1024", help="of the feature vectors")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="few rows, features and seeds: to see that it runs")
    options = parser.parse_args()
    lengths, rows = [int(word) for word in options.lengths.split(",")], None
    if options.quick:
        lengths, rows, options.seeds = [32], 170, 1
    wanted = {"regression": REGRESSION, "classification": CLASSIFICATION}
    chosen = {title: options.sets.split(",") if options.sets else wanted[title] for title in options.tables.split(",")}
    warnings.simplefilter("ignore", ConvergenceWarning)
    bochner.set_num_threads(1)
    with threadpoolctl.threadpool_limits(1):
        for name in data_sets.present(chosen.get("regression", ())) if "regression" in chosen else ():
            for line in (*regression_lines(name, lengths, options.seeds, rows), ""):
                print(line, flush=True)
        if "classification" in chosen:
            for line in classification_lines(data_sets.present(chosen["classification"]), options.seeds, rows):
                print(line, flush=True)


if __name__ == "__main__":
    main()
