// SPDX-License-Identifier: Apache-2.0
// project() against plain loops: values, bits of separate rounding, tails, strides, streaming stores.
#include "simd/project.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "core/stream.h"
#include "simd/target.h"
#include "support/normals.h"

namespace bochner::simd {
namespace {

using test::normals;

template <class T>
class Project : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Project, Precisions);

const std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> kShapes = {
    {1, 1, 1},   {5, 3, 2},     {6, 8, 16},   {7, 9, 17},    {13, 31, 33},  {48, 64, 64},  {50, 65, 100},
    {6, 128, 7}, {11, 255, 40}, {7, 257, 35}, {19, 700, 21}, {200, 129, 9}, {97, 1025, 50}};

TYPED_TEST(Project, EqualsThePlainSumWithinItsRounding) {
  using T = TypeParam;
  const long double u = std::numeric_limits<T>::epsilon() / 2.0L;
  for (const auto& [n, d, m] : kShapes) {
    const Matrix<T> X = normals<T>(n, d, 1);
    const Matrix<double> W = normals<double>(m, d, 2);
    Matrix<T> Z(n, m, T(-7));
    project<T>(PackedRows<T>(W.view()), X.view(), Finish<T>{}, Z.view());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        long double sum = 0, size = 0;
        for (std::size_t k = 0; k < d; ++k) {
          const long double term = static_cast<long double>(X(i, k)) * static_cast<T>(W(j, k));
          sum += term, size += std::abs(term);
        }
        ASSERT_NEAR(Z(i, j), sum, static_cast<long double>(d + 1) * u * size) << n << " " << d << " " << m;
      }
    }
  }
}

TYPED_TEST(Project, SeparateRoundingHasTheBitsOfThePlainLoopOnEveryTarget) {
  using T = TypeParam;
  for (const auto& [n, d, m] : kShapes) {
    const Matrix<T> X = normals<T>(n, d, 3);
    const Matrix<double> W = normals<double>(m, d, 4);
    Matrix<T> Z = normals<T>(n, m, 5);
    const Matrix<T> before = normals<T>(n, m, 5);
    project<T>(PackedRows<T>(W.view()), X.view(), {.shape = Shape::add, .scale = T(-1)}, Z.view(), Rounding::separate);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        T sum = 0;
        for (std::size_t k = 0; k < d; ++k) {
          const T term = X(i, k) * static_cast<T>(W(j, k));
          sum = sum + term;
        }
        const T expected = before(i, j) + T(-1) * sum;
        ASSERT_EQ(Z(i, j), expected) << n << " " << d << " " << m;
      }
    }
  }
}

TYPED_TEST(Project, FusesTheNonlinearity) {
  using T = TypeParam;
  const T tolerance = std::is_same_v<T, float> ? T(2e-4) : T(1e-12);
  for (const auto& [n, d, m] : kShapes) {
    const Matrix<T> X = normals<T>(n, d, 6);
    Matrix<double> W = normals<double>(m, d, 7);
    for (std::size_t i = 0; i < m * d; ++i) W.data()[i] /= std::sqrt(static_cast<double>(d));
    const std::vector<T> row_scale(n, T(0.5)), row_offset(n, T(-0.25)), column_offset(m, T(0.125));
    std::vector<T> column_scale, column_phase;
    for (std::size_t j = 0; j < m; ++j) {
      column_scale.push_back(static_cast<T>(0.5 + 0.01 * static_cast<double>(j)));
      column_phase.push_back(static_cast<T>(0.003 * static_cast<double>(j)));
    }
    for (const Shape shape : {Shape::cosine, Shape::sincos, Shape::exp, Shape::exp_pair, Shape::exponent,
                              Shape::exponent_pair, Shape::sign, Shape::cis, Shape::complex_exp}) {
      const Finish<T> finish{.shape = shape,
                             .scale = T(3),
                             .slope = T(0.75),
                             .row_scale = row_scale.data(),
                             .row_offset = row_offset.data(),
                             .column_offset = column_offset.data(),
                             .column_scale = column_scale.data(),
                             .phase_slope = T(-1.25),
                             .column_phase = column_phase.data()};
      Matrix<T> P(n, m), expected(n, width(shape) * m), Z(n, width(shape) * m);
      project<T>(PackedRows<T>(W.view()), X.view(), Finish<T>{}, P.view());
      finish_rows<T>(P.view(), finish, expected.view());
      project<T>(PackedRows<T>(W.view()), X.view(), finish, Z.view());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < Z.cols(); ++j)
          ASSERT_NEAR(Z(i, j), expected(i, j), tolerance)
              << static_cast<int>(shape) << " " << n << " " << d << " " << m;
      if (shape != Shape::exponent && shape != Shape::exp) continue;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
          const T exponent = T(0.75) * P(i, j) - T(0.125);
          const T wanted = shape == Shape::exp ? T(1.5) * std::exp(exponent) : exponent;
          ASSERT_NEAR(Z(i, j), wanted, tolerance * (1 + std::abs(wanted))) << n << " " << d << " " << m;
        }
    }
  }
}

TYPED_TEST(Project, ARowDoesNotDependOnItsNeighboursStridesOrStores) {
  using T = TypeParam;
  const std::size_t n = 61, d = 300, m = 48;
  const Matrix<T> X = normals<T>(n, d, 8);
  const Matrix<double> W = normals<double>(m, d, 9);
  const PackedRows<T> packed(W.view());
  const Finish<T> finish{.shape = Shape::sincos, .scale = T(0.1)};
  Matrix<T> Z(n, 2 * m), streamed(n, 2 * m), wide(n, 2 * m + 5), single(1, 2 * m);
  project<T>(packed, X.view(), finish, Z.view());
  project<T>(packed, X.view(), finish, streamed.view(), Rounding::fused, true);
  EXPECT_EQ(0, std::memcmp(Z.data(), streamed.data(), n * 2 * m * sizeof(T)));
  project<T>(packed, X.view(), finish, wide.view().col_range(3, 3 + 2 * m), Rounding::fused, true);
  for (std::size_t i = 0; i < n; ++i) {
    project<T>(packed, X.view().row_range(i, i + 1), finish, single.view());
    ASSERT_EQ(0, std::memcmp(single.data(), &Z(i, 0), 2 * m * sizeof(T))) << i;
    ASSERT_EQ(0, std::memcmp(&wide(i, 3), &Z(i, 0), 2 * m * sizeof(T))) << i;
  }
}

TYPED_TEST(Project, NothingBeyondTheOutputIsWritten) {
  using T = TypeParam;
  for (const auto& [n, d, m] : kShapes) {
    const Matrix<T> X = normals<T>(n, d, 10);
    const Matrix<double> W = normals<double>(m, d, 11);
    Matrix<T> Z(n + 2, 2 * m + 2, T(42));
    project<T>(PackedRows<T>(W.view()), X.view(), {.shape = Shape::exp_pair},
               Z.view().row_range(1, n + 1).col_range(1, 2 * m + 1));
    for (std::size_t j = 0; j < Z.cols(); ++j) ASSERT_TRUE(Z(0, j) == 42 && Z(n + 1, j) == 42);
    for (std::size_t i = 0; i < Z.rows(); ++i) ASSERT_TRUE(Z(i, 0) == 42 && Z(i, Z.cols() - 1) == 42);
  }
}

TEST(Targets, TheForcedTargetIsTheOneInUse) {
  const char* forced = std::getenv("BOCHNER_FORCE_TARGET");
  const bool is_forced = forced != nullptr && *forced != '\0';
  EXPECT_EQ(current_target(), is_forced ? forced : targets().front());
}

}  // namespace
}  // namespace bochner::simd
