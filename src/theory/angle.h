// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace bochner::theory {

/// The angle theta between two vectors as fractions of pi: t = theta / pi and 1 - t, each to relative error 1e-15.
/// For sgn(0) = +1 a zero vector is at a right angle to all others, and at angle 0 to itself.
struct Angle {
  double fraction;
  double rest;
};

Angle angle_between(std::span<const double> x, std::span<const double> y);

/// E (phi(x).phi(y) - k(x, y))^2 of sign features with m independent isotropic rows: a product of signs is +-1 with
/// mean 1 - 2t, t = theta/pi, so 4 t (1 - t) / m. For sgn(0) = +1 a zero vector is at a right angle to all others, and
/// at angle 0 to itself. Absolute error 1e-15 / m; near theta = 0 and pi relative to theta, or to pi - theta.
double mse_sign(std::span<const double> x, std::span<const double> y, std::size_t m);

}  // namespace bochner::theory
