// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace bochner::testing {

/// The p-value below which a statistical test fails: with fixed seeds one test in a million would fail on right code.
inline constexpr double kLeastP = 1e-6;

/// P(sqrt(n) D_n > lambda) of the Kolmogorov distribution, 2 sum_{k >= 1} (-1)^(k-1) exp(-2 k^2 lambda^2), with
/// Stephens' correction for finite n (1970); good to three digits for n >= 20.
inline double kolmogorov_p_value(double statistic, std::size_t n) {
  const double root = std::sqrt(static_cast<double>(n));
  const double lambda = (root + 0.12 + 0.11 / root) * statistic;
  if (lambda < 0.2) return 1.0;  // 1 - p < 1e-12
  double sum = 0.0;
  for (int k = 1; k <= 100; ++k) sum += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * lambda * lambda);
  return std::clamp(sum, 0.0, 1.0);
}

/// Kolmogorov-Smirnov test of a sample against the continuous distribution function `cdf`.
template <class Cdf>
double ks_p_value(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double statistic = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = cdf(sample[i]);
    statistic = std::max({statistic, expected - i / n, (i + 1) / n - expected});
  }
  return kolmogorov_p_value(statistic, sample.size());
}

/// Pearson's test that `counts` are equally likely.
inline double uniform_chi_square_p_value(std::span<const std::size_t> counts) {
  double total = 0.0;
  for (const std::size_t count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  double statistic = 0.0;
  for (const std::size_t count : counts) statistic += (count - expected) * (count - expected) / expected;
  const boost::math::chi_squared law(static_cast<double>(counts.size() - 1));
  return boost::math::cdf(boost::math::complement(law, statistic));
}

/// Two-sided p-value of a value that is N(0, 1) under the hypothesis.
inline double normal_p_value(double z) { return std::erfc(std::fabs(z) / std::sqrt(2.0)); }

/// Test that two samples of mean 0 are uncorrelated; for large samples (the normal limit).
inline double correlation_p_value(std::span<const double> x, std::span<const double> y) {
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += x[i] * y[i];
    xx += x[i] * x[i];
    yy += y[i] * y[i];
  }
  return normal_p_value(xy / std::sqrt(xx * yy) * std::sqrt(static_cast<double>(x.size())));
}

}  // namespace bochner::testing
