// SPDX-License-Identifier: Apache-2.0
#include "theory/bessel.h"

#include <cmath>
#include <numbers>

namespace bochner::theory {
namespace {

constexpr double kLargestSeries = 30.0;

/// sum_{k >= 1} (t^2/4)^k / (k! (k + order)!): I_0(t) - 1, and I_1(t) / (t/2) - 1.
double series(double t, double order) {
  const double q = t * t / 4.0;
  double term = 1.0, sum = 0.0;
  for (double k = 1.0; term > 1e-18 * sum || k == 1.0; k += 1.0) {
    term *= q / (k * (k + order));
    sum += term;
  }
  return sum;
}

/// sqrt(2 pi t) e^{-t} I_order(t) = sum_k prod_{j <= k} ((2j-1)^2 - 4 order^2) / (8 j t).
double asymptotic(double t, double order) {
  double term = 1.0, sum = 1.0;
  for (double j = 1.0; std::abs(term) > 1e-18; j += 1.0) {
    term *= ((2.0 * j - 1.0) * (2.0 * j - 1.0) - 4.0 * order * order) / (8.0 * j * t);
    sum += term;
  }
  return sum;
}

}  // namespace

double log_bessel_i0(double t) {
  if (t <= kLargestSeries) return std::log1p(series(t, 0.0));
  return t - 0.5 * std::log(2.0 * std::numbers::pi * t) + std::log(asymptotic(t, 0.0));
}

double bessel_ratio(double t) {
  if (t <= kLargestSeries) return t / 2.0 * (1.0 + series(t, 1.0)) / (1.0 + series(t, 0.0));
  return asymptotic(t, 1.0) / asymptotic(t, 0.0);
}

}  // namespace bochner::theory
