// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attention/attention_features.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// Exponents in double for those rows of a chunk that have one beyond kLargestExponent, where float would have a
/// rounding error of more than 4e-6. Whether a row is among them depends on that row alone. Where T is double there are
/// none.
template <class T>
class ExactRows {
 public:
  /// Z and log_factor are the exponents of the rows in T.
  void load(const HeadFeatures& head, MatrixView<const T> rows, MatrixView<const T> Z,
            std::span<const double> log_factor, Side side);
  bool has(std::size_t i) const { return !place_.empty() && place_[i] != kNowhere; }
  std::span<const double> row(std::size_t i) const { return {Z_.data() + place_[i] * outputs_, outputs_}; }
  double log_factor(std::size_t i) const { return log_factor_[place_[i]]; }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  std::size_t outputs_ = 0;
  std::vector<std::size_t> place_;  ///< index of each row in the arrays below; empty: no row is there
  std::vector<double> rows_, Z_, log_factor_;
};

}  // namespace bochner
