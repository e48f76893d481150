# SPDX-License-Identifier: Apache-2.0
"""Arguments that are "auto" in the scikit-learn classes, alone and beside others that are given."""

import time

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


LEARNERS = CLASSES[1:]


@pytest.mark.parametrize("kernel", [entry["name"] for entry in bochner.kernels()])
@pytest.mark.parametrize("name", LEARNERS)
def test_learners_take_the_default_of_the_kernel(name, kernel):
    default = bochner.features(6, kernel=kernel, m=4).spec
    model = fitted(name, n_components=64, kernel=kernel)
    spec = model.features_.spec
    assert (spec["map"], spec["coupling"]) == (default["map"], default["coupling"])
    odd = fitted(name, n_components=63, kernel=kernel).features_
    assert odd.outputs == 63
    assert odd.spec["map"] == ("cosine" if default["map"] == "trigonometric" else default["map"])
    assert odd.spec["coupling"] == default["coupling"]


def test_learners_take_no_biased_coupling_unasked():
    """Columns that lie close together: there `orthogonal_fixed` has the smallest error of the kernel, but it is
    biased."""
    near = 0.05 * ROWS
    planned = bochner.RandomFeatures(n_components=64, lengthscale=1.0).fit(near)
    assert planned.features_.spec["coupling"] == "orthogonal_fixed"
    words = {"n_components": 64, "lengthscale": 1.0, "random_state": 0}
    assert bochner.KernelRidge(**words).fit(near, LABELS).features_.spec["coupling"] == "orthogonal"


@pytest.mark.parametrize("name", LEARNERS)
def test_a_target_plans_the_length_alone(name):
    model = fitted(name, n_components="auto", target_error=0.05, lengthscale=2.0)
    spec = model.features_.spec
    assert (spec["map"], spec["coupling"], spec["block"]) == ("trigonometric", "orthogonal", 6)
    assert bochner.error_report(model.features_, ROWS).predicted == pytest.approx(0.05, rel=0.05)
    given = fitted(name, n_components="auto", target_error=0.05, lengthscale=2.0, params={"block": 32})
    assert given.features_.spec["block"] == 32


@pytest.mark.parametrize("name", CLASSES)
def test_the_length_is_shown_and_bounded(name):
    length = "n_features_" if name == "KernelPCA" else "n_components_"
    words = {"n_components": "auto", "target_error": 0.05, "lengthscale": 2.0}
    model = fitted(name, **words)
    outputs = getattr(model, length)
    assert outputs == model.features_.outputs
    assert getattr(fitted(name, n_components=10), length) == 10
    assert fitted(name, **words, max_components=outputs).features_.outputs == outputs
    message = rf"^target_error is 0.05; expected a larger error, or max_components={outputs} instead of {outputs - 1}: "
    with pytest.raises(ValueError, match=message):
        fitted(name, **words, max_components=outputs - 1)
    assert getattr(bochner, name)().max_components == 65_536
    with pytest.raises(ValueError, match=r"^target_error is 0.0005; .* instead of 65536"):
        fitted(name, n_components="auto", target_error=0.0005, lengthscale=1.0)
    assert fitted(name, n_components=12, max_components=1).features_.outputs == 12  # bounds "auto" alone
    with pytest.raises(ValueError, match="max_components is 0; expected a whole number from 1"):
        fitted(name, n_components=12, max_components=0)


def test_an_error_beyond_any_memory_is_refused_by_its_own_name():
    with pytest.raises(ValueError, match=r"^target_error is 1e-09; expected at least .* GiB of memory"):
        fitted("KernelRidge", n_components="auto", target_error=1e-9)


def test_a_small_table_is_fitted_in_milliseconds():
    """Twenty milliseconds of CPU for 60 rows of 4 columns, not counting the first call; the best of several, as the
    machine is shared."""
    X, y = ROWS[:, :4], ROWS[:, 0]
    bochner.KernelRidge().fit(X, y)
    times = []
    for _ in range(10):
        start = time.process_time()
        bochner.KernelRidge().fit(X, y)
        times.append(time.process_time() - start)
    assert min(times) <= 0.02
