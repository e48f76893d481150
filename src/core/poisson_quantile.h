// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace bochner {

/// The inverse of the distribution function of Poisson(rate): the least k with P(K <= k) >= u, for 0 < u < 1.
///
/// P(K = k) / P(K = mode) = product of rate / j upwards and j / rate downwards from the mode, until terms are below
/// 2^-80; they are summed upwards and divided by their sum, so e^{-rate} is never formed. The distribution function has
/// an error below 1e-16 times the number of terms, about 21 sqrt(rate) + 40. 1e-300 <= rate <= 1e6. libm-free, see
/// exact_math.h. O(log) comparisons for one value.
class PoissonQuantile {
 public:
  explicit PoissonQuantile(double rate);

  double operator()(double u) const;

 private:
  double first_;                    ///< k of the first entry
  std::vector<double> cumulative_;  ///< P(K <= first_ + i)
};

}  // namespace bochner
