// SPDX-License-Identifier: Apache-2.0
// The Walsh-Hadamard transform against plain loops, bit by bit, and against its definition.
#include "simd/fwht.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "bochner/matrix.h"
#include "core/stream.h"
#include "support/scale.h"

namespace bochner::simd {
namespace {

template <class T>
class Fwht : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Fwht, Precisions);

template <class T>
Matrix<T> normals(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  const Stream stream(seed, Purpose::iid_entries);
  Matrix<T> A(rows, cols);
  std::vector<double> row(cols);
  for (std::size_t i = 0; i < rows; ++i) {
    stream.fill_normal(i, 0, row);
    for (std::size_t j = 0; j < cols; ++j) A(i, j) = static_cast<T>(row[j]);
  }
  return A;
}

std::vector<std::uint8_t> random_signs(std::size_t n, std::uint64_t seed) {
  const Stream stream(seed, Purpose::phases);
  std::vector<std::uint8_t> signs(n);
  for (std::size_t j = 0; j < n; ++j) signs[j] = stream.rademacher(0, j) < 0 ? 0x80 : 0;
  return signs;
}

template <class T>
std::vector<T> plain(std::vector<T> x) {
  for (std::size_t h = x.size() / 2; h > 0; h /= 2)
    for (std::size_t i = 0; i < x.size(); ++i)
      if ((i & h) == 0) {
        const T a = x[i], b = x[i + h];
        x[i] = a + b;
        x[i + h] = a - b;
      }
  return x;
}

/// diag(factors) H diag(signs) [x; 0] by plain loops.
template <class T>
std::vector<T> plain(const T* x, std::size_t inputs, std::size_t n, const std::vector<std::uint8_t>& signs,
                     const std::vector<T>& factors) {
  std::vector<T> y(n, T(0));
  for (std::size_t j = 0; j < inputs; ++j) y[j] = signs.empty() || signs[j] == 0 ? x[j] : -x[j];
  y = plain(std::move(y));
  for (std::size_t j = 0; j < n && !factors.empty(); ++j) y[j] *= factors[factors.size() == 1 ? 0 : j];
  return y;
}

template <class T>
bool same_bits(const std::vector<T>& expected, const T* row) {
  return std::memcmp(expected.data(), row, expected.size() * sizeof(T)) == 0;
}

std::size_t largest() { return test::test_scale() < 1 ? std::size_t{1} << 15 : kLargestHadamard; }

TYPED_TEST(Fwht, HasTheBitsOfThePlainLoopsForEveryOrder) {
  using T = TypeParam;
  for (std::size_t n = 1; n <= largest(); n *= 2) {
    const std::size_t rows = n <= 1024 ? 9 : 2;
    const Matrix<T> X = normals<T>(rows, n, n);
    const std::vector<std::uint8_t> signs = random_signs(n, n);
    const Matrix<T> random_factors = normals<T>(1, n, n + 1);
    const std::vector<T> many(random_factors.data(), random_factors.data() + n), one = {T(0.3)};
    for (const bool with_signs : {false, true}) {
      for (const std::vector<T>& factors : {std::vector<T>(), one, many}) {
        Matrix<T> Y(rows, n, T(7));
        fwht<T>(X.view(), {with_signs ? signs.data() : nullptr, factors}, Y.view());
        for (std::size_t i = 0; i < rows; ++i) {
          const auto expected = plain<T>(&X(i, 0), n, n, with_signs ? signs : std::vector<std::uint8_t>(), factors);
          ASSERT_TRUE(same_bits(expected, &Y(i, 0))) << n << " row " << i << " " << with_signs << factors.size();
        }
      }
    }
  }
}

TYPED_TEST(Fwht, ShortRowsArePaddedWithZeros) {
  using T = TypeParam;
  for (std::size_t n = 2; n <= 8192; n *= 2) {
    const std::vector<std::uint8_t> signs = random_signs(n, n);
    for (const std::size_t inputs : {std::size_t{1}, n / 2, n / 2 + 1, n - 1}) {
      const Matrix<T> X = normals<T>(3, inputs, n);
      for (const bool with_signs : {false, true}) {
        Matrix<T> Y(3, n, T(7));
        fwht<T>(X.view(), {with_signs ? signs.data() : nullptr, {}}, Y.view());
        for (std::size_t i = 0; i < 3; ++i) {
          const auto expected = plain<T>(&X(i, 0), inputs, n, with_signs ? signs : std::vector<std::uint8_t>(), {});
          ASSERT_TRUE(same_bits(expected, &Y(i, 0))) << n << " " << inputs;
        }
      }
    }
  }
}

TYPED_TEST(Fwht, InPlaceOnAnyStrideAndAlignmentTouchesNothingElse) {
  using T = TypeParam;
  for (std::size_t n = 2; n <= 16384; n *= 2) {
    const std::vector<std::uint8_t> signs = random_signs(n, n);
    for (const std::size_t inputs : {n, n / 2}) {
      const std::size_t rows = 5;
      const Matrix<T> X = normals<T>(rows + 2, n + 5, n);
      Matrix<T> Y = normals<T>(rows + 2, n + 5, n);
      const MatrixView<T> inner = Y.view().row_range(1, rows + 1).col_range(3, 3 + n);
      fwht<T>(inner.col_range(0, inputs), {signs.data(), {}}, inner);
      for (std::size_t i = 0; i < rows + 2; ++i) {
        std::vector<T> expected(&X(i, 0), &X(i, 0) + n + 5);
        if (i > 0 && i <= rows) {
          const auto middle = plain<T>(&X(i, 3), inputs, n, signs, {});
          std::copy(middle.begin(), middle.end(), expected.begin() + 3);
        }
        ASSERT_TRUE(same_bits(expected, &Y(i, 0))) << n << " row " << i;
      }
    }
  }
}

TYPED_TEST(Fwht, TwiceIsNTimesTheIdentity) {
  using T = TypeParam;
  const double u = std::numeric_limits<T>::epsilon() / 2;
  for (std::size_t n = 2; n <= largest(); n *= 2) {
    const Matrix<T> X = normals<T>(1, n, 5);
    Matrix<T> Y(1, n);
    const std::vector<T> factors = {static_cast<T>(1.0 / static_cast<double>(n))};
    fwht<T>(X.view(), {}, Y.view());
    fwht<T>(Y.view(), {nullptr, factors}, Y.view());
    // Norm-wise: each transform adds at most log2(n) u of the norm.
    double error = 0, size = 0;
    for (std::size_t j = 0; j < n; ++j) {
      error += std::pow(static_cast<double>(Y(0, j)) - static_cast<double>(X(0, j)), 2);
      size += std::pow(static_cast<double>(X(0, j)), 2);
    }
    ASSERT_LE(std::sqrt(error), 2 * std::countr_zero(n) * u * std::sqrt(size)) << n;
  }
}

TYPED_TEST(Fwht, EqualsItsDefinitionWithinTheStatedBound) {
  using T = TypeParam;
  const double u = std::numeric_limits<T>::epsilon() / 2;
  for (std::size_t n = 2; n <= 1024; n *= 2) {
    const Matrix<T> X = normals<T>(1, n, 6);
    Matrix<T> Y(1, n);
    fwht<T>(X.view(), {}, Y.view());
    for (std::size_t i = 0; i < n; ++i) {
      long double sum = 0, size = 0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += std::popcount(i & j) % 2 == 0 ? X(0, j) : -X(0, j);
        size += std::abs(X(0, j));
      }
      ASSERT_NEAR(Y(0, i), sum, std::countr_zero(n) * u * static_cast<double>(size) * 1.001) << n;
    }
  }
}

TYPED_TEST(Fwht, IsLinear) {
  using T = TypeParam;
  for (std::size_t n = 2; n <= 4096; n *= 2) {
    Matrix<T> X(3, n), Y(3, n);
    const Stream stream(8, Purpose::iid_entries);
    for (std::size_t j = 0; j < n; ++j) {  // small integers: every sum is exact
      X(0, j) = static_cast<T>(stream.bits(0, j) % 64) - 32;
      X(1, j) = static_cast<T>(stream.bits(1, j) % 64) - 32;
      X(2, j) = 3 * X(0, j) - 2 * X(1, j);
    }
    fwht<T>(X.view(), {}, Y.view());
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(Y(2, j), 3 * Y(0, j) - 2 * Y(1, j)) << n;
  }
}

TYPED_TEST(Fwht, RefusesWhatIsNoPowerOfTwo) {
  using T = TypeParam;
  const std::vector<T> three(3, T(1));
  for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{24}, 2 * kLargestHadamard}) {
    const MatrixView<T> Y(nullptr, 0, n);
    EXPECT_THROW(fwht<T>(Y, {}, Y), std::invalid_argument) << n;
  }
  Matrix<T> X(2, 8, T(0)), Y(2, 4, T(0));
  EXPECT_THROW(fwht<T>(X.view(), {}, Y.view()), std::invalid_argument);
  EXPECT_THROW(fwht<T>(X.view().row_range(0, 1).col_range(0, 4), {}, Y.view()), std::invalid_argument);
  EXPECT_THROW(fwht<T>(Y.view(), {nullptr, three}, Y.view()), std::invalid_argument);
}

}  // namespace
}  // namespace bochner::simd
