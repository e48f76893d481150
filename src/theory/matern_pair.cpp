// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "theory/matern_harmonics.h"
#include "theory/matern_variance.h"

namespace bochner::theory {
namespace {

constexpr std::size_t kMostDegrees = 96;

/// P_2(c), P_4(c), ...: Gegenbauer polynomials of R^d with P_l(1) = 1, kMostDegrees of them or
/// those that count.
std::vector<double> even_polynomials(double c, double d) {
  std::vector<double> values;
  double before = 1.0, value = c;
  for (double l = 1.0; values.size() < kMostDegrees; l += 1.0) {
    const double next = ((2.0 * l + d - 2.0) * c * value - l * before) / (l + d - 2.0);
    before = value;
    value = next;
    if (std::fmod(l, 2.0) == 0.0) continue;
    values.push_back(value);
    if (std::max(std::abs(value), std::abs(before)) < 1e-20) break;
  }
  return values;
}

/// The sum over n under a smooth window. Without it the last term would be felt where amplitudes fall slowly, as
/// n^{-4 nu - 2}; as P_l(c) turns by t = 2 arccos|c| from n to n + 1, a window of width 4 leaves e^{-8 t^2} of it.
double oscillating_sum(double nu, double z2, std::size_t d, double c) {
  const std::vector<double> polynomials = even_polynomials(c, static_cast<double>(d));
  const std::vector<double> amplitudes = mixed_amplitudes(nu, z2, d, first_degrees(polynomials.size(), d));
  double sum = 0.0;
  for (std::size_t k = amplitudes.size(); k-- > 0;) {
    const double window = 0.5 * std::erfc((static_cast<double>(k) - 71.0) / (4.0 * std::numbers::sqrt2));
    sum += window * polynomials[k] * amplitudes[k] * amplitudes[k];
  }
  return sum;
}

/// int T(n) dn over a panel of log n.
double panel_sum(double nu, double z2, std::size_t d, double first, double length) {
  using Rule = boost::math::quadrature::gauss<double, 20>;
  std::vector<double> n, weights;
  for (const double side : {-1.0, 1.0})
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      n.push_back(std::exp(first + length / 2.0 * (1.0 + side * Rule::abscissa()[i])));
      weights.push_back(length / 2.0 * Rule::weights()[i] * n.back());
    }
  const std::vector<double> amplitudes = mixed_amplitudes(nu, z2, d, degrees_at(n, d));
  double sum = 0.0;
  for (std::size_t k = 0; k < n.size(); ++k) sum += weights[k] * amplitudes[k] * amplitudes[k];
  return sum;
}

/// c = -1, all P_l = 1: positive terms T(n), smooth in n. Beyond `direct` of them Euler's and Maclaurin's formula about
/// n = direct + 1/2, the integral over panels of 3 standard deviations of the peak near l = |w||z|, which spreads with
/// the radii of rows.
double antipodal_sum(double nu, double z2, std::size_t d) {
  const double dim = static_cast<double>(d);
  const double length = std::min(2.0, 3.0 * std::max(1.0 / std::sqrt(nu), 1.0 / std::sqrt(dim)));
  const auto direct = static_cast<std::size_t>(std::max(48.0, std::ceil(24.0 / length)));
  const std::vector<double> amplitudes = mixed_amplitudes(nu, z2, d, first_degrees(direct + 2, d));
  const auto term = [&](std::size_t n) { return amplitudes[n - 1] * amplitudes[n - 1]; };
  double sum = (term(direct + 1) - term(direct)) / 24.0 -
               17.0 / 5760.0 * (term(direct + 2) - 3.0 * term(direct + 1) + 3.0 * term(direct) - term(direct - 1));
  for (std::size_t n = direct; n > 0; --n) sum += term(n);
  const double peak = 0.5 * (std::log(z2) + std::log(dim));
  const double start = std::log(static_cast<double>(direct) + 0.5);
  for (double first = start; first < std::max(peak, start) + 20.0; first += length) {
    const double part = panel_sum(nu, z2, d, first, length);
    sum += part;
    if (part <= 1e-17 * sum && first > peak) break;
  }
  return sum;
}

}  // namespace

double pair_difference_matern(double nu, double z2, std::size_t d, double c) {
  if (z2 == 0.0) return 0.0;
  if (std::abs(c) != 1.0) return oscillating_sum(nu, z2, d, c);
  // Far away it falls as 1/|z|: what is left is the probability that both rows are nearly at right angles with z.
  constexpr double kFar = 1e12;
  return z2 <= kFar ? antipodal_sum(nu, z2, d) : antipodal_sum(nu, kFar, d) * std::sqrt(kFar / z2);
}

}  // namespace bochner::theory
