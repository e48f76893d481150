# SPDX-License-Identifier: Apache-2.0
"""Columns of model files: names, positions, missing values."""

import json

import bochner
import numpy as np
import pytest
from bochner import KernelRidge
from bochner.models._columns import ModelColumns

WORDS = {"map": "trigonometric", "coupling": "orthogonal", "n_components": 40, "lengthscale": 1.5, "random_state": 3}


@pytest.fixture
def data():
    generator = np.random.default_rng(5)
    X = generator.normal(size=(150, 3))
    return X, np.sin(X[:, 0]) + 0.1 * generator.normal(size=150)


def described(path):
    """The columns and the target in a model file."""
    content = path.read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    model = json.loads(header["__metadata__"]["model"])
    return model["inputs"], model["target"]


def test_targets_have_names_of_their_own(data, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = data
    model = KernelRidge(**WORDS).fit(pandas.DataFrame(X, columns=["x", "y", "y_"]), y)
    bochner.save_model(model, tmp_path / "m")
    assert described(tmp_path / "m")[1]["name"] == "y__"
    assert isinstance(bochner.load_model(tmp_path / "m"), KernelRidge)
    bochner.save_model(model, tmp_path / "price", target="price")
    again = bochner.load_model(tmp_path / "price")
    bochner.save_model(again, tmp_path / "again")
    assert described(tmp_path / "again")[1] == described(tmp_path / "price")[1]
    assert described(tmp_path / "again")[1]["name"] == "price"
    for target, message in (("y", "'y', an input"), (3, "expected a str")):
        with pytest.raises(ValueError, match=message):
            bochner.save_model(model, tmp_path / "n", target=target)


@pytest.mark.parametrize("options", [[], ["--no-standardise"]])
@pytest.mark.parametrize(
    ("names", "target", "drop"),
    [("", "1", ""), ("", "4", ""), ("", "2", "4"), ("", "4", "1"), ("y,a,b,c", "y", "b"), ("a,price,y,c", "price", "")],
)
def test_a_file_of_a_loaded_model_has_its_columns(names, target, drop, options, data, tmp_path, run):
    plain = bool(options)
    X, y = data
    table = np.column_stack([y, X])
    np.savetxt(tmp_path / "rows.csv", table, delimiter=",", fmt="%.17g", header=names, comments="")
    options = [*options, "--target", target, *(["--drop", drop] if drop else [])]
    run("fit", tmp_path / "rows.csv", "--model", tmp_path / "m", "--m", 20, "--task", "regression", *options)
    model = bochner.load_model(tmp_path / "m")
    bochner.save_model(model, tmp_path / "again")
    assert described(tmp_path / "again") == described(tmp_path / "m")
    assert isinstance(model, KernelRidge) == (plain and (target, drop) == ("4", ""))
    for command in ("predict", "evaluate"):
        assert run(command, tmp_path / "again", tmp_path / "rows.csv") == run(
            command, tmp_path / "m", tmp_path / "rows.csv"
        )


def test_whether_there_was_a_header_goes_with_the_model(data, tmp_path, run):
    X, y = data
    for names, header in (("", False), ("a,b,c,y", True)):
        np.savetxt(tmp_path / "rows.csv", np.column_stack([X, y]), delimiter=",", header=names, comments="")
        target = "y" if names else "4"
        options = ["--target", target, "--m", 4, "--no-standardise", "--task", "regression"]
        run("fit", tmp_path / "rows.csv", "--model", tmp_path / "m", *options)
        model = bochner.load_model(tmp_path / "m")
        bochner.save_model(model, tmp_path / "again")
        assert described(tmp_path / "again")[0]["header"] is header
        # Rows in memory have no first line.
        bochner.save_model(model.fit(X, y), tmp_path / "anew")
        assert "header" not in described(tmp_path / "anew")[0]


def test_labels_of_a_file_are_no_inputs(data, tmp_path, run):
    X, y = data
    model = KernelRidge(**WORDS).fit(X, y)
    bochner.save_model(model, tmp_path / "m")
    lines = [
        f"{float(label)!r} " + " ".join(f"{j + 1}:{float(value)!r}" for j, value in enumerate(row))
        for row, label in zip(X, y, strict=True)
    ]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    run("predict", tmp_path / "m", tmp_path / "rows.svm", "--out", tmp_path / "p.npy")
    assert np.array_equal(np.load(tmp_path / "p.npy").ravel(), model.predict(X))


def test_missing_values_are_those_of_a_csv_file(tmp_path, run):
    cells = ["", "  ", "?", "NA", "na", " Na\t", "n/a", "N/A", "NAN", "nan", "Null", "NULL", "null "]
    columns = ModelColumns([("x", [], 7.0)], [0.0], [1.0], impute=True)
    assert (columns.transform([[cell] for cell in cells]) == 7).all()
    words = ModelColumns([("w", ["a", "none", "nuller"], 1.0)], [0.0] * 3, [1.0] * 3, impute=True)
    assert (words.transform([[cell] for cell in cells]) == [0, 1, 0]).all()
    assert (words.transform([["none"], ["nuller"]]) == [[0, 1, 0], [0, 0, 1]]).all()
    lines = [f'"{cell}",1.5' for cell in cells]
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n3,4.25\n" + "\n".join(lines) + "\n")
    options = ["--target", "y", "--impute", "--holdout", 0, "--m", 4, "--lengthscale", 1]
    run("fit", tmp_path / "rows.csv", "--model", tmp_path / "m", *options)
    assert bochner.load_model(tmp_path / "m")[0].inputs[0][2] == 2
