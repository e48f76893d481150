// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/features.h"

namespace bochner::test {

/// phi(x_i).phi(y_j): X as queries, Y as keys.
inline Matrix<double> estimates(const Features& features, const Matrix<double>& X, const Matrix<double>& Y) {
  Matrix<double> Zx(X.rows(), features.outputs()), Zy(Y.rows(), features.outputs()), K(X.rows(), Y.rows(), 0.0);
  features.transform(X.view(), Zx.view(), Side::query);
  features.transform(Y.view(), Zy.view(), Side::key);
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < Y.rows(); ++j)
      for (std::size_t k = 0; k < features.outputs(); ++k) K(i, j) += Zx(i, k) * Zy(j, k);
  return K;
}

}  // namespace bochner::test
