// SPDX-License-Identifier: Apache-2.0
// optimal_positive (OPRF, FAVOR++, Likhosherstov et al., 2022): phi(x) = m^{-1/2} (1-4A)^{D/4} exp(A |w_i|^2 +
// sqrt(1-4A) w_i.x + (a - 1) |x|^2), A < 1/8, D the dimension in which rows are drawn. Unbiased and positive; bounded
// for A < 0. A = 0 is `positive`; the best A follows from the mean of |x+y|^2 and is negative: the variance falls by
// e^{61} at |x+y|^2 = 100, d = 64. An exponent above 88 (float) or 709 (double) overflows to infinity.
#include "core/parameter.h"
#include "maps/generalised_exponential.h"
#include "theory/generalised_exponential.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kRealA};

std::unique_ptr<FeatureMap> make(const MapRequest& request) {
  return std::make_unique<ElementwiseMap>(
      generalised_exponential(request, number(request.parameters, "A"), simd::Shape::exp));
}

Parameters fit(const FitRequest& request) {
  return {{"A", theory::optimal_A(mean_squared_sum(request.queries, request.keys), request.D)}};
}

double mse(const theory::PairGeometry& pair, double log_factor, const theory::BlockStructure& blocks,
           const Parameters& parameters) {
  return theory::mse_generalised(number(parameters, "A"), pair, log_factor, blocks);
}

}  // namespace

extern const Map optimal_positive_map;
const Map optimal_positive_map = {
    .entry = {.name = "optimal_positive",
              .aliases = "oprf favor++",
              .formula = "(1-4A)^{d/4} exp(A|w|^2 + sqrt(1-4A) w.x - |x|^2) / sqrt(m)",
              .summary = "positive features with the weight of |w|^2 that minimises the variance",
              .reference = "Likhosherstov et al. 2022",
              .parameters = kParameters},
    .width = 1,
    .symmetric = true,
    .family = Family::exponential,
    .exponential_mse = mse,
    .uses_norms = true,
    .make = make,
    .fit = fit,
};

}  // namespace bochner
