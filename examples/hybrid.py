# SPDX-License-Identifier: Apache-2.0
"""Build your own hybrid: inside one feature vector, each pair decides which estimate of exp(x.y) counts."""

import bochner
import numpy as np

d = 4
# Two estimates of exp(x.y), good for opposite and for equal inputs, and theta/pi by signs, drawn independently.
positive = bochner.features(d, kernel="softmax", map="positive_paired", m=32, seed=1)
trigonometric = bochner.features(d, kernel="softmax", map="trigonometric", m=32, seed=2)
signs = bochner.features(d, kernel="angular", map="sign", m=8, seed=3)
angular = bochner.hybrid([((0.5, -0.5 * signs), positive)], rest=trigonometric)

# A coefficient that is itself a hybrid: for near inputs exp(-|x-y|^2/2) selects other signs than for far ones.
near = bochner.features(d, map="trigonometric", m=4, seed=4)
mixed = bochner.hybrid([(near, bochner.features(d, kernel="angular", map="sign", m=16, seed=5))], rest=signs)
nested = bochner.hybrid([((0.5, -0.5 * mixed), positive)], rest=trigonometric)

x = np.eye(1, d)
for angle in (0.0, 0.5, 1.6, 2.6, np.pi):
    y = np.zeros((1, d))
    y[0, :2] = np.cos(angle), np.sin(angle)
    errors = {}
    maps = {"positive": positive, "trigonometric": trigonometric, "hybrid": angular, "nested": nested}
    for name, features in maps.items():
        estimate = features.transform(x) @ features.transform(y, side="key").T
        errors[name] = estimate[0, 0] / np.exp(x @ y.T)[0, 0] - 1
    print(f"angle {angle:.2f}  " + "  ".join(f"{name} {error:+.4f}" for name, error in errors.items()))
    if angle in (0.0, np.pi):
        assert abs(errors["hybrid"]) < 1e-10, errors
