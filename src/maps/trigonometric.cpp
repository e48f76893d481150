// SPDX-License-Identifier: Apache-2.0
// trigonometric: phi(x) = exp(a |x|^2) m^{-1/2} (sin(w_i.x), cos(w_i.x)): first all sines, then all cosines.
// phi(x).phi(y) = exp(a (|x|^2 + |y|^2)) mean_i cos(w_i.(x - y)); unbiased; variance (1 - e^{-z2})^2 / (2m) for iid
// rows and the Gaussian kernel, z2 = |x - y|^2: zero at x = y.
#include <cmath>

#include "maps/elementwise.h"
#include "maps/fourier_mse.h"
#include "theory/conformity.h"

namespace bochner {
namespace {

std::unique_ptr<FeatureMap> make(const MapRequest& request) {
  return std::make_unique<ElementwiseMap>(
      ElementwiseMap::Parameters{.shape = simd::Shape::sincos,
                                 .scale = 1 / std::sqrt(static_cast<double>(request.m)),
                                 .factor_exponent = request.norm_exponent});
}

}  // namespace

extern const Map trigonometric_map;
const Map trigonometric_map = {
    .entry = {.name = "trigonometric",
              .aliases = "rff trigrf",
              .formula = "(sin(w.x), cos(w.x)) / sqrt(m)",
              .summary = "sines and cosines; bounded, exact at x = y, the default",
              .reference = "Rahimi & Recht 2007"},
    .width = fixed_width<2>,
    .symmetric = true,
    .family = Family::fourier,
    .mse = fourier_mse<theory::mse_trigonometric>,
    .conformity = [](double z2, std::size_t d,
                     std::optional<double> cosine) { return cosine ? theory::conf(z2, d, *cosine) : std::exp(-z2); },
    .argument = fixed_argument<Argument::difference>,
    .make = make,
};

}  // namespace bochner
