// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bochner/matrix.h"
#include "core/blas.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

/// |G' B - sum of products| <= (n + 3) eps sum |products|.
TEST(Lapack, GemmOfATransposeMatchesPlainLoops) {
  const auto A = test::normal_rows(37, 5, 1, 1), B = test::normal_rows(37, 9, 1, 2);
  Matrix<double> C(5, 9, 3.0);
  blas::gemm_tn<double>(2, A, B, -1, C);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 9; ++j) {
      double sum = -3, absolute = 3;
      for (std::size_t l = 0; l < 37; ++l) {
        sum += 2 * A(l, i) * B(l, j);
        absolute += std::fabs(2 * A(l, i) * B(l, j));
      }
      EXPECT_NEAR(C(i, j), sum, 40 * 0x1p-52 * absolute);
    }
}

Matrix<double> symmetric(std::size_t n) {
  Matrix<double> A = test::normal_rows(n, n, 1, 3);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) A(j, i) = A(i, j);
  return A;
}

TEST(Lapack, EigenvectorsAreRows) {
  for (const std::size_t n : {0, 1, 2, 31}) {
    const Matrix<double> A = symmetric(n);
    Matrix<double> V = symmetric(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) V(i, j) = std::nan("");  // only the lower triangle is read
    std::vector<double> values(n);
    blas::eigen(V, values);
    const double error = 50 * static_cast<double>(n) * 0x1p-52 * std::sqrt(static_cast<double>(n));
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_LE(values[k == 0 ? 0 : k - 1], values[k]);
      for (std::size_t i = 0; i < n; ++i) {
        double image = 0;
        for (std::size_t j = 0; j < n; ++j) image += A(i, j) * V(k, j);
        EXPECT_NEAR(image, values[k] * V(k, i), error);
      }
    }
  }
}

TEST(Lapack, ConditionAndRowsOfRightSides) {
  Matrix<double> A(3, 3, 0.0);
  A(0, 0) = 4, A(1, 1) = 1e-6, A(2, 2) = 1;
  ASSERT_EQ(blas::cholesky(A), 0);
  EXPECT_NEAR(blas::reciprocal_condition(A, 4) / 2.5e-7, 1, 1e-12);
  Matrix<double> B(2, 3, 8.0);
  blas::cholesky_solve_rows(A, B);
  for (std::size_t row = 0; row < 2; ++row) {
    EXPECT_DOUBLE_EQ(B(row, 0), 2);
    EXPECT_NEAR(B(row, 1), 8e6, 1e-8);
    EXPECT_DOUBLE_EQ(B(row, 2), 8);
  }
}

}  // namespace
}  // namespace bochner
