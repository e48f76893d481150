// SPDX-License-Identifier: Apache-2.0
// Monomials against long double: the bounds promised in simd/monomials.h, zeros, signs, exponents that would overflow.
#include "simd/monomials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "bochner/matrix.h"
#include "core/stream.h"

namespace bochner::simd {
namespace {

template <class T>
class MonomialLanes : public ::testing::Test {
 public:
  static constexpr long double u = std::numeric_limits<T>::epsilon() / 2.0L;

  /// Numbers of all sizes and both signs; one in nine is 0.
  static Matrix<T> inputs(std::size_t n, std::size_t d, double decades) {
    const Stream stream(3, Purpose::iid_entries);
    Matrix<T> X(n, d);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t l = 0; l < d; ++l) {
        const double size = std::pow(10.0, decades * (2 * stream.uniform(i, l) - 1));
        X(i, l) = (i + 2 * l) % 9 == 0 ? T(0) : static_cast<T>(stream.rademacher(i, l + 100000) * size);
      }
    return X;
  }

  static Matrix<double> exponents(std::size_t m, std::size_t d, double largest) {
    const Stream stream(4, Purpose::iid_entries);
    Matrix<double> K(m, d, 0.0);
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t l = 0; l < d; ++l)
        if (stream.uniform(j, l) < 0.4) K(j, l) = std::floor(largest * stream.uniform(j, l + 100000));
    return K;
  }
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MonomialLanes, Precisions);

struct Expected {
  long double sign = 1, exponent = 0, size = 0;
  double count = 0;
};

template <class T>
Expected expected(std::span<const double> k, std::span<const T> x, long double a, long double b, double scale) {
  Expected result{1, a + b, std::abs(a) + std::abs(b), 0};
  for (std::size_t l = 0; l < k.size(); ++l) {
    if (k[l] == 0) continue;
    const long double value = static_cast<long double>(x[l]) * scale;
    if (value < 0 && std::fmod(k[l], 2) == 1) result.sign = -result.sign;
    result.exponent += k[l] * std::log(std::abs(value));
    result.size += k[l] * (1 + std::abs(std::log(std::abs(value))));
    result.count += 1;
  }
  return result;
}

template <class T>
void expect_within_bounds(const Matrix<T>& X, const Matrix<double>& K, double scale) {
  constexpr long double u = MonomialLanes<T>::u;
  std::vector<double> b(K.rows());
  std::vector<T> a(X.rows());
  for (std::size_t j = 0; j < b.size(); ++j) b[j] = std::sin(static_cast<double>(j));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(std::cos(static_cast<double>(i)));
  const Monomials monomials(K.view(), b, scale);
  Matrix<T> Z(X.rows(), K.rows()), L(X.rows(), K.rows());
  monomials.apply<T>(X.view(), a, Z.view());
  monomials.apply<T>(X.view(), a, L.view(), MonomialOutput::exponent);
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < K.rows(); ++j) {
      const Expected exact = expected<T>(K.view().row(j), X.view().row(i), a[i], b[j], scale);
      if (std::isinf(exact.exponent)) {
        ASSERT_EQ(Z(i, j), T(0));
        ASSERT_EQ(L(i, j), -std::numeric_limits<T>::infinity());
        continue;
      }
      const long double bound = (4 + exact.count / 2) * u * exact.size;
      ASSERT_NEAR(L(i, j), exact.exponent, bound);
      const long double value = exact.sign * std::exp(exact.exponent);
      if (std::abs(value) > std::numeric_limits<T>::max() / 2) continue;
      if (std::abs(value) < 2 * std::numeric_limits<T>::min()) {
        ASSERT_LE(std::abs(Z(i, j)), 4 * std::numeric_limits<T>::min());
        continue;
      }
      ASSERT_NEAR(Z(i, j), value, std::abs(value) * (std::expm1(bound) + 4 * u)) << i << ", " << j;
    }
}

TYPED_TEST(MonomialLanes, StayWithinTheirBound) {
  for (const std::size_t d : {1, 2, 5, 64})
    for (const std::size_t m : {1, 15, 16, 40})
      for (const double largest : {2.0, 5.0, 40.0})
        expect_within_bounds<TypeParam>(this->inputs(70, d, 1.5), this->exponents(m, d, largest), 0.8);
}

/// Inputs at the ends of the range: subnormal numbers and 1e18 have logarithms as good as any.
TYPED_TEST(MonomialLanes, TakeEveryMagnitude) {
  using T = TypeParam;
  Matrix<T> X(12, 1);
  const T values[] = {std::numeric_limits<T>::denorm_min(),
                      -std::numeric_limits<T>::min() / 4,
                      std::numeric_limits<T>::min(),
                      T(1e-20),
                      T(-0.999999),
                      std::nextafter(T(1), T(0)),
                      T(1),
                      std::nextafter(T(1), T(2)),
                      T(1.4142135),
                      T(-0.70710678),
                      T(1e18),
                      std::numeric_limits<T>::max()};
  std::copy(std::begin(values), std::end(values), X.data());
  Matrix<double> K(3, 1);
  for (std::size_t j = 0; j < 3; ++j) K(j, 0) = static_cast<double>(j);
  expect_within_bounds<T>(X, K, 1.0);
}

/// Powers that overflow on the way and do not at the end: 1e3^10000 1e-3^10000.
TYPED_TEST(MonomialLanes, DoNotOverflowOnTheWay) {
  using T = TypeParam;
  Matrix<T> X(1, 2);
  X(0, 0) = T(1024), X(0, 1) = T(-1.0 / 1024);
  Matrix<double> K(2, 2, 10000.0);
  K(1, 1) = 9999.0;
  const Monomials monomials(K.view(), {0, 0}, 1.0);
  Matrix<T> Z(1, 2);
  const std::vector<T> offset = {0};
  monomials.apply<T>(X.view(), offset, Z.view());
  EXPECT_EQ(Z(0, 0), T(1));
  EXPECT_EQ(Z(0, 1), T(-1024));
}

TYPED_TEST(MonomialLanes, ZeroToTheZeroIsOne) {
  using T = TypeParam;
  const Matrix<T> X(3, 2, T(0));
  Matrix<double> K(3, 2, 0.0);
  K(1, 0) = 1, K(2, 1) = 2;
  const std::vector<T> offsets(3, T(0));
  Matrix<T> Z(3, 3);
  Monomials(K.view(), {0, 0, 0}, 1.0).apply<T>(X.view(), offsets, Z.view());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(Z(i, 0), T(1));
    EXPECT_EQ(Z(i, 1), T(0));
    EXPECT_EQ(Z(i, 2), T(0));
  }
}

/// Any number of rows at once, and what lies beside Z.
TYPED_TEST(MonomialLanes, RowsKeepTheirBits) {
  using T = TypeParam;
  const Matrix<T> X = this->inputs(150, 7, 1.0);
  const Monomials monomials(this->exponents(37, 7, 4).view(), std::vector<double>(37, 0.1), 1.2);
  const std::vector<T> offsets(150, T(0.3));
  Matrix<T> whole(150, 37);
  monomials.apply<T>(X.view(), offsets, whole.view());
  for (const std::size_t batch : {1, 3, 8, 9, 17, 33, 63, 64, 65}) {
    Matrix<T> parts(150, 40, T(7));
    for (std::size_t first = 0; first < 150; first += batch) {
      const std::size_t last = std::min<std::size_t>(first + batch, 150);
      monomials.apply<T>(X.view().row_range(first, last), std::span(offsets).subspan(first, last - first),
                         parts.view().row_range(first, last).col_range(0, 37));
    }
    for (std::size_t i = 0; i < 150; ++i) {
      ASSERT_EQ(std::memcmp(parts.view().row(i).data(), whole.view().row(i).data(), 37 * sizeof(T)), 0) << batch;
      for (std::size_t j = 37; j < 40; ++j) ASSERT_EQ(parts(i, j), T(7));
    }
  }
}

}  // namespace
}  // namespace bochner::simd
