# SPDX-License-Identifier: Apache-2.0
"""Binary codes of images: errors of angles, neighbours, times (Yu et al. 2016, Orthogonal Random Features, App. E).

    binary_codes.py [--sets usps,mnist] [--seeds 12] [--quick] [--out PICTURE.png]

The database is the rows of the training set minus their mean; the queries are rows of the test set minus the same mean.
For every coupling of `BinaryEmbedding` and every length of code:

    error   mean squared error of the angle over 100 x 1000 pairs, divided by theta (pi - theta) / bits, the error of
            independent rows of W, beside the same ratio as predicted for orthogonal rows (`orthogonal_error`); then the
            root mean squared error divided by that of the standard errors from `angles`: at most 1 if these are safe
    recall  share of the 10 neighbours by cosine among the 10 (and the 100) nearest codes, 200 queries, 7000 rows
    times   to encode a row, and to find 10 neighbours among all training rows, beside computing all cosines in float32;
            on one thread

Figures are means over the seeds of W, +- their standard errors. Images come from `data_sets.py`; `--quick` takes the
8 x 8 images that come with scikit-learn. Writes PICTURE.png and, beside it, PICTURE.md.
"""

import argparse
from pathlib import Path

import bochner
import data_sets
import numpy as np
from thread_time import quickest

COUPLINGS = ("iid", "circulant", "simplex", "orthogonal", "hadamard")
BITS = (64, 128, 256, 512, 1024, 2048)
NEIGHBOURS, WIDER = 10, 100
BINS = np.linspace(0, np.pi, 13)


def load(name, most):
    """At most `most` rows of the database and all queries, scaled to norm 1."""
    base, _, queries, _ = data_sets.split(name)
    base, queries = base.astype(np.float32), queries.astype(np.float32)
    mean = base.mean(axis=0)
    return [unit(part - mean) for part in (base[:most], queries)]


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def angles_between(A, B):
    """Angles in float64, which small angles need."""
    return np.arccos(np.clip(A.astype(float) @ B.astype(float).T, -1, 1))


def mean_and_error(values):
    values = np.asarray(values)
    return values.mean(axis=0), values.std(axis=0, ddof=len(values) > 1) / np.sqrt(len(values))


def orthogonal_error(angles, bits, d):
    """Mean squared error for rows orthogonal in blocks of d, to first order in 1/d.

    (theta (pi - theta) - c sin^2 theta) / bits, where c is the number of pairs of rows within blocks divided by that
    for full blocks. For a full block, with u and v a basis of the plane of x and y, the vectors (w_i.u, w_i.v) are d
    Gaussian vectors whose second moments are forced to those of the law. So the indicator that signs differ loses its
    components along cos 2 phi and sin 2 phi, phi the angle in the plane: sin^2 theta / pi^2 of its variance p (1 - p),
    p = theta / pi.
    """
    blocks, rest = divmod(bits, d)
    pairs = (blocks * d * (d - 1) + rest * (rest - 1)) / (bits * (d - 1))
    return (angles * (np.pi - angles) - pairs * np.sin(angles) ** 2) / bits


def binned(values, angles):
    """Sums over the pairs in each bin of angles."""
    return np.histogram(angles, BINS, weights=values)[0]


def errors(base, queries, coupling, bits, seeds):
    """Over seeds: errors relative to those of independent rows, relative to the claimed errors, with their signs, and
    by angle."""
    truth = angles_between(queries, base)
    expected = truth * (np.pi - truth) / bits
    ratios, claims, biases, squares = [], [], [], 0
    for seed in range(seeds):
        embedding = bochner.BinaryEmbedding(bits, coupling, seed=seed)
        found, claimed = embedding.angles(embedding.encode(queries), embedding.encode(base))
        off = (found - truth) ** 2
        ratios.append(off.mean() / expected.mean())
        claims.append(off.mean() / (claimed**2).mean())
        biases.append((found - truth).mean())
        squares = squares + binned(off, truth) / seeds
    claim, spread = mean_and_error(claims)
    by_angle = squares / np.maximum(binned(expected, truth), 1e-300)
    return {
        "ratio": mean_and_error(ratios),
        "orthogonal": orthogonal_error(truth, bits, base.shape[1]).mean() / expected.mean(),
        "claim": (np.sqrt(claim), spread / 2 / np.sqrt(claim)),
        "bias": mean_and_error(biases),
        "mse": mean_and_error(np.array(ratios) * expected.mean()),
        "by_angle": np.where(binned(np.ones_like(truth), truth) >= 50, by_angle, np.nan),
    }


def recalls(base, queries, coupling, bits, seeds):
    """Shares of the exact neighbours among the NEIGHBOURS and the WIDER nearest codes, over seeds."""
    exact = np.argsort(-(queries @ base.T), axis=1, kind="stable")[:, :NEIGHBOURS]
    shares = []
    for seed in range(seeds):
        embedding = bochner.BinaryEmbedding(bits, coupling, seed=seed)
        ids = embedding.nearest(embedding.encode(base), embedding.encode(queries), k=min(WIDER, len(base)))[0]
        hits = (exact[:, :, None] == ids[:, None, :]).any(axis=1).cumsum(axis=1)
        shares.append([hits[:, NEIGHBOURS - 1].mean() / NEIGHBOURS, hits[:, -1].mean() / NEIGHBOURS])
    return mean_and_error(shares)


def encode_times(queries, bits):
    """Microseconds per row for every coupling."""
    found = []
    for coupling in COUPLINGS:
        embedding = bochner.BinaryEmbedding(bits, coupling)
        embedding.encode(queries[:1])
        found.append(1e6 * quickest(lambda e=embedding: e.encode(queries)) / len(queries))
    return found


def search_times(base, queries, bits):
    """Microseconds per query: NEIGHBOURS nearest codes, and by all cosines."""
    embedding = bochner.BinaryEmbedding(bits)
    codes, asked = embedding.encode(base), embedding.encode(queries)
    by_codes = quickest(lambda: embedding.nearest(codes, asked, k=NEIGHBOURS))
    exact = quickest(lambda: np.argpartition(-(queries @ base.T), NEIGHBOURS, axis=1)[:, :NEIGHBOURS], 3)
    return 1e6 * by_codes / len(queries), 1e6 * exact / len(queries)


def pair(found, digits=3):
    return f"{found[0]:.{digits}f} ± {found[1]:.{digits}f}"


def row(*words):
    return "| " + " | ".join(map(str, words)) + " |"


def study(name, options, curves):
    """Rows of the markdown tables for one data set: (table, row)."""
    base, queries = load(name, options.most)
    d, few = base.shape[1], queries[: options.queries]
    for coupling in COUPLINGS:
        cells = []
        for bits in options.bits:
            found = errors(base[: options.pairs], few[:100], coupling, bits, options.seeds)
            share, spread = recalls(base[:7000], few, coupling, bits, max(1, options.seeds // 4))
            curves[name, coupling, bits] = found, share, spread
            cells.append((found, f"{share[0]:.2f} ({share[1]:.2f})"))
        yield "errors", row(f"{name}, d = {d}", coupling, *(pair(found["ratio"], 2) for found, _ in cells))
        yield "claims", row(f"{name}, d = {d}", coupling, *(pair(found["claim"], 2) for found, _ in cells))
        signed = [pair([1e3 * x for x in found["bias"]], 2) for found, _ in cells]
        yield "biases", row(f"{name}, d = {d}", coupling, *signed)
        yield "recall", row(f"{name}, d = {d}", coupling, *(words for _, words in cells))
    predicted = [curves[name, coupling, bits][0]["orthogonal"] for bits in options.bits]
    yield "errors", row(f"{name}, d = {d}", "orthogonal, predicted", *(f"{value:.2f}" for value in predicted))
    for bits in options.bits[-3:]:
        spent, (by_codes, exact) = encode_times(few, bits), search_times(base, few[:50], bits)
        words = [f"{value:.1f}" for value in spent] + [f"{by_codes:.0f}", f"{exact:.0f}"]
        yield "times", row(f"{name}, {len(base)} rows", bits, *words)


def heads(bits):
    """Title of every table, and its columns."""
    lengths = ["data", "coupling", *(f"{count} bits" for count in bits)]
    couplings, searches = [f"encode: {coupling}" for coupling in COUPLINGS], ["search: codes", "search: cosines"]
    return {
        "errors": ("Mean squared error of the angle over θ(π − θ)/bits", lengths),
        "claims": ("Root mean squared error over the standard error that is returned", lengths),
        "biases": ("Mean of estimate minus angle, in milliradians", lengths),
        "recall": (f"Recall of {NEIGHBOURS} neighbours among the {NEIGHBOURS} (the {WIDER}) nearest codes", lengths),
        "times": ("Microseconds per row and per query, one thread", ["data", "bits", *couplings, *searches]),
    }


def draw(curves, options, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(name for name, _, _ in curves))
    figure, axes = pyplot.subplots(len(names), 3, figsize=(15, 4.4 * len(names)), layout="constrained", squeeze=False)
    middle = options.bits[len(options.bits) // 2]
    for line, name in zip(axes, names, strict=True):
        for coupling in COUPLINGS:
            found = [curves[name, coupling, bits] for bits in options.bits]
            means, spreads = zip(*(f["mse"] for f, _, _ in found), strict=True)
            line[0].errorbar(options.bits, means, spreads, marker=".", label=coupling)
            line[1].plot((BINS[1:] + BINS[:-1]) / 2, curves[name, coupling, middle][0]["by_angle"], ".-")
            line[2].plot(options.bits, [share[0] for _, share, _ in found], ".-")
        closed = [f["mse"][0] / f["ratio"][0] for f, _, _ in found]
        line[0].plot(options.bits, closed, "k:", label="closed form, independent rows")
        line[0].set(title=f"{name}: mean squared error of angles", xlabel="bits", xscale="log", yscale="log")
        line[1].axhline(1, color="k", linestyle=":")
        line[1].set(title=f"{name}: error over closed form, {middle} bits", xlabel="angle", ylim=(0, None))
        line[1].set_xlim(0, np.pi)
        line[2].set(title=f"{name}: recall of {NEIGHBOURS} at {NEIGHBOURS}", xlabel="bits", xscale="log", ylim=(0, 1))
        for axis in line:
            axis.grid(alpha=0.3)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    figure.savefig(path, dpi=70)


def report(options):
    """All tables as text; also draws the picture."""
    tables, curves = {name: [] for name in heads(options.bits)}, {}
    for name in options.sets:
        for table, line in study(name, options, curves):
            tables[table].append(line)
            print(f"{table}: {line}", flush=True)
    draw(curves, options, options.out)
    largest = max(spread.max() for _, _, spread in curves.values())
    for name, (title, columns) in heads(options.bits).items():
        if name == "recall":
            title += f", standard errors up to {largest:.3f}"
        yield "\n".join([f"{title}:", "", row(*columns), "|---" * len(columns) + "|", *tables[name], ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="usps,mnist")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--quick", action="store_true", help="only shows that it runs")
    parser.add_argument("--out", type=Path, default=Path("build/experiments/binary_codes.png"))
    options = parser.parse_args()
    options.bits, options.most, options.queries, options.pairs = BITS, 60_000, 200, 1000
    if options.quick:
        options.sets, options.seeds, options.bits = "digits", 2, (32, 100, 256)
        options.most, options.queries, options.pairs = 300, 20, 100
    options.sets = data_sets.present(options.sets.split(","))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    bochner.set_num_threads(1)
    text = "\n".join(report(options))
    options.out.with_suffix(".md").write_text(text)
    print(f"{text}\nwrote {options.out} and {options.out.with_suffix('.md')}")


if __name__ == "__main__":
    main()
