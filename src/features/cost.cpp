// SPDX-License-Identifier: Apache-2.0
#include "features/cost.h"

#include <cmath>

namespace bochner {
namespace {

constexpr double kPerFlop = 0.0115;     // a register tile of fused multiply-adds
constexpr double kPerButterfly = 0.06;  // an entry in one stage of a fast transform
constexpr double kPerOutput = 0.40;     // sine, cosine or exponential, and its store
constexpr double kPerProduct = 0.19;    // of two features that are there, and its store past the caches

}  // namespace

double nanoseconds_per_row(const Resolved& chosen) {
  const auto& [kernel, map, coupling, spec] = chosen;
  const double m = static_cast<double>(spec.m);
  const double d = static_cast<double>(spec.d);
  const double D = static_cast<double>(space_of(spec));
  const double blocks = std::ceil(m / D);
  constexpr double kRounds = 3;
  const double product =
      coupling.structured ? blocks * D * kRounds * std::log2(D + 1) * kPerButterfly : 2 * m * d * kPerFlop;
  const double width = static_cast<double>(map.width(spec.parameters));
  if (map.compose != nullptr) return 2 * product + m * (4 * kPerOutput + width * kPerProduct);  // two bases
  return product + m * width * kPerOutput;
}

}  // namespace bochner
