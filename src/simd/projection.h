// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/matrix_view.h"
#include "simd/finish.h"

namespace bochner {

/// The linear part of phi(x) = f(W x): W is m x d, drawn once, immutable and shared by all threads.
class Projection {
 public:
  virtual ~Projection() = default;

  /// Z = finish(X W') for a block of rows that stays in cache; Z has width(finish) * m columns.
  /// `streaming`: Z is part of an output much larger than the caches.
  virtual void apply(MatrixView<const float> X, const simd::Finish<float>& finish, MatrixView<float> Z,
                     bool streaming) const = 0;
  virtual void apply(MatrixView<const double> X, const simd::Finish<double>& finish, MatrixView<double> Z,
                     bool streaming) const = 0;

  /// How many rows `apply` should get at once, so that they stay in cache; `element`: bytes per number. The split never
  /// changes a bit of the result.
  virtual std::size_t rows_per_block(std::size_t element) const = 0;

  /// W itself, for inspection.
  virtual Matrix<double> directions() const = 0;

  /// |w_i|^2 of every row, in the space R^D in which the rows were drawn (D > d where inputs are padded).
  virtual std::vector<double> squared_norms() const = 0;

  /// An upper bound on all |w_i|, up to rounding, found in O(m d) or less; infinity where that takes longer.
  virtual double longest_row() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace bochner
