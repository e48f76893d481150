# SPDX-License-Identifier: Apache-2.0
"""Sampled softmax: proposals, draws, distances between distributions."""

import threading

import bochner
import numpy as np
import pytest


@pytest.fixture
def classes():
    return np.random.default_rng(1).normal(size=(300, 8)) / 3


def softmax(H, C):
    weights = np.exp(H @ C.T)
    return weights / weights.sum(axis=1, keepdims=True)


def test_proposal_comes_near_the_softmax(classes):
    H, everything = classes[:5], np.tile(np.arange(300), (5, 1))
    exact = softmax(H, classes)
    errors = []
    for m in (64, 4096):
        q = np.exp(bochner.SoftmaxSampler(classes, m=m).log_probability(H, everything))
        np.testing.assert_allclose(q.sum(axis=1), 1, rtol=1e-12)
        errors.append(np.abs(q - exact).sum(axis=1).mean())
    assert errors[1] < errors[0] / 4
    assert bochner.wasserstein(q, exact).max() < 0.01


def test_importance_weights_are_without_bias(classes):
    """mean of exp(o_s) / q_s is the partition, to 4.9 standard errors."""
    h = classes[:1]
    sampler = bochner.SoftmaxSampler(classes, m=64)
    ids, log_q = sampler.sample(h, 20_000, seed=4)
    terms = np.exp(h @ classes[ids[0]].T - log_q)[0]
    assert abs(terms.mean() - np.exp(h @ classes.T).sum()) < 4.9 * terms.std() / np.sqrt(terms.size)
    others, log_others = sampler.sample(h, 20_000, seed=4, exclude=[7])
    assert 7 not in others
    terms = np.exp(h @ classes[others[0]].T - log_others)[0]
    exact = np.exp(h @ np.delete(classes, 7, axis=0).T).sum()
    assert abs(terms.mean() - exact) < 4.9 * terms.std() / np.sqrt(terms.size)


@pytest.mark.parametrize("map", ["trigonometric", "hybrid_angular"])
def test_maps_that_are_not_positive_need_a_floor(classes, map):
    with pytest.raises(ValueError, match="floor is 0"):
        bochner.SoftmaxSampler(classes, map=map, m=16)
    sampler = bochner.SoftmaxSampler(classes, map=map, m=16, floor=0.01)
    q = np.exp(sampler.log_probability(classes[:3], np.tile(np.arange(300), (3, 1))))
    assert (q > 0).all()
    np.testing.assert_allclose(q.sum(axis=1), 1, rtol=1e-12)


def test_updates_and_draws_of_several_threads(classes):
    """Probabilities add up to 1 while updates change the sums or, for a long embedding, build all of them again."""
    sampler = bochner.SoftmaxSampler(classes, map="positive", m=32)
    H, everything = np.tile(classes[:1], (64, 1)), np.tile(np.arange(300), (64, 1))
    errors, done = [], threading.Event()

    def look():
        while not done.is_set():
            errors.append(np.abs(np.exp(sampler.log_probability(H, everything)).sum(axis=1) - 1).max())

    workers = [threading.Thread(target=look) for _ in range(2)]
    for worker in workers:
        worker.start()
    for i in range(300):
        sampler.update(i, classes[i] * (30 if i % 2 else 1))
    done.set()
    for worker in workers:
        worker.join()
    assert max(errors) < 1e-9


def test_update_is_a_rebuild(classes):
    sampler = bochner.SoftmaxSampler(classes, map="positive", m=32)
    changed = classes.copy()
    changed[17] = 0.9
    sampler.update(17, changed[17])
    everything = np.arange(300)[None]
    again = bochner.SoftmaxSampler(changed, map="positive", m=32)
    np.testing.assert_allclose(
        sampler.log_probability(classes[:1], everything), again.log_probability(classes[:1], everything), rtol=1e-10
    )


def test_biases_are_those_of_the_softmax(classes):
    biases = np.random.default_rng(2).normal(size=300)
    h, everything = classes[:1], np.arange(300)[None]
    plain = np.exp(bochner.SoftmaxSampler(classes, m=64).log_probability(h, everything))
    sampler = bochner.SoftmaxSampler(classes, m=64, biases=biases)
    expected = plain * np.exp(biases)
    np.testing.assert_allclose(np.exp(sampler.log_probability(h, everything)), expected / expected.sum(), rtol=1e-10)
    sampler.update(4, classes[4], bias=biases[4] + 2)
    expected[0, 4] *= np.exp(2)
    np.testing.assert_allclose(np.exp(sampler.log_probability(h, everything)), expected / expected.sum(), rtol=1e-10)


def test_distances_of_distributions():
    p, q = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]), np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(bochner.wasserstein(p, q), [0, 2 / 3])
    np.testing.assert_allclose(bochner.kolmogorov_smirnov(p, q), [0, 1])
    np.testing.assert_allclose(bochner.negative_fraction([[0.1, -0.1], [0.3, 0.7]]), [0.5, 0])


def test_calls_without_a_seed_draw_anew(classes):
    def drawn(sampler, **words):
        return sampler.sample(classes[:3], 50, **words)[0]

    sampler, other = bochner.SoftmaxSampler(classes, m=16, seed=5), bochner.SoftmaxSampler(classes, m=16, seed=5)
    calls = [drawn(sampler) for _ in range(4)]
    assert all((a != b).any() for i, a in enumerate(calls) for b in calls[:i])
    # A call with a seed repeats its draws and is not counted; a sampler with the same seed draws the same in each call.
    assert np.array_equal(drawn(sampler, seed=0), drawn(sampler, seed=0))
    assert np.array_equal(np.stack([drawn(other), drawn(other)]), calls[:2])
    drawn(other, seed=0)
    assert np.array_equal(drawn(other), calls[2])
    assert (drawn(bochner.SoftmaxSampler(classes, m=16, seed=6)) != calls[0]).any()


def test_small_probabilities_are_those_of_the_formula(classes):
    """Biases that fall or rise to -60: the formula in logarithms, to the rounding of sums of 300 positive numbers."""
    h, everything = classes[:1], np.arange(300)[None]
    plain = bochner.SoftmaxSampler(classes, m=16).log_probability(h, everything)
    for biases in (np.linspace(0, -60, 300), np.linspace(-60, 0, 300)):
        found = bochner.SoftmaxSampler(classes, m=16, biases=biases).log_probability(h, everything)
        expected = plain + biases
        expected -= np.log(np.exp(expected).sum())
        assert ((found < -30) & (found > -62)).sum() > 100
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_refusals_name_the_argument(classes):
    sampler = bochner.SoftmaxSampler(classes, m=16)
    broken = classes.copy()
    broken[7, 2] = np.nan
    refused = {
        "class_embeddings has nan at row 7, column 2": lambda: bochner.SoftmaxSampler(broken, m=16),
        "class_embeddings is an array of no rows": lambda: bochner.SoftmaxSampler(classes[:0], m=16),
        "queries has nan at row 7, column 2": lambda: sampler.sample(broken, 3),
        "queries is an array of 3 columns; expected 8": lambda: sampler.sample(classes[:2, :3], 3),
        "queries has shape ": lambda: sampler.sample(classes[0], 3),
        "embedding has nan at row 0, column 2": lambda: sampler.update(3, broken[7]),
        "embedding is a list of 3 numbers; expected 8": lambda: sampler.update(3, classes[0, :3]),
        r"embedding has shape \(2, 4\); expected \(d,\)": lambda: sampler.update(3, classes[0].reshape(2, 4)),
        "exclude is a list of 0 classes; expected one for each of 2 queries": (
            lambda: sampler.sample(classes[:2], 3, exclude=np.zeros(0, int))
        ),
        "exclude is a list of 3 classes": lambda: sampler.log_probability(classes[:2], [[0], [1]], exclude=[1, 2, 3]),
        "exclude is the only class": lambda: bochner.SoftmaxSampler(classes[:1]).sample(classes[:1], 1, exclude=[0]),
    }
    for message, call in refused.items():
        with pytest.raises(ValueError, match=f"^{message}"):
            call()
    before = sampler.log_probability(classes[:1], [[3]])
    with pytest.raises(ValueError, match="nan"):
        sampler.update(3, broken[7])
    assert sampler.log_probability(classes[:1], [[3]]) == before
    assert sampler.sample(classes[:0], 3, exclude=np.zeros(0, int))[0].shape == (0, 3)


def test_refusals(classes):
    sampler = bochner.SoftmaxSampler(classes, m=16)
    with pytest.raises(ValueError, match="whole numbers"):
        sampler.log_probability(classes[:1], [[0.5]])
    with pytest.raises(ValueError, match=r"^exclude is class 300; expected 0 to 299$"):
        sampler.sample(classes[:1], 3, exclude=[300])
    with pytest.raises(ValueError, match="exclude"):
        sampler.sample(classes[:1], 3, exclude=[-1])
    with pytest.raises(ValueError, match="row 1, column 2"):
        broken = classes[:2].copy()
        broken[1, 2] = np.nan
        sampler.sample(broken, 3)
    with pytest.raises(ValueError, match="one number for each class"):
        bochner.SoftmaxSampler(classes, m=16, biases=[])
    with pytest.raises(ValueError, match="biases is a list of 3 numbers"):
        bochner.SoftmaxSampler(classes, m=16, biases=[1, 2, 3])
    with pytest.raises(ValueError, match="bias is nan"):
        bochner.SoftmaxSampler(classes, m=16, biases=np.full(300, np.nan))
    with pytest.raises(ValueError, match="equally many"):
        bochner.wasserstein([0.5, 0.5], [1.0])
    for distance in (bochner.wasserstein, bochner.kolmogorov_smirnov):
        with pytest.raises(ValueError, match=r"^p and q have shapes \(0,\) and \(0,\); expected at least one class$"):
            distance([], [])
    with pytest.raises(ValueError, match=r"^p has shape \(0,\); expected \(..., n\), at least one class$"):
        bochner.negative_fraction([])


def test_rows_below_a_shift_are_refused_by_their_name(classes):
    sampler = bochner.SoftmaxSampler(np.abs(classes), map="poisson_positive", m=8)
    low = classes - 100
    with pytest.raises(ValueError, match=r"^queries has -[0-9.]+ at row 0, column 0, below the shift"):
        sampler.sample(low[:2], 3)
    with pytest.raises(ValueError, match=r"^embedding has -[0-9.]+ at row 0, column 0, below the shift"):
        sampler.update(0, low[0])
    with pytest.raises(ValueError, match=r"^class_embeddings has -[0-9.]+ at row 0, column 0, below the shift"):
        bochner.SoftmaxSampler(low, map="poisson_positive", m=8, shift=0.0, rate=1.0)


def test_weights_have_no_range():
    sampler = bochner.SoftmaxSampler(np.zeros((3, 2)), m=16, biases=[0, -1000, -1001])
    ids = [[0, 1, 2]]
    np.testing.assert_allclose(sampler.log_probability([[0.0, 0.0]], ids), [[0, -1000, -1001]], rtol=1e-14)
    share = 1 / (1 + np.exp(-1))
    found = np.exp(sampler.log_probability([[0.0, 0.0]], ids, exclude=[0]))
    np.testing.assert_allclose(found, [[0, share, 1 - share]], rtol=1e-12)
