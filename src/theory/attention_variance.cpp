// SPDX-License-Identifier: Apache-2.0
#include "theory/attention_variance.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bochner::theory {
namespace {

/// log sum_l exp(x.y_l).
double log_partition(std::span<const double> x, MatrixView<const double> Y) {
  std::vector<double> products(Y.rows(), 0.0);
  for (std::size_t i = 0; i < Y.rows(); ++i)
    for (std::size_t l = 0; l < x.size(); ++l) products[i] += x[l] * Y(i, l);
  const double top = *std::ranges::max_element(products);
  double sum = 0;
  for (const double product : products) sum += std::exp(product - top);
  return top + std::log(sum);
}

}  // namespace

Matrix<double> second_moments_of_weights(double A, bool paired, std::span<const double> x, MatrixView<const double> Y,
                                         std::size_t D) {
  const std::size_t n = Y.rows();
  const double slope = (1 - 4 * A) / (2 * (1 - 8 * A)), log_total = log_partition(x, Y);
  const double log_factor = static_cast<double>(D) * (std::log1p(-4 * A) - std::log1p(-8 * A) / 2) - 2 * log_total;
  Matrix<double> moments(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0, difference = 0, norms = 0;
      for (std::size_t l = 0; l < x.size(); ++l) {
        const double s = 2 * x[l] + Y(i, l) + Y(j, l), z = Y(i, l) - Y(j, l);
        sum += s * s;
        difference += z * z;
        norms += x[l] * x[l] + (Y(i, l) * Y(i, l) + Y(j, l) * Y(j, l)) / 2;
      }
      const double same = std::exp(slope * sum - norms + log_factor);
      const double cross = paired ? std::exp(slope * difference - norms + log_factor) : same;
      moments(i, j) = moments(j, i) = (same + cross) / 2;
    }
  return moments;
}

}  // namespace bochner::theory
