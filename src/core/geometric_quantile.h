// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "core/exact_math.h"

namespace bochner {

/// log(1 - p) for 0 < p <= 1 - 2^-53; relative error < 1e-15. Below p = 1/4 it is -2 atanh(s), s = p / (2 - p) < 1/7,
/// by its Taylor series up to s^25: the terms left out are below 2^-75 of the sum.
inline double exact_log1m(double p) {
  if (p >= 0.25) return exact_log(1.0 - p);
  const double s = p / (2.0 - p);
  const double z = s * s;
  double sum = 0.0;
  for (double odd = 25.0; odd >= 1.0; odd -= 2.0) sum = 1.0 / odd + z * sum;
  return -2.0 * s * sum;
}

/// The inverse of the distribution function 1 - (1 - p)^{k+1} of P(K = k) = p (1 - p)^k: the least k with
/// (1 - p)^{k+1} <= 1 - u, floor(log(1 - u) / log(1 - p)) but at a jump, which rounding may move by 2e-15 of k.
/// 0 < p < 1, 1 - u exact as for unit_interval(), and then k < 37 / p. `log_rest` is exact_log1m(p). libm-free.
inline double geometric_quantile(double u, double log_rest) { return std::floor(exact_log(1.0 - u) / log_rest); }

}  // namespace bochner
