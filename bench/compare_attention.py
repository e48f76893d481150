# SPDX-License-Identifier: Apache-2.0
"""Attention against PyTorch's exact attention and Performers, interleaved in one run.

    build/venv/bin/python bench/compare_attention.py [--threads 2] [--rounds 5] [--lengths 512 2048] [--m 128 256]
    build/venv/bin/python bench/compare_attention.py --memory [--length 65536] [--m 128 256]

float32, batch 1, 8 heads, dim 64, map positive, coupling orthogonal. `peak` is the speed of 8 L m dim heads flops as a
share of the FMA peak, which bochner_limits measures before and after every line. Exact attention is left out beyond
--exact rows; without PyTorch only our own times are printed. `performer-pytorch` is that package's FastAttention, if it
is installed (`make bench` installs it); `lean performer` is the same formulas in as few PyTorch operations as possible.
The last lines show from which length on our attention is faster than exact attention.

--memory: by how much the peak resident size of a process grows in one call, beyond q, k and v and the libraries, and
relative to the size of q, k and v; this includes the results, a third of that size. Each contender has its own process.
"""

import argparse
import pathlib
import subprocess
import sys

import bochner
import numpy as np
from compare import LIMITS, both, limits, medians

HEADS, DIM = 8, 64

try:
    import torch
except ImportError:
    torch = None

try:
    from performer_pytorch import FastAttention
except ImportError:
    FastAttention = None


def lean_performer(q, k, v, W):
    """FAVOR+ in PyTorch: the maximum of w.x and 1e-4 as stabilisers."""

    def features(x, key):
        x = x * DIM**-0.25
        projected = x @ W.T
        top = projected.amax(dim=(-1, -2) if key else -1, keepdim=True)
        return (projected - (x * x).sum(-1, keepdim=True) / 2 - top).exp() + 1e-4

    phi_q, phi_k = features(q, False), features(k, True)
    return (phi_q @ (phi_k.transpose(-1, -2) @ v)) / (phi_q @ phi_k.sum(-2).unsqueeze(-1))


def contenders(length, m, exact):
    q, k, v = np.random.default_rng(0).normal(size=(3, 1, HEADS, length, DIM)).astype(np.float32)
    words = {"map": "positive", "m": m}
    calls = {
        "bidirectional": lambda: bochner.attention(q, k, v, **words),
        "causal": lambda: bochner.attention(q, k, v, causal=True, **words),
        "favor++": lambda: bochner.attention(q, k, v, m=m),
    }
    if torch is not None:
        Q, K, V = (torch.from_numpy(array) for array in (q, k, v))
        features = bochner.features(DIM, kernel="softmax", map="positive", m=m)
        W = torch.from_numpy(features.directions().astype(np.float32))
        calls["lean performer"] = lambda: lean_performer(Q, K, V, W)
        if FastAttention is not None:
            attention = FastAttention(dim_heads=DIM, nb_features=m)
            calls["performer-pytorch"] = lambda: attention(Q, K, V)
        if length <= exact:
            attend = torch.nn.functional.scaled_dot_product_attention
            calls["exact"] = lambda: attend(Q, K, V)
            calls["exact causal"] = lambda: attend(Q, K, V, is_causal=True)
    return calls


def crossovers(table):
    """The shortest length from which on ours is faster, for each m and pair of contenders."""
    for ours, exact in (("bidirectional", "exact"), ("causal", "exact causal")):
        for m, rows in table.items():
            met = [length for length, times in rows.items() if exact in times]
            slower = [length for length in met if rows[length][ours] >= rows[length][exact]]
            first = [length for length in met if length > max(slower, default=0)]
            if met:
                print(f"m {m:>4}  {ours} is faster than exact attention",
                      f"from L = {first[0]} on" if first else "nowhere")


def peak():
    """The largest resident size of this process in MiB. getrusage would inherit it from the process that started this
    one."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def grown_megabytes(name, length, m):
    """How much one call adds to the peak of this process."""
    q, k, v = np.random.default_rng(0).standard_normal((3, 1, HEADS, length, DIM), dtype=np.float32)
    small = [array[:, :, :256] for array in (q, k, v)]
    words = {"map": "positive", "m": m, "causal": name == "causal"}
    bochner.attention(*small, **words)
    before = peak()
    if name == "lean performer":
        W = bochner.features(DIM, kernel="softmax", map="positive", m=m).directions()
        W = torch.from_numpy(W.astype(np.float32))
        lean_performer(*(torch.from_numpy(array) for array in (q, k, v)), W)
    else:
        bochner.attention(q, k, v, **words)
    return peak() - before


def memory(arguments):
    inputs = 3 * HEADS * DIM * arguments.length * 4 / 2**20
    print(f"L = {arguments.length}, q, k and v take {inputs:.0f} MiB; what a call adds:")
    for m in arguments.m:
        for name in ("bidirectional", "causal") + (("lean performer",) if torch is not None else ()):
            command = [sys.executable, __file__, "--child", name, "--length", str(arguments.length), "--m", str(m)]
            command += ["--threads", str(arguments.threads)]
            grown = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(f"m {m:>4}  {name:<14} {grown:8.0f} MiB  {grown / inputs:.2f} x q, k and v")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192])
    parser.add_argument("--m", type=int, nargs="+", default=[128, 256])
    parser.add_argument("--exact", type=int, default=8192, help="longest rows of exact attention")
    parser.add_argument("--limits", default=str(LIMITS), help="path of bochner_limits")
    parser.add_argument("--memory", action="store_true", help="compare memory instead of time")
    parser.add_argument("--length", type=int, default=65536, help="rows of --memory")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    bochner.set_num_threads(arguments.threads)
    if torch is not None:
        torch.set_num_threads(arguments.threads)
    if arguments.child:
        print(grown_megabytes(arguments.child, arguments.length, arguments.m[0]))
    elif arguments.memory:
        memory(arguments)
    else:
        compare_times(arguments)


def compare_times(arguments):
    print(f"attention, float32, {HEADS} heads, dim {DIM}, {arguments.threads} threads")
    print(f"milliseconds, median of {arguments.rounds} (and relative to bidirectional)")
    table = {m: {} for m in arguments.m}
    for m in arguments.m:
        for length in arguments.lengths:
            before = limits(arguments.limits, arguments.threads)
            times = table[m][length] = medians(contenders(length, m, arguments.exact), arguments.rounds)
            fma_peak = both(before, limits(arguments.limits, arguments.threads))["fma_float32"]
            ours = times["bidirectional"]
            share = 8 * length * m * DIM * HEADS / (ours * fma_peak)
            line = "  ".join(f"{name} {1e3 * seconds:.1f} ({seconds / ours:.2f} x)" for name, seconds in times.items())
            print(f"m {m:>4}  L {length:>5}  peak {share:4.0%}  {line}")
    crossovers(table)


if __name__ == "__main__":
    main()
