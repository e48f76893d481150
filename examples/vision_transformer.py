# SPDX-License-Identifier: Apache-2.0
"""A small vision Transformer on 8 x 8 digits, trained with exact attention and with random features.

    vision_transformer.py [--mechanisms FAVOR+ ...] [--seeds 5] [--epochs 12] [--m 32] [--quick] [--out PICTURE.png]

An image is 16 tokens, patches of 2 x 2 pixels; the model has two layers of 2 heads of 16 coordinates. A seed decides
the division into training and test rows (a fifth), the initial weights and the features. All mechanisms share the first
two, so that their differences from exact attention are paired. Means over seeds and their standard errors are printed
in per cent: the accuracy, its difference from that of exact attention, and the accuracy when the features are drawn
anew after training.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: this example needs PyTorch, pip install torch")
    sys.exit(77)

from bochner.torch import RandomFeatureAttention

DIM, HEADS, LAYERS, TOKENS = 32, 2, 2, 16
MECHANISMS = {
    "exact": None,
    "FAVOR+": {"map": "positive", "coupling": "orthogonal"},
    "FAVOR++": {"map": "optimal_positive", "coupling": "orthogonal"},
    "SimRF": {"map": "positive", "coupling": "simplex"},
    "hybrid": {"map": "hybrid_angular", "coupling": "orthogonal", "backward_map": "optimal_positive"},
}


def with_exact(chosen):
    """Keyword arguments of exact attention, for comparison, and of the chosen mechanisms."""
    return {name: MECHANISMS[name] for name in dict.fromkeys(["exact", *chosen])}


def make_attention(words, m, seed):
    if words is None:
        return nn.MultiheadAttention(DIM, HEADS, batch_first=True)
    return RandomFeatureAttention(DIM, HEADS, batch_first=True, m=m, seed=seed, **words)


class Block(nn.Module):
    """x + attention(norm(x)), then x + perceptron(norm(x))."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.norms = nn.ModuleList(nn.LayerNorm(DIM) for _ in range(2))
        self.perceptron = nn.Sequential(nn.Linear(DIM, 2 * DIM), nn.GELU(), nn.Linear(2 * DIM, DIM))

    def forward(self, x):
        y = self.norms[0](x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.perceptron(self.norms[1](x))


class VisionTransformer(nn.Module):
    def __init__(self, words, m, seed):
        super().__init__()
        self.embedding = nn.Linear(4, DIM)
        self.place = nn.Parameter(0.5 * torch.randn(TOKENS, DIM))
        self.blocks = nn.Sequential(*(Block(make_attention(words, m, seed * LAYERS + i)) for i in range(LAYERS)))
        self.head = nn.Sequential(nn.LayerNorm(DIM), nn.Linear(DIM, 10))

    def forward(self, patches):
        return self.head(self.blocks(self.embedding(patches) + self.place).mean(dim=1))


def load_patches(seed, rows=None):
    """(patches, labels) for training, with at most the given number of rows, and for tests."""
    digits = load_digits()
    images = torch.from_numpy(digits.images.astype(np.float32) / 16 - 0.3)
    patches = images.unflatten(1, (4, 2)).unflatten(3, (4, 2)).transpose(2, 3).reshape(-1, TOKENS, 4)
    order = torch.randperm(len(patches), generator=torch.Generator().manual_seed(seed))
    labels = torch.from_numpy(digits.target)
    tested, trained = order[: len(order) // 5], order[len(order) // 5 :][:rows]
    return (patches[trained], labels[trained]), (patches[tested], labels[tested])


def train(model, rows, epochs, rate, seed):
    """Trains by Adam with a rate that falls as a cosine; returns the mean losses of epochs."""
    patches, labels = rows
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    batch = min(64, len(labels) // 20)
    steps = epochs * -(-len(labels) // batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    losses = []
    model.train()
    for _ in range(epochs):
        total = 0.0
        for chosen in torch.randperm(len(labels), generator=generator).split(batch):
            loss = nn.functional.cross_entropy(model(patches[chosen]), labels[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * len(chosen)
        losses.append(total / len(labels))
    return losses


@torch.no_grad()
def accuracy(model, rows):
    """In per cent."""
    model.eval()
    return 100 * (model(rows[0]).argmax(dim=1) == rows[1]).double().mean().item()


def redraw(model, seed):
    for i, module in enumerate(module for module in model.modules() if isinstance(module, RandomFeatureAttention)):
        module.redraw(seed + i)


def study(mechanisms, seeds, epochs, m, rows):
    """Yields name, accuracies, accuracies with other features, losses, seconds."""
    for name, words in mechanisms.items():
        start, accuracies, redrawn, losses = time.perf_counter(), [], [], []
        for seed in range(seeds):
            trained, tested = load_patches(seed, rows)
            torch.manual_seed(seed)
            model = VisionTransformer(words, m, seed)
            losses.append(train(model, trained, epochs, 3e-3, seed))
            accuracies.append(accuracy(model, tested))
            redraw(model, 1000 + 100 * seed)
            redrawn.append(accuracy(model, tested))
        yield name, np.array(accuracies), np.array(redrawn), np.array(losses), time.perf_counter() - start


def mean_and_error(values):
    spread = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{np.mean(values):.2f} ± {spread:.2f}"


def draw(results, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for place, (name, (accuracies, losses)) in enumerate(results.items()):
        left.semilogy(np.arange(1, losses.shape[1] + 1), losses.mean(axis=0), label=name)
        right.plot(np.full(len(accuracies), place), accuracies, ".", color="0.6")
        right.errorbar(place, accuracies.mean(), accuracies.std(ddof=1) / np.sqrt(len(accuracies)), fmt="o", capsize=5)
    left.set_xlabel("epoch")
    left.set_ylabel("training loss")
    left.legend()
    right.set_xticks(range(len(results)), list(results))
    right.set_ylabel("accuracy on the test part, per cent")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mechanisms", nargs="+", default=list(MECHANISMS), choices=list(MECHANISMS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--m", type=int, default=32)
    parser.add_argument("--quick", action="store_true", help="two seeds, three epochs, 300 images: to see that it runs")
    parser.add_argument("--out", type=Path, help="where to draw a picture")
    options = parser.parse_args()
    seeds, epochs, rows = (2, 3, 300) if options.quick else (options.seeds, options.epochs, None)
    # Such a small model gains nothing from threads, and with one thread sums always have the same order.
    torch.set_num_threads(1)
    mechanisms, results = with_exact(options.mechanisms), {}
    print(f"{seeds} seeds, {epochs} epochs, m = {options.m}")
    print("| attention | accuracy | less than exact by | features drawn anew | seconds |\n|---|---|---|---|---|")
    for name, accuracies, redrawn, losses, seconds in study(mechanisms, seeds, epochs, options.m, rows):
        results[name] = accuracies, losses
        gap = mean_and_error(results["exact"][0] - accuracies)
        cells = (name, mean_and_error(accuracies), gap, mean_and_error(redrawn), f"{seconds:.0f}")
        print(f"| {' | '.join(cells)} |", flush=True)
        assert losses[:, -1].mean() < losses[:, 0].mean(), f"{name} learns nothing"
    if options.out:
        draw(results, options.out)


if __name__ == "__main__":
    main()
