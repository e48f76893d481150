// SPDX-License-Identifier: Apache-2.0
// optimal_positive_paired: the features of optimal_positive for w_i and -w_i, phi(x) = (2m)^{-1/2}
// (1-4A)^{D/4} exp(A |w_i|^2 +- sqrt(1-4A) w_i.x + (a - 1) |x|^2): first all +, then all -. Unbiased and positive; of
// all positive maps the one with the smallest error for rows around 0 at equal output length, with half as many
// directions.
#include "maps/generalised_exponential.h"
#include "theory/generalised_exponential.h"

namespace bochner {
extern const Map optimal_positive_paired_map;
const Map optimal_positive_paired_map = {
    .entry = {.name = "optimal_positive_paired",
              .aliases = "oprf++",
              .formula = "(1-4A)^{d/4} exp(A|w|^2 +- sqrt(1-4A) w.x - |x|^2) / sqrt(2m)",
              .summary = "optimal positive features in pairs +-w: the smallest error of positive maps about 0",
              .reference = "Likhosherstov et al. 2022",
              .parameters = kWeightParameters},
    .width = fixed_width<2>,
    .symmetric = true,
    .positive = true,
    .paired = true,
    .weighted = true,
    .family = Family::exponential,
    .mse = weighted_mse<theory::mse_generalised_paired>,
    .argument = fixed_argument<Argument::sum>,
    .make = make_weighted<simd::Shape::exp_pair>,
    .fit = fit_weight<theory::optimal_paired_A>,
};

}  // namespace bochner
