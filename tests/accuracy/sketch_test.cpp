// SPDX-License-Identifier: Apache-2.0
#include "accuracy/sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "bochner/plan.h"
#include "features/lookup.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

const std::vector<double> kUnit = {1.0};

double sum(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

Sketch of_one_set(const Matrix<double>& X, std::size_t pairs = 2250) {
  return sketch<double>(X.view(), {}, true, kUnit, 7, pairs);
}

Sketch measured_by(const Matrix<double>& X, std::string_view measure, std::size_t pairs = 2250) {
  Sketch made = of_one_set(X, pairs);
  measure_by(made, measure, find_kernel("gaussian"), {});
  return made;
}

bool is_diagonal(const Sketch& made, std::size_t i) {
  return std::ranges::equal(made.pairs.X.view().row(i), made.pairs.Y.view().row(i));
}

/// A mean over all n^2 pairs of one set: weights sum to 1, and those of rows with themselves to 1/n.
TEST(Sketch, WeightsAreThoseOfTheGramMatrix) {
  for (const std::size_t n : {1, 2, 3, 10, 260, 2000})
    for (const std::size_t pairs : {9, 10, 100, 2250}) {
      const Sketch made = of_one_set(normal_rows(n, 3, 1, n), pairs);
      EXPECT_EQ(made.pairs.size(), std::min(pairs, n * n)) << n;
      ASSERT_EQ(made.weights.size(), made.pairs.size());
      EXPECT_NEAR(sum(made.weights), 1, 1e-12) << n << ' ' << pairs;
      double diagonal = 0;
      for (std::size_t i = 0; i < made.pairs.size(); ++i) {
        EXPECT_GT(made.weights[i], 0);
        if (is_diagonal(made, i)) diagonal += made.weights[i];
      }
      EXPECT_NEAR(diagonal, 1.0 / static_cast<double>(n), 1e-12) << n << ' ' << pairs;
    }
}

TEST(Sketch, PairsOfTwoSetsWeighTheSame) {
  for (const std::size_t n : {1, 2, 3, 2000})
    for (const std::size_t keys : {1, 5, 1500})
      for (const std::size_t pairs : {1, 9, 2250}) {
        const Matrix<double> X = normal_rows(n, 3, 1, 1), Y = normal_rows(keys, 3, 1, 2);
        const Sketch made = sketch<double>(X.view(), Y.view(), false, kUnit, 7, pairs);
        EXPECT_EQ(made.pairs.size(), std::min(pairs, made.queries.rows() * made.keys.rows()));
        EXPECT_NEAR(sum(made.weights), 1, 1e-12) << n << ' ' << keys;
        EXPECT_EQ(std::ranges::min(made.weights), std::ranges::max(made.weights));
      }
}

/// The mean of k over the pairs is that of the Gram matrix: the standard deviation of k is below 1/2, so five standard
/// errors of 2000 pairs are 0.056.
TEST(Sketch, MeanOfTheKernelIsThatOfTheGramMatrix) {
  for (const std::size_t n : {2, 3, 40}) {
    const Matrix<double> X = normal_rows(n, 2, 1, 5);
    const Sketch made = measured_by(X, "absolute");
    double estimate = 0, mean = 0;
    for (std::size_t i = 0; i < made.weights.size(); ++i) estimate += made.weights[i] * made.kernel[i];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        mean += kernel_at(find_kernel("gaussian"), X.view().row(i), X.view().row(j), {}) / static_cast<double>(n * n);
    EXPECT_NEAR(estimate, mean, 0.056) << n;
  }
}

/// A tenth of the weight of "absolute", times ten: nothing below the smallest k that is kept in full, and of equal ones
/// at the end the same part of each.
TEST(Sketch, LargestIsATenthOfTheWeight) {
  for (const std::size_t n : {1, 2, 3, 7, 20, 300, 2000}) {
    const Matrix<double> X = normal_rows(n, 3, 1, n);
    const Sketch all = measured_by(X, "absolute"), kept = measured_by(X, "largest");
    EXPECT_NEAR(sum(kept.weights), 1, 1e-12) << n;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < kept.weights.size(); ++i)
      if (kept.weights[i] > 0) least = std::min(least, kept.kernel[i]);
    double above = 0, at_least = 0;
    for (std::size_t i = 0; i < kept.weights.size(); ++i) {
      const double part = kept.weights[i] / (10 * all.weights[i]);
      if (kept.kernel[i] > least) {
        EXPECT_NEAR(part, 1, 1e-12) << n;
        above += all.weights[i];
      } else if (kept.kernel[i] < least) {
        EXPECT_EQ(part, 0) << n;
      }
      if (kept.kernel[i] >= least) at_least += all.weights[i];
    }
    EXPECT_LE(above, 0.1 + 1e-12) << n;
    EXPECT_GE(at_least, 0.1 - 1e-12) << n;
    for (std::size_t i = 0; i < kept.weights.size(); ++i)
      if (kept.kernel[i] == least) {
        EXPECT_NEAR(kept.weights[i] / all.weights[i], 10 * (0.1 - above) / (at_least - above), 1e-9) << n;
      }
  }
}

/// One row among 10000, of which 1000 are sampled: every entry is looked at.
template <class T>
void expect_refused(T entry, const std::string& shown) {
  constexpr std::size_t kRows = 10000, kCols = 3;
  const auto refused = [&](const Matrix<T>& X, const Matrix<T>& Y) {
    return refusal([&] { plan<T>(X.view(), Y.view(), {.map = "trigonometric", .coupling = "iid", .outputs = 8}); });
  };
  const auto one_set = [&](const Matrix<T>& X) {
    return refusal([&] { plan<T>(X.view(), {}, {.map = "trigonometric", .coupling = "iid", .outputs = 8}); });
  };
  Matrix<T> good(kRows, kCols);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t l = 0; l < kCols; ++l) good(i, l) = static_cast<T>(i % 17) / 17;
  EXPECT_EQ(refused(good, good), "");
  for (const std::size_t row : {std::size_t{0}, std::size_t{4999}, std::size_t{5000}, kRows - 1})
    for (std::size_t column = 0; column < kCols; ++column) {
      Matrix<T> bad(kRows, kCols);
      std::copy_n(good.view().data(), kRows * kCols, bad.view().data());
      bad(row, column) = entry;
      const std::string where = " has " + shown + " at row " + std::to_string(row) + ", column " +
                                std::to_string(column) + "; expected a finite number";
      EXPECT_EQ(one_set(bad), "X" + where);
      EXPECT_EQ(refused(bad, good), "X" + where);
      EXPECT_EQ(refused(good, bad), "Y" + where);
    }
}

TEST(Sketch, RefusesWhatIsNotFiniteInAnyRow) {
  expect_refused<float>(std::numeric_limits<float>::quiet_NaN(), "nan");
  expect_refused<double>(std::numeric_limits<double>::quiet_NaN(), "nan");
  expect_refused<float>(-std::numeric_limits<float>::infinity(), "-inf");
  expect_refused<double>(std::numeric_limits<double>::infinity(), "inf");
}

TEST(Sketch, TakesMinimaOfAllRowsInUnitsOfTheLengthscale) {
  Matrix<float> X(5000, 2);
  for (std::size_t i = 0; i < X.rows(); ++i) X(i, 0) = static_cast<float>(i % 7), X(i, 1) = 1;
  X(3333, 0) = -8, X(1234, 1) = -3;
  const Sketch made = sketch<float>(X.view(), {}, true, {0.5, 2.0}, 7);
  EXPECT_EQ(made.query_minima, (std::vector<double>{-4, -6}));
  EXPECT_EQ(made.key_minima, made.query_minima);
}

}  // namespace
}  // namespace bochner
