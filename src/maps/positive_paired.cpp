// SPDX-License-Identifier: Apache-2.0
// positive_paired (FAVOR+ hyperbolic): phi(x) = (2m)^{-1/2} exp(+-w_i.x + (a - 1) |x|^2): first all +, then all -.
// Unbiased and positive; variance e^{-2|x|^2-2|y|^2} (e^{v2} - 1)^2 / (2m) for iid rows and the Gaussian kernel,
// v2 = |x + y|^2: (1 - e^{-v2}) times that of `positive` at equal output length. Refuses rows as `positive` does.
#include <cmath>

#include "maps/elementwise.h"
#include "theory/conformity.h"

namespace bochner {
namespace {

std::unique_ptr<FeatureMap> make(const MapRequest& request) {
  return std::make_unique<ElementwiseMap>(
      ElementwiseMap::Parameters{.shape = simd::Shape::exp_pair,
                                 .scale = 1 / std::sqrt(2 * static_cast<double>(request.m)),
                                 .offset_exponent = request.norm_exponent - 1,
                                 .longest_direction = request.projection.longest_row()});
}

}  // namespace

extern const Map positive_paired_map;
const Map positive_paired_map = {
    .entry = {.name = "positive_paired",
              .aliases = "favor+hyperbolic",
              .formula = "exp(+-w.x - |x|^2) / sqrt(2m)  (softmax: -|x|^2/2)",
              .summary =
                  "positive features on +w and -w: two outputs per direction, less variance than twice the directions",
              .reference = "Choromanski et al. 2021"},
    .width = fixed_width<2>,
    .symmetric = true,
    .positive = true,
    .paired = true,
    .family = Family::exponential,
    .mse = [](const ErrorRequest& at) -> std::optional<double> {
      return theory::mse_positive_paired(at.pair, at.log_factor, at.blocks);
    },
    .conformity =
        [](double v2, std::size_t d, std::optional<double> cosine) {
          return std::exp(cosine ? theory::log_rho_paired(v2, d, *cosine) : v2);
        },
    .argument = fixed_argument<Argument::sum>,
    .make = make,
};

}  // namespace bochner
