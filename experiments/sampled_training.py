# SPDX-License-Identifier: Apache-2.0
"""Training of `word_model.py` by sampled softmax with several proposals, for `softmax_sampling.py`."""

import time

import bochner
import numpy as np
import word_model

REBUILD = 25  # steps after which the sampler is built anew on the embeddings as they are then


def proposals(model, shares, mechanism, draws, seed):
    """Name -> function that gives the proposal of a training step; None is the full softmax."""
    rng = np.random.default_rng(seed)
    n, cumulated = len(shares), np.cumsum(shares / shares.sum())
    state = {}

    def uniform(h, targets):
        ids = rng.integers(0, n - 1, (len(h), draws))
        return ids + (ids >= targets[:, None]), np.full(ids.shape, -np.log(n - 1))

    def unigram(h, targets):
        ids = np.minimum(np.searchsorted(cumulated, rng.random((len(h), draws))), n - 1)
        while (hit := ids == targets[:, None]).any():
            ids[hit] = np.minimum(np.searchsorted(cumulated, rng.random(hit.sum())), n - 1)
        return ids, np.log(shares[ids] / (1 - shares[targets])[:, None])

    def features(number):
        """The embeddings change while the sampler keeps old ones; its draws still have the probabilities that it
        returns."""
        if number % REBUILD == 0:
            state["sampler"] = bochner.SoftmaxSampler(
                model.embeddings(), *mechanism, seed=number, biases=model.biases
            )
        return lambda h, targets: state["sampler"].sample(h, draws, seed=seed * 10**6 + number, exclude=targets)

    return {"full softmax": None, "uniform": lambda _: uniform, "unigram": lambda _: unigram, "features": features}


def training(texts, shares, mechanism, draws, steps, seeds):
    """Name -> (validation losses over seeds, seconds per step). mechanism: map, coupling, m, lengthscale."""
    rng = np.random.default_rng(9)
    held = word_model.examples(texts["valid"], rng.integers(word_model.CONTEXT, len(texts["valid"]), 2000))
    results = {}
    for name in proposals(None, shares, mechanism, draws, 0):
        losses, start = [], time.thread_time()
        for seed in range(seeds):
            model = word_model.WordModel(shares, seed)
            chosen = proposals(model, shares, mechanism, draws, seed)[name]
            losses.append(word_model.train(model, texts["train"], steps, seed, chosen).loss(*held))
        results[name] = losses, (time.thread_time() - start) / seeds / max(1, steps)
    return results
