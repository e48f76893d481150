// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "bochner/matrix.h"
#include "core/stream.h"

namespace bochner::test {

/// Independent normal numbers.
template <class T>
Matrix<T> normals(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  const Stream stream(seed, Purpose::iid_entries);
  Matrix<T> A(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) A(i, j) = static_cast<T>(stream.normal(i, j));
  return A;
}

}  // namespace bochner::test
