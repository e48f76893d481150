// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bochner/matrix.h"
#include "bochner/matrix_view.h"

namespace bochner::simd {

/// How a product is rounded: transforms use fused (one rounding per multiply-add where the machine has it); draws use
/// separate (a rounding after every operation), which gives the same bits on every machine and lane width.
enum class Rounding { fused, separate };

/// W (m x d) laid out for the lanes of the current target: panels of two vectors of directions, coordinate by
/// coordinate.
template <class T>
class PackedRows {
 public:
  PackedRows() = default;
  explicit PackedRows(MatrixView<const double> W);

  std::size_t rows() const { return rows_; }    ///< m
  std::size_t depth() const { return depth_; }  ///< d
  std::size_t panel_width() const { return panel_width_; }
  /// Panel p, d x panel_width; directions beyond m are zero.
  const T* panel(std::size_t p) const { return panels_.data() + p * depth_ * panel_width_; }

 private:
  std::size_t rows_ = 0;
  std::size_t depth_ = 0;
  std::size_t panel_width_ = 0;
  Matrix<T> panels_;
};

}  // namespace bochner::simd
