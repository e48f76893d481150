// SPDX-License-Identifier: Apache-2.0
#include "bochner/lengthscale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/threads.h"
#include "core/stream.h"
#include "features/nearest_rows.h"
#include "features/sample_rows.h"
#include "support/statistics.h"

namespace bochner {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
Matrix<T> normal_points(std::size_t n, std::size_t d, double mean = 0.0) {
  Matrix<T> X(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j)
      X(i, j) = static_cast<T>(mean + (1.0 + static_cast<double>(j)) * Stream(3, Purpose::iid_entries).normal(i, j));
  return X;
}

template <class T>
double distance(const Matrix<T>& X, std::size_t a, std::size_t b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < X.cols(); ++j) sum += std::pow(double(X(a, j)) - double(X(b, j)), 2);
  return std::sqrt(sum);
}

/// Distances from row i to all other rows, sorted.
template <class T>
std::vector<double> distances_from(const Matrix<T>& X, std::size_t i) {
  std::vector<double> all;
  for (std::size_t j = 0; j < X.rows(); ++j)
    if (j != i) all.push_back(distance(X, i, j));
  std::ranges::sort(all);
  return all;
}

template <class T>
class LengthscaleOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LengthscaleOf, Precisions);

TYPED_TEST(LengthscaleOf, ScaleIsTheVarianceOfAllEntries) {
  for (const double offset : {0.0, 1e5}) {
    const Matrix<TypeParam> X = normal_points<TypeParam>(3001, 7, offset);
    long double mean = 0, squares = 0;
    for (std::size_t i = 0; i < 3001 * 7; ++i) mean += static_cast<long double>(X.data()[i]) / (3001 * 7);
    for (std::size_t i = 0; i < 3001 * 7; ++i) squares += std::pow(static_cast<long double>(X.data()[i]) - mean, 2);
    const double gamma = static_cast<double>(1 / (7 * (squares / (3001 * 7))));
    const double sigma = lengthscale_from<TypeParam>(X.view(), "scale");
    EXPECT_NEAR(1 / (2 * sigma * sigma), gamma, 1e-13 * gamma);
  }
}

TYPED_TEST(LengthscaleOf, MedianIsThatOfAllPairsUpToAThousandRows) {
  for (const std::size_t n : {2, 3, 4, 5, 100, 101}) {
    const Matrix<TypeParam> X = normal_points<TypeParam>(n, 3);
    std::vector<double> all;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) all.push_back(distance(X, i, j));
    std::ranges::sort(all);
    const double expected = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
    EXPECT_NEAR(lengthscale_from<TypeParam>(X.view(), "median"), expected, 1e-14 * expected) << n;
    EXPECT_EQ(lengthscale_from<TypeParam>(X.view(), "median", 1), lengthscale_from<TypeParam>(X.view(), "median", 2));
  }
}

TYPED_TEST(LengthscaleOf, NeighbourIsTheFiftiethOrTheFarthest) {
  for (const std::size_t n : {2, 3, 50, 51, 52, 700}) {
    const Matrix<TypeParam> X = normal_points<TypeParam>(n, 5, 30.0);
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i)
      expected += distances_from(X, i)[std::min<std::size_t>(50, n - 1) - 1] / static_cast<double>(n);
    EXPECT_NEAR(lengthscale_from<TypeParam>(X.view(), "neighbour"), expected, 1e-13 * expected) << n;
  }
}

TEST(Lengthscale, NeighboursOfASampleAreSoughtAmongAllRows) {
  const Matrix<double> X = normal_points<double>(2500, 3);
  double expected = 0;
  for (const std::size_t i : sample_rows(2500, 1000, 9)) expected += distances_from(X, i)[49] / 1000;
  EXPECT_NEAR(lengthscale_from<double>(X.view(), "neighbour", 9), expected, 1e-13 * expected);
}

TEST(Lengthscale, NearestRowsOfEveryOrderAndWithEqualRows) {
  Matrix<double> X = normal_points<double>(210, 4, 1e6);
  for (std::size_t i = 0; i < 70; ++i) std::copy_n(X.view().row(0).data(), 4, X.view().row(3 * i).data());
  const std::vector<std::size_t> queries = {0, 1, 100, 207, 209};
  for (const std::size_t order : {1, 2, 69, 70, 209}) {
    const std::vector<double> found = nearest_squared_distances<double>(X.view(), queries, order);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const double expected = distances_from(X, queries[q])[order - 1];
      EXPECT_NEAR(std::sqrt(found[q]), expected, 1e-12 * expected) << order << " of " << queries[q];
    }
  }
}

TEST(Lengthscale, AStrideIsFollowed) {
  const Matrix<double> wide = normal_points<double>(120, 9);
  Matrix<double> narrow(60, 4);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j < 4; ++j) narrow(i, j) = wide(2 * i, j + 3);
  const MatrixView<const double> window(wide.data() + 3, 60, 4, 18);
  for (const std::string_view rule : lengthscale_rules())
    EXPECT_EQ(lengthscale_from<double>(window, rule), lengthscale_from<double>(narrow.view(), rule)) << rule;
}

TEST(Lengthscale, ThreadsDoNotChangeABitAndSeedsDo) {
  const Matrix<float> X = normal_points<float>(20'000, 3);
  const int before = num_threads();
  for (const std::string_view rule : lengthscale_rules()) {
    std::set<double> seen;
    for (const int threads : {1, 2, 5}) {
      set_num_threads(threads);
      seen.insert(lengthscale_from<float>(X.view(), rule, 17));
    }
    EXPECT_EQ(seen.size(), 1u) << rule;
    seen.insert(lengthscale_from<float>(X.view(), rule, 18));
    EXPECT_EQ(seen.size(), rule == "scale" ? 1u : 2u) << rule;
  }
  set_num_threads(before);
}

TEST(Lengthscale, SamplesAreSetsInOrderAndEveryRowIsAsLikely) {
  EXPECT_EQ(sample_rows(3, 5, 1), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(sample_rows(0, 5, 1).empty());
  std::vector<std::size_t> pairs(21);
  for (std::uint64_t seed = 0; seed < 21'000; ++seed) {
    const std::vector<std::size_t> rows = sample_rows(7, 2, seed);
    ASSERT_EQ(rows.size(), 2u);
    ASSERT_LT(rows[0], rows[1]);
    ++pairs.at(rows[1] * (rows[1] - 1) / 2 + rows[0]);
  }
  EXPECT_GT(testing::uniform_chi_square_p_value(pairs), testing::kLeastP);
  const std::vector<std::size_t> many = sample_rows(std::size_t{1} << 62, 1000, 4);
  EXPECT_EQ(many.size(), 1000u);
  EXPECT_GT(many.back(), std::size_t{1} << 61);
  EXPECT_LT(many.back(), std::size_t{1} << 62);
}

TEST(Lengthscale, ConstantDataHaveTheScaleOfScikitLearn) {
  for (const double value : {0.0, 0.1, -1e30}) {
    Matrix<double> X(11, 3);
    std::fill_n(X.data(), 33, value);
    EXPECT_EQ(lengthscale_from<double>(X.view(), "scale"), std::sqrt(0.5));
  }
}

struct Refusal {
  std::size_t n, d;
  double fill;  ///< of all entries but the one at (1, 1), which is `odd`
  double odd;
  std::string rule;
  std::string words;
};

TEST(Lengthscale, RefusalsNameTheCause) {
  const std::vector<Refusal> cases = {
      {3, 2, 1, 2, "medain", "unknown lengthscale rule 'medain'; did you mean 'median'? known: scale, median"},
      {3, 2, 1, 2, "", "unknown lengthscale rule ''"},
      {0, 2, 1, 1, "scale", "X is 0 x 2; expected at least 1 row for lengthscale 'scale'"},
      {1, 2, 1, 1, "median", "X is 1 x 2; expected at least 2 rows for lengthscale 'median'"},
      {1, 2, 1, 1, "neighbour", "X is 1 x 2; expected at least 2 rows for lengthscale 'neighbour'"},
      {4, 0, 1, 1, "scale", "X is 4 x 0; expected at least one column"},
      {3, 2, 1, kNan, "scale", "X has nan at row 1, column 1; expected a finite number"},
      {3, 2, 1, -kInf, "median", "X has -inf at row 1, column 1; expected a finite number"},
      {3, 2, 1, 1e200, "neighbour", "X has 1e+200 at row 1, column 1; expected |x| <= 1e150"},
      {9, 2, 7, 7, "median", "lengthscale 'median' is 0; expected at least 1e-150, but half of the pairs"},
      {9, 2, 7, 7, "neighbour", "lengthscale 'neighbour' is 0; expected at least 1e-150, but every row of X has"},
      {9, 2, 0, 1e-200, "scale", "lengthscale 'scale' is 0; expected at least 1e-150, but the rows of X differ by"},
      {2, 2, 0, 1e-155, "median", "lengthscale 'median' is 1e-155; expected at least 1e-150, but the rows of X differ"},
  };
  for (const Refusal& refused : cases) {
    Matrix<double> X(refused.n, refused.d);
    std::fill_n(X.data(), refused.n * refused.d, refused.fill);
    if (refused.n > 1 && refused.d > 1) X(1, 1) = refused.odd;
    try {
      ADD_FAILURE() << refused.words << ": " << lengthscale_from<double>(X.view(), refused.rule);
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(refused.words)) << error.what();
    }
  }
}

TEST(Lengthscale, ANonFiniteEntryOutsideTheSampleIsRefusedToo) {
  Matrix<float> X = normal_points<float>(5000, 2);
  const std::vector<std::size_t> rows = sample_rows(5000, 1000, 0);
  std::size_t outside = 4000;
  while (std::ranges::binary_search(rows, outside)) ++outside;
  X(outside, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(lengthscale_from<float>(X.view(), "median"), std::invalid_argument);
}

TEST(Lengthscale, LargeAndSmallNumbersKeepTheirScale) {
  for (const double factor : {0x1p-480, 0x1p480}) {
    const Matrix<double> X = normal_points<double>(90, 3);
    Matrix<double> far(90, 3);
    for (std::size_t i = 0; i < 270; ++i) far.data()[i] = X.data()[i] * factor;
    for (const std::string_view rule : lengthscale_rules()) {
      const double sigma = lengthscale_from<double>(X.view(), rule);
      EXPECT_NEAR(lengthscale_from<double>(far.view(), rule) / factor, sigma, 1e-13 * sigma) << rule;
    }
  }
}

}  // namespace
}  // namespace bochner
