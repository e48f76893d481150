// SPDX-License-Identifier: Apache-2.0
// sign: phi(x) = m^{-1/2} sgn(w_i.x), sgn(0) = +1. Mean 1 - 2 theta / pi for any isotropic rows, theta the angle
// between x and y (Goemans & Williamson, 1995); variance (1 - (1 - 2 theta/pi)^2) / m for iid rows. For orthogonal rows
// no closed form is known in general. A projection that rounds to the other side of 0 flips its sign.
#include <cmath>

#include "maps/elementwise.h"
#include "theory/angle.h"

namespace bochner {
namespace {

std::unique_ptr<FeatureMap> make(const MapRequest& request) {
  return std::make_unique<ElementwiseMap>(
      ElementwiseMap::Parameters{.shape = simd::Shape::sign, .scale = 1 / std::sqrt(static_cast<double>(request.m))});
}

}  // namespace

extern const Map sign_map;
const Map sign_map = {
    .entry = {.name = "sign",
              .aliases = "",
              .formula = "sgn(w.x) / sqrt(m), sgn(0) = +1",
              .summary = "signs: one bit per direction, the angle between x and y",
              .reference = "Charikar 2002"},
    .width = fixed_width<1>,
    .symmetric = true,
    .family = Family::sign,
    .mse = [](const ErrorRequest& at) -> std::optional<double> {
      if (!at.independent) return std::nullopt;
      return theory::times_exp(theory::mse_sign(at.x, at.y, at.blocks.m), at.log_factor);
    },
    .argument = fixed_argument<Argument::invariant>,
    .make = make,
};

}  // namespace bochner
