# SPDX-License-Identifier: Apache-2.0
"""Maps against `trigonometric` on the same coupling, at equal output length and at equal m, interleaved in one run.

    build/venv/bin/python bench/compare_maps.py [--threads 1] [--rounds 9] [--json FILE]

float32, output in existing memory. A map with one output per direction needs twice the projections of `trigonometric`
for as many outputs, so at equal output length it needs at least twice the flops. A line ends with `over` if the time is
more than LIMIT x that of `trigonometric`: at equal output length for maps with two outputs per direction, at equal m
for maps with one.
"""
import argparse
import json
import pathlib

import bochner
import numpy as np
from compare import medians

SHAPES = [(64, 1024), (256, 4096)]
NUMBERS = 4_000_000
LIMIT = 1.15
EQUAL_M = "trigonometric, 2 D outputs"
# (map, parameters, outputs per direction, whether LIMIT is promised)
MAPS = {
    "trigonometric": ("trigonometric", {}, 2, True),
    "positive": ("positive", {}, 1, True),
    "optimal_positive": ("optimal_positive", {"A": -0.05}, 1, True),
    "exponential, A real, s = 1": ("exponential", {"A": -0.05, "s": 1}, 1, True),
    "exponential, A real, s = -1": ("exponential", {"A": 0.01, "s": -1}, 2, True),
    "exponential, A complex": ("exponential", {"A": -0.05 + 0.02j, "s": 1}, 2, False),
}


def contenders(d, outputs, coupling):
    n = NUMBERS // outputs
    X = (np.random.default_rng(0).standard_normal((n, d)) / np.sqrt(d)).astype(np.float32)
    Z = np.zeros((n, outputs), np.float32)
    twice = bochner.features(d, map="trigonometric", coupling=coupling, m=outputs)
    wide = np.zeros((n, 2 * outputs), np.float32)
    calls = {EQUAL_M: lambda: twice.transform(X, out=wide)}
    for name, (word, parameters, width, _) in MAPS.items():
        features = bochner.features(d, map=word, coupling=coupling, m=outputs // width, **parameters)
        calls[name] = lambda f=features: f.transform(X, out=Z)
    A = 1j * np.linspace(0.8, 1.25, d)
    features = bochner.features(d, map="complex_exponential", coupling=coupling, m=outputs // 2, A=A)
    calls["complex_exponential, diagonal A"] = lambda: features.transform(X, out=Z)
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", help="also write all numbers to this file")
    arguments = parser.parse_args()
    rows = []
    print(f"maps, float32, milliseconds (median of {arguments.rounds})")
    print(f"{'threads':>7} {'d':>5} {'D':>5} {'coupling':<12} {'map':<32} {'ms':>8} {'equal D':>8} {'equal m':>8}")
    for threads in arguments.threads:
        bochner.set_num_threads(threads)
        for d, outputs in SHAPES:
            for coupling in ("orthogonal", "hadamard"):
                median = medians(contenders(d, outputs, coupling), arguments.rounds)
                for name, value in median.items():
                    single = (name in MAPS and MAPS[name][2] == 1) or name == EQUAL_M
                    equal_outputs = value / median["trigonometric"]
                    equal_m = value / median[EQUAL_M if single else "trigonometric"]
                    over = "  over" if name in MAPS and MAPS[name][3] and equal_m > LIMIT else ""
                    print(f"{threads:7} {d:5} {outputs:5} {coupling:<12} {name:<32} {value * 1e3:8.1f} "
                          f"{equal_outputs:8.2f} {equal_m:8.2f}{over}")
                    rows.append({"threads": threads, "d": d, "outputs": outputs, "coupling": coupling, "map": name,
                                 "seconds": value})
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
