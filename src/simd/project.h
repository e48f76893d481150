// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bochner/matrix.h"
#include "bochner/matrix_view.h"
#include "simd/finish.h"

namespace bochner::simd {

/// How a product is rounded: fused (one rounding per multiply-add where the machine can) is what transforms use;
/// separate (a rounding after every operation) gives the same bits on every machine and lane width, and is what draws
/// use.
enum class Rounding { fused, separate };

/// W (m x d) laid out for the lanes of the current target: panels of 2 vectors of directions, coordinate by coordinate.
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

/// Z = finish(X W'): X is n x d, Z is n x (width m). One register tile of 6 rows x 2 vectors is accumulated over the
/// coordinates in order, so the bits of a row do not depend on its neighbours nor on n. 2 n m d flops.
/// `streaming` asks for non-temporal stores: right for an output much larger than the caches; it is used where the
/// alignment of Z allows it.
template <class T>
void project(const PackedRows<T>& W, MatrixView<const T> X, const Finish<T>& finish, MatrixView<T> Z,
             Rounding rounding = Rounding::fused, bool streaming = false);

/// Which part of all projections a block P of them is.
struct Place {
  std::size_t first_row = 0;        ///< P's first row is this row of Z and of the finish
  std::size_t first_direction = 0;  ///< P's first column is this direction
  std::size_t directions = 0;       ///< m, of which P holds some; 0: P holds all
  bool streaming = false;           ///< as in project
};

/// Z = finish(P) for projections P that were computed otherwise.
template <class T>
void finish_rows(MatrixView<const T> P, const Finish<T>& finish, MatrixView<T> Z, const Place& place = {});

}  // namespace bochner::simd
