# SPDX-License-Identifier: Apache-2.0
"""Bochner against scikit-learn's RBFSampler and against the limits of this machine, interleaved in one run.

    build/venv/bin/python bench/compare.py [--threads 1 2] [--rounds 7] [--json FILE] [--quick]

Every round times each contender once, in turn, so that a busy machine slows all of them; medians are compared.
`floor` is the time of the transform's own flops at FMA peak, plus its output at non-temporal write bandwidth, plus its
sines and cosines at the throughput of the primitive on data in L1: all measured by bochner_limits in the same run.
Before it is timed, a contender runs untimed for at least 50 ms: caches are its own, and BLAS threads of the one before
have stopped spinning. `returned` is the plain call, `out` writes into memory that exists. RBFSampler asks the kernel
for fresh memory in every call; a `returned` result takes the memory of the one that was dropped before it.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import bochner
import numpy as np
import threadpoolctl
from sklearn.kernel_approximation import RBFSampler

ROWS = 10_000
WARM_UP = 0.05
SHAPES = [(64, 1024), (256, 4096), (784, 4096), (1024, 8192)]
LIMITS = pathlib.Path(__file__).resolve().parent.parent / "build" / "bench" / "bin" / "bochner_limits"


def seconds(call):
    ready = time.perf_counter() + WARM_UP
    while time.perf_counter() < ready:
        call()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def limits(program, threads):
    return json.loads(subprocess.run([program, str(threads)], check=True, capture_output=True, text=True).stdout)


def floor(limit, n, d, outputs, dtype):
    """Seconds below which a trigonometric transform cannot go on this machine."""
    directions = outputs // 2
    flops = 2.0 * n * d * directions / limit[f"fma_{dtype}"]
    writes = n * outputs * np.dtype(dtype).itemsize / limit["stream_write"]
    return flops + writes + n * directions / limit[f"sincos_{dtype}"]


def transform_contenders(d, outputs, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, d)).astype(dtype)
    sampler = RBFSampler(gamma=0.5, n_components=outputs, random_state=0).fit(X)
    contenders = {"RBFSampler": lambda: sampler.transform(X)}
    for coupling in ("orthogonal", "iid"):
        features = bochner.features(d, m=outputs // 2, coupling=coupling)
        Z = np.zeros((ROWS, outputs + 16), dtype)
        offset = (-Z.ctypes.data % 64) // Z.itemsize
        Z = Z.reshape(-1)[offset : offset + ROWS * outputs].reshape(ROWS, outputs)
        contenders[f"{coupling}, returned"] = lambda f=features: f.transform(X)
        contenders[f"{coupling}, out"] = lambda f=features, Z=Z: f.transform(X, out=Z)
    return contenders


def draw_contenders(d, outputs):
    X = np.zeros((2, d), np.float32)
    contenders = {"RBFSampler": lambda: RBFSampler(gamma=0.5, n_components=outputs, random_state=0).fit(X)}
    for coupling in ("iid", "orthogonal"):
        contenders[coupling] = lambda c=coupling: bochner.features(d, m=outputs // 2, coupling=c)
    return contenders


def medians(contenders, rounds):
    times = {name: [] for name in contenders}
    for call in contenders.values():
        call()
    for _ in range(rounds):
        for name, call in contenders.items():
            times[name].append(seconds(call))
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--limits", default=str(LIMITS), help="path of bochner_limits")
    parser.add_argument("--json", help="also write all numbers to this file")
    parser.add_argument("--quick", action="store_true", help="the two smaller shapes only")
    arguments = parser.parse_args()
    shapes = SHAPES[:2] if arguments.quick else SHAPES
    rows = []
    print(f"transform, n = {ROWS}, milliseconds (median of {arguments.rounds})")
    print(f"{'threads':>7} {'dtype':>8} {'d':>5} {'D':>5} {'RBFSampler':>10}  {'ours':<20} {'ms':>8} "
          f"{'x RBFSampler':>12} {'x floor':>8}")
    for threads in arguments.threads:
        bochner.set_num_threads(threads)
        with threadpoolctl.threadpool_limits(threads):
            for dtype in ("float32", "float64"):
                for d, outputs in shapes if dtype == "float32" else shapes[:2]:
                    before = limits(arguments.limits, threads)
                    median = medians(transform_contenders(d, outputs, dtype), arguments.rounds)
                    after = limits(arguments.limits, threads)
                    limit = {k: (before[k] + after[k]) / 2 for k in before if not isinstance(before[k], str)}
                    bound = floor(limit, ROWS, d, outputs, dtype)
                    peer = median.pop("RBFSampler")
                    for name, value in median.items():
                        print(f"{threads:7} {dtype:>8} {d:5} {outputs:5} {peer * 1e3:10.1f}  {name:<20} "
                              f"{value * 1e3:8.1f} {peer / value:12.2f} {value / bound:8.2f}")
                        rows.append({"what": "transform", "threads": threads, "dtype": dtype, "d": d,
                                     "outputs": outputs, "ours": name, "seconds": value, "peer_seconds": peer,
                                     "floor_seconds": bound})
            for d, outputs in shapes:
                median = medians(draw_contenders(d, outputs), arguments.rounds)
                peer = median.pop("RBFSampler")
                for name, value in median.items():
                    print(f"{threads:7} {'draw W':>8} {d:5} {outputs:5} {peer * 1e3:10.1f}  {name:<20} "
                          f"{value * 1e3:8.1f} {value / peer:12.2f} of RBFSampler.fit")
                    rows.append({"what": "draw", "threads": threads, "d": d, "outputs": outputs, "ours": name,
                                 "seconds": value, "peer_seconds": peer})
            sys.stdout.flush()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
