// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/stream.h"

namespace bochner::properties {

/// Random choices of one case: its number alone decides them, so that a failing case can be run again by itself.
class Dice {
 public:
  explicit Dice(std::uint64_t number) : row_(number) {}

  double uniform() { return stream_.uniform(row_, column_++); }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal() { return normals_.normal(row_, normal_column_++); }
  /// 10^u, u uniform.
  double power(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  bool chance(double p) { return uniform() < p; }
  std::size_t below(std::size_t n) {
    return std::min(static_cast<std::size_t>(uniform() * static_cast<double>(n)), n - 1);
  }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  Stream stream_{20'261'119, Purpose::row_sample};
  Stream normals_{20'261'119, Purpose::iid_entries};
  std::uint64_t row_;
  std::uint64_t column_ = 0, normal_column_ = 0;
};

}  // namespace bochner::properties
