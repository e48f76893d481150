# SPDX-License-Identifier: Apache-2.0
"""The recorded predictions, one file for each version, and their comparison with those of now."""

import gzip
import json
import platform
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from results import FORCE, unpacked

RECORDS = "records.json.gz"


def machine():
    """What some results depend on besides the library's own lanes: the C library's exp, and the BLAS for the
    processor."""
    cpu = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", cpu.read_text()) if cpu.exists() else None
    return {"processor": model[1] if model else platform.machine(), "c_library": " ".join(platform.libc_ver())}


def targets(command_line):
    """The instruction sets of this machine that the library has lanes for, best first."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.csv").write_text("1,2\n3,4\n")
        words = [command_line, "transform", "x.csv", "--out", "z.npy", "--m", "1"]
        done = subprocess.run(words, cwd=folder, env={FORCE: "?"}, capture_output=True, text=True)
    known = done.stderr.strip().partition("expected one of ")[2]
    if not known:
        raise ValueError(f"{command_line} does not name the instruction sets of this machine: {done.stderr}")
    return known.split(", ")


def record_of(results, tolerance, plain):
    """The results of one case by instruction set, equal ones kept once. `tolerance`: how far other instruction sets may
    be from them. `plain` results come from additions, multiplications and the library's own functions alone, so that
    their bits are those of the instruction set. The others also hold the C library's exp or BLAS, and have other bits
    on other machines."""
    distinct = []
    for result in results.values():
        if result not in distinct:
            distinct.append(result)
    index = {target: distinct.index(result) for target, result in results.items()}
    return {"distinct": distinct, "targets": index, "tolerance": float(tolerance), "plain": plain}


def problem(record, found, target, same_machine):
    """What is wrong with a result of now, as a sentence; None if it is as recorded."""
    if "error" in found:
        return found["error"]
    known = target in record["targets"]
    then = record["distinct"][record["targets"].get(target, 0)]
    if found["words"] != then["words"]:
        return f"other classes: {found['words']}; expected {then['words']}"
    numbers, expected = unpacked(found["numbers"]), unpacked(then["numbers"])
    if numbers.shape != expected.shape:
        return f"shape {numbers.shape}; expected {expected.shape}"
    if numbers.dtype != expected.dtype:
        if not (record.get("single") and numbers.dtype == np.float32):
            return f"dtype {numbers.dtype}; expected {expected.dtype}"
        expected = expected.astype(np.float32)  # sums are double, the result has the precision of the rows
    if known and (record["plain"] or same_machine):
        wrong = int(np.sum(numbers != expected))
        return f"{wrong} of {expected.size} numbers have other bits" if wrong else None
    size = np.max(np.abs(expected), initial=0)
    allowed = (0 if known else record["tolerance"]) + 1e-12 * max(size, 1) + np.spacing(size)
    error = np.max(np.abs(numbers - expected), initial=0)
    return None if error <= allowed else f"off by {error:.3g}; allowed {allowed:.3g}"


def read(folder):
    with gzip.open(Path(folder) / RECORDS, "rt") as file:
        return json.load(file)


def write(folder, records):
    """Writes the same bytes for the same records."""
    text = json.dumps(records, indent=0, sort_keys=True).encode()
    (Path(folder) / RECORDS).write_bytes(gzip.compress(text, mtime=0))
