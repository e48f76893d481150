// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace bochner::theory {

/// E f_K for K ~ Poisson(mean): sum_k e^{-mean} mean^k / k! f_k, for |f_k| <= 2 given one after the other.
/// `Sequence` has value() = f_k, advance(k) from f_k to f_{k+1}, and finished(): every later |f| is below 1e-18.
/// Error: 1e-16 max(1, mean) times the sum of the absolute terms, so relative where the f_k have one sign. Weights are
/// rescaled on the way, so nothing over- or underflows. Cost: mean + 9 sqrt(mean) + 20 terms, or fewer when finished.
template <class Sequence>
double poisson_mean(double mean, Sequence f) {
  constexpr double kBig = 0x1p900;
  constexpr double kLogBig = 623.83246250395077;  // 900 log 2
  double weight = 1.0;
  double log_scale = 0.0;
  double sum = 0.0;
  double magnitude = 0.0;
  for (double k = 0.0;; k += 1.0) {
    const double term = weight * f.value();
    sum += term;
    magnitude += std::abs(term);
    // f_0 = f_1 = 0 is common, so the first three terms are never taken for the end.
    if (f.finished() || (k > mean + 2.0 && std::abs(term) <= 1e-18 * magnitude)) break;
    f.advance(k);
    weight *= mean / (k + 1.0);
    if (weight > kBig) {
      weight /= kBig;
      sum /= kBig;
      magnitude /= kBig;
      log_scale += kLogBig;
    }
  }
  return sum * std::exp(log_scale - mean);
}

}  // namespace bochner::theory
