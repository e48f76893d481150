# SPDX-License-Identifier: Apache-2.0
"""Threads, batches and processes: the same bits, no GIL held, no hang."""

import concurrent.futures
import hashlib
import multiprocessing
import os
import select
import signal
import threading
import time

import bochner
import numpy as np
import pytest


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bits_depend_on_the_row_alone(words, dtype, threads):
    X = np.random.default_rng(3).normal(size=(701, 5)).astype(dtype)
    features = bochner.features(5, m=37, **words)
    threads(1)
    expected = features.transform(X)
    generator = np.random.default_rng(4)
    for count in (1, 2, 3, 4):
        threads(count)
        assert features.transform(X).tobytes() == expected.tobytes()
        cuts = np.sort(generator.choice(701, size=6, replace=False))
        parts = [features.transform(part) for part in np.split(X, cuts)]
        assert np.vstack(parts).tobytes() == expected.tobytes()
        order = generator.permutation(701)
        assert features.transform(X[order]).tobytes() == expected[order].tobytes()


def test_draws_do_not_depend_on_threads(threads):
    draws = set()
    for count in (1, 2, 3, 4):
        threads(count)
        draws.add(bochner.features(40, m=100).directions().tobytes())
    assert len(draws) == 1


def test_set_num_threads(threads):
    for count in (1, 3, 1024):
        threads(count)
        assert bochner.num_threads() == count


def test_other_python_threads_run_during_a_transform(threads):
    """A clock thread ticks every millisecond; while the GIL is held it cannot."""
    threads(1)
    features = bochner.features(1024, m=4096, coupling="iid")
    rows = 64
    seconds = 0.0
    while seconds < 0.4:
        rows *= 2
        X = np.ones((rows, 1024))
        start = time.perf_counter()
        features.transform(X)
        seconds = time.perf_counter() - start
    ticks, stop = [], threading.Event()

    def clock():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=clock)
    thread.start()
    start = time.perf_counter()
    features.transform(X)
    end = time.perf_counter()
    stop.set()
    thread.join()
    seen = [start, *(tick for tick in ticks if start < tick < end), end]
    assert np.diff(seen).max() < (end - start) / 2


def test_one_object_in_many_threads(rows):
    features = bochner.features(5, m=50)
    expected = features.transform(rows).tobytes()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda _: features.transform(rows).tobytes(), range(200))
        assert set(results) == {expected}


def _digest(features):
    X = np.random.default_rng(5).normal(size=(5000, 5))
    return hashlib.sha256(features.transform(X).tobytes()).hexdigest()


# Python 3.12 warns about fork in a process with threads; this tests that the library survives it.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_fork_after_use(threads):
    threads(4)
    features = bochner.features(5, m=64)
    expected = _digest(features)
    for _ in range(5):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, _digest(features).encode())
            finally:
                os._exit(0)
        os.close(writer)
        ready, _, _ = select.select([reader], [], [], 60)
        if not ready:
            os.kill(child, signal.SIGKILL)
        answer = os.read(reader, 64).decode() if ready else "hangs"
        os.close(reader)
        os.waitpid(child, 0)
        assert answer == expected
    assert _digest(features) == expected


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_process_pools(rows, method, threads):
    threads(2)
    features = bochner.features(5, m=64)
    expected = features.transform(rows).tobytes()
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        jobs = [pool.submit(features.transform, rows) for _ in range(4)]
        assert {job.result(timeout=120).tobytes() for job in jobs} == {expected}
