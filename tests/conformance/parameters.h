// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bochner/registry.h"

namespace bochner::conformance {

/// Two centres of queries, or of keys, of entries +-0.4 and +-0.5: real and imaginary entries of A, near 1 in size.
inline std::vector<double> cluster_centres(std::size_t d, std::size_t phase) {
  std::vector<double> centres;
  for (std::size_t k = 0; k < 2 * d; ++k)
    centres.push_back((0.4 + 0.1 * static_cast<double>(phase)) * ((k * (phase + 2) + k / d) % 3 == 0 ? -1 : 1));
  return centres;
}

/// What fit would find, for maps that have such parameters: chosen far enough from special values to be seen, and so
/// that fourth moments exist.
inline Parameters parameters_from_data(std::string_view map, std::size_t d) {
  if (map.starts_with("optimal_positive")) return {{"A", -0.07}};
  if (map == "hybrid_angular") return {{"lambda_m", 3.0}};
  if (map == "hybrid_gaussian") return {{"radius", 0.7}, {"lambda_m", 2.0}};
  if (map == "hybrid_clustered")
    return {{"query_centres", cluster_centres(d, 0)}, {"key_centres", cluster_centres(d, 1)}};
  return {};
}

}  // namespace bochner::conformance
