# SPDX-License-Identifier: Apache-2.0
"""Packed sign codes: bits, angles, neighbours."""

import pickle

import bochner
import numpy as np
import pytest


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(400, 20))


def angles_of(X):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return np.arccos(np.clip(unit @ unit.T, -1, 1))


@pytest.mark.parametrize("coupling", ["iid", "orthogonal", "hadamard", "circulant"])
def test_bits_are_signs_of_projections(X, coupling):
    codes = bochner.BinaryEmbedding(100, coupling, seed=3).encode(X)
    signs = bochner.features(20, kernel="angular", map="sign", coupling=coupling, m=100, seed=3).transform(X) > 0
    bits = np.unpackbits(codes.view(np.uint8), axis=1, bitorder="little")
    assert np.array_equal(bits[:, :100], signs)
    assert not bits[:, 100:].any()


def test_angles_are_within_their_errors(X):
    embedding = bochner.BinaryEmbedding(2048)
    codes = embedding.encode(X)
    angles, errors = embedding.angles(codes, codes)
    z = (angles - angles_of(X))[np.triu_indices(400, 1)] / errors[np.triu_indices(400, 1)]
    assert abs(z).max() < 6.5  # 79,800 normal deviates exceed it with probability below 1e-5
    assert np.mean(z**2) < 1.1


def test_neighbours_by_codes_are_neighbours(X):
    embedding = bochner.BinaryEmbedding(4096, "orthogonal")
    codes = embedding.encode(X.astype(np.float32))
    ids, angles = embedding.nearest(codes, codes[:50], k=10)
    assert np.array_equal(ids[:, 0], np.arange(50))
    assert (np.diff(angles, axis=1) >= 0).all()
    exact = np.argsort(angles_of(X)[:50], axis=1)[:, :10]
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(ids, exact, strict=True)])
    assert recall > 0.7


def test_angles_count_the_bits_not_the_words(X):
    embedding = bochner.BinaryEmbedding(100)
    codes = embedding.encode(X)
    bits = np.unpackbits(codes.view(np.uint8), axis=1, bitorder="little")
    differing = (bits[:3, None] != bits[None]).sum(axis=2)
    angles, errors = embedding.angles(codes[:3], codes)
    np.testing.assert_allclose(angles, np.pi * differing / 100)
    np.testing.assert_allclose(errors, np.pi * np.sqrt((differing + 0.5) * (100.5 - differing) / 100) / 101)
    ids, nearest = embedding.nearest(codes, codes[:3], k=5)
    np.testing.assert_allclose(nearest, np.take_along_axis(angles, ids, axis=1))


def test_pickles_and_draws_the_same_again(X):
    embedding = bochner.BinaryEmbedding(65, seed=9)
    codes = embedding.encode(X)
    assert np.array_equal(pickle.loads(pickle.dumps(embedding)).encode(X), codes)


def test_refusals(X):
    embedding = bochner.BinaryEmbedding(64)
    codes = embedding.encode(X)
    with pytest.raises(ValueError, match="19 columns"):
        embedding.encode(X[:, :19])
    with pytest.raises(ValueError, match="uint64"):
        embedding.angles(X, codes)
    with pytest.raises(ValueError, match="k is 401"):
        embedding.nearest(codes, codes, k=401)
    with pytest.raises(ValueError, match="bits"):
        bochner.BinaryEmbedding(0)
    with pytest.raises(ValueError, match="did you mean 'hadamard'"):
        bochner.BinaryEmbedding(8, "hadamrd").encode(X)
    with pytest.raises(TypeError, match="wings"):
        bochner.BinaryEmbedding(8, wings=2).encode(X)
