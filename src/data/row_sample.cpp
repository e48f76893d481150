// SPDX-License-Identifier: Apache-2.0
#include "data/row_sample.h"

#include <algorithm>

#include "data/row_hash.h"

namespace bochner::data {

RowSample::RowSample(std::size_t most, std::size_t columns, std::uint64_t seed)
    : most_(most), columns_(columns), seed_(seed) {}

void RowSample::add(std::uint64_t number, std::span<const double> row) {
  Entry entry{row_hash(number, seed_), number, heap_.size()};
  if (heap_.size() < most_) {
    rows_.emplace_back(row.begin(), row.end());
  } else {
    if (most_ == 0 || !(entry < heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end());
    entry.slot = heap_.back().slot;
    heap_.pop_back();
    std::ranges::copy(row, rows_[entry.slot].begin());
  }
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end());
}

Matrix<double> RowSample::take() {
  std::ranges::sort(heap_, {}, &Entry::number);
  Matrix<double> out(heap_.size(), columns_);
  for (std::size_t i = 0; i < heap_.size(); ++i) std::ranges::copy(rows_[heap_[i].slot], out.view().row(i).begin());
  heap_.clear();
  rows_.clear();
  return out;
}

}  // namespace bochner::data
