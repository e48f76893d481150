// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>  // lgamma_r is not in namespace std

namespace bochner {

/// log Gamma(x), x > 0. std::lgamma writes the sign of Gamma to a global variable, a race between threads.
inline double log_gamma(double x) {
  int sign = 1;
  return ::lgamma_r(x, &sign);
}

}  // namespace bochner
