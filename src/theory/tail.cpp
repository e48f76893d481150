// SPDX-License-Identifier: Apache-2.0
#include "theory/tail.h"

#include <algorithm>
#include <cmath>

namespace bochner::theory {

double log_feature_product_bound(double A, const PairGeometry& pair, double log_factor, std::size_t D) {
  // nx + ny = (v2 + z2) / 2 has no cancellation against the other term: -(1-4A)/(8A) - 1/2 = -1/(8A).
  return static_cast<double>(D) / 2.0 * std::log1p(-4.0 * A) - pair.v2 / (8.0 * A) - pair.z2 / 2.0 + log_factor / 2.0;
}

double tail_bound(double log_b, double t, std::size_t m) {
  const double log_exponent = std::log(2.0 * static_cast<double>(m)) + 2.0 * (std::log(t) - log_b);
  return std::min(1.0, 2.0 * std::exp(-std::exp(log_exponent)));
}

}  // namespace bochner::theory
