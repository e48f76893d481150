// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bochner/matrix.h"

namespace bochner::data {

/// At most `most` rows of a stream of unknown length: those whose numbers have the smallest hashes, which is a sample
/// without replacement that depends on the numbers and the seed alone. O(log most) for a row that is kept.
class RowSample {
 public:
  RowSample(std::size_t most, std::size_t columns, std::uint64_t seed);

  void add(std::uint64_t number, std::span<const double> row);
  std::size_t size() const { return heap_.size(); }
  /// The rows in the order of their numbers; leaves the sample empty.
  Matrix<double> take();

 private:
  struct Entry {
    std::uint64_t hash, number;
    std::size_t slot;
    bool operator<(const Entry& other) const { return std::pair(hash, number) < std::pair(other.hash, other.number); }
  };

  std::size_t most_;
  std::size_t columns_;
  std::uint64_t seed_;
  std::vector<Entry> heap_;  ///< the largest hash first
  std::vector<std::vector<double>> rows_;
};

}  // namespace bochner::data
