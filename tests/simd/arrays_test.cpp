// SPDX-License-Identifier: Apache-2.0
#include "simd/arrays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/stream.h"

namespace bochner::simd {
namespace {

template <class T>
class Arrays : public testing::Test {
 public:
  static constexpr long double u = std::numeric_limits<T>::epsilon() / 2.0L;
  static std::vector<T> normals(std::size_t n, std::uint64_t seed) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(Stream(seed, Purpose::iid_entries).normal(0, i));
    return x;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Arrays, Precisions);

TYPED_TEST(Arrays, SumsStayWithinTheirBound) {
  using T = TypeParam;
  for (std::size_t n = 0; n < 300; ++n) {
    const std::vector<T> x = this->normals(n, 1), y = this->normals(n, 2);
    long double dot_exact = 0, dot_size = 0, sum_exact = 0, sum_size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      dot_exact += static_cast<long double>(x[i]) * y[i], dot_size += std::abs(static_cast<long double>(x[i]) * y[i]);
      sum_exact += x[i], sum_size += std::abs(x[i]);
    }
    const long double terms = static_cast<long double>(n) + 8;
    ASSERT_NEAR(dot<T>(x, y), dot_exact, terms * this->u * dot_size) << n;
    ASSERT_NEAR(sum<T>(x), sum_exact, terms * this->u * sum_size) << n;
  }
}

TYPED_TEST(Arrays, LargestIsFoundAtEveryPlace) {
  using T = TypeParam;
  for (std::size_t n = 1; n < 70; ++n)
    for (std::size_t place = 0; place < n; ++place) {
      std::vector<T> x(n, T(-3));
      x[place] = T(-2);
      ASSERT_EQ(largest<T>(x), T(-2)) << place << " of " << n;
    }
}

TYPED_TEST(Arrays, AffineIsRightAndMayWorkInPlace) {
  using T = TypeParam;
  for (std::size_t n = 0; n < 70; ++n) {
    const std::vector<T> x = this->normals(n, 3);
    std::vector<T> y(n), in_place = x;
    affine<T>(T(1.7), x, T(-0.3), y);
    affine<T>(T(1.7), in_place, T(-0.3), in_place);
    for (std::size_t i = 0; i < n; ++i) {
      const long double exact = static_cast<long double>(T(1.7)) * x[i] + T(-0.3);
      ASSERT_NEAR(y[i], exact, 2 * this->u * (std::abs(1.7L * x[i]) + 0.3L));
      ASSERT_EQ(in_place[i], y[i]);
    }
  }
}

TYPED_TEST(Arrays, ScaleRowDividesAndMeasures) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 3, 7, 8, 16, 33, 100}) {
    const std::vector<T> x = this->normals(n, 4);
    std::vector<T> factor(n), one = {T(0.5)}, y(n);
    for (std::size_t i = 0; i < n; ++i) factor[i] = T(1) / static_cast<T>(i + 1);
    for (const auto& f : {factor, one}) {
      const T norm = scale_row<T>(x, f, y);
      long double exact = 0;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(y[i], x[i] * f[f.size() == 1 ? 0 : i]);
        exact += static_cast<long double>(y[i]) * y[i];
      }
      ASSERT_NEAR(norm, exact, static_cast<long double>(n + 8) * this->u * exact);
    }
  }
}

TYPED_TEST(Arrays, ANonFiniteEntryShowsInTheNorm) {
  using T = TypeParam;
  for (const T bad :
       {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
    for (std::size_t at = 0; at < 37; ++at) {
      std::vector<T> x(37, T(0)), y(37);
      x[at] = bad;
      ASSERT_FALSE(std::isfinite(scale_row<T>(x, std::vector<T>{T(1)}, y)));
    }
  }
}

}  // namespace
}  // namespace bochner::simd
