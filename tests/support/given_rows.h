// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bochner/matrix_view.h"

namespace bochner::theory {

/// 0F1(; b; x) for b > 0, x >= 0: a series of positive terms.
inline double confluent_limit(double b, double x) {
  double term = 1.0;
  double sum = 1.0;
  for (double k = 0.0; term > 1e-18 * sum; k += 1.0) {
    term *= x / ((b + k) * (k + 1.0));
    sum += term;
  }
  return sum;
}

/// Conformity of given rows of W (m x d, m >= 2) under one uniform rotation: the mean over ordered pairs i != j of
///   E e^{(w_i+w_j).v} = 0F1(; d/2; v2 |w_i+w_j|^2 / 4),   v2 = |v|^2,
/// what rho of conformity.h is for random norms. Relative error 1e-15 max(10, sqrt(v2) |w_i+w_j|); O(m^2 d).
inline double conformity_of_rows(MatrixView<const double> W, double v2) {
  const double half_d = static_cast<double>(W.cols()) / 2.0;
  double total = 0.0;
  for (std::size_t i = 0; i < W.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double length2 = 0.0;
      for (std::size_t l = 0; l < W.cols(); ++l) length2 += (W(i, l) + W(j, l)) * (W(i, l) + W(j, l));
      total += confluent_limit(half_d, v2 * length2 / 4.0);
    }
  }
  const double m = static_cast<double>(W.rows());
  return total / (m * (m - 1.0) / 2.0);
}

}  // namespace bochner::theory
