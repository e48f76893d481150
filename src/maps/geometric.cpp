// SPDX-License-Identifier: Apache-2.0
// geometric (GeomRF): phi(x) = m^{-1/2} p^{-d/2} exp((a - 1/2) |x|^2) prod_l x_l^{k_l} ((1-p)^{k_l} k_l!)^{-1/2}, with
// P(k_l = k) = p (1-p)^k independent. Unbiased, of either sign; variance K^2 (e^excess - 1) / m for iid rows,
// excess = sum_l [ log I_0(2 |x_l y_l| / sqrt(1-p)) - log p - 2 x_l y_l ]. Cost and refused rows as for `poisson`.
#include "maps/monomial.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kSuccess};

}  // namespace

extern const Map geometric_map;
const Map geometric_map = {
    .entry = {.name = "geometric",
              .aliases = "geomrf",
              .formula = "p^{-d/2} exp(-|x|^2/2) prod x_l^{k_l} ((1-p)^{k_l} k_l!)^{-1/2} / sqrt(m)",
              .summary =
                  "monomials with geometric exponents: heavier tails than poisson, for products x_l y_l of many sizes",
              .reference = "Likhosherstov et al. 2022",
              .parameters = kParameters},
    .width = fixed_width<1>,
    .symmetric = true,
    .family = Family::monomial,
    .law = geometric_rows,
    .mse = mse_geometric,
    .make = make_geometric,
    .fit = fit_geometric,
};

}  // namespace bochner
