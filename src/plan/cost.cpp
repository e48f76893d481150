// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.h"

#include <cmath>

namespace bochner {
namespace {

// Nanoseconds, measured by bench/cost_model.py.
constexpr double kPerFlop = 0.0106;      // a register tile of fused multiply-adds
constexpr double kPerButterfly = 0.046;  // an entry in one stage of a fast transform
constexpr double kPerOutput = 0.28;      // sine, cosine or exponential, and its store
constexpr double kPerProduct = 0.19;     // product of two features already computed, and its store past the caches
constexpr double kPerMonomial = 1.1;     // exponential of a sum of logarithms, and its sign
constexpr double kPerExponent = 0.05;    // an exponent that is not 0
constexpr double kFewRows = 0.75;        // speed of a product with few rows of W relative to one with many
constexpr double kPerHybrid = 80;        // a row passes through the blocks of four parts
constexpr double kRounds = 3;            // rounds of a structured product

/// P(w_l > 0) for a law of whole numbers, to 2^-12: the point at which its quantile leaves 0.
double share_not_zero(const Law& law) {
  double low = 0, high = 1;
  for (int step = 0; step < 12; ++step) {
    const double middle = (low + high) / 2;
    (law.quantile(middle) < 1 ? low : high) = middle;
  }
  return 1 - low;
}

double product_of(const Resolved& chosen) {
  const double m = static_cast<double>(chosen.spec.m);
  const double d = static_cast<double>(chosen.spec.d);
  const double D = static_cast<double>(space_of(chosen.spec));
  if (!chosen.coupling.structured) return 2 * m * d * kPerFlop;
  return std::ceil(m / D) * D * kRounds * std::log2(D + 1) * kPerButterfly;
}

}  // namespace

double nanoseconds_per_row(const Resolved& chosen) {
  const auto& [kernel, map, coupling, spec] = chosen;
  const double m = static_cast<double>(spec.m);
  if (map.family == Family::monomial) {
    const double exponents = static_cast<double>(spec.d) * share_not_zero(map.law(spec.parameters));
    return m * (kPerMonomial + exponents * kPerExponent);
  }
  const double outputs = m * static_cast<double>(map.width(spec.parameters));
  if (map.projects_outputs) return outputs / m * product_of(chosen) + 3 * outputs * kPerOutput;
  if (map.compose != nullptr) {  // two bases of two outputs, times coefficients
    return 2 * product_of(chosen) / kFewRows + 4 * m * kPerOutput + outputs * kPerProduct + kPerHybrid;
  }
  return product_of(chosen) + outputs * kPerOutput;
}

}  // namespace bochner
