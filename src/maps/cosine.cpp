// SPDX-License-Identifier: Apache-2.0
// cosine: phi(x) = exp(a |x|^2) sqrt(2/m) cos(w_i.x + b_i), b_i uniform on (0, 2 pi), independent. Unbiased; variance
// ((1 - e^{-z2})^2 + 1) / (2m) for iid rows: at equal output length trigonometric always has a smaller one.
#include <cmath>
#include <utility>

#include "core/stream.h"
#include "maps/elementwise.h"
#include "maps/fourier_mse.h"

namespace bochner {
namespace {

std::unique_ptr<FeatureMap> make(const MapRequest& request) {
  const Stream stream(request.seed, Purpose::phases);
  std::vector<double> turns(request.m);
  for (std::size_t i = 0; i < request.m; ++i) {
    const double u = stream.uniform(i, 0);
    turns[i] = u < 0.5 ? u : u - 1;  // the same phase, nearer to 0: the rounding of w.x + b is up to four times finer
  }
  return std::make_unique<ElementwiseMap>(
      ElementwiseMap::Parameters{.shape = simd::Shape::cosine,
                                 .scale = std::sqrt(2 / static_cast<double>(request.m)),
                                 .factor_exponent = request.norm_exponent,
                                 .column_offset = std::move(turns)});
}

}  // namespace

extern const Map cosine_map;
const Map cosine_map = {
    .entry = {.name = "cosine",
              .aliases = "",
              .formula = "sqrt(2/m) cos(w.x + b)",
              .summary =
                  "cosines with random phases: one output per direction, more variance per output than trigonometric",
              .reference = "Rahimi & Recht 2007"},
    .width = fixed_width<1>,
    .symmetric = true,
    .family = Family::fourier,
    .mse = fourier_mse<theory::mse_cosine>,
    .argument = fixed_argument<Argument::difference>,
    .make = make,
};

}  // namespace bochner
