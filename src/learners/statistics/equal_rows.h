// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/matrix_view.h"

namespace bochner {

/// Finds rows of weight > 0 with equal x and y (-0 and 0 are equal). They count as one row, whose weight is the sum of
/// theirs. So a row of weight 2 is the same as the row twice, in any order, and the same is left out of either:
///
///   the whole row, so that nothing of its own answer stays behind;
///   if its x has k > 1 different answers of total weight W, at most W / k of it: the others then say more about
///   the answer at x than if all of a frequent answer were left out.
struct EqualRows {
  std::vector<std::size_t> of;     ///< for each row, the number of its distinct row; kNone for weight 0
  std::vector<std::size_t> first;  ///< for each distinct row, the first row equal to it; ascending
  std::vector<double> weight;      ///< of each distinct row
  std::vector<double> left_out;    ///< how much of that weight is left out at once
  std::vector<std::size_t> parts;  ///< number of parts of at most that weight: ceil(weight / left_out)
  std::vector<std::uint64_t> hash;

  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t count() const { return first.size(); }
  /// sum weight / left_out: the number of observations.
  double observations() const;
  /// left_out of each row's distinct row; 0 for rows of weight 0.
  std::vector<double> left_out_of_rows() const;
};

/// Compares hashes of the rows: O(n (d + targets)).
template <class T>
EqualRows equal_rows(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weights);

}  // namespace bochner
