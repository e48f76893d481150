# SPDX-License-Identifier: Apache-2.0
"""Random features in a model that was trained with exact attention: the same weights, a few more epochs.

    uptraining.py [--mechanisms FAVOR+ ...] [--seeds 5] [--epochs 12] [--more 1 3] [--m 32] [--quick] [--out PICTURE]

The vision Transformer of vision_transformer.py is trained with exact attention. Then every nn.MultiheadAttention in it
becomes a RandomFeatureAttention with the same parameters, and training goes on for a few epochs. Exact attention gets
the same further epochs, which shows what they gain by themselves. Accuracies are printed in per cent, as means over
seeds and their standard errors.
"""

import argparse
import copy
from pathlib import Path

import numpy as np
from bochner.torch import RandomFeatureAttention
from vision_transformer import (
    MECHANISMS,
    VisionTransformer,
    accuracy,
    load_patches,
    mean_and_error,
    nn,
    torch,
    train,
    with_exact,
)


def swap_attention(model, m, seed, words):
    """A copy of the model with random features in all its layers."""
    model = copy.deepcopy(model)
    exact = [
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if isinstance(child, nn.MultiheadAttention)
    ]
    for i, (parent, name, child) in enumerate(exact):
        setattr(parent, name, RandomFeatureAttention.from_multihead(child, m=m, seed=seed + i, **words))
    return model


def study(mechanisms, seeds, epochs, more, m, rows):
    """name -> accuracies (seeds, after each number of further epochs); 0 is right after the swap."""
    results = {name: [] for name in mechanisms}
    for seed in range(seeds):
        trained, tested = load_patches(seed, rows)
        torch.manual_seed(seed)
        model = VisionTransformer(None, m, seed)
        train(model, trained, epochs, 3e-3, seed)
        for name, words in mechanisms.items():
            row = []
            for further in (0, *more):
                swapped = copy.deepcopy(model) if words is None else swap_attention(model, m, 100 * seed, words)
                if further:
                    train(swapped, trained, further, 1e-3, seed)
                row.append(accuracy(swapped, tested))
            results[name].append(row)
    return {name: np.array(rows) for name, rows in results.items()}


def draw(results, more, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for name, rows in results.items():
        errors = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        axis.errorbar((0, *more), rows.mean(axis=0), errors, capsize=4, label=name)
    axis.set_xlabel("epochs after the swap")
    axis.set_ylabel("accuracy on the test part, per cent")
    axis.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mechanisms", nargs="+", default=list(MECHANISMS), choices=list(MECHANISMS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--more", type=int, nargs="+", default=[1, 3], help="further epochs, each from the same start")
    parser.add_argument("--m", type=int, default=32)
    parser.add_argument("--quick", action="store_true", help="two seeds, few epochs, 300 images: to see that it runs")
    parser.add_argument("--out", type=Path, help="where to draw a picture")
    options = parser.parse_args()
    seeds, epochs, more, rows = options.seeds, options.epochs, options.more, None
    if options.quick:
        seeds, epochs, more, rows = 2, 4, [1], 300
    torch.set_num_threads(1)
    results = study(with_exact(options.mechanisms), seeds, epochs, more, options.m, rows)
    print(f"{seeds} seeds, {epochs} epochs of exact attention, m = {options.m}")
    print("| attention | right after the swap |" + "".join(f" {n} more epochs |" for n in more))
    print("|---" * (2 + len(more)) + "|")
    for name, accuracies in results.items():
        print(f"| {name} |" + "".join(f" {mean_and_error(column)} |" for column in accuracies.T))
        # The noise of a hybrid's signed numerators may leave it near chance.
        assert name.startswith("hybrid") or accuracies[:, -1].mean() > 15, f"{name} knows no more than chance"
    if options.out:
        draw(results, more, options.out)


if __name__ == "__main__":
    main()
