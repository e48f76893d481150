// SPDX-License-Identifier: Apache-2.0
#include "theory/complex_exponential.h"

#include <algorithm>
#include <cmath>

#include "theory/variance.h"

namespace bochner::theory {
namespace {

constexpr double kExtreme = 1e12;

/// |y/x| within the allowed range.
double ratio(double x, double y) {
  if (x == 0.0 && y == 0.0) return 1.0;
  return std::clamp(std::abs(y) / std::abs(x), 1.0 / kExtreme, kExtreme);
}

}  // namespace

double mse_complex_exponential(std::span<const std::complex<double>> zc, const PairGeometry& pair, double log_factor,
                               std::size_t m) {
  double real = 0.0, imaginary = 0.0, mixed = 0.0;
  for (const std::complex<double>& entry : zc) {
    real += entry.real() * entry.real();
    imaginary += entry.imag() * entry.imag();
    mixed += entry.real() * entry.imag();
  }
  Excess single = excess_variance({real, mixed}, {-imaginary, mixed});
  single.exponent += log_factor - pair.z2;
  return times_exp(std::max(0.0, single.value), single.exponent) / static_cast<double>(m);
}

PairGeometry positive_counterpart(std::span<const double> zc, const PairGeometry& pair) {
  double h = 0.0;
  for (const double entry : zc) h += entry * entry;
  PairGeometry counterpart = pair;
  counterpart.v2 = h;
  counterpart.dot = (h - pair.z2) / 4.0;  // e^{4 x.y} = K^2 e^h
  return counterpart;
}

std::vector<std::complex<double>> vanishing_diagonal(std::span<const double> x, std::span<const double> y) {
  std::vector<std::complex<double>> diagonal;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double size = std::sqrt(ratio(x[k], y[k]));
    const bool alike = (x[k] > 0.0 && y[k] > 0.0) || (x[k] < 0.0 && y[k] < 0.0);
    diagonal.push_back(alike ? std::complex<double>(0.0, size) : std::complex<double>(size, 0.0));
  }
  return diagonal;
}

std::vector<double> vanishing_real_diagonal(std::span<const double> x, std::span<const double> y) {
  std::vector<double> diagonal;
  for (std::size_t k = 0; k < x.size(); ++k) diagonal.push_back(std::sqrt(ratio(x[k], y[k])));
  return diagonal;
}

}  // namespace bochner::theory
