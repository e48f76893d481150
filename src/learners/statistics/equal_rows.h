// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/matrix_view.h"

namespace bochner {

/// Which rows of weight > 0 have equal x and y, -0 and 0 being equal: these are one row, whose weight is their sum. So
/// a row of weight 2 is a row that is there twice, in any order, and what is left out of either is the same:
///
///   the whole of a row, so that nothing of its own answer stays behind;
///   where its x has k > 1 different answers, of weight W together, at most W / k of it: the others say more of the
///   answer at x than leaving all of a frequent one out would let them.
struct EqualRows {
  std::vector<std::size_t> of;     ///< of each row, the number of the distinct row that it is; of weight 0: kNone
  std::vector<std::size_t> first;  ///< of each distinct row the first that it is made of, ascending
  std::vector<double> weight;      ///< of each distinct row
  std::vector<double> left_out;    ///< and how much of that is left out at once
  std::vector<std::size_t> parts;  ///< into how many parts of at most that weight it falls: ceil(weight / left_out)
  std::vector<std::uint64_t> hash;

  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t count() const { return first.size(); }
  /// sum weight / left_out: how many observations there are.
  double observations() const;
  /// left_out of each row's distinct row, 0 for those of weight 0.
  std::vector<double> left_out_of_rows() const;
};

/// Of the hashes of rows of numbers: O(n (d + targets)).
template <class T>
EqualRows equal_rows(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weights);

}  // namespace bochner
