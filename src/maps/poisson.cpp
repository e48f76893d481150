// SPDX-License-Identifier: Apache-2.0
// poisson (PoisRF): phi(x) = m^{-1/2} exp(rate d/2 + (a - 1/2) |x|^2) prod_l x_l^{k_l} rate^{-k_l/2}, k_l ~
// Poisson(rate) independent. Unbiased, of either sign; variance K^2 (exp(sum_l (rate - x_l y_l)^2 / rate) - 1) / m for
// iid rows: zero where all x_l y_l equal the rate, large where they have the opposite sign. Cost per row: a logarithm
// per coordinate, a multiply-add per non-zero exponent, an exponential per output. Rows with a log-feature above 88
// (float) or 709 (double) are refused.
#include "maps/monomial.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kRate};

}  // namespace

extern const Map poisson_map;
const Map poisson_map = {
    .entry = {.name = "poisson",
              .aliases = "poisrf",
              .formula = "exp(rate d/2 - |x|^2/2) prod x_l^{k_l} rate^{-k_l/2} / sqrt(m)",
              .summary = "monomials with Poisson exponents; for rows whose coordinates keep their sign",
              .reference = "Likhosherstov et al. 2022",
              .parameters = kParameters},
    .width = fixed_width<1>,
    .symmetric = true,
    .family = Family::monomial,
    .law = poisson_rows,
    .mse = mse_poisson,
    .make = make_poisson,
    .fit = fit_poisson,
};

}  // namespace bochner
