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
    block = {"block": 64} if coupling == "hadamard" else {}
    features = bochner.features(20, kernel="angular", map="sign", coupling=coupling, m=100, seed=3, **block)
    signs = features.transform(X) > 0
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


@pytest.mark.parametrize("d", range(2, 9))
def test_angles_of_few_dimensions_are_within_their_errors(d):
    """Mean squares of 20 seeds, which are independent: 1 or less, and above their bound with probability 1e-6."""
    squares = []
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(40, d))
        embedding = bochner.BinaryEmbedding(1024, seed=seed)
        codes = embedding.encode(X)
        angles, errors = embedding.angles(codes, codes)
        squares.append(np.mean(((angles - angles_of(X)) / errors)[np.triu_indices(40, 1)] ** 2))
        # Projections within 1e-6 of 0 change sides: 0.03 of 40,960 bits; more than 4 with probability below 1e-8.
        assert np.unpackbits((codes ^ embedding.encode(X.astype(np.float32))).view(np.uint8)).sum() <= 4
    assert np.mean(squares) < 1.02 + 4.9 * np.std(squares) / np.sqrt(19)


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
    wide = bochner.BinaryEmbedding(640)
    with pytest.raises(ValueError, match=r"^A has codes of 1 words; expected 10, as 640 bits have$"):
        wide.angles(codes, wide.encode(X))
    with pytest.raises(ValueError, match=r"^codes has codes of 10 words; expected 1, as 64 bits have$"):
        embedding.nearest(wide.encode(X), codes)
    padded = bochner.BinaryEmbedding(65).encode(X)
    padded[7, 1] |= np.uint64(2)
    with pytest.raises(ValueError, match=r"^B has bits past the last; expected codes of 65 bits, as encode makes$"):
        bochner.BinaryEmbedding(65).angles(padded[:3], padded)
    with pytest.raises(ValueError, match=r"^queries has bits past the last"):
        bochner.BinaryEmbedding(65).nearest(padded[:3], padded)
    with pytest.raises(ValueError, match="k is 401"):
        embedding.nearest(codes, codes, k=401)
    with pytest.raises(ValueError, match="bits"):
        bochner.BinaryEmbedding(0)
    with pytest.raises(ValueError, match="did you mean 'hadamard'"):
        bochner.BinaryEmbedding(8, "hadamrd")
    with pytest.raises(ValueError, match=r"^unknown coupling 'zzz'; known: iid"):
        bochner.BinaryEmbedding(8, "zzz")
    with pytest.raises(TypeError, match=r"^unknown parameter 'wings' of BinaryEmbedding"):
        bochner.BinaryEmbedding(8, wings=2)
    with pytest.raises(ValueError, match=r"^seed is -1; expected a whole number"):
        bochner.BinaryEmbedding(8, seed=-1)
    with pytest.raises(ValueError, match="rounds"):
        bochner.BinaryEmbedding(8, rounds=9)
    assert bochner.BinaryEmbedding(8, block=1).encode(X[:, :1]).shape == (len(X), 1)
