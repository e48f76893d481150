// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "bochner/matrix.h"
#include "simd/project.h"
#include "simd/projection.h"

namespace bochner::testing {

/// An explicit W, and explicit phases in place of those that the cosine map draws. Keeps the column offsets that a map
/// asked for.
class GivenProjection final : public Projection {
 public:
  explicit GivenProjection(const Matrix<double>& W, std::vector<double> turns = {})
      : W_(W.rows(), W.cols()), turns_(std::move(turns)), float_turns_(turns_.begin(), turns_.end()) {
    std::copy_n(W.data(), W.rows() * W.cols(), W_.data());
  }

  void apply(MatrixView<const float> X, const simd::Finish<float>& finish, MatrixView<float> Z, bool) const override {
    apply_as(X, finish, float_turns_, Z);
  }
  void apply(MatrixView<const double> X, const simd::Finish<double>& finish, MatrixView<double> Z,
             bool) const override {
    if (finish.column_offset != nullptr) offsets.assign(finish.column_offset, finish.column_offset + W_.rows());
    apply_as(X, finish, turns_, Z);
  }
  std::size_t rows_per_block(std::size_t) const override { return 24; }
  Matrix<double> directions() const override {
    Matrix<double> copy(W_.rows(), W_.cols());
    std::copy_n(W_.data(), W_.rows() * W_.cols(), copy.data());
    return copy;
  }
  std::vector<double> squared_norms() const override {
    std::vector<double> norms(W_.rows(), 0.0);
    for (std::size_t i = 0; i < W_.rows(); ++i)
      for (const double entry : W_.view().row(i)) norms[i] += entry * entry;
    return norms;
  }

  mutable std::vector<double> offsets;

 private:
  template <class T>
  void apply_as(MatrixView<const T> X, simd::Finish<T> finish, const std::vector<T>& turns, MatrixView<T> Z) const {
    if (!turns.empty()) finish.column_offset = turns.data();
    simd::project<T>(simd::PackedRows<T>(W_.view()), X, finish, Z);
  }

  Matrix<double> W_;
  std::vector<double> turns_;
  std::vector<float> float_turns_;
};

}  // namespace bochner::testing
