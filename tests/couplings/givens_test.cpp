// SPDX-License-Identifier: Apache-2.0
// givens: exactly orthogonal rows of the stated norms, and the fourth moment that its bias comes from.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/stream.h"
#include "couplings/draw.h"
#include "support/scale.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using bochner::test::draw;
using bochner::test::inner;

TEST(Givens, RowsOfABlockAreOrthogonalAndOfTheStatedNorms) {
  const Law law = normal_law();
  for (const std::size_t D : {1, 2, 4, 8, 64, 512})
    for (const char* norms : {"fixed", "chi"}) {
      const std::size_t m = 2 * D + D / 2;
      const Matrix<double> W = draw("givens", law, D, m, 7, {{"norms", norms}})->directions();
      for (std::size_t i = 0; i < m; ++i) {
        const double norm = std::string(norms) == "fixed" ? std::sqrt(static_cast<double>(D)) : law.radius(7, i, D);
        ASSERT_NEAR(std::sqrt(inner(W, i, i)), norm, 1e-13 * norm) << D;
        for (std::size_t k = i / D * D; k < i; ++k)
          ASSERT_NEAR(inner(W, i, k), 0, 1e-13 * static_cast<double>(D)) << D << " " << i << " " << k;
      }
    }
}

TEST(Givens, BlocksDifferAndPaddingLeavesOutColumns) {
  const Parameters fixed = {{"norms", "fixed"}};
  const Matrix<double> wide = draw("givens", normal_law(), 64, 150, 3, fixed)->directions();
  const Matrix<double> narrow = draw("givens", normal_law(), 33, 150, 3, fixed)->directions();
  for (std::size_t i = 0; i < 150; ++i)
    for (std::size_t j = 0; j < 33; ++j) ASSERT_EQ(narrow(i, j), wide(i, j));
  for (std::size_t j = 0; j < 64; ++j) EXPECT_NE(wide(0, j), wide(64, j));
}

TEST(Givens, LargerBlocksArePaddedToo) {
  const Matrix<double> W = draw("givens", normal_law(), 5, 40, 3, {{"norms", "fixed"}, {"block", 32.0}})->directions();
  double squares = 0;
  for (std::size_t i = 0; i < 32; ++i) squares += inner(W, i, i);
  EXPECT_NEAR(squares, 5 * 32, 1e-11);  // five orthogonal columns of norm sqrt(32)
}

TEST(Givens, InOneDimensionARowIsASignTimesANorm) {
  std::vector<std::size_t> counts(2, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    ++counts[draw("givens", normal_law(), 1, 1, seed, {{"norms", "fixed"}})->directions()(0, 0) > 0 ? 1 : 0];
  EXPECT_GT(testing::uniform_chi_square_p_value(counts), testing::kLeastP);
}

/// E (w.z)^4 of rows of norm sqrt(D), z of d = D coordinates; the formula of src/couplings/givens.cpp.
double fourth_moment(const std::vector<double>& z) {
  const double D = static_cast<double>(z.size()), k = std::pow(1.5, std::log2(D));
  double squares = 0, fourths = 0;
  for (const double entry : z) {
    squares += entry * entry;
    fourths += std::pow(entry, 4);
  }
  return k * fourths + 3 * (D - k) / (D - 1) * (squares * squares - fourths);
}

TEST(Givens, FourthMomentsAreThoseOfTheClosedForm) {
  const std::size_t seeds = test::scaled(4000, 400);
  for (const std::size_t D : {2, 8, 32})
    for (const std::size_t active : {std::size_t{1}, D / 2, D}) {
      std::vector<double> z(D, 0.0);
      for (std::size_t j = 0; j < active; ++j) z[j] = 1 + 0.5 * static_cast<double>(j % 3);
      const Matrix<double> X = [&] {
        Matrix<double> row(1, D);
        std::copy(z.begin(), z.end(), row.data());
        return row;
      }();
      double sum = 0, squares = 0;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Matrix<double> P(1, D);
        draw("givens", normal_law(), D, D, seed, {{"norms", "fixed"}})->apply(X.view(), {}, P.view(), false);
        double mean = 0;
        for (std::size_t i = 0; i < D; ++i) mean += std::pow(P(0, i), 4) / static_cast<double>(D);
        sum += mean;
        squares += mean * mean;
      }
      const double n = static_cast<double>(seeds), mean = sum / n;
      const double error = std::sqrt((squares / n - mean * mean) / n);
      EXPECT_GT(testing::normal_p_value((mean - fourth_moment(z)) / error), testing::kLeastP) << D << " " << active;
    }
}

}  // namespace
}  // namespace bochner
