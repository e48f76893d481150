// SPDX-License-Identifier: Apache-2.0
#include "attention/exact_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace bochner {
namespace {

/// max |z_j| over finite z_j, compared as whole numbers so that the compiler vectorises the search.
float largest_magnitude(std::span<const float> z) {
  std::int32_t most = 0;
  for (const float number : z) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(number) & 0x7fffffff;
    most = std::max(most, bits < 0x7f800000 ? bits : 0);
  }
  return std::bit_cast<float>(most);
}

/// Whether a row has an exponent beyond kLargestExponent; most rows are so short that none can be.
bool is_long(const HeadFeatures& head, std::span<const float> z, double log_factor) {
  if (head.exact) return true;
  const double squared_length = std::max(0.0, 2 * (head.bound.log_factor_at_origin - log_factor));
  const double most = head.bound.at_origin + head.bound.by_length * std::sqrt(squared_length);
  return !(head.slope * most <= kLargestExponent) &&
         static_cast<double>(largest_magnitude(z)) * head.slope > kLargestExponent;
}

}  // namespace

template <class T>
void ExactRows<T>::load(const HeadFeatures& head, MatrixView<const T> rows, MatrixView<const T> Z,
                        std::span<const double> log_factor, Side side) {
  if constexpr (std::is_same_v<T, float>) {
    outputs_ = Z.cols();
    place_.clear();
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      if (!is_long(head, Z.row(i), log_factor[i])) continue;
      if (count == 0) place_.assign(rows.rows(), kNowhere), rows_.clear();
      place_[i] = count++;
      rows_.insert(rows_.end(), rows.row(i).begin(), rows.row(i).end());
      // An entry that counts as the shift itself in float may lie below it by rounding.
      double* const row = rows_.data() + rows_.size() - rows.cols();
      for (std::size_t c = 0; c < head.blank.size(); ++c) row[c] = std::max(row[c], head.blank[c]);
    }
    if (count == 0) return;
    Z_.resize(count * outputs_);
    log_factor_.resize(count);
    head.features->transform_log(MatrixView<const double>(rows_.data(), count, rows.cols()),
                                 MatrixView<double>(Z_.data(), count, outputs_), log_factor_, side);
  }
}

template class ExactRows<float>;
template class ExactRows<double>;

}  // namespace bochner
