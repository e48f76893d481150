# SPDX-License-Identifier: Apache-2.0
"""experiments/data_sets.py: a set is the same from the owner's file and from scikit-learn's fetchers. Tests have no
network, so the fetchers' answers are made here: from invented rows, and from the owners' files if BOCHNER_DATA has
them."""

import gzip
import hashlib
import importlib.util
import struct
import urllib.error
from pathlib import Path

import numpy as np
import pandas
import pytest
from sklearn import datasets
from sklearn.utils import Bunch

_FILE = Path(__file__).resolve().parents[2] / "experiments" / "data_sets.py"


def _loader():
    spec = importlib.util.spec_from_file_location("data_sets", _FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOADER = _loader()
FETCHED = [name for name, table in LOADER.TABLES.items() if table.file and table.fetch] + ["mnist"]
# Columns that OpenML declares as categories though the file has numbers there.
NOMINAL = {"cmc": (1, 2, 4, 5, 6, 7, 8), "boston": (3, 8)}
# OpenML counts these classes from 1.
FROM_ONE = ("banknote", "usps")


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """The loader with an empty folder. Fetchers fail unless a test gives their answer."""
    module = _loader()
    module.FOLDER = tmp_path

    def unreachable(*_, **__):
        raise urllib.error.URLError("no network here")

    for name in ("fetch_openml", "fetch_california_housing", "fetch_covtype"):
        monkeypatch.setattr(datasets, name, unreachable)
    return module


def _cell(table, number, row, classes):
    """A cell of an invented file: strings in columns of categories, else numbers that differ between rows."""
    if table.categorical == "all" or number in table.categorical:
        return ("low", "med", "3", "more")[(row * (number + 3) // 2) % 4]
    if number == table.target:
        return str(row % classes)
    return f"{(row * 37 + number * 11) % 101 - 50}.{number % 10}5"


def _invented(name, table, rows=12):
    """Lines of a file in the owner's format."""
    columns = max(table.target + 1, 9)
    if name == "california":  # whole numbers where they were counted
        counted = ((880 + i, 129 + i, 322 + 2 * i, 126 + i, 8.3, 452600 + 100 * i) for i in range(rows))
        cells = [[str(cell) for cell in (-122.2, 37.9, 41, *line)] for line in counted]
    else:
        cells = [[_cell(table, number, row, 3) for number in range(columns)] for row in range(rows)]
        if name in ("abalone", "car", "nursery", "chess", "letter"):
            for row, line in enumerate(cells):
                line[table.target] = "abc"[row % 3] if name != "abalone" else str(9 + row % 3)
    return [(table.separator or " ").join(line) for line in cells]


def _write(folder, file, lines):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    text = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def _series(column, nominal):
    """A column as in OpenML's answer: categories of strings, or numbers."""
    try:
        numbers = pandas.Series(column.astype(float))
    except ValueError:
        return pandas.Series(column.astype(object)).astype("category")
    whole = (numbers == numbers.round()).all()
    numbers = numbers.astype(int) if whole else numbers
    return numbers.astype(str).astype("category") if nominal else numbers


def _openml_answer(name, columns):
    """What fetch_openml(as_frame=True) returns for the columns of a file."""
    frame = pandas.DataFrame(
        {f"V{i}": _series(column, i in NOMINAL.get(name, ())) for i, column in enumerate(columns.features)}
    )
    target = columns.target
    if name in FROM_ONE:
        target = np.array([str(int(float(word)) + 1) for word in target])
    if name == "usps":
        frame = frame + 1e-7  # digits that the owner's file does not have
    return Bunch(data=frame, target=_series(target, name not in ("abalone", "boston")))


def _california_answer(columns):
    """The columns that scikit-learn makes from the owner's file."""
    longitude, latitude, age, rooms, bedrooms, population, households, income = (
        column.astype(float) for column in columns.features
    )
    parts = [income, age, rooms / households, bedrooms / households, population, population / households]
    return Bunch(data=np.stack([*parts, latitude, longitude], axis=1), target=columns.target.astype(float) / 100000.0)


def _wine_answer(columns):
    return Bunch(data=np.stack(columns.features, axis=1).astype(float), target=columns.target.astype(float) - 1)


def _answer_with(monkeypatch, name, columns):
    """Lets the fetcher of a set answer with these columns."""
    if name == "california":
        answer, fetcher = _california_answer(columns), "fetch_california_housing"
    elif name == "wine":
        answer, fetcher = _wine_answer(columns), "load_wine"
    else:
        answer, fetcher = _openml_answer(name, columns), "fetch_openml"
    monkeypatch.setattr(datasets, fetcher, lambda **_: answer)


def _expect_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype


@pytest.mark.parametrize("name", [name for name in FETCHED if name not in ("usps", "mnist")])
def test_fetched_sets_equal_the_file(sets, monkeypatch, name):
    table = sets.TABLES[name]
    _write(sets.FOLDER, table.file, _invented(name, table))
    columns = sets._file_columns(sets.FOLDER / table.file, table)
    monkeypatch.setitem(sets.DIGESTS, name, (sets.digest(*sets._prepared(columns, table.categorical)),))
    expected, classes = sets.rows_and_target(name), sets.labelled(name)
    assert expected[0].ndim == 2 and len(expected[0]) == 12
    (sets.FOLDER / table.file).unlink()
    _answer_with(monkeypatch, name, columns)
    _expect_same(sets.rows_and_target(name), expected)
    _expect_same(sets.labelled(name), classes)

    # A single changed cell is noticed.
    columns.features[-1][3] = columns.features[-1][4] if name in ("car", "nursery", "chess") else "7"
    _answer_with(monkeypatch, name, columns)
    with pytest.raises(sets.Missing, match=f"{name}: its rows are not those that were published; put the owner's at "):
        sets.rows_and_target(name)


def _usps_lines(rows):
    generator = np.random.default_rng(3)
    return [" ".join([str(i % 10), *(f"{value:.3f}" for value in generator.uniform(-1, 1, 256))]) for i in range(rows)]


def test_usps_is_cut_where_its_owner_does(sets, monkeypatch):
    train, tests = _usps_lines(30), _usps_lines(41)[30:]
    files = sets.TABLES["usps"].file, sets.USPS_TEST
    for file, lines in zip(files, (train, tests), strict=True):
        _write(sets.FOLDER, file, lines)
    monkeypatch.setitem(sets.TRAINING_ROWS, "usps", 30)
    monkeypatch.delitem(sets.DIGESTS, "usps")
    expected = sets.split("usps")
    assert [len(part) for part in expected] == [30, 30, 11, 11]
    parts = [sets._file_columns(sets.FOLDER / file, sets.TABLES["usps"]) for file in files]
    both = [np.concatenate(pair) for pair in zip(*([*part.features, part.target] for part in parts), strict=True)]
    for file in files:
        (sets.FOLDER / file).unlink()
    _answer_with(monkeypatch, "usps", sets.Columns(both[:-1], both[-1]))
    monkeypatch.setitem(sets.DIGESTS, "usps", tuple(sets.digest(*expected[i : i + 2]) for i in (0, 2)))
    _expect_same(sets.split("usps"), expected)
    _expect_same(sets.rows_and_target("usps"), expected[:2])
    monkeypatch.setitem(sets.DIGESTS, "usps", ("", ""))
    with pytest.raises(sets.Missing, match="usps: its rows are not those that were published"):
        sets.split("usps")


def _idx_bytes(numbers):
    return struct.pack(f">{1 + numbers.ndim}I", 0x800 + numbers.ndim, *numbers.shape) + numbers.tobytes()


def test_mnist_is_cut_where_its_owner_does(sets, monkeypatch):
    pixels = np.random.default_rng(4).integers(0, 256, (25, 28, 28)).astype(np.uint8)
    labels = (np.arange(25) % 10).astype(np.uint8)
    for files, numbers in ((sets.IMAGES, pixels), (sets.LABELS, labels)):
        for file, rows in zip(files, (slice(0, 20), slice(20, 25)), strict=True):
            (sets.FOLDER / file).parent.mkdir(exist_ok=True)
            (sets.FOLDER / file).write_bytes(gzip.compress(_idx_bytes(numbers[rows])))
    monkeypatch.setitem(sets.TRAINING_ROWS, "mnist", 20)
    monkeypatch.delitem(sets.DIGESTS, "mnist")
    expected = sets.split("mnist")
    for file in (*sets.IMAGES, *sets.LABELS):
        (sets.FOLDER / file).unlink()
    columns = sets.Columns(list(pixels.reshape(25, 784).T.astype(str)), labels.astype(str))
    _answer_with(monkeypatch, "mnist", columns)
    monkeypatch.setitem(sets.DIGESTS, "mnist", tuple(sets.digest(*expected[i : i + 2]) for i in (0, 2)))
    _expect_same(sets.split("mnist"), expected)
    assert sets.load("mnist").shape == (20, 784)


def test_covtype_is_cut_in_tenths(sets, monkeypatch):
    rows = np.arange(50 * 54).reshape(50, 54) % 13
    monkeypatch.setattr(datasets, "fetch_covtype", lambda **_: Bunch(data=rows, target=np.arange(50) % 7 + 1))
    X, y, X_test, y_test = sets.split("covtype")
    assert (len(X), len(X_test)) == (45, 5)
    np.testing.assert_array_equal(X_test, rows[::10])
    np.testing.assert_array_equal(y_test, np.arange(0, 50, 10) % 7 + 1)
    assert len(y) == 45


def test_sets_that_come_with_scikit_learn_need_nobody(sets, capsys):
    assert sets.present(["wine", "digits", "wine"]) == ["wine", "digits", "wine"]
    assert capsys.readouterr() == ("", "")
    assert sets.load("wine").shape == (178, 13)
    assert [len(part) for part in sets.split("digits")] == [1000, 1000, 797, 797]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("wifi", "wifi: no fetcher offers it; put wifi_localization.txt of "),
        ("covtype_100k", "covtype_100k: no fetcher offers it; put covertype-small.csv.gz of the mlpack project"),
        ("abalone", "abalone: fetching it failed (<urlopen error no network here>); put the owner's file at "),
        ("mnist", "mnist: fetching it failed (<urlopen error no network here>); put the owner's file at "),
        ("california", "california: fetching it failed (<urlopen error no network here>); put the owner's file at "),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(sets, capsys, name, sentence):
    assert sets.present([name, "wine"]) == ["wine"]
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith(sentence)
    assert f"{sets.FOLDER}/{name}/" in told and told.endswith("(BOCHNER_DATA names the folder)")
    with pytest.raises(sets.Missing, match="wines: no such set; there are abalone, banknote, "):
        sets.load("wines")
    with pytest.raises(SystemExit) as end:
        sets.present([name])
    assert end.value.code == 1


def test_texts_may_be_in_any_order_but_must_be_the_published_ones(sets, monkeypatch):
    with pytest.raises(sets.Missing, match=r"wikitext2: put wiki\.train\.tokens of Salesforce's \S+\.zip into "):
        sets.wikitext()
    lines = ["the cat", "a  dog <unk>", ""]
    for part in ("train", "valid"):
        text = "\n".join(sorted(["the cat", "a dog <unk>", ""])).encode()
        monkeypatch.setitem(sets.TEXT_DIGESTS, part, hashlib.sha256(text).hexdigest())
    _write(sets.FOLDER, "wikitext2/wiki.valid.tokens", lines)
    _write(sets.FOLDER, "wikitext2/wiki.train.shuffled.tokens.gz", lines[::-1])
    assert sets.wikitext()["valid"] == ["the", "cat", "<eos>", "a", "dog", "<unk>", "<eos>", "<eos>"]
    assert sorted(sets.wikitext()["train"]) == sorted(sets.wikitext()["valid"])
    _write(sets.FOLDER, "wikitext2/wiki.valid.tokens", lines[:2])
    with pytest.raises(sets.Missing, match=r"has other lines than the wiki\.valid\.tokens that was published"):
        sets.wikitext()


def test_fetched_sets_equal_the_owners_files(monkeypatch, tmp_path):
    """The same with the owners' rows, of each table that the folder has; images would take longer than all of them."""
    for name in FETCHED:
        if name in ("usps", "mnist") or not LOADER.in_folder(name):
            continue
        sets = _loader()
        table = sets.TABLES[name]
        expected = sets.rows_and_target(name)
        columns = sets._file_columns(sets.FOLDER / table.file, table)
        sets.FOLDER = tmp_path
        _answer_with(monkeypatch, name, columns)
        _expect_same(sets.rows_and_target(name), expected)
