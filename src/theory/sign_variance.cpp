// SPDX-License-Identifier: Apache-2.0
#include "theory/sign_variance.h"

#include "theory/angle.h"

namespace bochner::theory {

double mse_sign(std::span<const double> x, std::span<const double> y, std::size_t m) {
  const Angle angle = angle_between(x, y);
  return 4.0 * angle.fraction * angle.rest / static_cast<double>(m);
}

}  // namespace bochner::theory
