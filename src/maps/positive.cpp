// SPDX-License-Identifier: Apache-2.0
// positive (PRF, FAVOR+): phi(x) = m^{-1/2} exp(w_i.x + (a - 1) |x|^2), one exponential of the whole exponent. Unbiased
// and positive; variance e^{-2|x|^2-2|y|^2} (e^{2 v2} - e^{v2}) / m for iid rows and the Gaussian kernel,
// v2 = |x + y|^2: zero at y = -x. Rows with an exponent above 88 (float) or 709 (double) are refused.
#include <cmath>

#include "maps/elementwise.h"
#include "theory/conformity.h"

namespace bochner {
namespace {

std::unique_ptr<FeatureMap> make(const MapRequest& request) {
  return std::make_unique<ElementwiseMap>(
      ElementwiseMap::Parameters{.shape = simd::Shape::exp,
                                 .scale = 1 / std::sqrt(static_cast<double>(request.m)),
                                 .offset_exponent = request.norm_exponent - 1,
                                 .longest_direction = request.projection.longest_row()});
}

}  // namespace

extern const Map positive_map;
const Map positive_map = {
    .entry = {.name = "positive",
              .aliases = "prf posrf favor+",
              .formula = "exp(w.x - |x|^2) / sqrt(m)  (softmax: -|x|^2/2)",
              .summary = "positive features: small relative error where the kernel is small; what attention needs",
              .reference = "Choromanski et al. 2021"},
    .width = fixed_width<1>,
    .symmetric = true,
    .positive = true,
    .family = Family::exponential,
    .mse = [](const ErrorRequest& at) -> std::optional<double> {
      return theory::mse_positive(at.pair, at.log_factor, at.blocks);
    },
    .conformity = [](double v2, std::size_t d,
                     std::optional<double> cosine) { return std::exp(cosine ? theory::log_rho(v2, d, *cosine) : v2); },
    .argument = fixed_argument<Argument::sum>,
    .make = make,
};

}  // namespace bochner
