# SPDX-License-Identifier: Apache-2.0
"""Attention against PyTorch's exact one and a plain Performer, interleaved in one run.

    build/venv/bin/python bench/compare_attention.py [--threads 2] [--rounds 5] [--lengths 512 2048] [--m 128 256]

float32, batch 1, 8 heads, dim 64, map positive, coupling orthogonal. `peak` is the share of the FMA peak, PEAK for each
thread, that 8 L m dim heads flops take. Exact attention is left out beyond --exact rows; without PyTorch our own times
alone are printed. The Performer is FAVOR+ as it is usually written: the maximum of w.x and 1e-4 as
stabilisers.
"""

import argparse

import numpy as np
from compare import medians

import bochner

HEADS, DIM = 8, 64
PEAK = 100e9  # flops/s of one thread: two AVX2 multiply-adds of eight float32 at about 3.1 GHz

try:
    import torch
except ImportError:
    torch = None


def performer(q, k, v, W):
    """FAVOR+ in PyTorch."""

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
        calls["performer"] = lambda: performer(Q, K, V, W)
        if length <= exact:
            attend = torch.nn.functional.scaled_dot_product_attention
            calls["exact"] = lambda: attend(Q, K, V)
            calls["exact causal"] = lambda: attend(Q, K, V, is_causal=True)
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192])
    parser.add_argument("--m", type=int, nargs="+", default=[128, 256])
    parser.add_argument("--exact", type=int, default=8192, help="longest rows of exact attention")
    arguments = parser.parse_args()
    bochner.set_num_threads(arguments.threads)
    if torch is not None:
        torch.set_num_threads(arguments.threads)
    print(f"attention, float32, {HEADS} heads, dim {DIM}, {arguments.threads} threads")
    print(f"milliseconds, median of {arguments.rounds} (and relative to bidirectional)")
    for m in arguments.m:
        for length in arguments.lengths:
            times = medians(contenders(length, m, arguments.exact), arguments.rounds)
            ours = times["bidirectional"]
            share = 8 * length * m * DIM * HEADS / (ours * PEAK * arguments.threads)
            line = "  ".join(f"{name} {1e3 * seconds:.1f} ({seconds / ours:.2f} x)" for name, seconds in times.items())
            print(f"m {m:>4}  L {length:>5}  peak {share:4.0%}  {line}")


if __name__ == "__main__":
    main()
