# SPDX-License-Identifier: Apache-2.0
"""`bochner fit` on ten million rows of 32 columns, streamed from an NPY file, beside the machine's limit.

    build/venv/bin/python bench/ten_million.py [--rows 10000000] [--outputs 2048] [--memory 1G] [--folder build/bench]

Writes the file (1.3 GB; kept for the next run), fits in float32 with a given alpha, and prints seconds, the largest
anonymous memory seen (pages of the mapped file do not count: the system may take them back), and the speed as a share
of that of plain ssyrk on existing features, which bochner_gram_bench measures before and after.
"""

import argparse
import json
import pathlib
import subprocess
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 32
BLOCK = 250_000


def write_rows(file, rows):
    out = np.lib.format.open_memmap(file, "w+", np.float32, (rows, COLUMNS + 1))
    for first in range(0, rows, BLOCK):
        rng = np.random.default_rng(first)
        X = rng.standard_normal((min(BLOCK, rows - first), COLUMNS), np.float32)
        out[first : first + len(X), :COLUMNS] = X
        noise = 0.1 * rng.standard_normal(len(X), np.float32)
        out[first : first + len(X), COLUMNS] = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + noise
    out.flush()


def syrk_speed(outputs):
    """Flops per second of ssyrk at this size."""
    program = ROOT / "build/bench/bin/bochner_gram_bench"
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    speeds = {line["outputs"]: line["syrk_gflops"] for line in map(json.loads, lines.splitlines())}
    return 1e9 * speeds[min(speeds, key=lambda size: abs(size - outputs))]


def anonymous(pid):
    """Bytes of anonymous memory of a process; 0 after it has ended."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return 0
    return next((1024 * int(line.split()[1]) for line in text.splitlines() if line.startswith("RssAnon")), 0)


def fit(file, outputs, memory):
    command = [ROOT / "build/bin/bochner", "fit", file, "--target", str(COLUMNS + 1), "--model", f"{file}.safetensors"]
    command += ["--task", "regression", "--m", str(outputs // 2), "--alpha", "1", "--holdout", "0"]
    command += ["--memory", memory, "--float32"]
    start, most = time.perf_counter(), 0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        most = max(most, anonymous(process.pid))
        time.sleep(0.05)
    if process.returncode != 0:
        raise SystemExit(f"bochner fit ended with {process.returncode}")
    return time.perf_counter() - start, most


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--outputs", type=int, default=2048)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "bench")
    options = parser.parse_args()
    file = options.folder / f"rows_{options.rows}.npy"
    if not file.exists():
        write_rows(file, options.rows)
    before = syrk_speed(options.outputs)
    seconds, most = fit(file, options.outputs, options.memory)
    limit = (before + syrk_speed(options.outputs)) / 2
    flops = options.rows * options.outputs * (options.outputs + 1)
    print(
        f"{options.rows} rows, {COLUMNS} columns, {options.outputs} outputs, float32: "
        f"{seconds:.1f} s, {most / 2**20:.0f} MiB"
    )
    print(f"{flops / seconds / 1e9:.1f} Gflop/s, {flops / seconds / limit:.0%} of ssyrk ({limit / 1e9:.1f} Gflop/s)")


if __name__ == "__main__":
    main()
