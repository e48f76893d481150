# SPDX-License-Identifier: Apache-2.0
"""Maps of monomials against the trigonometric map at equal output length, interleaved in one run.

    build/venv/bin/python bench/compare_monomial.py [--rounds 15] [--json FILE]

Coupling iid, float32, one thread; nanoseconds are per number of the output. `rate` is the mean exponent: the share of
exponents that are not 0 is 1 - exp(-rate), and the cost of an output depends on it. fit finds 1 for standard normal
data.
"""
import argparse
import json
import pathlib

import bochner
import numpy as np
from compare import medians

D, OUTPUTS, ROWS = 64, 1024, 4000
RATES = (0.1, 1.0, 4.0)
LIMIT = 4.0


def contenders(X, Z):
    made = {"trigonometric": bochner.features(D, m=OUTPUTS // 2, coupling="iid")}
    for rate in RATES:
        made[f"poisson, rate {rate}"] = bochner.features(D, map="poisson", m=OUTPUTS, rate=rate)
        made[f"geometric, mean {rate}"] = bochner.features(D, map="geometric", m=OUTPUTS, p=1 / (1 + rate))
    made["poisson_positive, rate 1.0"] = bochner.features(D, map="poisson_positive", m=OUTPUTS, rate=1.0, shift=-7.0)
    return {name: lambda f=features: f.transform(X, out=Z) for name, features in made.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", help="also write all numbers to this file")
    arguments = parser.parse_args()
    bochner.set_num_threads(1)
    X = np.random.default_rng(0).standard_normal((ROWS, D)).astype(np.float32)
    Z = np.empty((ROWS, OUTPUTS), np.float32)
    times = medians(contenders(X, Z), arguments.rounds)
    rows = []
    print(f"monomials, d = {D}, {OUTPUTS} outputs, iid, float32, one thread (median of {arguments.rounds})")
    for name, seconds in times.items():
        ratio = seconds / times["trigonometric"]
        print(f"{name:<28} {seconds / (ROWS * OUTPUTS) * 1e9:6.2f} ns {ratio:6.2f} x trigonometric, at most {LIMIT:g}")
        rows.append({"what": name, "nanoseconds": seconds / (ROWS * OUTPUTS) * 1e9, "ratio": ratio})
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
