# SPDX-License-Identifier: Apache-2.0
"""The benchmark data sets as standardised matrices, read from the folder BOCHNER_DATA (default ../shared/data)."""

import gzip
import os
import struct
from pathlib import Path

import numpy as np

FOLDER = Path(os.environ.get("BOCHNER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))

# name: (file, separator, target column or None, columns to drop, categorical columns or "all")
TABLES = {
    "abalone": ("abalone/abalone.data", ",", 8, (), (0,)),
    "banknote": ("banknote/banknote.txt", ",", 4, (), ()),
    "car": ("car/car.data", ",", 6, (), "all"),
    "yeast": ("yeast/yeast.data", None, 9, (0,), ()),
    "cmc": ("cmc/cmc.data", ",", 9, (), ()),
    "nursery": ("nursery/nursery.data.gz", ",", 8, (), "all"),
    "wifi": ("wifi/wifi.txt", None, 7, (), ()),
    "chess": ("chess/chess.data.gz", ",", 6, (), "all"),
    "wine": ("wine/wine.data", ",", 0, (), ()),
    "boston": ("boston/housing.data", None, 13, (), ()),
    "letter": ("letter/letter-recognition.data.gz", ",", 0, (), ()),
    "usps": ("usps/usps.train.txt.gz", None, 0, (), ()),
    "california": ("california/cal_housing.data.gz", ",", 8, (), ()),
}
NAMES = (*TABLES, "mnist")


def available(name):
    """Whether the files of a data set are there."""
    file = "mnist/train-images-idx3-ubyte.gz" if name == "mnist" else TABLES[name][0]
    return (FOLDER / file).is_file()


def load(name):
    """Rows of the data set, categorical columns one-hot, every column with mean 0 and deviation 1 (constant ones 0)."""
    X = _images("mnist/train-images-idx3-ubyte.gz", 2000) if name == "mnist" else _table(*TABLES[name])[0]
    return standardised(X, X)


def standardised(X, by):
    """X minus the mean and over the deviation of the columns of `by`; constant columns are not divided."""
    deviation = by.std(axis=0)
    return (X - by.mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def labelled(name):
    """Rows, not standardised, and class numbers of a table, without the last line of the file, as the papers have
    them."""
    X, words = _table(*TABLES[name])
    if name != "nursery":  # whose last line is empty
        X, words = X[:-1], words[:-1]
    return X, np.unique(words, return_inverse=True)[1]


def _open(file):
    path = FOLDER / file
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _images(file, most):
    with _open(file) as stream:
        _, count, rows, cols = struct.unpack(">IIII", stream.read(16))
        count = min(count, most)
        return np.frombuffer(stream.read(count * rows * cols), np.uint8).reshape(count, rows * cols).astype(float)


def _table(file, separator, target, dropped, categorical):
    with _open(file) as stream:
        cells = [line.split(separator) for line in stream.read().decode().splitlines() if line.strip()]
    columns, labels = [], None
    for number, column in enumerate(zip(*cells, strict=True)):
        if number == target:
            labels = np.array(column)
        elif number in dropped:
            continue
        elif categorical == "all" or number in categorical:
            words = np.array(column)
            columns += [(words == word).astype(float) for word in sorted(set(column))]
        else:
            columns.append(np.array(column, dtype=float))
    return np.stack(columns, axis=1), labels
