// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "bochner/registry.h"
#include "core/parameter.h"
#include "maps/elementwise.h"

namespace bochner {

/// A of the generalised exponential features with s = 1. The variance is finite for A < 1/8; A < 0 makes features
/// bounded.
inline constexpr Parameter kRealA = {
    .name = "A",
    .standard = "from data, by fit",
    .allowed = "a number < 1/8 and > -1e12",
    .meaning = "weight of |w|^2 in the exponent; the best one follows from the mean of |x + y|^2",
    .accepts =
        [](const Value& value, std::size_t) {
          const double* A = std::get_if<double>(&value);
          return A != nullptr && *A < 0.125 && *A > -1e12;
        },
    .fallback = nullptr,
};

inline constexpr Parameter kWeightParameters[] = {kRealA};

/// (1-4A)^{D/4} exp(A |w_i|^2 + sqrt(1-4A) w_i.x + (a - 1) |x|^2) with `shape` exp or exp_pair. The factor (1-4A)^{D/4}
/// stays in the exponent: it overflows long before the features do.
ElementwiseMap::Parameters generalised_exponential(const MapRequest& request, double A, simd::Shape shape);

/// The same with s = -1: (1-4A)^{D/4} exp(A |w_i|^2 + a |x|^2) (cos(sqrt(1-4A) w_i.x), sin(sqrt(1-4A) w_i.x)), phases
/// with a weight for each direction.
ElementwiseMap::Parameters weighted_phases(const MapRequest& request, double A);

/// D exp(A |w_i|^2 + B w_i.x + C |x|^2) for complex A as (Re, Im), with B = sqrt(s(1-4A)), D = (1-4A)^{D/4} (principal
/// roots) and C = a - (s+1)/2. The side `key` has s B in place of B, and -Im.
ElementwiseMap::Parameters complex_exponential(const MapRequest& request, std::complex<double> A, double s, Side side);

// Functions that registry entries point to.

template <simd::Shape kShape>
std::unique_ptr<FeatureMap> make_weighted(const MapRequest& request) {
  return std::make_unique<ElementwiseMap>(generalised_exponential(request, number(request.parameters, "A"), kShape));
}

template <double (*kOptimal)(double v2, std::size_t D)>
Parameters fit_weight(const FitRequest& request) {
  return {{"A", kOptimal(mean_squared_sum(request.queries, request.keys), request.D)}};
}

template <double (*kMse)(double A, const theory::PairGeometry&, double log_factor, const theory::BlockStructure&)>
std::optional<double> weighted_mse(const ErrorRequest& at) {
  return kMse(number(at.spec.parameters, "A"), at.pair, at.log_factor, at.blocks);
}

}  // namespace bochner
