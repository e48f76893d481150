// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace bochner {

/// The mean y of n keys. By Jensen's inequality sum_i exp(x.y_i) >= n exp(x.y): the least value a denominator can have.
class KeyMean {
 public:
  template <class T>
  void add(std::span<const T> key) {
    sum_.resize(key.size(), 0.0);
    for (std::size_t l = 0; l < key.size(); ++l) sum_[l] += static_cast<double>(key[l]);
    ++count_;
  }
  void merge(const KeyMean& later) {
    sum_.resize(std::max(sum_.size(), later.sum_.size()), 0.0);
    for (std::size_t l = 0; l < later.sum_.size(); ++l) sum_[l] += later.sum_[l];
    count_ += later.count_;
  }
  /// log(n exp(scale q.k)), k the mean of the keys; -infinity without keys.
  template <class T>
  double log_least(std::span<const T> query, double scale) const {
    if (count_ == 0) return -std::numeric_limits<double>::infinity();
    double product = 0;
    for (std::size_t l = 0; l < query.size(); ++l) product += static_cast<double>(query[l]) * sum_[l];
    return std::log(static_cast<double>(count_)) + scale * product / static_cast<double>(count_);
  }

 private:
  std::vector<double> sum_ = {};
  std::size_t count_ = 0;
};

}  // namespace bochner
