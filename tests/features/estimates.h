// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "bochner/features.h"
#include "core/stream.h"

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

/// Rows of N(0, length^2 I).
inline Matrix<double> normal_rows(std::size_t n, std::size_t d, double length, std::uint64_t seed) {
  Matrix<double> X(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    Stream(seed, Purpose::iid_entries).fill_normal(i, 0, X.view().row(i));
    for (double& entry : X.view().row(i)) entry *= length;
  }
  return X;
}

/// The sentence of the std::invalid_argument that a call throws; empty if it does not.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace bochner::test
