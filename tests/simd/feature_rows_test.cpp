// SPDX-License-Identifier: Apache-2.0
#include "simd/feature_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/normals.h"

namespace bochner::simd {
namespace {

template <class T>
std::vector<T> normals(std::size_t n, std::uint64_t seed) {
  const Matrix<T> row = test::normals<T>(1, n, seed);
  return {row.data(), row.data() + n};
}

template <class T>
class FeatureRows : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FeatureRows, Precisions);

constexpr long double kUnit = 0x1p-53L;

TYPED_TEST(FeatureRows, ProductsAreThoseOfDouble) {
  using T = TypeParam;
  for (std::size_t n = 0; n < 300; ++n) {
    const std::vector<T> z = normals<T>(n, 1);
    const std::vector<double> v = normals<double>(n, 2);
    long double exact = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) exact += static_cast<long double>(z[i]) * v[i], size += std::abs(z[i] * v[i]);
    ASSERT_NEAR(dot_wide<T>(z, v), exact, (static_cast<long double>(n) + 8) * kUnit * size) << n;
  }
}

/// What is beyond the row stays as it is.
TYPED_TEST(FeatureRows, SumsAreThoseOfDouble) {
  using T = TypeParam;
  for (std::size_t n = 0; n < 70; ++n) {
    const std::vector<T> z = normals<T>(n, 3);
    const std::vector<double> start = normals<double>(n + 1, 4);
    std::vector<double> sums = start, squares = start;
    add_scaled<T>(-1.7, z, sums);
    add_scaled_squares<T>(-1.7, z, squares);
    for (std::size_t i = 0; i < n; ++i) {
      const long double x = z[i], sum = start[i] - 1.7L * x, square = start[i] - 1.7L * x * x;
      ASSERT_NEAR(sums[i], sum, 3 * kUnit * (std::abs(start[i]) + 1.7L * std::abs(x))) << i << " of " << n;
      ASSERT_NEAR(squares[i], square, 4 * kUnit * (std::abs(start[i]) + 1.7L * x * x)) << i << " of " << n;
    }
    EXPECT_EQ(sums[n], start[n]);
    EXPECT_EQ(squares[n], start[n]);
  }
}

}  // namespace
}  // namespace bochner::simd
