// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/registry.h"
#include "maps/elementwise.h"

namespace bochner {

/// A of the generalised exponential features with s = 1. The variance is finite for A < 1/8; A < 0 makes features
/// bounded.
inline constexpr Parameter kRealA = {
    .name = "A",
    .standard = "from data, by fit",
    .allowed = "a number < 1/8",
    .meaning = "weight of |w|^2 in the exponent; the best one follows from the mean of |x + y|^2",
    .accepts =
        [](const Value& value) {
          const double* A = std::get_if<double>(&value);
          return A != nullptr && *A < 0.125 && *A > -1e12;
        },
    .fallback = nullptr,
};

/// (1-4A)^{D/4} exp(A |w_i|^2 + sqrt(1-4A) w_i.x + (a - 1) |x|^2) with `shape` exp or exp_pair. The factor in front
/// stays in the exponent: it overflows long before the features do.
ElementwiseMap::Parameters generalised_exponential(const MapRequest& request, double A, simd::Shape shape);

}  // namespace bochner
