# SPDX-License-Identifier: Apache-2.0
"""Is the planned mechanism the best one? Compares plans on real data with a brute-force search over all mechanisms.

    plan_quality.py [--sets wine,boston,...] [--factors 1,4,16] [--rules median,neighbour] [--seeds 40] [--jobs 2]
                    [--out TABLE.md]

For every data set (standardised, 500 rows), lengthscale rule (median, neighbour) and m = factor d: the mean squared
error of the Gram matrix over seeds, of the planned mechanism and of its rivals at as many outputs: every map with every
coupling that fits, with the parameters that the plan found for it, or its default ones where the plan left it out. All
rivals start. A rival leaves the race after 1 seed if its squared error is more than 3 times that of the planned
mechanism over all seeds. It leaves after 4 or 12 seeds if its squared error is more than twice that, or more than 1.05
times that and also 6 standard errors of the difference above it. It also leaves if its errors are those of a mechanism
that has already run (the same features by another name). Columns: the planned mechanism, its predicted and measured
error, the best mechanism found by brute force, of how many, and its error, the ratio of the two squared errors and its
standard error. A mark * means that the plan is worse by more than 1.05 times and 3 standard errors, a mark + that the
prediction is off by more than 10 % and 3 standard errors.

--jobs processes compute rows of the table in parallel, each on one thread, the longest rows first.
"""

import argparse
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import bochner
import data_sets
import numpy as np

STAGES = {1: 3.0, 4: 2.0, 12: 2.0}  # seeds -> factor of the squared error above which rivals leave then
NEAR, ERRORS = 1.05, 6  # they also leave if worse by this factor and so many standard errors of the difference
SAME = 1e-4  # relative difference of errors that are equal but for rounding


def gram_errors(X, K, words, seeds):
    """Mean squared error of the Gram matrix for each seed."""
    errors = []
    for seed in seeds:
        features = bochner.features(**{**words, "seed": 1000 + seed}).fit(X)
        estimate = features.transform(X) @ features.transform(X, side="key").T
        errors.append(np.mean((estimate - K) ** 2, dtype=np.float64))
    return np.array(errors)


def left_out(plan, d, m, sigma):
    """Keyword arguments of the mechanisms that fit but are not in the plan, at 2 m outputs or just below."""
    known = {(line["map"], line["coupling"]) for line in plan.table}
    for map in bochner.maps():
        for coupling in bochner.couplings():
            words = {"d": d, "map": map["name"], "coupling": coupling["name"], "lengthscale": sigma}
            if (map["name"], coupling["name"]) in known:
                continue
            try:
                width = bochner.features(**words, m=1).fit(np.eye(d)).outputs
            except ValueError:
                continue
            yield {**words, "m": max(1, 2 * m // width)}


def rivals(plan, d, m, sigma):
    """Keyword arguments of all mechanisms but the planned one."""
    yield from (plan.words(i) for i in range(1, len(plan.table)))
    yield from left_out(plan, d, m, sigma)


class Race:
    """The planned mechanism and, one after the other, its rivals, on the same seeds."""

    def __init__(self, X, K, words, seeds):
        self.X, self.K = X, K
        self.planned = gram_errors(X, K, words, range(seeds))
        self.name, self.best, self.tried = "itself", self.planned, 1
        self.met = [self.planned]

    def run(self, words):
        self.tried += 1
        errors = self._errors(words)
        if len(errors) == len(self.planned) and errors.mean() < self.best.mean():
            self.name, self.best = f"{words['map']} + {words['coupling']}", errors

    def _errors(self, words):
        """Errors over as many seeds as the rival stays in the race."""
        errors = np.empty(0)
        for stop in (*(stage for stage in STAGES if stage < len(self.planned)), len(self.planned)):
            errors = np.append(errors, gram_errors(self.X, self.K, words, range(len(errors), stop)))
            if self._leaves(errors):
                break
        if len(errors) > 1:
            self.met.append(errors)
        return errors

    def _leaves(self, errors):
        stop, planned = len(errors), self.planned.mean()
        if not errors.mean() < STAGES.get(stop, min(STAGES.values())) * planned:
            return True
        if stop == 1:
            return False
        spread = np.hypot(errors.std(ddof=1) / np.sqrt(stop), self.planned.std() / np.sqrt(len(self.planned)))
        worse = errors.mean() > max(NEAR * planned, planned + ERRORS * spread)
        return worse or any(
            len(other) > stop and np.allclose(other[:stop], errors, rtol=SAME, atol=0) for other in self.met
        )


class Case(NamedTuple):
    """One row of the table."""

    name: str
    rule: str
    m: int


def compared(case, rows, seeds):
    X = data_sets.load(case.name)
    X = X[np.random.default_rng(0).choice(len(X), min(rows, len(X)), replace=False)]
    d, sigma = X.shape[1], bochner.lengthscale(X, case.rule)
    plan = bochner.plan(X, m=case.m, lengthscale=sigma)
    K = bochner.kernel_matrix(X, lengthscale=sigma)
    # float32 is a thousand times finer than errors above 1e-3, and twice as fast.
    Z = X.astype(np.float32) if plan.table[0]["error"] > 1e-3 else X
    race = Race(Z, K, plan.words(0), seeds)
    for words in rivals(plan, d, case.m, sigma):
        race.run(words)
    return row(case, plan.table[0], race)


def row(case, line, race):
    planned, best = race.planned, race.best
    count = np.sqrt(len(planned))
    ratio = planned.mean() / best.mean()
    spread = np.std(planned - best) / count
    off = abs(line["error"] ** 2 - planned.mean()) > 0.1 * planned.mean() + 3 * planned.std() / count
    worse = planned.mean() > NEAR * best.mean() + 3 * spread
    marks = ("*" if worse else "") + ("+" if off else "")
    return (
        f"| {case.name} | {case.rule} | {case.m} | {line['map']} + {line['coupling']} | {line['error']:.4g} "
        f"| {np.sqrt(planned.mean()):.4g} | {race.name} | {race.tried} | {np.sqrt(best.mean()):.4g} "
        f"| {ratio:.3f} ± {spread / best.mean():.3f} {marks} |"
    )


def one_thread():
    bochner.set_num_threads(1)


def lines_of(cases, options):
    """The row of every case, printed when it is found."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of the numpy that a new process imports
    spawn = multiprocessing.get_context("spawn")
    found = {}
    with ProcessPoolExecutor(options.jobs, mp_context=spawn, initializer=one_thread) as pool:
        longest = sorted(cases, key=lambda case: case.m, reverse=True)
        running = {pool.submit(compared, case, options.rows, options.seeds): case for case in longest}
        for done in as_completed(running):
            found[running[done]] = done.result()
            print(done.result(), file=sys.stderr, flush=True)
    return [found[case] for case in cases]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(data_sets.NAMES))
    parser.add_argument("--factors", default="1,4,16")
    parser.add_argument("--rules", default="median,neighbour", help="of the lengthscale")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    columns = {name: data_sets.load(name).shape[1] for name in data_sets.present(options.sets.split(","))}
    factors = [int(factor) for factor in options.factors.split(",")]
    cases = [
        Case(name, rule, factor * d)
        for name, d in columns.items()
        for rule in options.rules.split(",")
        for factor in factors
    ]
    lines = [
        "| data | lengthscale | m | planned | predicted | measured | best by brute force | of | its error | ratio |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *lines_of(cases, options),
    ]
    print("\n".join(lines))
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
