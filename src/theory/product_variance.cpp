// SPDX-License-Identifier: Apache-2.0
#include "theory/product_variance.h"

#include <cmath>

namespace bochner::theory {

double variance_laplace(std::span<const double> z) {
  double sum = 0.0;
  for (const double entry : z) sum += std::abs(entry);
  return -std::expm1(-2.0 * sum) / 2.0;
}

/// With s = z_l^2: (1+s)^4 / (1+4s) = 1 + s^2 (6 + 4s + s^2) / (1+4s), whose logarithms add up to log k(2z) / k(z)^4.
/// For s > 1 that quotient is large and no digits are at stake.
double variance_cauchy(std::span<const double> z) {
  double log_kernel = 0.0;
  double log_ratio = 0.0;
  for (const double entry : z) {
    const double s = entry * entry;
    log_kernel -= std::log1p(s);
    log_ratio += s > 1.0 ? 4.0 * std::log1p(s) - std::log1p(4.0 * s)
                         : std::log1p(s * s * (6.0 + 4.0 * s + s * s) / (1.0 + 4.0 * s));
  }
  const double drop = std::expm1(2.0 * log_kernel);
  const double rest = log_ratio > 1.0 ? std::exp(4.0 * log_kernel + log_ratio) - std::exp(4.0 * log_kernel)
                                      : std::exp(4.0 * log_kernel) * std::expm1(log_ratio);
  return (drop * drop + rest) / 2.0;
}

}  // namespace bochner::theory
