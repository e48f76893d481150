// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "couplings/coupling.h"
#include "couplings/structured.h"

namespace bochner {

/// Numbers for the rows of blocks of D rows, in both precisions: one for all rows, or D per block. 8 bytes a row, 4
/// more once float is used.
class RowFactors {
 public:
  RowFactors(std::size_t D, std::vector<double> values) : D_(D), values_(std::move(values)) {}

  double largest() const { return std::ranges::max(values_); }

  template <class T>
  std::span<const T> of(std::size_t block) const {
    if constexpr (std::is_same_v<T, float>) {
      std::call_once(once_, [&] { floats_.assign(values_.begin(), values_.end()); });
      return part<float>(floats_, block);
    } else {
      return part<double>(values_, block);
    }
  }

 private:
  template <class T>
  std::span<const T> part(std::span<const T> all, std::size_t block) const {
    return all.size() == 1 ? all : all.subspan(block * D_, D_);
  }

  std::size_t D_;
  std::vector<double> values_;
  mutable std::once_flag once_;
  mutable std::vector<float> floats_;
};

/// unit x the norm of each row in R^D: its own radius drawn from the law; 0 for rows beyond m.
std::vector<double> random_norms(const DrawRequest& request, const BlockShape& shape, double unit);

/// unit x the norm of each row as the parameter `norms` says: `fixed` is sqrt(D), `chi` random_norms.
std::vector<double> row_norms(const DrawRequest& request, const BlockShape& shape, double unit);

}  // namespace bochner
