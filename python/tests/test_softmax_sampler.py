# SPDX-License-Identifier: Apache-2.0
"""Sampled softmax: proposals, draws, distances of distributions."""

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
    """Probabilities add up to 1 while updates change the sums or, of a long embedding, build all of them again."""
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


def test_refusals(classes):
    sampler = bochner.SoftmaxSampler(classes, m=16)
    with pytest.raises(ValueError, match="whole numbers"):
        sampler.log_probability(classes[:1], [[0.5]])
    with pytest.raises(ValueError, match="excluded is class 300"):
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
