// SPDX-License-Identifier: Apache-2.0
#include "simd/exponents.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "simd/arrays.h"
#include "support/normals.h"

namespace bochner::simd {
namespace {

template <class T>
class ExponentsOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ExponentsOf, Precisions);

TYPED_TEST(ExponentsOf, AreWhatTheHeaderSays) {
  using T = TypeParam;
  constexpr double kRounding = std::numeric_limits<T>::epsilon() / 2;
  for (const std::size_t n : {1u, 3u, 8u, 31u, 70u}) {
    const Matrix<T> x = test::normals<T>(1, n, 1), offset = test::normals<T>(1, n, 2),
                    weight = test::normals<T>(1, n, 3);
    const Exponents<T> exponents{T(1.5), {offset.data(), n}, T(-2.25)};
    std::vector<T> first(x.data(), x.data() + n), second = first, sums(n, T(1));
    double top = -1e300, product = 0, size = 0;
    exponentials_and_sums<T>(exponents, first, sums);
    const T found = exponentials_and_product<T>(exponents, second, {weight.data(), n});
    for (std::size_t i = 0; i < n; ++i) {
      const double t = 1.5 * double(x(0, i)) + double(offset(0, i)) - 2.25;
      const double parts = 1.5 * std::abs(double(x(0, i))) + std::abs(double(offset(0, i))) + 4.5;
      top = std::max(top, t);
      ASSERT_NEAR(first[i], std::exp(t), (4 + 3 * parts) * kRounding * std::exp(t));
      ASSERT_EQ(first[i], second[i]);
      ASSERT_NEAR(sums[i], 1 + double(first[i]), 2 * kRounding * (1 + double(first[i])));
      product += double(first[i]) * double(weight(0, i));
      size += std::abs(double(first[i]) * double(weight(0, i)));
    }
    EXPECT_NEAR(largest_exponent<T>(exponents, {x.data(), n}), top, 20 * kRounding);
    EXPECT_NEAR(found, product, static_cast<double>(n + 8) * kRounding * size);
  }
}

TYPED_TEST(ExponentsOf, OfNothingAreZero) {
  using T = TypeParam;
  std::vector<T> x(9, -std::numeric_limits<T>::infinity()), sums(9, T(0));
  const std::vector<T> offset(9, T(1e30));
  const Exponents<T> exponents{T(1), offset, T(0)};
  EXPECT_EQ(largest_exponent<T>(exponents, x), -std::numeric_limits<T>::infinity());
  exponentials_and_sums<T>(exponents, x, sums);
  for (const T number : x) EXPECT_EQ(number, T(0));
}

TYPED_TEST(ExponentsOf, NormsAreDouble) {
  using T = TypeParam;
  const std::vector<T> x = {T(1e18), T(1), T(-2), T(3e18), T(0.1), T(5), T(6), T(7), T(8), T(9)};
  double sum = 0;
  for (const T number : x) sum += double(number) * double(number);
  EXPECT_NEAR(squared_norm<T>(x), sum, 1e-15 * sum);
}

}  // namespace
}  // namespace bochner::simd
