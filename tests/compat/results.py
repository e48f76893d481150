# SPDX-License-Identifier: Apache-2.0
"""The results of this version for recorded cases on one instruction set; run in its own process, which has only one.

    results.py COMMAND_LINE FOLDER < cases    a JSON list of cases; prints a JSON list of results
"""

import base64
import csv
import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import bochner
import numpy as np
import pandas as pd

FORCE = "BOCHNER_FORCE_TARGET"
WITHOUT_NAMES = ("plain", "unit")


def packed(array):
    array = np.ascontiguousarray(array)
    return {"dtype": array.dtype.str, "shape": list(array.shape), "bytes": base64.b64encode(array.tobytes()).decode()}


def unpacked(stored):
    return np.frombuffer(base64.b64decode(stored["bytes"]), stored["dtype"]).reshape(stored["shape"])


def rows_of(folder, name):
    """Rows of a file as a user would pass them: named columns as a data frame, others as an array."""
    path = Path(folder) / "rows" / name
    if path.suffix == ".npy":
        return np.load(path)
    if path.stem in WITHOUT_NAMES:
        return np.loadtxt(path, delimiter=",")
    return pd.read_csv(path)


def inputs_of(model, table):
    """The columns that the model was fitted to; the file also has others."""
    first = model[0] if hasattr(model, "steps") else model
    if hasattr(table, "columns"):
        names = getattr(first, "feature_names_in_", None)
        return table[list(names) if names is not None else [name for name, _, _ in first.inputs]]
    layout = getattr(first, "layout", None)
    return table[:, list(layout.positions) if layout else slice(model.n_features_in_)]


def told(command_line, folder, words):
    """A table that the command line writes: numbers, and separately columns of strings."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.csv"
        done = subprocess.run([command_line, *words, "--out", out], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            return {"error": done.stderr.strip()}
        with out.open(newline="") as file:
            columns = list(zip(*list(csv.reader(file))[1:], strict=True))
    numbers, texts = [], []
    for column in columns:
        try:
            numbers.append([float(cell) for cell in column])
        except ValueError:
            texts.append(list(column))
    return {"numbers": packed(np.array(numbers).T), "words": texts}


def of_estimator(folder, name, rows, kind):
    model = bochner.load_model(Path(folder) / "models" / name)
    X = inputs_of(model, rows_of(folder, rows))
    if kind == "std":
        found = model.predict(X, return_std=True)[1]
    else:
        found = getattr(model, kind)(X)
    if found.dtype.kind in "UO":
        return {"numbers": packed(np.zeros(0)), "words": [found.tolist()]}
    return {"numbers": packed(found), "words": []}


def of_features(stored, rows, side):
    features = pickle.loads(base64.b64decode(stored))  # written by this project
    return {"numbers": packed(features.transform(unpacked(rows), side=side)), "words": []}


def result(command_line, folder, case):
    try:
        if "words" in case:
            return told(command_line, folder, case["words"])
        if "pickle" in case:
            return of_features(case["pickle"], case["rows"], case["side"])
        return of_estimator(folder, case["model"], case["rows"], case["kind"])
    except (ValueError, TypeError, OSError, AttributeError) as error:
        return {"error": f"{type(error).__name__}: {error}"}


def on_target(target, command_line, folder, cases):
    """The results of all cases on an instruction set, from a separate process."""
    environment = {**os.environ, FORCE: target}
    words = [sys.executable, __file__, str(command_line), str(folder)]
    done = subprocess.run(words, input=json.dumps(cases), env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"on {target}: {done.stderr}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    COMMAND_LINE, FOLDER = sys.argv[1:]
    print(json.dumps([result(COMMAND_LINE, FOLDER, case) for case in json.load(sys.stdin)]))
