# SPDX-License-Identifier: Apache-2.0
"""Which mechanism should I use? A walk through plan, auto and error_report on 8 x 8 images of digits.

Cells begin with "# %%": an editor that knows them runs one at a time. As a program:

    which_mechanism.py [PICTURE.png]     # the rankings of cell 2 as a picture
"""

# %% 1. The data: 1797 images of 64 pixels, and a lengthscale that suits them.
import sys

import bochner
import matplotlib
import numpy as np
from sklearn.datasets import load_digits

matplotlib.use("Agg")
X = load_digits().data / 16
sigma = bochner.lengthscale(X, "median")
print(f"{X.shape[0]} rows of {X.shape[1]} columns, median distance {sigma:.3f}")

# %% 2. Every possible mechanism, ranked by its predicted error; nothing is transformed. The Gram matrix of a Gaussian
# kernel needs small absolute errors, a row of softmax attention small relative errors.
gram = bochner.plan(X, lengthscale=sigma, m=128)
attention = bochner.plan(X, kernel="softmax", lengthscale=sigma, m=128, measure="attention")
print(gram)
print(attention)
assert gram.best["map"] == "trigonometric"
assert attention.table[0]["error"] <= min(line["error"] for line in attention.table if line["closed_form"] == "exact")

if len(sys.argv) > 1:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(15, 6), layout="constrained")
    gram.plot(axes[0], one_per_map=True).set_title("gaussian kernel, absolute error")
    attention.plot(axes[1], one_per_map=True).set_title("softmax kernel, error of attention rows")
    figure.savefig(sys.argv[1], dpi=110)

# %% 3. The predicted and the observed error, on pairs of the same rows.
features = bochner.features(**gram.best)
report = bochner.error_report(features, X)
print(report)
assert report.kept

# %% 4. A wanted error instead of a size: the fewest outputs that reach it.
small = bochner.plan(X, lengthscale=sigma, target=0.01)
print(
    f"{small.table[0]['outputs']} outputs of {small.best['map']} on {small.best['coupling']} rows "
    "for an error of 0.01"
)
assert small.table[0]["error"] <= 0.01

# %% 5. Constraints: positive features for attention, unbiased ones, no matrix W in memory.
for words in (["positive"], ["unbiased"], ["structured"]):
    best = bochner.plan(X, lengthscale=sigma, m=128, require=words).table[0]
    print(f"{' and '.join(words):12} {best['map']} + {best['coupling']}: {best['error']:.4f}")
try:
    bochner.plan(X, kernel="laplace", lengthscale=sigma, m=128, require=["positive"])
except ValueError as refusal:
    print(refusal)

# %% 6. The same automatically: "auto" is planned when the transformer sees the data.
transformer = bochner.RandomFeatures(n_components="auto", target_error=0.01, lengthscale=sigma, random_state=0).fit(X)
K = bochner.kernel_matrix(X[:300], lengthscale=sigma)
Z = transformer.transform(X[:300])
measured = np.sqrt(np.mean((Z @ Z.T - K) ** 2))
print(f"{transformer.features_.spec['map']}, {Z.shape[1]} outputs: measured error {measured:.4f}")
assert measured < 0.015
