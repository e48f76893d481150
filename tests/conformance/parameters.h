// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <string_view>
#include <vector>

#include "bochner/registry.h"
#include "bochner/spec.h"
#include "reference/kernels.h"

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
  if (map == "exponential") return {{"A", std::complex<double>(-0.05, 0.04)}, {"s", -1.0}};
  if (map == "complex_exponential") return {{"A", complex_matrix(d)}};
  // Near the best ones for the pairs of the laws, where x_l y_l is 1/d or so, or (1.5)^2 after the shift.
  const double exponent = 1 / std::sqrt(static_cast<double>(d));
  if (map.starts_with("optimal_positive")) return {{"A", -0.07}};
  if (map == "poisson") return {{"rate", exponent}};
  if (map == "geometric") return {{"p", 1 / (1 + exponent)}};
  if (map == "poisson_positive") return {{"rate", 2.25}, {"shift", -1.5}};
  if (map == "geometric_positive") return {{"p", 0.3}, {"shift", -1.5}};
  if (map == "hybrid_angular") return {{"lambda_m", 3.0}};
  if (map == "hybrid_gaussian") return {{"radius", 0.7}, {"lambda_m", 2.0}};
  if (map == "hybrid_clustered")
    return {{"query_centres", cluster_centres(d, 0)}, {"key_centres", cluster_centres(d, 1)}};
  return {};
}

/// For rows up to 6 lengthscales long: a shift below them, and exponents that suit it.
inline void allow_long_rows(Spec& spec) {
  spec.parameters["shift"] = -7.0;
  if (spec.parameters.contains("rate")) spec.parameters["rate"] = 49.0;
  if (spec.parameters.contains("p")) spec.parameters["p"] = 0.02;
}

/// Another lengthscale, and with it the parameters that are in units of the data.
inline void set_lengthscale(Spec& spec, const std::vector<double>& lengthscale) {
  spec.lengthscale = lengthscale;
  const auto shift = spec.parameters.find("shift");
  if (shift == spec.parameters.end()) return;
  std::vector<double> shifts(spec.d, std::get<double>(shift->second));
  for (std::size_t l = 0; l < spec.d; ++l) shifts[l] *= reference::lengthscale_at(lengthscale, l);
  shift->second = shifts;
}

}  // namespace bochner::conformance
