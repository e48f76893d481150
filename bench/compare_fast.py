# SPDX-License-Identifier: Apache-2.0
"""Couplings by fast transforms against RBFSampler, and Haar blocks against numpy's QR, interleaved in one run.

    build/venv/bin/python bench/compare_fast.py [--threads 1 2] [--rounds 7] [--json FILE]

Trigonometric features, float32, as in compare.py; nanoseconds are per number of the output. RBFSampler multiplies by a
dense matrix. So does our `orthogonal`, which is here to compare fast transforms with our own matrix product.
"""
import argparse
import json
import pathlib

import bochner
import numpy as np
import threadpoolctl
from compare import clock_for, medians
from sklearn.kernel_approximation import RBFSampler

SHAPES = [(64, 1024), (256, 1024), (1024, 2048), (4096, 8192)]
COUPLINGS = ("orthogonal", "hadamard", "simplex_hadamard", "fastfood", "givens", "circulant")
NUMBERS = 8_000_000
ORDER = 1024


def transforms(d, outputs, rounds, clock):
    n = NUMBERS // outputs
    X = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    sampler = RBFSampler(gamma=0.5, n_components=outputs, random_state=0).fit(X)
    contenders = {"RBFSampler": lambda: sampler.transform(X)}
    for coupling in COUPLINGS:
        features = bochner.features(d, m=outputs // 2, coupling=coupling)
        contenders[coupling] = lambda f=features: f.transform(X)
    return {name: seconds / (n * outputs) * 1e9 for name, seconds in medians(contenders, rounds, clock).items()}


def haar(rounds, clock):
    G = np.random.default_rng(0).standard_normal((ORDER, ORDER))
    contenders = {
        "numpy.linalg.qr": lambda: np.linalg.qr(G),
        "orthogonal": lambda: bochner.features(ORDER, m=ORDER, coupling="orthogonal"),
    }
    return medians(contenders, rounds, clock)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", help="also write all numbers to this file")
    arguments = parser.parse_args()
    rows = []
    print(f"fast couplings, trigonometric, float32, nanoseconds per output number (median of {arguments.rounds})")
    print(f"{'threads':>7} {'d':>5} {'D':>5} {'RBFSampler':>10}  {'ours':<18} {'ns':>6} "
          f"{'x RBFSampler':>12} {'/ hadamard':>10}")
    for threads in arguments.threads:
        clock = clock_for(threads)
        bochner.set_num_threads(threads)
        with threadpoolctl.threadpool_limits(threads):
            for d, outputs in SHAPES:
                ns = transforms(d, outputs, arguments.rounds, clock)
                for name in COUPLINGS:
                    print(f"{threads:7} {d:5} {outputs:5} {ns['RBFSampler']:10.2f}  {name:<18} {ns[name]:6.2f} "
                          f"{ns['RBFSampler'] / ns[name]:12.1f} {ns[name] / ns['hadamard']:10.2f}")
                    rows.append({"what": "transform", "threads": threads, "d": d, "outputs": outputs, "ours": name,
                                 "nanoseconds": ns[name], "peer_nanoseconds": ns["RBFSampler"]})
            times = haar(arguments.rounds, clock)
            ratio = times["orthogonal"] / times["numpy.linalg.qr"]
            print(f"{threads:7} Haar block of {ORDER}: {times['orthogonal'] * 1e3:.1f} ms with its draws, "
                  f"numpy.linalg.qr {times['numpy.linalg.qr'] * 1e3:.1f} ms: {ratio:.2f}", flush=True)
            rows.append({"what": "haar", "threads": threads, "d": ORDER, "seconds": times["orthogonal"],
                         "peer_seconds": times["numpy.linalg.qr"]})
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
