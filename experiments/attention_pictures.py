# SPDX-License-Identifier: Apache-2.0
"""Attention by random features: error against m for every mechanism, time and memory against the length.

    attention_pictures.py [--folder docs/pictures] [--seeds N] [--lengths L ...] [--quick]

Error: 256 queries and keys of dim 32 whose entries have standard deviation s. The root mean squared difference from
exact attention over N seeds, relative to the deviation of the results from their mean, against the length of the
feature vector (rounded to whole directions): at equal length every mechanism takes the same time and memory. A
mechanism that refuses the rows has no curve. Time: 8 heads, dim 64, 128 directions, float32, all threads, the best of
five calls, beside exact attention in NumPy (blocks of 512 queries) and, if it is installed, in PyTorch. Memory: what a
call adds to the peak of a process, 8 heads, beside the scores that plain exact attention stores.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

import bochner
import numpy as np

MECHANISMS = {  # name -> map, coupling, length of the feature vector for each direction
    "FAVOR+": ("positive", "orthogonal", 1),
    "FAVOR+ in pairs": ("positive_paired", "orthogonal", 2),
    "SimRF": ("positive", "simplex", 1),
    "FAVOR++": ("optimal_positive", "orthogonal", 1),
    "FAVOR++ on simplexes": ("optimal_positive", "simplex", 1),
    "FAVOR++ in pairs": ("optimal_positive_paired", "orthogonal", 2),
    "poisson_positive": ("poisson_positive", "iid", 1),
    "geometric_positive": ("geometric_positive", "iid", 1),
    "hybrid_angular": ("hybrid_angular", "orthogonal", 36),
    "hybrid_gaussian": ("hybrid_gaussian", "orthogonal", 68),
    "hybrid_clustered": ("hybrid_clustered", "orthogonal", 8),
}
SIZES = (0.5, 1.0, 1.5)
FEATURES = (64, 128, 256, 512, 1024, 2048)
HEADS, DIM, M = 8, 64, 128


def exact_attention(q, k, v, block=512):
    out = np.empty((*q.shape[:3], v.shape[3]), q.dtype)
    for first in range(0, q.shape[2], block):
        rows = slice(first, first + block)
        scores = q[:, :, rows] @ k.transpose(0, 1, 3, 2) * q.dtype.type(q.shape[3] ** -0.5)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        out[:, :, rows] = weights @ v / weights.sum(axis=-1, keepdims=True)
    return out


def errors(size, seeds, features):
    """name -> (length of the feature vector, relative error); left out if a mechanism cannot have so few features."""
    rng = np.random.default_rng(0)
    q, k, v = (scale * rng.standard_normal((1, 1, 256, 32)) for scale in (size, size, 1))
    exact = exact_attention(q, k, v)
    spread = np.square(exact - exact.mean(axis=2, keepdims=True)).mean()
    found = {}
    for name, (map, coupling, width) in MECHANISMS.items():
        for m in (wanted // width for wanted in features if wanted >= 2 * width):
            words = {"map": map, "coupling": coupling, "m": m}
            try:
                squares = [
                    np.square(bochner.attention(q, k, v, seed=seed, **words) - exact).mean() for seed in range(seeds)
                ]
            except ValueError as refusal:
                print(f"s {size}  {name}: {refusal}")
                break
            found.setdefault(name, []).append((m * width, np.sqrt(np.mean(squares) / spread)))
    return found


def best_time(call, rounds=5):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def times(lengths, longest_exact):
    found = {}
    for length in lengths:
        q, k, v = np.random.default_rng(0).standard_normal((3, 1, HEADS, length, DIM), dtype=np.float32)
        calls = {
            "Bochner": lambda q=q, k=k, v=v: bochner.attention(q, k, v, map="positive", m=M),
            "Bochner, causal": lambda q=q, k=k, v=v: bochner.attention(q, k, v, map="positive", m=M, causal=True),
        }
        if length <= longest_exact:
            calls["exact, NumPy"] = lambda q=q, k=k, v=v: exact_attention(q, k, v)
            try:
                import torch

                attend = torch.nn.functional.scaled_dot_product_attention
                Q, K, V = (torch.from_numpy(array) for array in (q, k, v))
                calls["exact, PyTorch"] = lambda Q=Q, K=K, V=V, attend=attend: attend(Q, K, V)
            except ImportError:
                pass
        for name, call in calls.items():
            found.setdefault(name, []).append((length, best_time(call)))
    return found


def peak():
    """The largest resident size of this process in MiB. getrusage would inherit it from the process that started this
    one."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def grown(length, causal):
    """MiB that one call adds to the peak of this process."""
    q, k, v = np.random.default_rng(0).standard_normal((3, 1, HEADS, length, DIM), dtype=np.float32)
    before = peak()
    bochner.attention(q, k, v, map="positive", m=M, causal=causal)
    return peak() - before


def memory(lengths):
    found = {"scores of exact attention": [(length, HEADS * length**2 * 4 / 2**20) for length in lengths]}
    found["q, k and v"] = [(length, 3 * HEADS * length * DIM * 4 / 2**20) for length in lengths]
    for name, causal in (("Bochner", "0"), ("Bochner, causal", "1")):
        for length in lengths:
            command = [sys.executable, __file__, "--child", str(length), causal]
            grew = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            found.setdefault(name, []).append((length, grew))
    return found


def draw(curves, path, titles, ticks, xlabel, ylabel, most=np.inf):
    """One picture for each set of curves; values above `most` lie outside."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(curves), figsize=(4.6 * len(curves) + 1, 4.2), layout="constrained", squeeze=False
    )
    for axis, lines, title in zip(axes[0], curves, titles, strict=True):
        for i, (name, points) in enumerate(lines.items()):
            axis.loglog(*zip(*points, strict=True), "-" if i < 10 else "--", marker="o", markersize=3, label=name)
        axis.set(title=title, xlabel=xlabel)
        axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks], fontsize=8)
        axis.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        axis.grid(alpha=0.3)
        shown = [y for points in lines.values() for _, y in points if y <= most]
        axis.set_ylim(min(shown) / 1.5, min(1.5 * max(shown), most))
    axes[0][0].set_ylabel(ylabel)
    figure.legend(*axes[0][-1].get_legend_handles_labels(), fontsize=8, loc="outside right upper")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("docs/pictures"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--lengths", type=int, nargs="+", default=[256, 512, 1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--exact", type=int, default=8192, help="longest rows of exact attention")
    parser.add_argument("--quick", action="store_true", help="one seed and few sizes: whether all of it runs")
    parser.add_argument("--only", choices=["error", "time", "memory"], help="draw one picture")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.set_defaults(features=FEATURES)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seeds, arguments.features, arguments.lengths, arguments.exact = 1, FEATURES[:3], [256, 512], 512
    if arguments.child:
        print(grown(int(arguments.child[0]), arguments.child[1] == "1"))
        return
    if arguments.only in (None, "error"):
        draw_errors(arguments)
    tables = {"time": lambda: times(arguments.lengths, arguments.exact), "memory": lambda: memory(arguments.lengths)}
    for name, measure in tables.items():
        if arguments.only in (None, name):
            draw_lengths(name, measure(), arguments.folder)


def draw_errors(arguments):
    found = [errors(size, arguments.seeds, arguments.features) for size in SIZES]
    for size, table in zip(SIZES, found, strict=True):
        for name, points in table.items():
            print(f"s {size}  {name:<22}", "  ".join(f"{length}: {error:.3g}" for length, error in points))
    titles = [f"entries of size {size}" for size in SIZES]
    picture = arguments.folder / "attention_error.png"
    draw(found, picture, titles, arguments.features, "length of the feature vector", "relative error", most=100)


def draw_lengths(name, table, folder):
    for line, points in table.items():
        print(name, f"{line:<26}", "  ".join(f"{length}: {value:.4g}" for length, value in points))
    unit = "seconds" if name == "time" else "MiB"
    ticks = sorted({length for points in table.values() for length, _ in points})
    titles = [f"8 heads, dim {DIM}, {M} directions"]
    draw([table], folder / f"attention_{name}.png", titles, ticks, "length of the sequence", unit)


if __name__ == "__main__":
    main()
