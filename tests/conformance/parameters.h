// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <string_view>
#include <vector>

#include "bochner/registry.h"

namespace bochner::conformance {

/// exp(0.6 i) (1 + E), E of norm about 0.1 and without symmetry: queries and keys differ in all coordinates. Its
/// diagonal alone for large d, where plain code takes long.
inline std::vector<std::complex<double>> complex_matrix(std::size_t d) {
  std::vector<std::complex<double>> A;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      if (d > 64 && i != j) continue;
      const double angle = 1.0 + 2.3 * static_cast<double>(i) + 4.1 * static_cast<double>(j);
      const std::complex<double> small(std::sin(angle), std::cos(angle * angle));
      A.push_back(std::polar(1.0, 0.6) * ((i == j ? 1.0 : 0.0) + 0.1 / std::sqrt(static_cast<double>(d)) * small));
    }
  return A;
}

/// What fit would find, for maps that have such parameters: chosen far enough from special values to be seen, and so
/// that fourth moments exist.
inline Parameters parameters_from_data(std::string_view map, std::size_t d) {
  if (map.starts_with("optimal_positive")) return {{"A", -0.07}};
  if (map == "exponential") return {{"A", std::complex<double>(-0.05, 0.04)}, {"s", -1.0}};
  if (map == "complex_exponential") return {{"A", complex_matrix(d)}};
  return {};
}

}  // namespace bochner::conformance
