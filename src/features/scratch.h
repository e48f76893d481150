// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

/// Memory of a thread within a scope, kept between calls. Each nested scope has its own.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t count) {
    if (!pool().empty()) {
      memory_ = std::move(pool().back());
      pool().pop_back();
    }
    if (memory_.cols() < count) memory_ = Matrix<T>(1, count);
  }
  ~Scratch() {
    if (pool().size() < kMostKept) pool().push_back(std::move(memory_));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() { return memory_.data(); }

 private:
  static constexpr std::size_t kMostKept = 16;
  static std::vector<Matrix<T>>& pool() {
    static thread_local std::vector<Matrix<T>> kept = [] {
      std::vector<Matrix<T>> none;
      none.reserve(kMostKept);
      return none;
    }();
    return kept;
  }

  Matrix<T> memory_;
};

}  // namespace bochner
