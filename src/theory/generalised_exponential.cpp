// SPDX-License-Identifier: Apache-2.0
#include "theory/generalised_exponential.h"

#include <algorithm>
#include <cmath>

#include "theory/conformity.h"
#include "theory/orthogonal_pair.h"
#include "theory/variance.h"

namespace bochner::theory {

namespace {

/// (p (1 + e^{(1+rho) v2})/2 - e^{v2}) e^{-v2} = e^excess cosh h - 1 with p = ((1+rho)/(2 sqrt rho))^D,
/// h = (1+rho) v2 / 2 and excess = log p + h - v2, where 1 - rho = -8A/(1-8A) has all its digits.
Excess paired_variance(double A, double v2, std::size_t D) {
  const double rho = 1.0 / (1.0 - 8.0 * A), gap = -8.0 * A * rho;
  const double h = (1.0 + rho) * v2 / 2.0;
  const double excess = static_cast<double>(D) / 2.0 * std::log1p(gap * gap / (4.0 * rho)) - gap * v2 / 2.0;
  if (h < 1.0 && std::abs(excess) < 1.0) {
    const double sine = std::sinh(h / 2.0);
    return {std::expm1(excess) + 2.0 * sine * sine * std::exp(excess), 0.0};
  }
  const double top = std::max(0.0, excess + h);
  return {0.5 * std::exp(excess + h - top) * (1.0 + std::exp(-2.0 * h)) - std::exp(-top), top};
}

/// sum_b N_b / m (rho_paired_{c_b}(v2) - e^{v2}) e^{-v2}.
Excess shared_by_pairs(double v2, const BlockStructure& blocks) {
  // In units of e^{v2} a term may be e^{v2 |c|}, which overflows only for few rows in many dimensions.
  double scale = v2;
  for (const BlockGroup& group : blocks.groups)
    if (const double a = std::abs(group.cosine); v2 * a > 600.0)
      scale = std::max(scale, log_rho_orthogonal(v2 * (1.0 + a), blocks.d));
  return {pair_sum(blocks, [&](double c) { return rho_paired_difference(v2, blocks.d, c, scale); }), scale - v2};
}

}  // namespace

double optimal_A(double v2, std::size_t D) {
  const double dimension = static_cast<double>(D), sum = 2.0 * v2 + dimension;
  const double root = std::sqrt(sum) * std::sqrt(sum + 8.0 * dimension * (v2 / sum));
  return -v2 / (8.0 * dimension) * (1.0 + (2.0 * v2 + 6.0 * dimension) / (root + dimension));
}

double optimal_paired_A(double v2, std::size_t D) {
  const double dimension = static_cast<double>(D);
  const auto slope = [&](double q) {
    return dimension * q / 2.0 * ((1.0 + q) / (2.0 + q)) - v2 / (1.0 + std::exp(-(2.0 + q) / (1.0 + q) * v2));
  };
  double low = 0.0, high = 4.0 * v2 / dimension;
  while (high - low > 1e-15 * high) {
    const double middle = low + (high - low) / 2.0;
    if (middle == low || middle == high) break;
    (slope(middle) < 0.0 ? low : high) = middle;
  }
  return -high / 8.0;
}

double mse_generalised_paired(double A, const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  Excess single = paired_variance(A, pair.v2, blocks.d), coupled = shared_by_pairs(pair.v2, blocks);
  single.exponent += log_factor - pair.z2;  // e^{-2nx-2ny} e^{v2} = e^{-z2}
  coupled.exponent += log_factor - pair.z2;
  return scaled_sum(single, coupled) / static_cast<double>(blocks.m);
}

double log_feature_product_bound(double A, const PairGeometry& pair, double log_factor, std::size_t D) {
  // With nx + ny = (v2 + z2) / 2 nothing cancels against the other term: -(1-4A)/(8A) - 1/2 = -1/(8A).
  return static_cast<double>(D) / 2.0 * std::log1p(-4.0 * A) - pair.v2 / (8.0 * A) - pair.z2 / 2.0 + log_factor / 2.0;
}

double tail_bound(double log_b, double t, std::size_t m) {
  const double log_exponent = std::log(2.0 * static_cast<double>(m)) + 2.0 * (std::log(t) - log_b);
  return std::min(1.0, 2.0 * std::exp(-std::exp(log_exponent)));
}

}  // namespace bochner::theory
