// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace bochner::data {

/// `wanted`, but at most as many rows of so many columns as take 128 MiB, or 50 if that is more.
std::size_t sample_rows(std::size_t wanted, std::size_t columns);

/// At most `most` rows of a stream of unknown length: those whose numbers have the smallest hashes. This is a sample
/// without replacement that depends only on the numbers and the seed. O(log most) for a row that is kept.
class RowSample {
 public:
  RowSample(std::size_t most, std::uint64_t seed);

  void add(std::uint64_t number, std::span<const double> row);
  std::size_t size() const { return heap_.size(); }
  /// Keeps only the rows of a smaller sample.
  void shrink(std::size_t most);
  /// Calls `use` for the rows in the order of their numbers, with the position i in that order, and leaves the sample
  /// empty.
  void take(const std::function<void(std::size_t i, std::span<const double> row)>& use);

 private:
  struct Entry {
    std::uint64_t hash, number;
    std::size_t slot;
    bool operator<(const Entry& other) const { return std::pair(hash, number) < std::pair(other.hash, other.number); }
  };

  std::size_t most_;
  std::uint64_t seed_;
  std::vector<Entry> heap_;  ///< the largest hash first
  std::vector<std::vector<double>> rows_;
};

}  // namespace bochner::data
