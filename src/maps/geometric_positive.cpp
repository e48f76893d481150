// SPDX-License-Identifier: Apache-2.0
// geometric_positive (GeomRF+): the Gaussian features of `geometric` at x - c, c = `shift` at or below every entry,
// times exp(a |x|^2) of x itself. Unbiased and positive; variance of `geometric` at x - c and y - c. Entries at and
// below c are treated as in `poisson_positive`.
#include "maps/monomial.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kSuccess, kShift};

}  // namespace

extern const Map geometric_positive_map;
const Map geometric_positive_map = {
    .entry = {.name = "geometric_positive",
              .aliases = "geomrf+",
              .formula = "geometric features of x - shift: p^{-d/2} exp(-|x-c|^2/2) prod (x_l-c_l)^{k_l} ((1-p)^{k_l} "
                         "k_l!)^{-1/2} / sqrt(m)",
              .summary = "positive monomials with geometric exponents of rows shifted above 0",
              .reference = "Likhosherstov et al. 2022",
              .parameters = kParameters},
    .width = fixed_width<1>,
    .symmetric = true,
    .positive = true,
    .family = Family::monomial,
    .law = geometric_rows,
    .mse = mse_geometric,
    .make = make_geometric,
    .fit = fit_geometric_positive,
};

}  // namespace bochner
