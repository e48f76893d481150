// SPDX-License-Identifier: Apache-2.0
#include "theory/matern_variance.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "core/log_gamma.h"
#include "theory/quadrature.h"

namespace bochner::theory {

double variance_matern(double nu, double z2) {
  if (z2 == 0.0) return 0.0;
  // Where s z2 / 2 > 750 the exponentials are 0.
  const double log_half = std::log(nu) + std::log(z2) - std::log(2.0);
  const GammaRule rule = gamma_rule(nu, log_half - std::log(750.0));
  const auto drop = [&](const GammaNode& node) { return -std::expm1(-std::exp(log_half - node.log_value)); };
  double mean = rule.rest;
  double within = rule.rest;
  for (const GammaNode& node : rule.nodes) {
    const double one = drop(node);
    const double two = one * (2.0 - one);
    mean += node.weight * one;
    within += node.weight * two * two;
  }
  double between = rule.rest * (1.0 - mean) * (1.0 - mean);
  for (const GammaNode& node : rule.nodes) {
    const double deviation = drop(node) - mean;
    between += node.weight * deviation * deviation;
  }
  return within / 2.0 + between;
}

namespace {

constexpr double kLogNegligible = -90.0;
constexpr double kNegligible = 1e-18;

/// log(x^x e^{-x} / Gamma(x)), about log(x / 2 pi) / 2: log Gamma without the part that takes up its digits.
double log_stirling(double x) {
  if (x < 30.0) return x * std::log(x) - x - log_gamma(x);
  const double inverse = 1.0 / (x * x);
  const double rest = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
  return 0.5 * std::log(x / (2.0 * std::numbers::pi)) - rest;
}

/// The peak of the integrand of A_n as a function of log(b/(1-b)), where y b^2 - (y + D/2 + 2n) b + D/2 + n = 0.
struct Peak {
  double b;
  double rest;       ///< 1 - b
  double curvature;  ///< minus the second derivative of the logarithm
  double log_value;
};

Peak peak_of(double n, double log_y, double D) {
  const double y = std::exp(log_y), half = D / 2.0, a = half + n;
  const double root = std::sqrt((y - a - n) * (y - a - n) + 4.0 * y * n), sum = y + a + n + root;
  const double b = 2.0 * a / sum;
  const double rest = (y < half ? 4.0 * n * a / (root + half - y) : y - half + root) / sum;
  // n log(y b (1-b)) - log Gamma(n) - y b without large terms; at the peak y b (1-b) / n = 1 + excess.
  const double share = y * b * rest / n, excess = half * rest / n - 2.0 * b;
  const double power =
      share < 0.5 ? log_y + std::log(b * rest / n) + 1.0 - y * b / n : std::log1p(excess) - (excess + b) / rest;
  return {.b = b,
          .rest = rest,
          .curvature = root * b * rest,
          .log_value = n * power + half * std::log(b) + log_stirling(n)};
}

/// exp(log_scale) A_n(e^{log_y}).
double amplitude(double n, double log_y, double D, double log_scale) {
  const auto [b, rest, curvature, log_value] = peak_of(n, log_y, D);
  if (log_value + log_scale < -740.0) return 0.0;
  const double y = std::exp(log_y), a = D / 2.0 + n;
  const double step = std::min(0.2, 0.6 / std::sqrt(curvature));
  double total = 1.0;
  for (const double side : {-step, step}) {
    double term = 1.0;
    for (double i = 1.0; term > kNegligible * total; i += 1.0) {
      const double x = i * side, grown = std::expm1(x), spread = b * grown;
      term = std::exp(a * x - (a + n) * std::log1p(spread) - y * b * rest * grown / (1.0 + spread));
      total += term;
    }
  }
  return step * std::exp(log_value + log_scale) * total;
}

/// Density of log G, G ~ Gamma(nu), at log(nu) + u.
class LogGammaDensity {
 public:
  explicit LogGammaDensity(double nu) : nu_(nu), log_peak_(log_stirling(nu)) {}
  double at(double u) const { return std::exp(log_peak_ + log_ratio(u)); }
  /// The logarithm of the density relative to its peak.
  double log_ratio(double u) const { return nu_ * (u - std::expm1(u)); }

 private:
  double nu_;
  double log_peak_;
};

/// For each i, sqrt(N_l) A_n of all degrees at y = e^{step i}.
using Columns = std::map<long, std::vector<double>>;

/// The columns that this thread keeps.
Columns& kept_columns(std::size_t D, double step, const HarmonicDegrees& degrees) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  using Key = std::tuple<std::size_t, double, double, std::size_t>;
  static thread_local std::map<Key, Columns> kept;
  std::size_t numbers = 0;
  for (const auto& [key, columns] : kept) numbers += std::get<3>(key) * columns.size();
  if (numbers > kMost) kept.clear();
  return kept[Key(D, step, degrees.n.back(), degrees.n.size())];
}

const std::vector<double>& column(Columns& columns, long i, double log_y, double D, const HarmonicDegrees& degrees) {
  std::vector<double>& values = columns[i];
  if (values.empty())
    for (std::size_t k = 0; k < degrees.n.size(); ++k)
      values.push_back(amplitude(degrees.n[k], log_y, D, degrees.half_log_count[k]));
  return values;
}

/// The log y from which the terms of the mean over log y count for the least n; they are log-concave in log y.
double first_that_counts(double n, double D, double log_half, const LogGammaDensity& density, double low, double high) {
  const auto log_term = [&](double log_y) {
    return peak_of(n, log_y, D).log_value + density.log_ratio(log_half - log_y);
  };
  double left = low, right = high;
  for (int i = 0; i < 100 && right - left > 1e-3; ++i) {
    const double inner = left + 0.4 * (right - left), outer = left + 0.6 * (right - left);
    (log_term(inner) < log_term(outer) ? left : right) = log_term(inner) < log_term(outer) ? inner : outer;
  }
  const double least = log_term(right) - 60.0;
  for (left = low; right - left > 0.01;) {
    const double middle = (left + right) / 2.0;
    (log_term(middle) < least ? left : right) = middle;
  }
  return left;
}

double half_log_count(double l, double D) {
  const double x = l + 1.0, more = D - 3.0;
  const double ratio = more * std::log(x + more) + x * std::log1p(more / x) - more + log_stirling(x) -
                       log_stirling(x + more);  // log of Gamma(x + more) / Gamma(x)
  return 0.5 * (std::log(2.0 * l + D - 2.0) + ratio - log_gamma(D - 1.0));
}

}  // namespace

HarmonicDegrees first_degrees(std::size_t last, std::size_t D) {
  HarmonicDegrees degrees;
  const double dim = static_cast<double>(D);
  double log_count = std::log(dim);  // N_1; differences of log Gamma have no digits left for large D
  for (double l = 2.0; l <= 2.0 * static_cast<double>(last); l += 1.0) {
    log_count += std::log((2.0 * l + dim - 2.0) / (2.0 * l + dim - 4.0) * (l + dim - 3.0) / l);
    if (std::fmod(l, 2.0) != 0.0) continue;
    degrees.n.push_back(l / 2.0);
    degrees.half_log_count.push_back(log_count / 2.0);
  }
  return degrees;
}

HarmonicDegrees degrees_at(std::vector<double> n, std::size_t D) {
  HarmonicDegrees degrees{std::move(n), {}};
  for (const double half : degrees.n)
    degrees.half_log_count.push_back(half_log_count(2.0 * half, static_cast<double>(D)));
  return degrees;
}

std::vector<double> mixed_amplitudes(double nu, double z2, std::size_t D, const HarmonicDegrees& degrees) {
  const double dim = static_cast<double>(D), log_half = std::log(z2) - std::log(2.0);  // log y = log_half - u
  const double step = std::min(0.2, 0.5 / std::sqrt(nu + 1.0 / (1.0 / degrees.n.back() + 2.0 / dim)));
  const LogGammaDensity density(nu);
  double largest = 0.0;
  while (density.log_ratio(largest) > kLogNegligible) largest += std::min(0.2, 0.5 / std::sqrt(nu));
  const double highest = 2.0 * std::log(degrees.n.back() + dim) + 100.0;
  const double lowest = log_half - largest;
  const double least = *std::ranges::min_element(degrees.n);
  const double start = least > 1.0 ? first_that_counts(least, dim, log_half, density, lowest, highest) : lowest;
  Columns& columns = kept_columns(D, step, degrees);
  std::vector<double> sums(degrees.n.size(), 0.0);
  for (long i = static_cast<long>(std::floor(start / step));; ++i) {
    const double log_y = step * static_cast<double>(i), u = log_half - log_y;
    if (log_y > highest || (u < 0.0 && density.log_ratio(u) < -700.0)) break;
    const double weight = step * density.at(u);
    const std::vector<double>& values = column(columns, i, log_y, dim, degrees);
    // The terms of each degree rise to one peak and fall, each peak at its own y.
    bool counts = false, found = false;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double term = weight * values[k];
      sums[k] += term;
      found = found || sums[k] > 0.0;
      counts = counts || term > kNegligible * sums[k];
    }
    if (found && !counts) break;
  }
  return sums;
}

namespace {

constexpr std::size_t kMostDegrees = 96;

/// P_2(c), P_4(c), ...: Gegenbauer polynomials of R^d with P_l(1) = 1, kMostDegrees of them or those that are not
/// negligible.
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

/// The sum over n under a smooth window. Without it the last term would be visible where amplitudes fall slowly, as
/// n^{-4 nu - 2}; since P_l(c) turns by t = 2 arccos|c| from n to n + 1, a window of width 4 leaves e^{-8 t^2} of it.
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

/// The integral of T(n) dn over a panel of log n.
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

/// At c = -1 all P_l = 1: positive terms T(n), smooth in n. After the first `direct` terms follows the Euler-Maclaurin
/// formula about n = direct + 1/2, with its integral in panels of 3 standard deviations of the peak near l = |w||z|,
/// which spreads with the radii of rows.
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
  // Far away the value falls as 1/|z|: what is left is the probability that both rows are nearly at right angles to z.
  constexpr double kFar = 1e12;
  return z2 <= kFar ? antipodal_sum(nu, z2, d) : antipodal_sum(nu, kFar, d) * std::sqrt(kFar / z2);
}

}  // namespace bochner::theory
