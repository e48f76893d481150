// SPDX-License-Identifier: Apache-2.0
#include "maps/generalised_exponential.h"

#include <cmath>
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
          .column_offset = std::move(offsets)};
}

}  // namespace bochner
