// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/matrix.h"

namespace bochner {

/// The rows rounded to float.
inline Matrix<float> single_rows(MatrixView<const double> X) {
  Matrix<float> out(X.rows(), X.cols());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.cols(); ++j) out(i, j) = static_cast<float>(X(i, j));
  return out;
}

}  // namespace bochner
