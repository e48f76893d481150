// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace bochner::data {

/// What one pass learns about a column, value by value, so that the result does not depend on blocks. NaN is a missing
/// value.
class ColumnStatistics {
 public:
  void add_number(double value);
  /// Adds a word, given by its number.
  void add_word(double code);
  void add_missing() { ++missing_; }
  /// Adds the values of `other` after these: means and squares by the formula of Chan, Golub and LeVeque (1979).
  void merge(const ColumnStatistics& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t missing() const { return missing_; }
  double mean() const { return mean_; }
  /// Square root of the variance over all values, missing ones at the mean; 1 for a constant column.
  double scale() const;
  /// How often each word occurred, by its number.
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t missing_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< sum of squared distances from the mean
  double least_ = 0, most_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace bochner::data
