# SPDX-License-Identifier: Apache-2.0
"""Which arrays are read without a copy, and which are copied."""

import os
import subprocess
import sys
import textwrap
import tracemalloc

import bochner
import numpy as np
import pytest

N, D = 20_000, 50


def _read_only(X, folder):
    X.flags.writeable = False
    return X


def _memory_map(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def _unaligned(X, folder):
    bytes_ = np.zeros(X.nbytes + 1, np.uint8)
    view = bytes_[1:].view(X.dtype).reshape(X.shape)
    view[:] = X
    return view


IN_PLACE = {
    "contiguous": lambda X, folder: X,
    "read-only": _read_only,
    "memory map": _memory_map,
    "every second row": lambda X, folder: np.repeat(X, 2, axis=0)[::2],
    "window of columns": lambda X, folder: np.hstack([X, X])[:, 20 : 20 + D],
    "window of rows": lambda X, folder: np.vstack([X, X])[100 : 100 + N],
}
COPIED = {
    "fortran": lambda X, folder: np.asfortranarray(X),
    "every second column": lambda X, folder: np.repeat(X, 2, axis=1)[:, ::2],
    "rows reversed": lambda X, folder: X[::-1],
    "columns reversed": lambda X, folder: X[:, ::-1],
    "broadcast": lambda X, folder: np.broadcast_to(X[0], X.shape),
    "unaligned": _unaligned,
    "foreign byte order": lambda X, folder: X.astype(X.dtype.newbyteorder()),
}


def _peak(function):
    """The peak memory of numpy and Python during the call; the result is allocated outside of both."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", [*IN_PLACE, *COPIED])
def test_layouts(tmp_path, layout, dtype):
    X = np.random.default_rng(1).normal(size=(N, D)).astype(dtype)
    given = {**IN_PLACE, **COPIED}[layout](X, tmp_path)
    features = bochner.features(D, m=3)
    expected = features.transform(np.array(given, dtype, order="C"))
    assert np.array_equal(features.transform(given), expected)
    peak = _peak(lambda: features.transform(given))
    if layout in COPIED:
        assert peak >= X.nbytes
    else:
        assert peak < X.nbytes / 100


@pytest.mark.parametrize("layout", ["read-only", "memory map", "every second row", "window of columns", "fortran"])
def test_kernel_matrix_takes_the_same_layouts(tmp_path, layout):
    X = np.random.default_rng(1).normal(size=(N, D))
    given = {**IN_PLACE, **COPIED}[layout](X, tmp_path)[:40]
    assert np.array_equal(bochner.kernel_matrix(given), bochner.kernel_matrix(np.array(given, order="C")))


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (1, 1), (0, 5)])
def test_layouts_of_one_row_or_column(shape):
    features = bochner.features(shape[1], m=3)
    X = np.random.default_rng(2).normal(size=(10, 10))[:: 10 // max(shape[0], 1), ::2][: shape[0], : shape[1]]
    assert X.shape == shape
    assert np.array_equal(features.transform(X), features.transform(X.copy()))
    assert np.array_equal(features.transform(X.T.copy().T), features.transform(X.copy()))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux's /proc/self/status")
def test_transform_reads_rows_where_they_lie_also_in_cpp():
    """By the peak of the resident set, the extension makes no copy either; Fortran order is the control."""
    program = textwrap.dedent("""
        import sys
        import numpy as np
        import bochner

        def peak():
            return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

        X = np.ones((400_000, 64), np.float32, order=sys.argv[1])
        features = bochner.features(64, m=1, map="positive")
        features.transform(np.ascontiguousarray(X[:1000]))
        before = peak()
        features.transform(X)
        after = peak()
        print((after - before) * 1024 / X.nbytes)
    """)

    def growth(order):
        return float(subprocess.check_output([sys.executable, "-I", "-c", program, order]))

    assert growth("C") < 0.2
    assert growth("F") > 0.8
