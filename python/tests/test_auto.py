# SPDX-License-Identifier: Apache-2.0
"""What is "auto" in the scikit-learn classes, alone and beside what is given."""

import bochner
import numpy as np
import pytest

CLASSES = (
    "RandomFeatures", "KernelRidge", "KernelRidgeClassifier", "KernelClassifier", "KernelSVC", "KernelLogistic",
    "GaussianProcess", "KernelPCA",
)  # fmt: skip
ROWS = np.random.default_rng(0).normal(size=(60, 6))
LABELS = (ROWS[:, 0] > 0).astype(int)


def fitted(name, **words):
    kind = getattr(bochner, name)
    if name == "KernelPCA" and "n_components" in words:
        words["n_features"] = words.pop("n_components")
    return kind(random_state=0, **words).fit(ROWS, LABELS)


@pytest.mark.parametrize("coupling", ["hadamard", "sobol", "halton", "fastfood", "simplex"])
@pytest.mark.parametrize("name", CLASSES)
def test_a_coupling_that_is_named_is_taken(name, coupling):
    assert fitted(name, n_components=64, coupling=coupling).features_.spec["coupling"] == coupling


@pytest.mark.parametrize("name", CLASSES)
def test_a_map_that_is_named_is_taken(name):
    assert fitted(name, n_components=64, map="positive_paired").features_.spec["map"] == "positive_paired"


@pytest.mark.parametrize("name", CLASSES)
def test_features_are_as_many_as_the_error_needs(name):
    words = {"n_components": "auto", "map": "trigonometric", "coupling": "iid", "lengthscale": 2.0}
    coarse, fine = (fitted(name, target_error=error, **words) for error in (0.2, 0.1))
    # The error of independent rows falls as 1/sqrt(m); m is found to half a percent, or one.
    assert fine.m_ == pytest.approx(4 * coarse.m_, abs=5)
    report = bochner.error_report(fine.features_, ROWS)
    assert report.predicted == pytest.approx(0.1, rel=0.03)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"n_components": "auto"}, ValueError, "expected target_error with n_"),
        ({"n_components": 64, "target_error": 0.1}, ValueError, "expected target_error with n_"),
        ({"n_components": "auto", "target_error": 0}, ValueError, "target_error is 0; expected a finite error > 0"),
        ({"n_components": "auto", "target_error": "x"}, TypeError, "target_error is 'x'; expected a number"),
    ],
)
def test_refusals(name, given, kind, message):
    with pytest.raises(kind, match=message):
        fitted(name, **given)


def test_plans_keep_the_map_and_the_coupling_that_are_named():
    plan = bochner.plan(ROWS, m=16, map="positive", coupling="simplex", lengthscale=3.0)
    assert {(line["map"], line["coupling"]) for line in plan.table} == {("positive", "simplex")}
    assert bochner.plan(ROWS, m=16, require="positive").best == bochner.plan(ROWS, m=16, require=["positive"]).best
    with pytest.raises(ValueError, match="unknown map 'favour'"):
        bochner.plan(ROWS, m=16, map="favour")
    for target, kind in ((0, ValueError), ("x", TypeError), (float("nan"), ValueError)):
        with pytest.raises(kind, match=r"^target is "):
            bochner.plan(ROWS, target=target)


def test_directions_by_themselves_are_not_found_without_data():
    with pytest.raises(ValueError, match=r"^m is .auto., which needs data; expected a whole number; bochner.plan"):
        bochner.features(6, m="auto")
