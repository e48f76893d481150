# SPDX-License-Identifier: Apache-2.0
"""Bochner against scikit-learn's RBFSampler and against the limits of this machine, interleaved in one run.

    build/venv/bin/python bench/compare.py [--threads 1 2] [--rounds 7] [--json FILE] [--quick]

Every round times each contender once, in turn, so that a busy machine slows all of them; medians are compared. On one
thread CPU time is measured, which depends less on other programs. `trigonometric` makes a sine and a cosine of every
projection, so it needs half the projections of RBFSampler for as many outputs; `cosine` computes what RBFSampler
computes, with as many projections. `flops` are those of RBFSampler over ours. numpy's cosine runs on one thread
whatever the number of threads. `bound` is the largest of three times, which overlap: that of the transform's own
multiply-adds at FMA peak, that of its output at write bandwidth, and that of its sines and cosines at the throughput of
our primitive on data in L1. All are measured by bochner_limits in the same run. The last lines are the table of
README.md. Before it is timed, a contender runs untimed for at least 50 ms: then the caches hold its own data, and BLAS
threads of the contender before have stopped spinning. `returned` is the plain call, `out` writes into existing memory.
RBFSampler asks the kernel for fresh memory in every call; a `returned` result reuses the memory of the result that was
dropped before it.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import time

import bochner
import numpy as np
import threadpoolctl
from sklearn.kernel_approximation import RBFSampler

ROWS = 10_000
WARM_UP = 0.05
SHAPES = [(64, 1024), (256, 4096), (784, 4096), (1024, 8192)]
WIDTH = {"trigonometric": 2, "cosine": 1}  # outputs for each projection
LIMITS = pathlib.Path(__file__).resolve().parent.parent / "build" / "bench" / "bin" / "bochner_limits"
README = [(1, "float32", 64, 1024), (1, "float32", 256, 4096), (1, "float32", 1024, 8192), (1, "float64", 64, 1024),
          (2, "float32", 64, 1024), (2, "float64", 64, 1024)]


def seconds(call, clock):
    ready = time.perf_counter() + WARM_UP
    while time.perf_counter() < ready:
        call()
    start = clock()
    call()
    return clock() - start


def limits(program, threads):
    return json.loads(subprocess.run([program, str(threads)], check=True, capture_output=True, text=True).stdout)


def bound(limit, n, d, outputs, map, dtype):
    """The fewest seconds that a transform can take on this machine: the largest of bounds that overlap, not their
    sum."""
    directions = outputs // WIDTH[map]
    multiply_adds = 2.0 * n * d * directions / limit[f"fma_{dtype}"]
    writes = n * outputs * np.dtype(dtype).itemsize / limit["write"]
    primitive = "sincos" if WIDTH[map] == 2 else "cos"
    return max(multiply_adds, writes, n * directions / limit[f"{primitive}_{dtype}"])


def transform_contenders(d, outputs, dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, d)).astype(dtype)
    sampler = RBFSampler(gamma=0.5, n_components=outputs, random_state=0).fit(X)
    contenders = {"RBFSampler": lambda: sampler.transform(X)}
    for map, coupling in (("trigonometric", "orthogonal"), ("trigonometric", "iid"), ("cosine", "orthogonal")):
        features = bochner.features(d, map=map, m=outputs // WIDTH[map], coupling=coupling)
        Z = np.zeros((ROWS, outputs + 16), dtype)
        offset = (-Z.ctypes.data % 64) // Z.itemsize
        Z = Z.reshape(-1)[offset : offset + ROWS * outputs].reshape(ROWS, outputs)
        contenders[map, coupling, "returned"] = lambda f=features: f.transform(X)
        contenders[map, coupling, "out"] = lambda f=features, Z=Z: f.transform(X, out=Z)
    return contenders


def draw_contenders(d, outputs):
    X = np.zeros((2, d), np.float32)
    contenders = {"RBFSampler": lambda: RBFSampler(gamma=0.5, n_components=outputs, random_state=0).fit(X)}
    for coupling in ("iid", "orthogonal"):
        contenders[coupling] = lambda c=coupling: bochner.features(d, m=outputs // 2, coupling=c)
    return contenders


def clock_for(threads):
    return time.process_time if threads == 1 else time.perf_counter


def medians(contenders, rounds, clock=time.perf_counter):
    times = {name: [] for name in contenders}
    for call in contenders.values():
        call()
    for _ in range(rounds):
        for name, call in contenders.items():
            times[name].append(seconds(call, clock))
    return {name: statistics.median(values) for name, values in times.items()}


def both(before, after):
    """The faster of two measurements of the limits, so that no bound is beaten just because the machine was busy."""
    return {key: max(before[key], after[key]) for key in before if not isinstance(before[key], str)}


def transform_rows(threads, dtype, d, outputs, arguments):
    before = limits(arguments.limits, threads)
    median = medians(transform_contenders(d, outputs, dtype), arguments.rounds, clock_for(threads))
    limit = both(before, limits(arguments.limits, threads))
    peer = median.pop("RBFSampler")
    for (map, coupling, memory), value in median.items():
        least = bound(limit, ROWS, d, outputs, map, dtype)
        name = f"{map}, {coupling}, {memory}"
        print(f"{threads:7} {dtype:>8} {d:5} {outputs:5} {peer * 1e3:10.1f}  {name:<36} {value * 1e3:8.1f} "
              f"{peer / value:12.2f} {WIDTH[map]:5} {value / least:8.2f}", flush=True)
        yield {"what": "transform", "threads": threads, "dtype": dtype, "d": d, "outputs": outputs, "map": map,
               "coupling": coupling, "memory": memory, "seconds": value, "peer_seconds": peer, "bound_seconds": least}


def draw_rows(threads, d, outputs, rounds):
    median = medians(draw_contenders(d, outputs), rounds, clock_for(threads))
    peer = median.pop("RBFSampler")
    for name, value in median.items():
        print(f"{threads:7} {'draw W':>8} {d:5} {outputs:5} {peer * 1e3:10.1f}  {name:<36} {value * 1e3:8.1f} "
              f"{value / peer:12.2f} of RBFSampler.fit", flush=True)
        yield {"what": "draw", "threads": threads, "d": d, "outputs": outputs, "ours": name, "seconds": value,
               "peer_seconds": peer}


def milliseconds(seconds):
    return f"{seconds * 1e3:.0f} ms" if seconds >= 0.1 else f"{seconds * 1e3:.1f} ms"


def readme_lines(rows):
    """The table of README.md, as far as it was measured, for calls that return their result, as RBFSampler does."""
    seconds = {(row["threads"], row["dtype"], row["d"], row["outputs"], row["map"]): row for row in rows
               if row["what"] == "transform" and row["coupling"] == "orthogonal" and row["memory"] == "returned"}
    yield "| 10,000 rows, d columns → D features | `RBFSampler` | `cosine` | `trigonometric` |"
    yield "|---|---|---|---|"
    for threads, dtype, d, outputs in README:
        cells = [seconds.get((threads, dtype, d, outputs, map)) for map in ("cosine", "trigonometric")]
        if None in cells:
            continue
        ratios = [f"{milliseconds(row['seconds'])}, {row['peer_seconds'] / row['seconds']:.1f} ×" for row in cells]
        count = "one thread" if threads == 1 else f"{threads} threads"
        peer = milliseconds(cells[0]["peer_seconds"])
        yield f"| {dtype}, d = {d}, D = {outputs}, {count} | {peer} | {' | '.join(ratios)} |"


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
    print(f"{'threads':>7} {'dtype':>8} {'d':>5} {'D':>5} {'RBFSampler':>10}  {'ours':<36} {'ms':>8} "
          f"{'x RBFSampler':>12} {'flops':>5} {'x bound':>8}")
    for threads in arguments.threads:
        bochner.set_num_threads(threads)
        with threadpoolctl.threadpool_limits(threads):
            for dtype in ("float32", "float64"):
                for d, outputs in shapes if dtype == "float32" else shapes[:2]:
                    rows += transform_rows(threads, dtype, d, outputs, arguments)
            for d, outputs in shapes:
                rows += draw_rows(threads, d, outputs, arguments.rounds)
    print("\n".join(readme_lines(rows)))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
