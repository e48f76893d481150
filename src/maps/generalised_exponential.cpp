// SPDX-License-Identifier: Apache-2.0
#include "maps/generalised_exponential.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace bochner {

ElementwiseMap::Parameters generalised_exponential(const MapRequest& request, double A, simd::Shape shape) {
  const double m = static_cast<double>(request.m);
  const double log_factor = static_cast<double>(request.D) / 4 * std::log1p(-4 * A);
  std::vector<double> offsets = request.projection.squared_norms();
  for (double& offset : offsets) offset = A * offset + log_factor;
  return {.shape = shape,
          .scale = 1 / std::sqrt(m * static_cast<double>(simd::width(shape))),
          .offset_exponent = request.norm_exponent - 1,
          .slope = std::sqrt(1 - 4 * A),
          .column_offset = std::move(offsets),
          .longest_direction = request.projection.longest_row()};
}

ElementwiseMap::Parameters weighted_phases(const MapRequest& request, double A) {
  const double log_factor = static_cast<double>(request.D) / 4 * std::log1p(-4 * A);
  std::vector<double> weights = request.projection.squared_norms();
  for (double& weight : weights) weight = std::exp(A * weight + log_factor);
  return {.shape = simd::Shape::cis,
          .scale = 1 / std::sqrt(static_cast<double>(request.m)),
          .factor_exponent = request.norm_exponent,
          .slope = std::sqrt(1 - 4 * A),
          .column_scale = std::move(weights)};
}

ElementwiseMap::Parameters complex_exponential(const MapRequest& request, std::complex<double> A, double s, Side side) {
  const std::complex<double> log_factor = static_cast<double>(request.D) / 4 * std::log(1.0 - 4.0 * A);
  const std::complex<double> B = std::sqrt(s * (1.0 - 4.0 * A));
  const double sign = side == Side::key ? -1 : 1;  // of Im f
  const double slope_sign = side == Side::key ? s : 1;
  std::vector<double> offsets = request.projection.squared_norms(), phases;
  for (double& offset : offsets) {
    const std::complex<double> exponent = A * offset + log_factor;
    const double turns = sign * exponent.imag() / (2 * std::numbers::pi);
    phases.push_back(turns - std::round(turns));  // near 0 its sum with a projection has the smallest rounding error
    offset = exponent.real();
  }
  return {.shape = simd::Shape::complex_exp,
          .scale = 1 / std::sqrt(static_cast<double>(request.m)),
          .offset_exponent = request.norm_exponent - (s + 1) / 2,
          .slope = slope_sign * B.real(),
          .column_offset = std::move(offsets),
          .phase_slope = sign * slope_sign * B.imag(),
          .column_phase = std::move(phases),
          .longest_direction = request.projection.longest_row()};
}

}  // namespace bochner
