# SPDX-License-Identifier: Apache-2.0
"""Proposals of sampled softmax on a language model (Choromanski et al. 2022, Hybrid Random Features, Sec. 4.2, App. I).

    softmax_sampling.py [--classes 10000] [--steps 2000] [--contexts 32] [--seeds 5] [--train-steps 300] [--quick]
                        [--out PICTURE.png]

Trains `word_model.py` on WikiText-2 (from `data_sets.py`; with `--quick` on a generated text), takes contexts of the
validation text and compares the probabilities of `SoftmaxSampler` with the exact softmax p_i ~ exp(tau h.c_i + b_i). A
mechanism estimates exp(nu h.c_i): nu = tau is the model's own kernel; a smaller nu is flatter and its features have
less variance. The second group of columns has the best nu of a grid, by the divergence on separate contexts. Every
mechanism has about the same number of outputs D. Then come the time for 40 draws against the number of classes, and
training by 40 sampled classes beside the full softmax. Figures are means over contexts, +- their standard errors over
seeds of W; times are for one thread. Writes PICTURE.png and, beside it, PICTURE.md.
"""

import argparse
import sys
import time
from pathlib import Path

import bochner
import data_sets
import numpy as np
import sampled_training
import word_model
from thread_time import quickest
from word_model import TAU, WIDTH

DRAWS = 40
# name: (map, coupling, outputs per m, needs a floor)
MECHANISMS = {
    "trigonometric, iid": ("trigonometric", "iid", 2, True),
    "trigonometric, orthogonal": ("trigonometric", "orthogonal", 2, True),
    "hybrid_angular, orthogonal": ("hybrid_angular", "orthogonal", 36, True),
    "hybrid_gaussian, orthogonal": ("hybrid_gaussian", "orthogonal", 68, True),
    "positive, iid": ("positive", "iid", 1, False),
    "positive, orthogonal": ("positive", "orthogonal", 1, False),
    "positive, simplex": ("positive", "simplex", 1, False),
    "positive_paired, orthogonal": ("positive_paired", "orthogonal", 2, False),
    "optimal_positive, orthogonal": ("optimal_positive", "orthogonal", 1, False),
    "optimal_positive, simplex": ("optimal_positive", "simplex", 1, False),
}
BEST = "optimal_positive, orthogonal"
RATIOS = (1.0, 0.71, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09)  # nu / tau
PLAIN = 0.5  # nu / tau if it is not searched for: for the times and for training
FLOOR = 0.1  # of the mean weight of a class at a right angle to h
METRICS = ("wasserstein", "ks", "kl", "ess")


class Problem:
    """Class embeddings and biases of a model, contexts and their exact softmax."""

    def __init__(self, model, text, contexts, seed):
        places = np.random.default_rng(seed).integers(word_model.CONTEXT, len(text), contexts)
        context, self.targets = word_model.examples(text, places)
        self.C, self.biases = model.embeddings().astype(float), model.biases.astype(float)
        self.H = model.queries(context).astype(float)
        logits = TAU * self.H @ self.C.T + self.biases
        self.p = np.exp(logits - word_model.log_sum(logits)[:, None])

    def sampler(self, mechanism, outputs, nu, seed):
        map, coupling, each, floored = MECHANISMS[mechanism]
        floor = FLOOR * np.exp(self.biases).mean() if floored else 0.0
        return bochner.SoftmaxSampler(
            self.C, map, coupling, max(1, outputs // each), nu**-0.5, seed, floor=floor, biases=self.biases
        )

    def negatives(self, mechanism, outputs, nu, seed):
        """Share of the estimated kernel values below 0."""
        map, coupling, each, floored = MECHANISMS[mechanism]
        if not floored:
            return 0.0
        m = max(1, outputs // each)
        features = bochner.features(WIDTH, "softmax", map, coupling, m, lengthscale=nu**-0.5, seed=seed).fit(self.C)
        return bochner.negative_fraction(features.transform(self.H) @ features.transform(self.C, side="key").T).mean()

    def proposal(self, sampler):
        """Probabilities of all classes for every context."""
        everything = np.tile(np.arange(len(self.C)), (len(self.H), 1))
        return np.exp(sampler.log_probability(self.H, everything))

    def measured(self, q):
        """The paper's distances, KL(p | q) in nats, and the effective share of weighted draws, 1 / sum p^2 / q."""
        p = self.p
        values = (bochner.wasserstein(p, q), bochner.kolmogorov_smirnov(p, q), (p * np.log(p / q)).sum(axis=1))
        return dict(zip(METRICS, map(np.mean, (*values, 1 / (p * p / q).sum(axis=1))), strict=True))


def bias_coordinate(problem, outputs, seed):
    """What the biases cost as a further column of the embeddings, balanced as sqrt(tau) h and sqrt(tau) c are."""
    b = problem.biases - problem.biases.mean()
    size = np.sqrt(b.std())
    C = np.column_stack([TAU**0.5 * problem.C, b / size])
    H = np.column_stack([TAU**0.5 * problem.H, np.full(len(problem.H), size)])
    map, coupling, _, _ = MECHANISMS[BEST]
    sampler = bochner.SoftmaxSampler(C, map, coupling, outputs, seed=seed)
    return np.exp(sampler.log_probability(H, np.tile(np.arange(len(C)), (len(H), 1))))


def statistics(rows):
    """Mean and standard error of every key of dictionaries."""
    count = len(rows)
    return {
        key: (np.mean([row[key] for row in rows]), np.std([row[key] for row in rows], ddof=count > 1) / np.sqrt(count))
        for key in rows[0]
    }


def compare(problem, tuning, sizes, seeds):
    """(mechanism, D) -> nu / tau with the smallest divergence, all divergences of the grid, figures at tau and at that
    nu."""
    results = {}
    for name in MECHANISMS:
        for outputs in sizes:
            curve = [tuning.measured(tuning.proposal(tuning.sampler(name, outputs, r * TAU, 1000))) for r in RATIOS]
            ratio = RATIOS[int(np.argmin([figures["kl"] for figures in curve]))]
            rows = {1.0: [], ratio: []}
            for at, found in rows.items():
                for seed in range(seeds):
                    figures = problem.measured(problem.proposal(problem.sampler(name, outputs, at * TAU, seed)))
                    found.append({**figures, "negative": problem.negatives(name, outputs, at * TAU, seed)})
            results[name, outputs] = ratio, curve, statistics(rows[1.0]), statistics(rows[ratio])
            print(f"{name}, D = {outputs}: nu = {ratio} tau, KL {results[name, outputs][3]['kl'][0]:.3f}", flush=True)
    return results


def exact_draws(H, C, biases, rng):
    """DRAWS classes for each query by the full softmax, in float32."""
    weights = TAU * H @ C.T + biases
    weights -= weights.max(axis=1, keepdims=True)
    sums = np.cumsum(np.exp(weights, out=weights), axis=1, dtype=np.float64)
    drawn = rng.random((len(H), DRAWS)) * sums[:, -1:]
    return np.stack([np.searchsorted(row, u) for row, u in zip(sums, drawn, strict=True)])


def times(problem, outputs, counts):
    """For each number of classes: microseconds for DRAWS draws, by the sampler, exactly, by frequency; per update."""
    rng, lines = np.random.default_rng(5), []
    H = problem.H.astype(np.float32)
    for n in counts:
        pick = rng.integers(0, len(problem.C), n) if n > len(problem.C) else np.arange(n)
        C = word_model.unit(problem.C[pick] + (n > len(problem.C)) * 0.02 * rng.normal(size=(n, WIDTH)))[0]
        b = problem.biases[pick]
        sampler = bochner.SoftmaxSampler(C, *MECHANISMS[BEST][:2], outputs, (PLAIN * TAU) ** -0.5, biases=b)
        by_tree = quickest(lambda s=sampler: s.sample(problem.H, DRAWS)) / len(H)
        narrow = C.astype(np.float32), b.astype(np.float32)
        exact = quickest(lambda arrays=narrow: exact_draws(H, *arrays, rng)) / len(H)
        update = quickest(lambda s=sampler, C=C: [s.update(i, C[i]) for i in range(100)]) / 100
        shares = np.cumsum(np.exp(b) / np.exp(b).sum())
        unigram = quickest(lambda s=shares: np.searchsorted(s, rng.random((len(H), DRAWS)))) / len(H)
        lines.append((n, 1e6 * by_tree, 1e6 * exact, 1e6 * unigram, 1e6 * update))
    return lines


def pair(mean, error, scale=1.0, digits=3):
    return f"{scale * mean:.{digits}f} ± {scale * error:.{digits}f}"


def cells(figures):
    return " | ".join([pair(*figures[key]) for key in ("wasserstein", "ks", "kl")] + [pair(*figures["ess"], 100, 1)])


def table(problem, results, shares, outputs, seeds):
    """Lines of markdown."""
    yield "| proposal | W1, ν = τ | KS | KL | ESS % | negative % | ν/τ, best | W1 | KS | KL | ESS % |"
    yield "|---" * 11 + "|"
    n, blank = len(shares), " | – | –"
    for name, q in (("uniform", np.full((1, n), 1 / n)), ("unigram", shares[None])):
        figures = statistics([problem.measured(np.broadcast_to(q, problem.p.shape))])
        words = " | ".join([*(f"{figures[key][0]:.3f}" for key in METRICS[:3]), f"{100 * figures['ess'][0]:.1f}"])
        yield f"| {name} | {words}{blank} | – | – | – | – |"
    coordinate = statistics([problem.measured(bias_coordinate(problem, outputs, seed)) for seed in range(seeds)])
    yield f"| {BEST}, bias as a coordinate | {cells(coordinate)} | 0{' | –' * 5} |"
    for (name, size), (ratio, _, own, best) in results.items():
        if size == outputs:
            yield f"| {name} | {cells(own)} | {pair(*own['negative'], 100, 1)} | {ratio:g} | {cells(best)} |"


def draw(results, lines, sizes, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(16, 5.2), layout="constrained")
    for colour, name in zip(pyplot.get_cmap("tab10").colors, MECHANISMS, strict=True):
        found = [results[name, size][3]["kl"] for size in sizes]
        axes[0].errorbar(sizes, [f[0] for f in found], [f[1] for f in found], marker=".", color=colour, label=name)
        curve = results[name, sizes[-1]][1]
        axes[1].plot(RATIOS, [figures["kl"] for figures in curve], ".-", color=colour)
    axes[0].set(xlabel="D, outputs", ylabel="KL(softmax | proposal), nats", xscale="log", title="best ν")
    axes[1].set(xlabel="ν / τ", xscale="log", yscale="log", title=f"D = {sizes[-1]}, against ν")
    columns = np.array(lines).T
    for values, label in zip(columns[1:4], ("features", "exact softmax", "unigram"), strict=True):
        axes[2].plot(columns[0], values, "o-", label=label)
    axes[2].set(xlabel="classes", xscale="log", yscale="log", title=f"microseconds for {DRAWS} draws")
    axes[2].legend()
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(path, dpi=80)


def report(options, sizes, counts, trained_seeds):
    """The tables as lines of markdown; also draws the picture."""
    texts = word_model.read(options.texts, options.classes, options.words)
    shares = word_model.unigram(texts["train"], options.classes)
    start = time.thread_time()
    model = word_model.train(word_model.WordModel(shares, 0), texts["train"], options.steps, 0)
    spent = time.thread_time() - start
    held = word_model.examples(texts["valid"], np.arange(word_model.CONTEXT, min(4000, len(texts["valid"]))))
    loss, baseline = model.loss(*held), -np.log(shares[held[1]]).mean()
    yield f"Model: {options.classes} classes, d = {WIDTH}, {spent:.0f} s of training, validation perplexity"
    yield f"{np.exp(loss):.0f} (unigram {np.exp(baseline):.0f}).\n"
    problem, tuning = (Problem(model, texts["valid"], count, seed) for count, seed in ((options.contexts, 1), (8, 2)))
    results = compare(problem, tuning, sizes, options.seeds)
    yield from table(problem, results, shares, sizes[-1], options.seeds)
    middle = sizes[len(sizes) // 2]
    lines = times(problem, middle, counts)
    words = f"features, D = {middle}: µs for {DRAWS} draws"
    yield f"\n| classes | {words} | exact softmax | unigram | update of a class, µs |\n|---|---|---|---|---|"
    yield from (f"| {n} | {a:.0f} | {b:.0f} | {c:.1f} | {d:.0f} |" for n, a, b, c, d in lines)
    draw(results, lines, sizes, options.out)
    mechanism = (*MECHANISMS[BEST][:2], middle, (PLAIN * TAU) ** -0.5)
    found = sampled_training.training(texts, shares, mechanism, DRAWS, options.train_steps, trained_seeds)
    words = f"training by {DRAWS} classes, {options.train_steps} steps of {word_model.BATCH} words"
    yield f"\n| {words} | validation loss, nats | ms per step |\n|---|---|---|"
    for name, (losses, seconds) in found.items():
        yield f"| {name} | {pair(*statistics([{'x': loss} for loss in losses])['x'])} | {1e3 * seconds:.0f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("classes", 10_000), ("steps", 2000), ("contexts", 32), ("seeds", 5), ("train-steps", 300)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--quick", action="store_true", help="only shows that it runs")
    parser.add_argument("--out", type=Path, default=Path("build/experiments/softmax_sampling.png"))
    options = parser.parse_args()
    options.words, sizes, counts, trained_seeds = 10**9, (128, 256, 512), (10_000, 30_000, 100_000), 3
    if options.quick:
        options.classes, options.steps, options.contexts, options.seeds, options.train_steps = 300, 20, 4, 2, 3
        options.words, sizes, counts, trained_seeds = 20_000, (72, 136), (300, 900), 1
    try:
        options.texts = word_model.generated(400, 20_000) if options.quick else data_sets.wikitext()
    except data_sets.Missing as missing:
        sys.exit(str(missing))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    bochner.set_num_threads(1)
    lines = []
    for line in report(options, sizes, counts, trained_seeds):
        print(line, flush=True)
        lines.append(line)
    options.out.with_suffix(".md").write_text("\n".join(lines) + "\n")
    print(f"wrote {options.out} and {options.out.with_suffix('.md')}")


if __name__ == "__main__":
    main()
