// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <vector>

#include "bochner/matrix.h"

namespace bochner::data {

/// Numbers of an unknown count, kept in pieces of 1 MiB that are released while the matrix is filled: the peak is the
/// matrix and one piece, where a growing vector would need three times as much.
class RowStore {
 public:
  void push(double value);
  std::size_t size() const { return size_; }
  /// size() must be a multiple of cols >= 1. Leaves the store empty.
  Matrix<double> take(std::size_t cols);

 private:
  std::list<std::vector<double>> pieces_;
  std::size_t size_ = 0;
};

}  // namespace bochner::data
