// SPDX-License-Identifier: Apache-2.0
#include "theory/excess.h"

#include <algorithm>
#include <cmath>

#include "theory/variance.h"

namespace bochner::theory {

Excess excess_variance(std::complex<double> mean, std::complex<double> half_gap) {
  if (std::abs(mean) < 1.0 && std::abs(half_gap) < 1.0) {
    // Re expm1(x + iy) = expm1(x) cos y - 2 sin^2(y/2).
    const double sine = std::sin(mean.imag() / 2.0);
    const std::complex<double> root = std::sinh(half_gap / 2.0);
    const double plain = std::expm1(mean.real()) * std::cos(mean.imag()) - 2.0 * sine * sine;
    return {plain + (2.0 * std::exp(mean) * root * root).real(), 0.0};
  }
  const double h = mean.real() - half_gap.real();
  const double turned = std::exp(2.0 * half_gap.real()) * std::cos(2.0 * half_gap.imag());
  return {(1.0 + turned) / 2.0 - std::exp(-h), h};
}

double scaled_sum(Excess a, Excess b) {
  if (a.value == 0.0) a.exponent = b.exponent;
  if (b.value == 0.0) b.exponent = a.exponent;
  const double top = std::max(a.exponent, b.exponent);
  const double sum = a.value * std::exp(a.exponent - top) + b.value * std::exp(b.exponent - top);
  return times_exp(std::max(0.0, sum), top);
}

}  // namespace bochner::theory
