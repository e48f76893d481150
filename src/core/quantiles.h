// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/exact_math.h"

namespace bochner {

/// The inverse of the normal distribution function, AS 241 PPND16 (Wichura, 1988), for 2^-1022 <= u < 1.
/// Relative error < 2e-15, odd about u = 1/2. libm-free, see exact_math.h.
double normal_quantile(double u);

/// values[i] = normal_quantile(unit_interval(words[i])), the same bits; sizes are equal. About 6 ns each on one core.
void normal_quantiles(std::span<const std::uint64_t> words, std::span<double> values);

/// The inverse of the distribution function of Laplace(1), density e^{-|w|} / 2: log(2u) below u = 1/2, -log(2(1 - u))
/// above, for 2^-1022 <= u < 1. Error < 1 ulp where 1 - u is exact, as for unit_interval(); odd about u = 1/2;
/// |value| < 36.05 for the words of a stream. libm-free, see exact_math.h.
inline double laplace_quantile(double u) { return u < 0.5 ? exact_log(2.0 * u) : -exact_log(2.0 * (1.0 - u)); }

/// The inverse of the Cauchy distribution function, tan(pi (u - 1/2)) for 0 < u < 1. Relative error < 1.2e-15 where
/// u - 1/2 and 1 - u are exact, as for unit_interval(); odd about u = 1/2; |value| < 2.9e15 for the words of a stream.
/// libm-free, see exact_math.h.
inline double cauchy_quantile(double u) {
  const double q = u - 0.5;
  const double side = q < 0.0 ? u : 1.0 - u;
  const double size = side < 0.25 ? 1.0 / exact_tan_pi(side) : exact_tan_pi(q < 0.0 ? -q : q);
  return q < 0.0 ? -size : size;
}

/// log(1 - p) for 0 < p <= 1 - 2^-53; relative error < 1e-15. Below p = 1/4 it is -2 atanh(s), s = p / (2 - p) < 1/7,
/// by its Taylor series up to s^25: the terms left out are below 2^-75 of the sum.
inline double exact_log1m(double p) {
  if (p >= 0.25) return exact_log(1.0 - p);
  const double s = p / (2.0 - p);
  const double z = s * s;
  double sum = 0.0;
  for (double odd = 25.0; odd >= 1.0; odd -= 2.0) sum = 1.0 / odd + z * sum;
  return -2.0 * s * sum;
}

/// The inverse of the distribution function 1 - (1 - p)^{k+1} of P(K = k) = p (1 - p)^k: the least k with
/// (1 - p)^{k+1} <= 1 - u, floor(log(1 - u) / log(1 - p)) except at a jump, which rounding may move by 2e-15 of k.
/// 0 < p < 1, 1 - u exact as for unit_interval(), which makes k < 37 / p. `log_rest` is exact_log1m(p). libm-free.
inline double geometric_quantile(double u, double log_rest) { return std::floor(exact_log(1.0 - u) / log_rest); }

/// The inverse of the distribution function of Poisson(rate): the least k with P(K <= k) >= u, for 0 < u < 1.
///
/// P(K = k) / P(K = mode) is a product of rate / j upwards from the mode and of j / rate downwards, until terms are
/// below 2^-80. The terms are summed upwards and divided by their sum, so e^{-rate} is never formed. The distribution
/// function has an error below 1e-16 times the number of terms, about 21 sqrt(rate) + 40. 1e-300 <= rate <= 1e6.
/// libm-free, see exact_math.h. O(log) comparisons for one value.
class PoissonQuantile {
 public:
  explicit PoissonQuantile(double rate);

  double operator()(double u) const;

 private:
  double first_;                    ///< k of the first entry
  std::vector<double> cumulative_;  ///< P(K <= first_ + i)
};

}  // namespace bochner
