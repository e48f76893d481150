// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace bochner {

/// sum_l term(x_l, y_l) in eight partial sums, which the compiler vectorises; rounding error below (d/8 + 3) 2^-53 of
/// the sum of absolute terms. The order is fixed.
template <class Term>
double coordinate_sum(std::span<const double> x, std::span<const double> y, const Term& term) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t l = 0;
  for (; l + kLanes <= x.size(); l += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(x[l + lane], y[l + lane]);
  for (; l < x.size(); ++l) sums[l % kLanes] += term(x[l], y[l]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// |x - y|^2 from the differences: nearly equal points keep their distance.
inline double squared_distance(std::span<const double> x, std::span<const double> y) {
  return coordinate_sum(x, y, [](double a, double b) { return (a - b) * (a - b); });
}

inline double squared_norm(std::span<const double> x) {
  return coordinate_sum(x, x, [](double a, double b) { return a * b; });
}

}  // namespace bochner
