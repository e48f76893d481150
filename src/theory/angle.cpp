// SPDX-License-Identifier: Apache-2.0
#include "theory/angle.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bochner::theory {

namespace {

double largest_entry(std::span<const double> x) {
  double largest = 0.0;
  for (const double entry : x) largest = std::max(largest, std::abs(entry));
  return largest;
}

}  // namespace

/// The angle of the lines, from the parts of y across x and along it, then the side of the right angle it lies on.
Angle angle_between(std::span<const double> x, std::span<const double> y) {
  const double x_size = largest_entry(x);
  const double y_size = largest_entry(y);
  if (x_size == 0.0 && y_size == 0.0) return {0.0, 1.0};
  if (x_size == 0.0 || y_size == 0.0) return {0.5, 0.5};
  double norm2 = 0.0;
  double dot = 0.0;
  for (std::size_t l = 0; l < x.size(); ++l) {
    norm2 += x[l] / x_size * (x[l] / x_size);
    dot += x[l] / x_size * (y[l] / y_size);
  }
  double across2 = 0.0;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const double across = y[l] / y_size - dot / norm2 * (x[l] / x_size);
    across2 += across * across;
  }
  const double small = std::atan2(std::sqrt(across2), std::abs(dot) / std::sqrt(norm2)) / std::numbers::pi;
  return dot < 0.0 ? Angle{1.0 - small, small} : Angle{small, 1.0 - small};
}

double mse_sign(std::span<const double> x, std::span<const double> y, std::size_t m) {
  const Angle angle = angle_between(x, y);
  return 4.0 * angle.fraction * angle.rest / static_cast<double>(m);
}

}  // namespace bochner::theory
