// SPDX-License-Identifier: Apache-2.0
#include "theory/exponential.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "theory/conformity.h"
#include "theory/generalised_exponential.h"
#include "theory/variance.h"

namespace bochner::theory {
namespace {

using Complex = std::complex<double>;

Complex log1p(Complex z) {
  return {0.5 * std::log1p(z.real() * (2.0 + z.real()) + z.imag() * z.imag()), std::arg(1.0 + z)};
}

/// (b + h)/2 and (b - h)/2, b and h as in the header.
struct Moments {
  Complex mean;
  Complex half_gap;
};

/// With q = 4 Im A, (|1-4A| + 4 s a)/(1-8a) = 1 + k for s = -1, 1/(1-8a) + k for s = 1, k = q^2 / ((|1-4A| + 1-4a)
/// (1-8a)): near A = 0 and s = -1, u2 itself cancels in the sum of b and h, so it is never formed there.
Moments moments(Complex A, int s, double u2, std::size_t D) {
  const double a = A.real(), q = 4.0 * A.imag();
  const double room = 1.0 - 8.0 * a;
  const Complex spread_b = static_cast<double>(D) / 4.0 * log1p(16.0 * A * A / (1.0 - 8.0 * A));
  const double spread_h = static_cast<double>(D) / 4.0 * std::log1p(16.0 * std::norm(A) / room);
  const double k = q * q / ((std::abs(1.0 - 4.0 * A) + 1.0 - 4.0 * a) * room);
  const Complex slope_b = 0.5 / (1.0 - 8.0 * A);
  const double slope_h = s > 0 ? 0.5 / room + 0.5 * k : 0.5 + 0.5 * k;
  const Complex slope_mean = s > 0 ? slope_b + slope_h : 0.5 * k - 4.0 * A / (1.0 - 8.0 * A);
  const double sign = s;
  return {spread_b + spread_h + u2 * slope_mean, spread_b - spread_h + u2 * (sign * slope_b - slope_h)};
}

/// What the dependence of rows adds, times e^{log_factor}: that of the plain map with this s. For s = 1 in units of
/// e^{-2nx-2ny} e^{v2} = K^2, in which `single` is e^b - 1: the best A brings it down to such a size for every v2.
Excess shared(int s, const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  if (s < 0) return {pair_sum(blocks, [&](double c) { return conf_difference(pair.z2, blocks.d, c); }), log_factor};
  return {pair_sum(blocks, [&](double c) { return rho_difference(pair.v2, blocks.d, c, pair.v2); }),
          log_factor - pair.z2};
}

/// A from log(1-8A), the coordinate of the search.
Complex A_of(Complex logarithm) { return (1.0 - std::exp(logarithm)) / 8.0; }

}  // namespace

double log_second_moment(Complex A, int s, double v2, double z2, std::size_t D) {
  const Moments at = moments(A, s, s > 0 ? v2 : z2, D);
  const double turned = std::exp(2.0 * at.half_gap.real()) * std::cos(2.0 * at.half_gap.imag());
  return at.mean.real() - at.half_gap.real() + std::log((1.0 + turned) / 2.0) - z2;
}

double mse_exponential(Complex A, int s, const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  const Moments at = moments(A, s, s > 0 ? pair.v2 : pair.z2, blocks.d);
  Excess single = excess_variance(at.mean, at.half_gap);
  single.exponent += log_factor - pair.z2;
  return scaled_sum(single, shared(s, pair, log_factor, blocks)) / static_cast<double>(blocks.m);
}

double mse_generalised(double A, const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  return mse_exponential(A, 1, pair, log_factor, blocks);
}

double optimal_phase_A(double z2, std::size_t D) {
  const auto slope = [&](double rho) {
    return static_cast<double>(D) / 2.0 * (rho - 1.0) - z2 * rho * (1.0 + rho) / (1.0 + std::exp((1.0 + rho) * z2));
  };
  double low = 1.0, high = 2.5;
  while (high - low > 1e-15) {
    const double middle = low + (high - low) / 2.0;
    if (middle == low || middle == high) break;
    (slope(middle) < 0.0 ? low : high) = middle;
  }
  return (1.0 - 1.0 / low) / 8.0;
}

ExponentialWeight optimal_exponential(double v2, double z2, std::size_t D) {
  const double sum = optimal_A(v2, D), difference = optimal_phase_A(z2, D);
  const bool positive = log_second_moment(sum, 1, v2, z2, D) <= log_second_moment(difference, -1, v2, z2, D);
  return positive ? ExponentialWeight{sum, 1} : ExponentialWeight{difference, -1};
}

Complex optimal_complex_A(int s, double v2, double z2, std::size_t D) {
  const auto value = [&](Complex at) {
    if (std::abs(at.imag()) >= std::numbers::pi / 2) return HUGE_VAL;
    return log_second_moment(A_of(at), s, v2, z2, D);
  };
  // A and its conjugate have the same moments; the best real 1-8A is at most 1 + 8 v2/D.
  constexpr int kAlong = 48, kAcross = 16, kStarts = 8;
  const double top = std::log1p(8.0 * v2 / static_cast<double>(D)) + 1.0, bottom = -3.0;
  std::vector<std::pair<double, Complex>> starts;
  for (int i = 0; i <= kAlong; ++i)
    for (int j = 0; j < kAcross; ++j) {
      const Complex at(bottom + (top - bottom) * i / kAlong, std::numbers::pi / 2 * j / kAcross);
      starts.emplace_back(value(at), at);
    }
  std::ranges::partial_sort(starts, starts.begin() + kStarts, {}, [](const auto& start) { return start.first; });
  starts.resize(kStarts);
  for (auto& [least, at] : starts)
    for (double step = (top - bottom) / kAlong; step > 1e-9;) {
      bool moved = false;
      for (const Complex way : {Complex(1, 0), Complex(-1, 0), Complex(0, 1), Complex(0, -1)}) {
        const double trial = value(at + step * way);
        if (trial >= least) continue;
        least = trial, at += step * way, moved = true;
        break;
      }
      if (!moved) step /= 2.0;
    }
  return A_of(std::ranges::min_element(starts, {}, [](const auto& start) { return start.first; })->second);
}

}  // namespace bochner::theory
