// SPDX-License-Identifier: Apache-2.0
#include "models/column_statistics.h"

#include <algorithm>
#include <cmath>

namespace bochner::data {

// Welford (1962): no cancellation however far the mean is from 0.
void ColumnStatistics::add_number(double value) {
  least_ = count_ == 0 ? value : std::min(least_, value);
  most_ = count_ == 0 ? value : std::max(most_, value);
  ++count_;
  const double delta = value - mean_;
  mean_ += delta / static_cast<double>(count_);
  squares_ += delta * (value - mean_);
}

void ColumnStatistics::add_word(double code) {
  const auto at = static_cast<std::size_t>(code);
  if (at >= words_.size()) words_.resize(at + 1, 0);
  ++words_[at];
  ++count_;
}

void ColumnStatistics::merge(const ColumnStatistics& other) {
  missing_ += other.missing_;
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] += other.words_[i];
  if (other.count_ == 0) return;
  if (count_ == 0) {
    least_ = other.least_;
    most_ = other.most_;
  }
  least_ = std::min(least_, other.least_);
  most_ = std::max(most_, other.most_);
  const auto mine = static_cast<double>(count_), theirs = static_cast<double>(other.count_);
  const double delta = other.mean_ - mean_;
  mean_ += delta * theirs / (mine + theirs);
  squares_ += other.squares_ + delta * delta * mine * theirs / (mine + theirs);
  count_ += other.count_;
}

double ColumnStatistics::scale() const {
  if (count_ == 0 || least_ == most_) return 1;
  const double result = std::sqrt(squares_ / static_cast<double>(count_ + missing_));
  return result > 0 && std::isfinite(result) ? result : 1;
}

}  // namespace bochner::data
