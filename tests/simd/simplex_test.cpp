// SPDX-License-Identifier: Apache-2.0
// The simplex product on lanes against plain loops of the same order of summation, bit by bit.
#include "simd/simplex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "bochner/matrix.h"
#include "core/stream.h"

namespace bochner::simd {
namespace {

template <class T>
class SimplexRows : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SimplexRows, Precisions);

template <class T>
T plain_sum(const std::vector<T>& q) {
  std::vector<T> sums(32, T(0));
  for (std::size_t i = 0; i < q.size(); ++i) sums[i % 32] += q[i];
  for (std::size_t h = 16; h > 0; h /= 2)
    for (std::size_t k = 0; k < h; ++k) sums[k] += sums[k + h];
  return sums[0];
}

template <class T>
std::vector<T> plain(const std::vector<T>& q, const std::vector<T>& factors) {
  const double r = static_cast<double>(q.size());
  const T shrink = static_cast<T>(1 / std::sqrt(r - 1)), stretch = static_cast<T>(std::sqrt(r / (r - 1)));
  const T s = (plain_sum(q) - q.back()) * shrink;
  const T pull = static_cast<T>((std::sqrt(r) + 1) / (r - 1)) * s;
  std::vector<T> y(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    const T factor = factors[factors.size() == 1 ? 0 : i];
    const T stretched = stretch * q[i];
    y[i] = (i + 1 < q.size() ? stretched - pull : s) * factor;
  }
  return y;
}

TYPED_TEST(SimplexRows, HaveTheBitsOfThePlainLoopsOnEveryTarget) {
  using T = TypeParam;
  const Stream stream(1, Purpose::iid_entries);
  for (const std::size_t r : {2, 3, 5, 8, 31, 32, 33, 64, 100, 257, 1024}) {
    for (const std::size_t factors_count : {std::size_t{1}, r}) {
      const std::size_t n = 19, padding = 3;
      std::vector<T> factors(factors_count);
      for (std::size_t j = 0; j < factors_count; ++j) factors[j] = static_cast<T>(stream.normal(99, j));
      Matrix<T> P(n, r + padding, T(42));
      std::vector<std::vector<T>> expected;
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<T> q(r);
        for (std::size_t j = 0; j < r; ++j) P(i, j + 1) = q[j] = static_cast<T>(stream.normal(i, j));
        expected.push_back(plain(q, factors));
      }
      simplex_rows<T>(P.view().col_range(1, r + 1), factors);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(0, std::memcmp(expected[i].data(), &P(i, 1), r * sizeof(T))) << r << " row " << i;
        ASSERT_TRUE(P(i, 0) == 42 && P(i, r + 1) == 42 && P(i, r + 2) == 42) << r;
      }
    }
  }
}

}  // namespace
}  // namespace bochner::simd
