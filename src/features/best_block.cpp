// SPDX-License-Identifier: Apache-2.0
#include "features/best_block.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "features/predict.h"

namespace bochner {
namespace {

constexpr std::size_t kMostCandidates = 32;

/// Sizes D >= d that the coupling accepts: first the one it takes by itself, then m/k for k = 1, 2, ...
std::vector<std::size_t> candidates(const Parameter& block, std::size_t d, std::size_t m) {
  std::vector<std::size_t> sizes = {static_cast<std::size_t>(std::get<double>(block.fallback(d)))};
  for (std::size_t k = 1; k <= m / d + 1 && sizes.size() < kMostCandidates; ++k) {
    const std::size_t equal = (m + k - 1) / k;
    for (const std::size_t size : {equal, std::bit_ceil(equal)}) {
      const bool fits = size > sizes.front() && block.accepts(static_cast<double>(size));
      if (fits && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
    }
  }
  return sizes;
}

}  // namespace

std::size_t best_block(const Resolved& chosen, const Parameters& parameters) {
  const auto& [kernel, map, coupling, spec] = chosen;
  const auto block = std::ranges::find(coupling.entry.parameters, "block", &Parameter::name);
  const std::vector<std::size_t> sizes = candidates(*block, spec.d, spec.m);
  std::vector<double> x(spec.d, 0.0), y(spec.d, 0.0);
  x[0] = 0.5;
  y[0] = map.family == Family::exponential ? 0.5 : -0.5;
  Resolved trial{kernel, map, coupling, spec};
  trial.spec.parameters = parameters;
  std::size_t best = sizes.front();
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t size : sizes) {
    trial.spec.parameters["block"] = static_cast<double>(size);
    const std::optional<double> error = predicted_mse(trial, x, y);
    if (!error || *error >= least) continue;
    least = *error;
    best = size;
  }
  return best;
}

}  // namespace bochner
