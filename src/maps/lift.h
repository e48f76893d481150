// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/matrix_view.h"
#include "simd/project.h"

namespace bochner {

/// Multiplies rows by a real matrix M before the projection: u = M x, M a d x d matrix or a diagonal. 2 d^2 flops per
/// row, or d. The bits of a row do not depend on its neighbours.
class Lift {
 public:
  /// M has d or d * d numbers, row by row.
  Lift(std::span<const double> M, std::size_t d);

  void apply(MatrixView<const float> X, MatrixView<float> U) const;
  void apply(MatrixView<const double> X, MatrixView<double> U) const;

 private:
  bool diagonal_;
  std::vector<double> diagonal_numbers_;
  std::vector<float> diagonal_floats_;
  simd::PackedRows<double> packed_;
  simd::PackedRows<float> packed_float_;
};

}  // namespace bochner
