# SPDX-License-Identifier: Apache-2.0
"""plan and error_report in Python; their results are tested in C++."""

import bochner
import numpy as np
import pytest

X = np.random.default_rng(5).normal(0.0, 0.4, (150, 5))
Y = np.random.default_rng(6).normal(0.1, 0.3, (70, 5))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_best_makes_features(dtype):
    plan = bochner.plan(X.astype(dtype), Y.astype(dtype), kernel="softmax", m=20, seed=3)
    made = bochner.features(**plan.best)
    assert made.spec == plan.best
    assert made.outputs <= 40
    assert {"kernel", "map", "coupling", "m", "lengthscale"} <= set(plan.best)


def test_table_says_what_best_is():
    plan = bochner.plan(X, m=20)
    first = plan.table[0]
    assert (first["map"], first["coupling"], first["m"]) == tuple(plan.best[word] for word in ("map", "coupling", "m"))
    assert {**plan.best, **first["params"]} == plan.best
    assert "the best of" in first["reason"]
    assert first["map"] in repr(plan)
    frame = plan.to_frame()
    assert list(frame["error"]) == [line["error"] for line in plan.table]


def test_planned_error_is_that_of_theory():
    plan = bochner.plan(X[:1], Y[:1], m=20)
    for line in plan.table:
        if line["closed_form"] != "exact":
            continue
        words = {"map": line["map"], "coupling": line["coupling"], "m": line["m"], **line["params"]}
        assert line["error"] ** 2 == pytest.approx(bochner.theory.mse(X[0], Y[0], **words), rel=1e-10)


def test_same_array_as_both_sets_is_one_set():
    assert bochner.plan(X, X, m=8).table == bochner.plan(X, m=8).table


def test_kernel_parameters_are_taken():
    smooth, rough = (bochner.plan(X, kernel="matern", nu=nu, m=20).table[0]["error"] for nu in (50.0, 0.5))
    assert smooth < rough


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either m"),
        ({"m": 4, "target": 0.1}, "either m"),
        ({"m": 4, "require": ["posititve"]}, "did you mean 'positive'"),
        ({"m": 4, "equal": "time"}, "expected 'outputs' or 'cost'"),
        ({"m": 4, "kernel": "laplace", "require": ["positive"]}, "drop 'positive'"),
        ({"target": 1e-9, "memory": 100000}, "the best error within"),
    ],
)
def test_bad_requests(arguments, message):
    with pytest.raises(ValueError, match=message):
        bochner.plan(X, **arguments)


def test_unknown_parameter():
    with pytest.raises(TypeError, match="unknown parameter 'measur' of plan; did you mean 'measure'"):
        bochner.plan(X, m=4, measur="relative")


def test_report_in_words():
    report = bochner.error_report(bochner.features(5, m=200), X, Y, pairs=300)
    assert report.pairs == 300
    assert report.kept
    assert "the promise is kept" in str(report)
    assert report.jackknife == pytest.approx(report.predicted, rel=0.6)


def test_report_needs_features():
    with pytest.raises(TypeError, match="features is a str"):
        bochner.error_report("trigonometric", X)
