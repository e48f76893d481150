// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exact_math.h"

namespace bochner {

/// The inverse of the distribution function of Laplace(1), density e^{-|w|} / 2: log(2u) below u = 1/2, -log(2(1 - u))
/// above, for 2^-1022 <= u < 1. Error < 1 ulp where 1 - u is exact, as for unit_interval(); odd about u = 1/2;
/// |value| < 36.05 for the words of a stream. libm-free, see exact_math.h.
inline double laplace_quantile(double u) { return u < 0.5 ? exact_log(2.0 * u) : -exact_log(2.0 * (1.0 - u)); }

}  // namespace bochner
