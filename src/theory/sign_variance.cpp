// SPDX-License-Identifier: Apache-2.0
#include "theory/sign_variance.h"

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

/// theta, or pi - theta if that is less, by the part of y across x against the part along it.
double angle_of_lines(std::span<const double> x, std::span<const double> y) {
  const double x_size = largest_entry(x);
  const double y_size = largest_entry(y);
  if (x_size == 0.0 || y_size == 0.0) return x_size == y_size ? 0.0 : std::numbers::pi / 2.0;
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
  return std::atan2(std::sqrt(across2), std::abs(dot) / std::sqrt(norm2));
}

}  // namespace

double mse_sign(std::span<const double> x, std::span<const double> y, std::size_t m) {
  const double t = angle_of_lines(x, y) / std::numbers::pi;
  return 4.0 * t * (1.0 - t) / static_cast<double>(m);
}

}  // namespace bochner::theory
