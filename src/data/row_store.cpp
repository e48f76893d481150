// SPDX-License-Identifier: Apache-2.0
#include "data/row_store.h"

#include <algorithm>
#include <utility>

namespace bochner::data {

namespace {
constexpr std::size_t kPieceNumbers = (std::size_t{1} << 20) / sizeof(double);
}

void RowStore::push(double value) {
  if (size_ % kPieceNumbers == 0) pieces_.emplace_back().reserve(kPieceNumbers);
  pieces_.back().push_back(value);
  ++size_;
}

Matrix<double> RowStore::take(std::size_t cols) {
  Matrix<double> values(std::exchange(size_, 0) / cols, cols);
  double* out = values.data();
  for (; !pieces_.empty(); pieces_.pop_front()) out = std::ranges::copy(pieces_.front(), out).out;
  return values;
}

}  // namespace bochner::data
