// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exact_math.h"

namespace bochner {

/// The inverse of the Cauchy distribution function, tan(pi (u - 1/2)) for 0 < u < 1. Relative error < 1.2e-15 where
/// u - 1/2 and 1 - u are exact, as for unit_interval(); odd about u = 1/2; |value| < 2.9e15 for the words of a stream.
/// libm-free, see exact_math.h.
inline double cauchy_quantile(double u) {
  const double q = u - 0.5;
  const double side = q < 0.0 ? u : 1.0 - u;
  const double size = side < 0.25 ? 1.0 / exact_tan_pi(side) : exact_tan_pi(q < 0.0 ? -q : q);
  return q < 0.0 ? -size : size;
}

}  // namespace bochner
