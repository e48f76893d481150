# SPDX-License-Identifier: Apache-2.0
"""A small language model of WikiText-2, trained with numpy alone: softmax over n words of tau h.c_i + b_i.

A log-bilinear model (Mnih & Hinton 2007): h is a linear function of the four words before; h and every c_i have norm 1
and tau is 6, as in Choromanski et al. (2022, App. I) for softmax sampling.
"""

from collections import Counter

import numpy as np
from scipy import sparse

WIDTH, CONTEXT, TAU = 64, 4, 6.0
RATE, BATCH = 5e-3, 512


def generated(classes, words):
    """Generated texts in the form of `data_sets.wikitext`, for which nothing is fetched: the number of a word is that
    of the word before plus a random number, of which small ones are the most frequent."""
    rng = np.random.default_rng(0)
    steps = {part: rng.zipf(1.5, count) % classes for part, count in (("train", words), ("valid", words // 10))}
    return {part: [f"w{number}" for number in np.cumsum(taken) % classes] for part, taken in steps.items()}


def read(texts, classes, most):
    """Numbers of at most `most` words of the two texts, 0 for the most frequent; words past `classes` all become
    `<unk>`."""
    texts = {part: words[:most] for part, words in texts.items()}
    counts = Counter(texts["train"])
    common = [word for word, _ in counts.most_common(classes)]
    if "<unk>" not in common:
        common[-1] = "<unk>"
    numbers = {word: i for i, word in enumerate(common)}
    rare = numbers["<unk>"]
    return {part: np.array([numbers.get(word, rare) for word in words]) for part, words in texts.items()}


def unigram(text, classes):
    """Shares of the words, none of them 0."""
    counts = np.bincount(text, minlength=classes) + 0.5
    return counts / counts.sum()


def examples(text, places):
    """The words before each position, and the words at it."""
    return text[places[:, None] - np.arange(1, CONTEXT + 1)], text[places]


def unit(rows):
    norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True)) + 1e-12
    return rows / norms, norms


def along_the_sphere(gradient, rows, norms):
    """The gradient with respect to x of a function of x / |x|; rows = x / |x|."""
    return (gradient - rows * (gradient * rows).sum(axis=1, keepdims=True)) / norms


def one_hot(ids, values, classes):
    """Sparse rows with `values` at the classes `ids`; values of the same class are added."""
    rows = np.repeat(np.arange(len(ids)), ids.shape[1])
    return sparse.csr_array((values.ravel(), (rows, ids.ravel())), shape=(len(ids), classes))


class WordModel:
    """The model, its loss by the full or the sampled softmax, and steps of Adam."""

    def __init__(self, shares, seed):
        rng = np.random.default_rng(seed)
        n = len(shares)
        self.parameters = {
            "words": rng.normal(size=(n, WIDTH)).astype(np.float32),
            "mix": (rng.normal(size=(CONTEXT * WIDTH, WIDTH)) / np.sqrt(CONTEXT * WIDTH)).astype(np.float32),
            "classes": rng.normal(size=(n, WIDTH)).astype(np.float32),
            "biases": np.log(shares).astype(np.float32),
        }
        self.moments = {name: (np.zeros_like(p), np.zeros_like(p)) for name, p in self.parameters.items()}
        self.steps = 0

    @property
    def biases(self):
        return self.parameters["biases"]

    def embeddings(self):
        """The c_i as rows."""
        return unit(self.parameters["classes"])[0]

    def queries(self, contexts):
        """h of every context."""
        return unit(self._mixed(contexts)[1])[0]

    def logits(self, contexts):
        return TAU * self.queries(contexts) @ self.embeddings().T + self.biases

    def loss(self, contexts, targets):
        """Mean cross-entropy of the full softmax, in nats."""
        logits = self.logits(contexts)
        return float(np.mean(log_sum(logits) - logits[np.arange(len(targets)), targets]))

    def step(self, contexts, targets, rate, proposal=None):
        """One step. proposal(h, targets): classes that are not the targets, and logarithms of their probabilities."""
        inputs, mixed = self._mixed(contexts)
        h, norms = unit(mixed)
        classes, class_norms = unit(self.parameters["classes"])
        if proposal is None:
            errors = self._full_errors(h, classes, targets)
        else:
            errors = self._sampled_errors(h, classes, targets, *proposal(h, targets))
        errors /= len(targets)
        by_mixed = along_the_sphere(TAU * (errors @ classes), h, norms)
        by_words = (by_mixed @ self.parameters["mix"].T).reshape(-1, WIDTH)
        places = one_hot(contexts.reshape(-1, 1), np.ones(contexts.size, np.float32), len(classes))
        gradients = {
            "words": places.T @ by_words,
            "mix": inputs.T @ by_mixed,
            "classes": along_the_sphere(TAU * (errors.T @ h), classes, class_norms),
            "biases": np.asarray(errors.sum(axis=0)),
        }
        self._descend(gradients, rate)

    def _mixed(self, contexts):
        inputs = self.parameters["words"][contexts].reshape(len(contexts), -1)
        return inputs, inputs @ self.parameters["mix"]

    def _full_errors(self, h, classes, targets):
        """Derivatives of the losses with respect to the logits: probabilities minus the truth."""
        logits = TAU * h @ classes.T + self.biases
        logits -= logits.max(axis=1, keepdims=True)
        errors = np.exp(logits, out=logits)
        errors /= errors.sum(axis=1, keepdims=True)
        errors[np.arange(len(targets)), targets] -= 1
        return errors

    def _sampled_errors(self, h, classes, targets, drawn, log_q):
        """The same for log(exp(o_t) + mean exp(o_s - log q_s)) - o_t, sparse; first the target, then the classes that
        were drawn."""
        ids = np.concatenate([targets[:, None], drawn], axis=1)
        logits = TAU * np.einsum("bd,bsd->bs", h, classes[ids]) + self.biases[ids]
        logits[:, 1:] -= log_q + np.log(drawn.shape[1])
        values = np.exp(logits - log_sum(logits)[:, None]).astype(np.float32)
        values[:, 0] -= 1
        return one_hot(ids, values, len(classes))

    def _descend(self, gradients, rate):
        """Adam."""
        self.steps += 1
        rate *= np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for name, gradient in gradients.items():
            first, second = self.moments[name]
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient * gradient - second)
            self.parameters[name] -= (rate * first / (np.sqrt(second) + 1e-8)).astype(np.float32)


def log_sum(logits):
    """log sum exp of every row."""
    largest = logits.max(axis=1, keepdims=True)
    return np.log(np.exp(logits - largest).sum(axis=1)) + largest[:, 0]


def train(model, text, steps, seed, before_step=None):
    """Steps on batches of random places, the rate falling to 0; before_step(number) gives the proposal of the step."""
    rng = np.random.default_rng(seed)
    for number in range(steps):
        contexts, targets = examples(text, rng.integers(CONTEXT, len(text), BATCH))
        proposal = before_step(number) if before_step else None
        model.step(contexts, targets, RATE * (1 - number / steps), proposal)
    return model
