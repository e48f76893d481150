// SPDX-License-Identifier: Apache-2.0
#include "theory/variance.h"

#include <algorithm>
#include <cmath>

#include "theory/conformity.h"

namespace bochner::theory {

namespace {

/// m times the mean squared error. For whole blocks of fixed norms the variance is only of order z2^4, as the terms of
/// order z2^2 cancel: for small z2 rounding is all that is left of them, and it must not be negative. In this order of
/// arguments std::max keeps a NaN.
double trigonometric_bracket(const FourierTerms& terms, const BlockStructure& blocks) {
  const double variance = std::max(terms.variance + pair_sum(blocks, terms.covariance), 0.0);
  return variance + static_cast<double>(blocks.m) * terms.bias * terms.bias;
}

}  // namespace

double times_exp(double value, double exponent) {
  return std::abs(exponent) < 700.0 ? value * std::exp(exponent) : std::exp(exponent + std::log(value));
}

PairGeometry pair_geometry(double nx, double ny, double dot) {
  return {.nx = nx, .ny = ny, .dot = dot, .v2 = nx + ny + 2.0 * dot, .z2 = nx + ny - 2.0 * dot};
}

double mse_trigonometric(const FourierTerms& terms, double log_factor, const BlockStructure& blocks) {
  return times_exp(trigonometric_bracket(terms, blocks) / static_cast<double>(blocks.m), log_factor);
}

double mse_cosine(const FourierTerms& terms, double log_factor, const BlockStructure& blocks) {
  return times_exp((trigonometric_bracket(terms, blocks) + 0.5) / static_cast<double>(blocks.m), log_factor);
}

double positive_mse(double bracket, const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  return times_exp(bracket / static_cast<double>(blocks.m), 4.0 * pair.dot + log_factor);
}

double mse_positive(const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  const double coupled =
      pair_sum(blocks, [&](double c) { return rho_difference(pair.v2, blocks.d, c, 2.0 * pair.v2); });
  return positive_mse(-std::expm1(-pair.v2) + coupled, pair, log_factor, blocks);
}

double mse_positive_paired(const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  const double drop = std::expm1(-pair.v2);
  const double coupled =
      pair_sum(blocks, [&](double c) { return rho_paired_difference(pair.v2, blocks.d, c, 2.0 * pair.v2); });
  return positive_mse(drop * drop / 2.0 + coupled, pair, log_factor, blocks);
}

double standard_error(double mse, std::size_t draws) { return std::sqrt(mse / static_cast<double>(draws)); }

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
