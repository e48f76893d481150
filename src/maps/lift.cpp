// SPDX-License-Identifier: Apache-2.0
#include "maps/lift.h"

#include "simd/arrays.h"

namespace bochner {
namespace {

template <class T>
void scale(MatrixView<const T> X, std::span<const T> factors, MatrixView<T> U) {
  for (std::size_t i = 0; i < X.rows(); ++i) simd::scale_row<T>(X.row(i), factors, U.row(i));
}

}  // namespace

Lift::Lift(std::span<const double> M, std::size_t d) : diagonal_(M.size() == d) {
  if (diagonal_) {
    diagonal_numbers_.assign(M.begin(), M.end());
    diagonal_floats_.assign(M.begin(), M.end());
    return;
  }
  const MatrixView<const double> matrix(M.data(), d, d);
  packed_ = simd::PackedRows<double>(matrix);
  packed_float_ = simd::PackedRows<float>(matrix);
}

void Lift::apply(MatrixView<const float> X, MatrixView<float> U) const {
  if (diagonal_) return scale<float>(X, diagonal_floats_, U);
  simd::project<float>(packed_float_, X, {}, U);
}

void Lift::apply(MatrixView<const double> X, MatrixView<double> U) const {
  if (diagonal_) return scale<double>(X, diagonal_numbers_, U);
  simd::project<double>(packed_, X, {}, U);
}

}  // namespace bochner
