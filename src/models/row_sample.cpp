// SPDX-License-Identifier: Apache-2.0
#include "models/row_sample.h"

#include <algorithm>

#include "core/row_hash.h"

namespace bochner::data {

std::size_t sample_rows(std::size_t wanted, std::size_t columns) {
  constexpr std::size_t kNumbers = std::size_t{1} << 24, kFewest = 50;
  return std::min(wanted, std::max(kNumbers / std::max<std::size_t>(columns, 1), kFewest));
}

RowSample::RowSample(std::size_t most, std::uint64_t seed) : most_(most), seed_(seed) {}

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

void RowSample::shrink(std::size_t most) {
  most_ = std::min(most_, most);
  for (; heap_.size() > most_; heap_.pop_back()) {
    std::pop_heap(heap_.begin(), heap_.end());
    std::vector<double>().swap(rows_[heap_.back().slot]);
  }
}

void RowSample::take(const std::function<void(std::size_t i, std::span<const double> row)>& use) {
  std::ranges::sort(heap_, {}, &Entry::number);
  for (std::size_t i = 0; i < heap_.size(); ++i) {
    use(i, rows_[heap_[i].slot]);
    std::vector<double>().swap(rows_[heap_[i].slot]);
  }
  heap_.clear();
  rows_.clear();
}

}  // namespace bochner::data
