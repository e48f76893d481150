# SPDX-License-Identifier: Apache-2.0
"""Loads the public data sets of experiments, benches and examples.

A set is read from the folder BOCHNER_DATA (default ../shared/data beside the project), which holds the owners' files as
`TABLES` and `IMAGES` name them. If a file is missing, scikit-learn fetches the set from its own store or OpenML, and it
is brought into the same form; scikit-learn keeps what it fetched in ~/scikit_learn_data. Either way the prepared rows
and targets must have the SHA-256 below, so that results from one source can be compared with the other. For sets
without a fetcher, `Missing` says which file to put where.
"""

import gzip
import hashlib
import os
import struct
import sys
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

import numpy as np

FOLDER = Path(os.environ.get("BOCHNER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


class Missing(RuntimeError):
    """A set that is not in the folder and could not be fetched; the message says which file to put where."""


class Columns(NamedTuple):
    """The contents of a file or a fetcher: one array of numbers or strings for each feature, and one for the target."""

    features: list
    target: np.ndarray


def openml(number, classes_from=None, decimals=None):
    """The OpenML set with this number, in the order of its owner's file. Some copies count classes from 1 where the
    file counts from 0 (`classes_from` is where the file starts) or have more digits than the file."""

    def fetch():
        from sklearn import datasets

        found = datasets.fetch_openml(data_id=number, as_frame=True, parser="auto")
        features = [found.data[name].to_numpy() for name in found.data.columns]
        if decimals is not None:
            features = [np.round(_numbers(column), decimals) + 0.0 for column in features]
        target = found.target.to_numpy()
        if classes_from is not None:
            target = _numbers(target)
            target += classes_from - target.min()
        return Columns(features, target)

    return fetch


def california():
    """scikit-learn divides rooms, bedrooms and population by households and the price by 100,000; this restores whole
    numbers."""
    from sklearn import datasets

    found = datasets.fetch_california_housing()
    income, age, rooms, bedrooms, population, occupants, latitude, longitude = np.asarray(found.data, dtype=float).T
    households = np.rint(population / occupants)
    rooms, bedrooms = np.rint(rooms * households), np.rint(bedrooms * households)
    return Columns(
        [longitude, latitude, age, rooms, bedrooms, population, households, income], np.rint(1e5 * found.target)
    )


def covtype():
    from sklearn import datasets

    found = datasets.fetch_covtype()
    return Columns(list(np.asarray(found.data, dtype=float).T), np.asarray(found.target, dtype=float))


def wine():
    """Comes with scikit-learn."""
    from sklearn import datasets

    found = datasets.load_wine()
    return Columns(list(found.data.T), found.target + 1.0)


def digits():
    """1,797 images of 8 x 8 pixels that come with scikit-learn, with which programs show that they run."""
    from sklearn import datasets

    found = datasets.load_digits()
    return Columns(list(found.data.T), found.target.astype(float))


class Table(NamedTuple):
    file: str | None  # below FOLDER
    separator: str | None
    target: int  # its column
    dropped: tuple = ()
    categorical: tuple | str = ()  # numbers of columns among the features, or "all"
    fetch: Callable[[], Columns] | None = None
    where: str = ""  # where to find the owner's file if there is no fetcher for it


UCI = "the UCI Machine Learning Repository"
TABLES = {
    "abalone": Table("abalone/abalone.data", ",", 8, categorical=(0,), fetch=openml(183)),
    "banknote": Table("banknote/banknote.txt", ",", 4, fetch=openml(1462, classes_from=0)),
    "car": Table("car/car.data", ",", 6, categorical="all", fetch=openml(21)),
    "yeast": Table("yeast/yeast.data", None, 9, dropped=(0,), fetch=openml(181)),
    "cmc": Table("cmc/cmc.data", ",", 9, fetch=openml(23)),
    "nursery": Table("nursery/nursery.data.gz", ",", 8, categorical="all", fetch=openml(26)),
    "wifi": Table("wifi/wifi.txt", None, 7, where=f"wifi_localization.txt of {UCI}, Wireless Indoor Localization"),
    "chess": Table("chess/chess.data.gz", ",", 6, categorical="all", fetch=openml(184)),
    "wine": Table("wine/wine.data", ",", 0, fetch=wine),
    "boston": Table("boston/housing.data", None, 13, fetch=openml(531)),
    "letter": Table("letter/letter-recognition.data.gz", ",", 0, fetch=openml(6)),
    "usps": Table("usps/usps.train.txt.gz", None, 0, fetch=openml(41082, classes_from=0, decimals=3)),
    "california": Table("california/cal_housing.data.gz", ",", 8, fetch=california),
    "covtype_100k": Table(
        "covtype_100k/covertype_small.csv.gz",
        ",",
        54,
        where="covertype-small.csv.gz of the mlpack project, labels 0 to 6 in the last column",
    ),
    "covtype": Table(None, None, 54, fetch=covtype),
    "digits": Table(None, None, 64, fetch=digits),
}
# Images and labels of the rows for training and for tests, in the format of MNIST's owners; `usps` has a second table.
IMAGES = ("mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz")
LABELS = ("mnist/train-labels-idx1-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz")
USPS_TEST = "usps/usps.test.txt.gz"
MNIST = openml(554)
NAMES = tuple(name for name in (*TABLES, "mnist") if name not in ("covtype_100k", "covtype", "digits"))
TRAINING_ROWS = {"letter": 16000, "usps": 7291, "mnist": 60000, "digits": 1000}

# `digest` of rows and targets; for usps and mnist those for training, then those for tests. For covtype scikit-learn
# itself checks the archive.
DIGESTS = {
    "abalone": ("f5c9c8c1aedc786f5213b84b07b2543254673c0cc68726d5817523472f86dd99",),
    "banknote": ("968de4d1bd6cd7276902b2d816037e82927c8af917e7c41420687a1facc14adb",),
    "car": ("3d115ee2967bb74f2f73233a93cfdcd6c62d02cd3342c8bc05694b166b51d604",),
    "yeast": ("3f29469ff1f5847ce601c71f1a6fdc400ce930aacb84cbd908105d90f1abd580",),
    "cmc": ("58ef2f6a7a78e81798c4d817981fcb1438477aa4a00cf9c3604f7f907c2bb24d",),
    "nursery": ("5cb69b51cd5303425da681138222669377781265e98b930194c208c4473273c4",),
    "wifi": ("dff658176e6c557854a9a0c517b3ba8d51ee7e6f9f2dbf60528ff8efc87bba48",),
    "chess": ("b624f394ce1893da7e5a1a8fdccc7bdb6c42ac5065d8a01f20fc07f4d1fc8016",),
    "wine": ("5bc2925c137660bfdd8e38c6f56df74cd4f9ad84ca85d691368d73588a252b2d",),
    "boston": ("a452688f7de3e21b6013d6c370ad53e04c3181c33ad9f0dd91b8b2f67317e787",),
    "letter": ("1547a12fbf1687fba539df6dba69cb3b80e5202131b3703c8883a2b7896e47c0",),
    "usps": (
        "c5566abef7a30a4512f05eab895c291a7f65f5b47678959ff242a814ee8cc176",
        "680bad017af76b5d3ffa3a7c2d75f6b026e912a3830263c51c0b30734acc99a5",
    ),
    "california": ("a0e1a69ae03f410bfab76b316bf93c32152bdd4c43df6efe37d24661ad660f7b",),
    "covtype_100k": ("52ee1b4c66c26866d58b5f52099b9dd8d018b65c9f96d2c42caf9dfb09027ed2",),
    "digits": ("f19a7d92591ca0a1ffc65ec172e8149afdff995e0d2c4cb0afd151f38471ff90",),
    "mnist": (
        "2ace5133e6bcc8f39a5d5921045289aa9f2e00438b87853dd062f0023a5d8ce4",
        "a4a4621d09d9ca23e6805097dc2be269464b9595c494b00608687a30a6e79e91",
    ),
}
# Digests of the sorted lines of the texts of WikiText-2.
TEXT_DIGESTS = {
    "train": "a099527d7563ddf101d164cb2864b5c1ebfc65c130f460918f1b5df17839ae07",
    "valid": "2a23b4001c00c517d70c8df9facbc347948be921abd15b8f7fc51699896c81e0",
}


def digest(X, y):
    """SHA-256 of the rows as little-endian doubles, one after the other, and of the targets, numbers or strings."""
    told = hashlib.sha256(np.ascontiguousarray(X + 0.0, dtype="<f8"))  # -0 is 0
    told.update("\n".join(y).encode() if y.dtype.kind == "U" else np.ascontiguousarray(y + 0.0, dtype="<f8"))
    return told.hexdigest()


def rows_and_target(name):
    """Rows, not standardised, with one-hot categorical columns, and the target: numbers if all cells are numbers, else
    strings. For usps and mnist, the rows for training."""
    if name in ("usps", "mnist"):
        return split(name)[:2]
    if name not in TABLES:
        raise Missing(f"{name}: no such set; there are {', '.join((*TABLES, 'mnist'))}")
    table = TABLES[name]
    columns = _file_columns(FOLDER / table.file, table) if in_folder(name) else _fetched(name, table.fetch)
    return _checked(name, *_prepared_as(name, columns))


def in_folder(name):
    """Whether the folder has the file of a table."""
    file = TABLES[name].file
    return file is not None and (FOLDER / file).is_file()


def load(name):
    """Rows of the set, every column with mean 0 and deviation 1 (constant ones 0); for mnist the first 2,000."""
    X = rows_and_target(name)[0]
    X = X[:2000] if name == "mnist" else X
    return standardised(X, X)


def labelled(name):
    """Rows, not standardised, and class numbers of a table, without the last line of the file, as in the papers."""
    X, y = rows_and_target(name)
    if name != "nursery":  # whose last line is empty
        X, y = X[:-1], y[:-1]
    return X, np.unique(_words(y), return_inverse=True)[1]


def split(name):
    """Rows and targets for training, rows and targets for tests, not standardised, for sets with a usual division; for
    covtype every tenth row is for tests."""
    if name in ("usps", "mnist"):
        return _checked(name, *(_mnist() if name == "mnist" else _usps()))
    X, y = rows_and_target(name)
    tests = np.arange(len(X)) % 10 == 0 if "covtype" in name else np.arange(len(X)) >= TRAINING_ROWS[name]
    return X[~tests], y[~tests], X[tests], y[tests]


def standardised(X, by):
    """X minus the mean of the columns of `by`, divided by their deviation; constant columns are not divided."""
    deviation = by.std(axis=0)
    return (X - by.mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def present(names):
    """The sets that are available; prints a sentence for each of the others. Ends the program if none is left."""
    found = []
    for name in names:
        try:
            rows_and_target(name)
            found.append(name)
        except Missing as missing:
            print(missing, file=sys.stderr)
    if not found:
        sys.exit(1)
    return found


def wikitext():
    """Texts of WikiText-2 for training and validation, as lists of words with `<eos>` at the end of each line."""
    folder, texts = FOLDER / "wikitext2", {}
    for part in ("train", "valid"):
        names = [f"wiki.{part}{order}.tokens{end}" for order in ("", ".shuffled") for end in ("", ".gz")]
        files = [folder / name for name in names if (folder / name).is_file()]
        if not files:
            raise Missing(f"wikitext2: put wiki.{part}.tokens of Salesforce's wikitext-2-v1.zip into {folder}")
        with _opened(files[0]) as stream:
            lines = [line.split() for line in stream.read().decode().splitlines()]
        # Texts with the articles in another order are accepted.
        if hashlib.sha256("\n".join(sorted(map(" ".join, lines))).encode()).hexdigest() != TEXT_DIGESTS[part]:
            raise Missing(f"wikitext2: {files[0]} has other lines than the wiki.{part}.tokens that was published")
        texts[part] = [word for line in lines for word in (*line, "<eos>")]
    return texts


def _fetched(name, fetch):
    """The set from its fetcher; raises `Missing` for every error of the network, the server or its answer."""
    if fetch is None:
        raise Missing(f"{name}: no fetcher offers it; put {TABLES[name].where} at {_place(name)}")
    try:
        if fetch not in (wine, digits):
            print(f"{name}: not at {_place(name)}, so scikit-learn fetches it", file=sys.stderr)
        return fetch()
    except (OSError, HTTPException, ImportError, ValueError) as error:
        raise Missing(f"{name}: fetching it failed ({error}); put the owner's file at {_place(name)}") from error


def _place(name):
    """Where the file of a set belongs."""
    file = IMAGES[0] if name == "mnist" else TABLES[name].file
    return f"{FOLDER / file} (BOCHNER_DATA names the folder)" if file else "scikit-learn's folder of data"


def _file_columns(file, table):
    with _opened(file) as stream:
        cells = [line.split(table.separator) for line in stream.read().decode().splitlines() if line.strip()]
    columns = [np.array(column) for column in zip(*cells, strict=True)]
    left = [column for number, column in enumerate(columns) if number != table.target and number not in table.dropped]
    return Columns(left, columns[table.target])


def _opened(path):
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _prepared_as(name, columns):
    try:
        return _prepared(columns, TABLES[name].categorical if name in TABLES else ())
    except ValueError as error:
        raise Missing(f"{name}: {error}; put the owner's file at {_place(name)}") from error


def _prepared(columns, categorical):
    """Features as the columns of a matrix, the target as numbers or strings."""
    numbers = []
    for number, column in enumerate(columns.features):
        if categorical == "all" or number in categorical:
            words = _words(column)
            numbers += [(words == word).astype(float) for word in sorted(set(words))]
        else:
            numbers.append(_numbers(column))
    try:
        target = _numbers(columns.target)
    except ValueError:
        target = _words(columns.target)
    return np.stack(numbers, axis=1), target


def _numbers(column):
    return np.asarray(column if np.asarray(column).dtype.kind in "fiu" else np.asarray(column, dtype=str)).astype(float)


def _words(column):
    """Cells as in the owners' files: fetchers return categories that look like numbers as numbers."""
    column = np.asarray(column)
    return np.array([f"{cell:g}" if column.dtype.kind in "fiu" else str(cell).strip(" '\"") for cell in column])


def _usps():
    """One table in the owner's order: rows for training, then those for tests."""
    table = TABLES["usps"]
    files = [FOLDER / file for file in (table.file, USPS_TEST)]
    if all(file.is_file() for file in files):
        return [part for file in files for part in _prepared_as("usps", _file_columns(file, table))]
    return _cut("usps", table.fetch)


def _mnist():
    if all((FOLDER / file).is_file() for file in (*IMAGES, *LABELS)):
        return [part for pair in zip(IMAGES, LABELS, strict=True) for part in (_idx(pair[0]), _idx(pair[1])[:, 0])]
    return _cut("mnist", MNIST)


def _cut(name, fetch):
    """A set in one piece, whose first rows are for training."""
    (X, y), rows = _prepared_as(name, _fetched(name, fetch)), TRAINING_ROWS[name]
    return [X[:rows], y[:rows], X[rows:], y[rows:]]


def _idx(file):
    """Arrays in the format of MNIST's owners, one line for each image."""
    with _opened(FOLDER / file) as stream:
        dimensions = struct.unpack(">I", stream.read(4))[0] & 0xFF
        shape = struct.unpack(f">{dimensions}I", stream.read(4 * dimensions))
        return np.frombuffer(stream.read(), np.uint8).reshape(shape[0], -1).astype(float)


def _checked(name, *parts):
    """The parts, alternately rows and target, if they are the published ones."""
    found = [digest(X, y) for X, y in zip(parts[::2], parts[1::2], strict=True)]
    if name in DIGESTS and found != list(DIGESTS[name]):
        raise Missing(f"{name}: its rows are not those that were published; put the owner's at {_place(name)}")
    return parts
