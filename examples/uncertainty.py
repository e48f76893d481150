# SPDX-License-Identifier: Apache-2.0
"""Uncertainty with a Gaussian process: how sure is a prediction, and where does it become useless?

Cells begin with "# %%": an editor that knows them runs one at a time. As a program:

    uncertainty.py [PICTURE.png]     # cells 2, 4 and 5 as a picture
"""

# %% 1. The data: a signal that was measured 600 times, with noise of deviation 0.2 and a gap without measurements.
import sys

import bochner
import matplotlib
import numpy as np

matplotlib.use("Agg")
generator = np.random.default_rng(0)


def signal(x):
    return np.sin(2 * x) + 0.5 * np.cos(5 * x)


x = np.concatenate([generator.uniform(-4, 0, 300), generator.uniform(1.5, 4, 300)])
y = signal(x) + 0.2 * generator.normal(size=600)

# %% 2. Only the number of features is given. The variances of noise and signal and the lengthscale are those that make
# the data most likely.
words = {"map": "trigonometric", "coupling": "orthogonal", "random_state": 0}
model = bochner.GaussianProcess(n_components=256, **words).fit(x[:, None], y)
noise = model.y_scale_ * model.noise_variance_**0.5  # variances are those of y over its deviation
print(f"noise {noise:.3f} (0.2 was put in), lengthscale {model.lengthscale_:.2f}")
print(f"log marginal likelihood {model.log_marginal_likelihood_value_:.1f}")
assert 0.18 < noise < 0.22
line = np.linspace(-6, 6, 500)
mean, std = model.predict(line[:, None], return_std=True)

# %% 3. The uncertainty is small where there are data, and large where there are none.
for place in (-2.0, 0.75, 5.5):
    at = np.abs(line - place).argmin()
    print(f"f({place:5}) = {mean[at]:6.2f} +- {2 * std[at]:.2f}, in truth {signal(place):6.2f}")
inside, gap = std[np.abs(line + 2).argmin()], std[np.abs(line - 0.75).argmin()]
assert gap > 4 * inside
within = np.abs(signal(line) - mean) < 2 * std
print(f"two deviations hold the truth at {within.mean():.0%} of the line")
assert within.mean() > 0.85

# %% 4. Functions from the posterior: each is one function that agrees with the data, and can be evaluated anywhere, as
# often as you like. Together they show the uncertainty of any quantity, such as the position of the maximum.
f = model.sample_functions(200, random_state=1)
draws = f(line[:, None])
part = (line > -4) & (line < 0)
tops = line[part][draws[part].argmax(axis=0)]
print(f"the maximum between -4 and 0 is at {tops.mean():.2f} +- {2 * tops.std():.2f}")
assert np.array_equal(f(line[:3, None]), draws[:3])
assert abs(tops.mean() - line[part][signal(line[part]).argmax()]) < 0.1

# %% 5. Which columns matter? y depends on two of eight. One lengthscale per column finds them.
X = generator.normal(size=(400, 8))
t = np.sin(2 * X[:, 1]) + X[:, 5] ** 2 / 2 + 0.1 * generator.normal(size=400)
one = bochner.GaussianProcess(n_components=256, search_rows=200, **words).fit(X[:300], t[:300])
ard = bochner.GaussianProcess(n_components=256, search_rows=200, lengthscale="ard", **words).fit(X[:300], t[:300])
print("lengthscales", np.array2string(ard.lengthscale_, precision=1))
scores = [model.score(X[300:], t[300:]) for model in (one, ard)]
print(f"R2 on new rows: {scores[0]:.2f} with one lengthscale, {scores[1]:.2f} with eight")
assert set(np.argsort(ard.lengthscale_)[:2]) == {1, 5}
assert ard.log_marginal_likelihood_value_ > one.log_marginal_likelihood_value_
assert scores[1] > scores[0]

# %% 6. Are the promises kept? The share of new measurements within one and two deviations of the prediction.
mean_new, std_new = ard.predict(X[300:], return_std=True, include_noise=True)
for deviations, promised in ((1, 0.683), (2, 0.954)):
    kept = np.mean(np.abs(t[300:] - mean_new) < deviations * std_new)
    print(f"within {deviations} deviations: {kept:.0%}, promised {promised:.0%}")
    assert kept > promised - 0.2

# %% 7. A picture.
if len(sys.argv) > 1:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(17, 4.6), layout="constrained")
    axes[0].plot(x, y, ".", color="0.75", markersize=3, label="measured")
    axes[0].fill_between(line, mean - 2 * std, mean + 2 * std, alpha=0.3, label="two deviations")
    axes[0].plot(line, mean, label="mean")
    axes[0].plot(line, signal(line), "k--", linewidth=1, label="truth")
    axes[0].set(title="posterior of f", xlabel="x", ylim=(-4, 4))
    axes[0].legend(loc="lower left", ncols=2)
    axes[1].plot(line, draws[:, :12], linewidth=0.9)
    axes[1].set(title="twelve functions drawn from it", xlabel="x", ylim=(-4, 4))
    axes[2].bar(range(8), 1 / ard.lengthscale_)
    axes[2].set(title="which columns matter", xlabel="column", ylabel="1 / lengthscale")
    figure.savefig(sys.argv[1], dpi=110)
