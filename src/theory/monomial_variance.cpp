// SPDX-License-Identifier: Apache-2.0
#include "theory/monomial_variance.h"

#include <algorithm>
#include <cmath>

#include "theory/bessel.h"

namespace bochner::theory {
namespace {

double squared_distance(std::span<const double> x, std::span<const double> y) {
  double z2 = 0.0;
  for (std::size_t l = 0; l < x.size(); ++l) z2 += (x[l] - y[l]) * (x[l] - y[l]);
  return z2;
}

}  // namespace

double excess_poisson(double rate, std::span<const double> x, std::span<const double> y) {
  double sum = 0.0;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const double gap = rate - x[l] * y[l];
    sum += gap * (gap / rate);
  }
  return sum;
}

double excess_geometric(double p, std::span<const double> x, std::span<const double> y) {
  const double root = std::sqrt(1.0 - p);
  double sum = 0.0;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const double product = x[l] * y[l];
    sum += std::max(0.0, log_bessel_i0(2.0 * std::abs(product) / root) - std::log(p) - 2.0 * product);
  }
  return sum;
}

double log_second_moment_poisson(double rate, std::span<const double> x, std::span<const double> y) {
  return excess_poisson(rate, x, y) - squared_distance(x, y);
}

double log_second_moment_geometric(double p, std::span<const double> x, std::span<const double> y) {
  return excess_geometric(p, x, y) - squared_distance(x, y);
}

double mse_monomial(double excess, std::span<const double> x, std::span<const double> y, double log_factor,
                    std::size_t m) {
  const double log_square = log_factor - squared_distance(x, y);
  return std::exp(log_square + excess + std::log(-std::expm1(-excess)) - std::log(static_cast<double>(m)));
}

double optimal_rate(double sum_of_squared_products, std::size_t d) {
  return std::sqrt(sum_of_squared_products / static_cast<double>(d));
}

double optimal_p(std::span<const double> products) {
  if (std::ranges::all_of(products, [](double c) { return c == 0.0; })) return 1.0;
  // Both p and q = 1 - p are passed, so that each has all its digits at both ends.
  const auto slope = [&](double p, double q) {
    const double root = std::sqrt(q);
    double sum = 0.0;
    for (const double c : products) sum += c * bessel_ratio(2.0 * c / root);
    return sum / (q * root) - static_cast<double>(products.size()) / p;
  };
  double low = -45.0, high = 45.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = low + (high - low) / 2.0;
    const double p = 1.0 / (1.0 + std::exp(-middle)), q = 1.0 / (1.0 + std::exp(middle));
    (slope(p, q) < 0.0 ? low : high) = middle;
  }
  return 1.0 / (1.0 + std::exp(-(low + high) / 2.0));
}

}  // namespace bochner::theory
