// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace bochner {

/// The inverse of the normal distribution function, AS 241 PPND16 (Wichura, 1988), for 2^-1022 <= u < 1.
/// Relative error < 2e-15, odd about u = 1/2. libm-free, see exact_math.h.
double normal_quantile(double u);

/// values[i] = normal_quantile(unit_interval(words[i])), the same bits; sizes are equal. About 6 ns each on one core.
void normal_quantiles(std::span<const std::uint64_t> words, std::span<double> values);

}  // namespace bochner
