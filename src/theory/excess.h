// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

namespace bochner::theory {

/// E (Re f)^2 = (Re E f^2 + E |f|^2)/2 of a complex random number f of mean 1, less 1: its variance g, from
/// b = log E f^2 (complex) and h = log E |f|^2 >= Re b. Kept as mean = (b + h)/2 and half gap = (b - h)/2, which the
/// caller has without cancellation: for small ones g = Re(expm1(mean) + 2 e^mean sinh^2(half_gap / 2)).
/// As value e^{exponent}, so that nothing overflows.
struct Excess {
  double value;
  double exponent;
};

Excess excess_variance(std::complex<double> mean, std::complex<double> half_gap);

/// a e^{a.exponent} + b e^{b.exponent}, at least 0; +inf where it is above 1.8e308. A value of 0 counts for nothing,
/// however large its exponent.
double scaled_sum(Excess a, Excess b);

}  // namespace bochner::theory
