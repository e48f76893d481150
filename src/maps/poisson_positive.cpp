// SPDX-License-Identifier: Apache-2.0
// poisson_positive (PoisRF+): the Gaussian features of `poisson` at x - c, c = `shift` at or below every entry, times
// exp(a |x|^2) of x itself. The kernel depends on x - y alone, so they stay unbiased, and no factor is negative;
// variance of `poisson` at x - c and y - c. An entry below c is refused; an entry equal to c makes all features with a
// positive exponent there 0. A row whose features are all 0 has the log scale 0.
#include "maps/monomial.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kRate, kShift};

}  // namespace

extern const Map poisson_positive_map;
const Map poisson_positive_map = {
    .entry =
        {.name = "poisson_positive",
         .aliases = "poisrf+",
         .formula =
             "poisson features of x - shift: exp(rate d/2 - |x-c|^2/2) prod (x_l-c_l)^{k_l} rate^{-k_l/2} / sqrt(m)",
         .summary = "positive monomials with Poisson exponents of rows shifted above 0",
         .reference = "Likhosherstov et al. 2022",
         .parameters = kParameters},
    .width = fixed_width<1>,
    .symmetric = true,
    .positive = true,
    .family = Family::monomial,
    .law = poisson_rows,
    .mse = mse_poisson,
    .make = make_poisson,
    .fit = fit_poisson_positive,
};

}  // namespace bochner
