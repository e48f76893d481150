// SPDX-License-Identifier: Apache-2.0
#include "theory/generalised_exponential.h"

#include <algorithm>
#include <cmath>

#include "theory/conformity.h"
#include "theory/exponential.h"

namespace bochner::theory {
namespace {

double A_of(double rho) { return (1.0 - 1.0 / rho) / 8.0; }

double rho_of(double A) { return 1.0 / (1.0 - 8.0 * A); }

/// D log((1+rho)/(2 sqrt rho)) >= 0, as D/2 log1p((1-rho)^2 / (4 rho)).
double log_spread(double rho, std::size_t D) {
  const double gap = 1.0 - rho;
  return static_cast<double>(D) / 2.0 * std::log1p(gap * gap / (4.0 * rho));
}

}  // namespace

double optimal_A(double v2, std::size_t D) {
  const double dimension = static_cast<double>(D);
  const double sum = 2.0 * v2 + dimension;
  return A_of(2.0 * dimension / (sum + std::sqrt(sum * sum + 8.0 * dimension * v2)));
}

double optimal_paired_A(double v2, std::size_t D) {
  const double dimension = static_cast<double>(D);
  const auto slope = [&](double rho) {
    return dimension * (rho - 1.0) / (2.0 * rho * (1.0 + rho)) + v2 / (1.0 + std::exp(-(1.0 + rho) * v2));
  };
  double low = 0.0, high = 1.0;
  while (high - low > 1e-15 * high) {
    const double middle = low + (high - low) / 2.0;
    if (middle == low || middle == high) break;
    (slope(middle) < 0.0 ? low : high) = middle;
  }
  return A_of(high);
}

double mse_generalised(double A, const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  return mse_exponential(A, 1, pair, log_factor, blocks);
}

double mse_generalised_paired(double A, const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  const double rho = rho_of(A);
  const double spread = log_spread(rho, blocks.d);
  // ((1 + e^{2h})/2 e^spread - e^{v2}) e^{-2 v2} with h = (1+rho) v2 / 2, by 1 + e^{2h} = 2 e^h (1 + 2 sinh^2(h/2)).
  const double h = (1.0 + rho) * pair.v2 / 2.0;
  const double excess = spread + h - pair.v2;
  const double sine = std::sinh(std::min(h, 1.0) / 2.0);
  const double single = h < 1.0 && std::abs(excess) < 1.0
                            ? std::exp(-pair.v2) * (std::expm1(excess) + 2.0 * sine * sine * std::exp(excess))
                            : 0.5 * std::exp(excess + h - pair.v2) * (1.0 + std::exp(-2.0 * h)) - std::exp(-pair.v2);
  const double coupled =
      pair_sum(blocks, [&](double c) { return rho_paired_difference(pair.v2, blocks.d, c, 2.0 * pair.v2); });
  return positive_mse(std::max(0.0, single + coupled), pair, log_factor, blocks);
}

}  // namespace bochner::theory
