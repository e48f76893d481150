# SPDX-License-Identifier: Apache-2.0
"""What does not fit into memory is refused before it is allocated; the message uses the caller's name for it."""

import subprocess
import sys
import textwrap
import time

import bochner
import numpy as np
import pytest

ROWS = np.random.default_rng(0).normal(size=(60, 4))
LABELS = np.arange(60) % 3
CLASSES = (
    "RandomFeatures", "KernelRidge", "KernelRidgeClassifier", "KernelClassifier", "KernelSVC", "KernelLogistic",
    "GaussianProcess", "KernelPCA",
)  # fmt: skip
SECONDS = 2


def _length(name):
    return "n_features" if name == "KernelPCA" else "n_components"


def _fit(name, count, method="fit", **words):
    return getattr(getattr(bochner, name)(random_state=0, **{_length(name): count}, **words), method)(ROWS, LABELS)


@pytest.mark.parametrize("given", [{}, {"coupling": "hadamard"}, {"map": "positive", "coupling": "iid"}], ids=str)
@pytest.mark.parametrize("count", [10**9, 2**62, 2**64 - 2])
@pytest.mark.parametrize("name", CLASSES)
def test_too_many_features_are_refused_at_once(name, count, given):
    start = time.process_time()
    with pytest.raises(ValueError, match=rf"^{_length(name)} is {count}; expected "):
        _fit(name, count, **given)
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("given", [{}, {"lengthscale": "search"}, {"selection": "folds"}], ids=str)
def test_every_way_of_a_ridge_is_counted(given):
    # Sums over folds are matrices of the size of the features, however few the rows.
    for method in ("fit", "partial_fit"):
        start = time.process_time()
        with pytest.raises(ValueError, match=r"^n_components is 1000000000; expected at most \d+: .* GiB of .* GiB"):
            _fit("KernelRidge", 10**9, method, **given)
        assert time.process_time() - start < SECONDS
    with pytest.raises(ValueError, match=r"^n_components is 1000000; expected at most"):
        _fit("KernelRidge", 10**6, "partial_fit", **given)


def test_other_classes_name_their_own_argument():
    start = time.process_time()
    for bits in (10**9, 2**62):
        with pytest.raises(ValueError, match=rf"^bits is {bits}; expected at most \d+"):
            bochner.BinaryEmbedding(bits).encode(ROWS)
    for m in (10**9, 2**50):
        with pytest.raises(ValueError, match=rf"^m is {m}; expected at most \d+"):
            bochner.SoftmaxSampler(ROWS, m=m)
        with pytest.raises(ValueError, match=rf"^m is {m}; expected at most \d+"):
            bochner.SoftmaxSampler(ROWS, m=m, coupling="hadamard")
    assert time.process_time() - start < SECONDS


def test_results_that_do_not_fit_are_refused():
    many = np.zeros((2**20, 1), np.float32)
    model = bochner.RandomFeatures(n_components=2**20, coupling="iid", map="trigonometric").fit(many[:100])
    with pytest.raises(ValueError, match=r"^X has 1048576 rows; .*n_components = 1048576 features"):
        model.transform(many)
    with pytest.raises(ValueError, match=r"^X has 1048576 rows; expected at most \d+: .* GiB of "):
        model.features_.transform(many)
    with pytest.raises(ValueError, match=r"^X has 1048576 rows; expected at most \d+: a matrix of 1048576 x 1048576"):
        bochner.kernel_matrix(many)


def _under_a_limit(program, gib):
    """Runs a program that may use the given number of GiB of address space beyond what it has when counting starts."""
    text = textwrap.dedent("""
        import resource, bochner, numpy as np
        ROWS = np.random.default_rng(0).normal(size=(60, 4))
        bochner.KernelRidge(n_components=8).fit(ROWS, ROWS[:, 0])  # what is loaded at the first use
        mapped = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + int({gib} * 2**30),) * 2)
    """).format(gib=gib) + textwrap.dedent(program)
    return subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True)


@pytest.mark.parametrize("name", CLASSES)
def test_a_limit_of_the_address_space_counts(name):
    count, enough = 2 * 10**6, 512
    words = f"random_state=0, coupling='hadamard', {_length(name)}="
    done = _under_a_limit(
        f"""
        y = np.arange(60) % 3
        try:
            bochner.{name}({words}{count}).fit(ROWS, y)
        except ValueError as refusal:
            print(refusal)
        bochner.{name}({words}{enough}).fit(ROWS, y)
        """,
        gib=0.5,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{_length(name)} is {count}; expected at most "), done.stdout
    most = int(done.stdout.split("at most ")[1].split(":")[0])
    assert enough <= most < count


@pytest.mark.parametrize("name", ["RandomFeatures", "KernelRidge", "KernelClassifier", "GaussianProcess", "KernelPCA"])
def test_what_is_counted_is_enough(name):
    """Nine tenths of the largest number that is not refused can be fitted under the limit: the count is no guess."""
    done = _under_a_limit(
        f"""
        y, words = np.arange(60) % 3, dict(random_state=0, map="trigonometric", coupling="hadamard")
        try:
            bochner.{name}({_length(name)}=10**8, **words).fit(ROWS, y)
        except ValueError as refusal:
            most = int(str(refusal).split("at most ")[1].split(":")[0])
        bochner.set_num_threads(1)
        bochner.{name}({_length(name)}=most * 9 // 20 * 2, **words).fit(ROWS, y)
        """,
        gib=0.5,
    )
    assert done.returncode == 0, done.stderr
