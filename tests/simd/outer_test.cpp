// SPDX-License-Identifier: Apache-2.0
#include "simd/outer.h"

#include <gtest/gtest.h>

#include <vector>

#include "bochner/matrix.h"

namespace bochner::simd {
namespace {

template <class T>
class Outer : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Outer, Precisions);

/// Every length and alignment, with and without non-temporal stores: the two roundings of the formula, and nothing
/// beyond the end.
TYPED_TEST(Outer, IsTheProductToTheBit) {
  using T = TypeParam;
  for (const bool streaming : {false, true})
    for (std::size_t n = 0; n < 70; ++n)
      for (std::size_t rows = 0; rows < 4; ++rows)
        for (std::size_t shift = 0; shift < 3; ++shift) {
          std::vector<T> a(rows), b(n);
          for (std::size_t i = 0; i < rows; ++i) a[i] = T(0.1) * static_cast<T>(i + 1);
          for (std::size_t j = 0; j < n; ++j) b[j] = T(1) / static_cast<T>(j + 3);
          Matrix<T> memory(1, rows * n + 8, T(-7));
          outer<T>(T(0.3), a, b, {memory.data() + shift, rows * n}, streaming);
          end_streaming();
          for (std::size_t k = 0; k < rows * n; ++k) {
            const T expected = static_cast<T>(T(0.3) * a[k / n]) * b[k % n];
            ASSERT_EQ(memory.data()[shift + k], expected) << n << ' ' << rows << ' ' << shift;
          }
          for (std::size_t k = rows * n + shift; k < rows * n + 8; ++k) ASSERT_EQ(memory.data()[k], T(-7));
          for (std::size_t k = 0; k < shift; ++k) ASSERT_EQ(memory.data()[k], T(-7));
        }
}

}  // namespace
}  // namespace bochner::simd
