// SPDX-License-Identifier: Apache-2.0
// optimal_positive (OPRF, FAVOR++, Likhosherstov et al., 2022): phi(x) = m^{-1/2} (1-4A)^{D/4} exp(A |w_i|^2 +
// sqrt(1-4A) w_i.x + (a - 1) |x|^2), A < 1/8, D the dimension in which rows are drawn. Unbiased and positive; bounded
// for A < 0. A = 0 is `positive`. The best A follows from the mean of |x+y|^2 and is negative; it reduces the variance
// by a factor e^{61} at |x+y|^2 = 100, d = 64. Rows with an exponent above 88 (float) or 709 (double) are refused.
#include "maps/generalised_exponential.h"
#include "theory/exponential.h"
#include "theory/generalised_exponential.h"

namespace bochner {
extern const Map optimal_positive_map;
const Map optimal_positive_map = {
    .entry = {.name = "optimal_positive",
              .aliases = "oprf favor++",
              .formula = "(1-4A)^{d/4} exp(A|w|^2 + sqrt(1-4A) w.x - |x|^2) / sqrt(m)",
              .summary = "positive features with the weight of |w|^2 that minimises the variance",
              .reference = "Likhosherstov et al. 2022",
              .parameters = kWeightParameters},
    .width = fixed_width<1>,
    .symmetric = true,
    .positive = true,
    .weighted = true,
    .family = Family::exponential,
    .mse = weighted_mse<theory::mse_generalised>,
    .argument = fixed_argument<Argument::sum>,
    .make = make_weighted<simd::Shape::exp>,
    .fit = fit_weight<theory::optimal_A>,
};

}  // namespace bochner
