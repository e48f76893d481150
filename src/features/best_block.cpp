// SPDX-License-Identifier: Apache-2.0
#include "features/best_block.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "core/available_memory.h"
#include "features/pair_error.h"

namespace bochner {
namespace {

constexpr std::size_t kMostParts = 32;

/// Sizes D >= d that the coupling accepts and memory holds: the coupling's own, m/k for k = 1, ..., 32, and powers of
/// two up to m.
std::vector<std::size_t> candidates(const Resolved& chosen) {
  const auto& [kernel, map, coupling, spec] = chosen;
  const auto block = std::ranges::find(coupling.entry.parameters, "block", &Parameter::name);
  std::vector<std::size_t> sizes = {static_cast<std::size_t>(std::get<double>(block->fallback(spec.d)))};
  const auto consider = [&](std::size_t size) {
    const bool fits = size > sizes.front() && block->accepts(static_cast<double>(size), spec.d) &&
                      coupling.bytes(spec.d, spec.m, size) <= static_cast<double>(available_memory());
    if (fits && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  };
  for (std::size_t k = 1; k <= kMostParts; ++k) consider((spec.m + k - 1) / k);
  for (std::size_t power = 2; power / 2 < spec.m; power *= 2) consider(power);
  return sizes;
}

}  // namespace

std::size_t best_block(const Resolved& chosen) {
  const auto& [kernel, map, coupling, spec] = chosen;
  const std::vector<std::size_t> sizes = candidates(chosen);
  std::vector<double> x(spec.d, 0.0), y(spec.d, 0.0);
  const bool composed = map.compose != nullptr && spec.d > 1;
  x[0] = composed ? std::numbers::sqrt2 / 2 : 0.5;
  y[composed ? 1 : 0] = map.family == Family::exponential ? x[0] : -x[0];
  std::size_t best = sizes.front();
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t size : sizes) {
    Resolved trial{kernel, map, coupling, spec};
    trial.spec.parameters["block"] = static_cast<double>(size);
    fit_to_origin(trial);
    const std::optional<double> error = predicted_mse(trial, x, y);
    if (!error || *error >= least) continue;
    least = *error;
    best = size;
  }
  return best;
}

}  // namespace bochner
