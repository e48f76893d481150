# SPDX-License-Identifier: Apache-2.0
"""Large results reuse the memory of a dropped one, never that of a living one."""

import bochner
import numpy as np
import pytest


@pytest.fixture
def features():
    return bochner.features(8, m=512, seed=1)


def rows(seed, n=2000):
    return np.random.default_rng(seed).standard_normal((n, 8)).astype(np.float32)


def test_living_results_do_not_share_memory(features):
    first, second = features.transform(rows(0)), features.transform(rows(1))
    assert first.nbytes > 4 << 20
    assert not np.shares_memory(first, second)
    expected = np.array(first)
    features.transform(rows(2))
    assert np.array_equal(first, expected)


def test_a_view_keeps_the_memory(features):
    result = features.transform(rows(0))
    row = result[7]
    expected = np.array(row)
    del result
    features.transform(rows(3))
    assert np.array_equal(row, expected)


def test_reused_memory_holds_the_new_result(features):
    expected = {seed: np.array(features.transform(rows(seed))) for seed in range(3)}
    for seed in (2, 0, 1, 0):
        assert np.array_equal(features.transform(rows(seed)), expected[seed])


def test_sizes_may_change_from_call_to_call(features):
    whole = np.array(features.transform(rows(0)))
    for n in (1300, 2000, 10, 0, 1999, 1100):
        assert np.array_equal(features.transform(rows(0)[:n]), whole[:n])
