// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace bochner::theory {

/// E (phi(x).phi(y) - k(x, y))^2 of sign features with m independent isotropic rows: a product of signs is +-1 with
/// mean 1 - 2t, t = theta/pi, so 4 t (1 - t) / m. For sgn(0) = +1 a zero vector is at a right angle to all others, and
/// at angle 0 to itself. Absolute error 1e-15 / m; near theta = 0 and pi relative to theta, or to pi - theta.
double mse_sign(std::span<const double> x, std::span<const double> y, std::size_t m);

}  // namespace bochner::theory
