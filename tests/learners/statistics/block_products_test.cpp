// SPDX-License-Identifier: Apache-2.0
#include "learners/statistics/block_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "bochner/matrix.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::normal_rows;

/// More columns than a tile has, and not a multiple of anything; every third coefficient is zero.
constexpr std::size_t kRows = 37, kOutputs = 2500;

struct Case {
  std::size_t functions;
  bool intercept;
};

template <class T>
class BlockProducts : public testing::Test {
 public:
  explicit BlockProducts() : Z(kRows, kOutputs) {
    const Matrix<double> drawn = normal_rows(kRows, kOutputs, 1, 1);
    for (std::size_t i = 0; i < kRows * kOutputs; ++i) Z.data()[i] = static_cast<T>(drawn.data()[i]);
  }
  /// Z with the column of ones that an intercept stands for.
  double wide(std::size_t i, std::size_t j) const { return j < kOutputs ? static_cast<double>(Z(i, j)) : 1.0; }
  double score(std::size_t i, const Matrix<double>& W, std::size_t k) const {
    long double sum = 0;
    for (std::size_t j = 0; j < W.cols(); ++j) sum += static_cast<long double>(wide(i, j)) * W(k, j);
    return static_cast<double>(sum);
  }
  static Matrix<double> coefficients(std::size_t functions) {
    Matrix<double> c = normal_rows(kRows, functions, 1, 3);
    for (std::size_t i = 0; i < kRows * functions; i += 3) c.data()[i] = 0;
    return c;
  }

  Matrix<T> Z;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(BlockProducts, Precisions);

/// Sums of 2500 products of numbers of size 1 are exact to 1e-11.
constexpr double kNear = 1e-11;
constexpr Case kCases[] = {{1, true}, {3, false}, {12, true}};

TYPED_TEST(BlockProducts, Scores) {
  for (const auto& [functions, intercept] : kCases) {
    const Matrix<double> W = normal_rows(functions, kOutputs + intercept, 1, 2);
    Matrix<double> scores(kRows, functions, std::nan(""));
    scores_of(MatrixView<const TypeParam>(this->Z), W, scores);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < functions; ++k) ASSERT_NEAR(scores(i, k), this->score(i, W, k), kNear);
  }
}

TYPED_TEST(BlockProducts, ZeroCoefficientsStayZero) {
  for (const auto& [functions, intercept] : kCases)
    for (const Products products : {Products::all, Products::nonzero}) {
      const Matrix<double> V = normal_rows(functions, kOutputs + intercept, 1, 2),
                           before = this->coefficients(functions);
      Matrix<double> after = this->coefficients(functions);
      multiply_by_scores(products, MatrixView<const TypeParam>(this->Z), V, after);
      for (std::size_t i = 0; i < kRows; ++i)
        for (std::size_t k = 0; k < functions; ++k) {
          ASSERT_EQ(after(i, k) == 0, before(i, k) == 0);
          ASSERT_NEAR(after(i, k), before(i, k) * this->score(i, V, k), 5 * kNear);
        }
    }
}

TYPED_TEST(BlockProducts, SumsOfRowsAndOfTheirSquares) {
  for (const auto& [functions, intercept] : kCases)
    for (const Products products : {Products::all, Products::nonzero}) {
      const Matrix<double> c = this->coefficients(functions);
      Matrix<double> rows(functions, kOutputs + intercept, 1.0), squares(functions, kOutputs + intercept, 1.0);
      add_rows(products, MatrixView<const TypeParam>(this->Z), c, rows);
      add_squared_rows(products, MatrixView<const TypeParam>(this->Z), c, squares);
      for (std::size_t k = 0; k < functions; ++k)
        for (std::size_t j = 0; j < rows.cols(); ++j) {
          double row = 1, square = 1;
          for (std::size_t i = 0; i < kRows; ++i) {
            row += c(i, k) * this->wide(i, j);
            square += c(i, k) * this->wide(i, j) * this->wide(i, j);
          }
          ASSERT_NEAR(rows(k, j), row, kNear) << k << ", " << j;
          ASSERT_NEAR(squares(k, j), square, kNear) << k << ", " << j;
        }
    }
}

/// Which rows are near does not change the bits: features of single rows may be computed again without the others.
TYPED_TEST(BlockProducts, RowsAloneHaveTheSameBits) {
  const std::size_t functions = 12;
  const Matrix<double> V = normal_rows(functions, kOutputs + 1, 1, 2);
  Matrix<double> together = this->coefficients(functions), sums(functions, kOutputs + 1, 0.0);
  Matrix<double> alone = this->coefficients(functions), sums_alone(functions, kOutputs + 1, 0.0);
  const MatrixView<const TypeParam> Z(this->Z);
  multiply_by_scores(Products::nonzero, Z, V, together);
  add_rows(Products::nonzero, Z, together, sums);
  for (std::size_t i = 0; i < kRows; ++i) {
    const MatrixView<double> row = alone.view().row_range(i, i + 1);
    multiply_by_scores(Products::nonzero, Z.row_range(i, i + 1), V, row);
    add_rows(Products::nonzero, Z.row_range(i, i + 1), row, sums_alone);
  }
  for (std::size_t i = 0; i < kRows * functions; ++i) ASSERT_EQ(alone.data()[i], together.data()[i]);
  for (std::size_t i = 0; i < functions * (kOutputs + 1); ++i) ASSERT_EQ(sums_alone.data()[i], sums.data()[i]);
}

}  // namespace
}  // namespace bochner
