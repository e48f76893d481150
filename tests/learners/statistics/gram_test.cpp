// SPDX-License-Identifier: Apache-2.0
#include "bochner/gram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "bochner/threads.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Spec spec(std::size_t m) { return {.d = 3, .map = "trigonometric", .coupling = "iid", .m = m, .lengthscale = {1.5}}; }

template <class T>
Matrix<T> rows(std::size_t n, std::uint64_t seed = 1) {
  const Matrix<double> drawn = normal_rows(n, 3, 1, seed);
  Matrix<T> X(n, 3);
  for (std::size_t i = 0; i < n * 3; ++i) X.data()[i] = static_cast<T>(drawn.data()[i]);
  return X;
}

std::vector<double> weights_of(std::size_t n) {
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = 0.25 * static_cast<double>(i % 5);
  return weights;
}

template <class T>
class GramOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GramOf, Scalars);

/// Three blocks of rows, tiles of unequal widths.
TYPED_TEST(GramOf, IsTheSumOverRows) {
  using T = TypeParam;
  const std::size_t n = 2100, targets = 2;
  const auto features = make_features(spec(70));
  const std::size_t outputs = features->outputs();
  const Matrix<T> X = rows<T>(n);
  const Matrix<double> Y = normal_rows(n, targets, 3, 2);
  Matrix<T> Z(n, outputs);
  features->transform(X, Z);
  for (const bool weighted : {false, true}) {
    const auto weights = weighted ? weights_of(n) : std::vector<double>(n, 1.0);
    Gram gram(outputs, targets);
    gram.add(*features, X, Y, weighted ? weights : std::vector<double>());
    double weight = 0;
    for (const double w : weights) weight += w;
    EXPECT_DOUBLE_EQ(gram.weight(), weight);
    EXPECT_EQ(gram.single(), (std::is_same_v<T, float>));
    EXPECT_EQ(gram.rows(), weighted ? n - n / 5 : n);
    // sqrt(1024) roundings at random plus those of sqrt(w), relative to weight max |phi|^2 = weight / m
    const double product_error = 60 * std::numeric_limits<T>::epsilon() * weight / 70;
    const double cross_error = (weighted ? 2.0 : 1e-7) * std::numeric_limits<T>::epsilon() * weight * 10 + 1e-11;
    for (const std::size_t i : {std::size_t{0}, std::size_t{63}, std::size_t{64}, std::size_t{100}, outputs - 1}) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t r = 0; r < n; ++r) sum += weights[r] * double(Z(r, i)) * double(Z(r, j));
        ASSERT_NEAR(gram.gram()(i, j), sum, product_error) << i << " " << j;
      }
      double sum = 0, cross = 0;
      for (std::size_t r = 0; r < n; ++r) {
        sum += weights[r] * double(Z(r, i));
        cross += weights[r] * double(Z(r, i)) * Y(r, 1);
      }
      EXPECT_NEAR(gram.feature_sums()[i], sum, cross_error);
      EXPECT_NEAR(gram.cross()(1, i), cross, cross_error);
    }
    double first = 0, square = 0;
    for (std::size_t r = 0; r < n; ++r) {
      first += weights[r] * Y(r, 1);
      square += weights[r] * Y(r, 1) * Y(r, 1);
    }
    EXPECT_NEAR(gram.target_sums()[1], first, 1e-9);
    EXPECT_NEAR(gram.target_squares()[1], square, 1e-8);
  }
}

TYPED_TEST(GramOf, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const int before = num_threads();
  const auto features = make_features(spec(130));
  const Matrix<T> X = rows<T>(1500);
  const Matrix<double> Y = normal_rows(1500, 2, 1, 2);
  const auto weights = weights_of(1500);
  std::vector<std::byte> first;
  for (const int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    Gram gram(260, 2);
    gram.add(*features, X, Y, weights);
    if (threads == 1) first = gram.to_bytes();
    EXPECT_EQ(gram.to_bytes(), first) << threads << " threads";
  }
  set_num_threads(before);
}

TEST(Gram, PartsMergeToTheWhole) {
  const auto features = make_features(spec(10));
  const Matrix<double> X = rows<double>(90), Y = normal_rows(90, 1, 1, 2);
  Gram whole(20, 1), merged(20, 1), tail(20, 1);
  whole.add(*features, X, Y);
  merged.add(*features, X.view().row_range(0, 40), Y.view().row_range(0, 40));
  tail.add(*features, X.view().row_range(40, 90), Y.view().row_range(40, 90));
  merged.merge(tail);
  EXPECT_EQ(merged.rows(), 90U);
  EXPECT_EQ(merged.weight(), 90);
  EXPECT_NEAR(merged.target_sums()[0], whole.target_sums()[0], 1e-12);
  EXPECT_NEAR(merged.target_squares()[0], whole.target_squares()[0], 1e-12);
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j <= i; ++j) EXPECT_NEAR(merged.gram()(i, j), whole.gram()(i, j), 1e-13);
    EXPECT_NEAR(merged.cross()(0, i), whole.cross()(0, i), 1e-13);
    EXPECT_NEAR(merged.feature_sums()[i], whole.feature_sums()[i], 1e-13);
  }
  EXPECT_NE(refusal([&] { whole.merge(Gram(20, 2)); }).find("a Gram of 20 outputs and 2 targets; expected 20 and 1"),
            std::string::npos);
}

TEST(Gram, MomentsAboutAPoint) {
  const auto features = make_features(spec(4));
  const Matrix<double> X = rows<double>(50), Y = normal_rows(50, 1, 1, 2);
  const auto weights = weights_of(50);
  Matrix<double> Z(50, 8);
  features->transform(X, Z);
  Gram gram(8, 1);
  EXPECT_EQ(gram.feature_means(), std::vector<double>(8, 0.0));
  gram.add(*features, X, Y, weights);
  for (const bool mean : {true, false}) {
    const auto centre = mean ? gram.feature_means() : std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8};
    const auto target_centre = mean ? gram.target_means() : std::vector<double>{9};
    const Matrix<double> G = gram.second_moments(centre), c = gram.cross_moments(centre, target_centre);
    double square = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      double product = 0, cross = 0;
      for (std::size_t r = 0; r < 50; ++r) {
        const double residual = Y(r, 0) - target_centre[0];
        product += weights[r] * (Z(r, i) - centre[i]) * (Z(r, 0) - centre[0]);
        cross += weights[r] * (Z(r, i) - centre[i]) * residual;
        square += i == 0 ? weights[r] * residual * residual : 0;
      }
      EXPECT_NEAR(G(i, 0), product, 1e-11);
      EXPECT_NEAR(c(0, i), cross, 1e-11);
    }
    EXPECT_NEAR(gram.target_moments(target_centre)[0], square, 1e-11);
  }
}

TEST(Gram, BytesThatAreNotItsOwnAreRefused) {
  Gram gram(3, 2);
  gram.add(*make_features({.d = 1, .map = "cosine", .coupling = "iid", .m = 3}), Matrix<double>(5, 1, 0.5),
           Matrix<double>(5, 2, 1.0));
  const auto good = gram.to_bytes();
  EXPECT_EQ(Gram::from_bytes(good).to_bytes(), good);
  const auto refused = [&](std::size_t at, auto value, const char* part) {
    auto bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    EXPECT_NE(refusal([&] { Gram::from_bytes(bytes); }).find(part), std::string::npos)
        << refusal([&] { Gram::from_bytes(bytes); }) << " instead of " << part;
  };
  refused(1, 'X', "they do not start as a Gram does");
  refused(0, char{3}, "version 3 is unknown");
  refused(0, char{0}, "version 0 is unknown");
  refused(0, char{1}, "and not");
  refused(8, std::uint64_t{0}, "there are 0 outputs and 2 targets");
  refused(8, std::uint64_t{4}, "and not");
  refused(8, ~std::uint64_t{0}, "outputs and 2 targets");
  refused(16, std::uint64_t{1} << 40, "there are 3 outputs and");
  refused(32, std::uint64_t{2}, "there are 3 outputs and");
  refused(48, kNaN, "number 6 is nan");
  refused(40, -1.0, "the weight is -1");
  refused(48, -1.0, "feature 0 has the sum of squares -1");
  refused(good.size() - 40, -1.0, "a target has the sum of squares -1");
  refused(good.size() - 8, kNaN, "an end of the targets is nan");
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(refusal([&] { Gram::from_bytes(std::span(good).first(length)); }).empty()) << length;
}

TEST(Gram, RefusesWhatDoesNotFitAndAddsNothing) {
  const auto features = make_features(spec(4));
  Matrix<double> X = rows<double>(6), Y(6, 1, 1.0);
  Gram gram(8, 1);
  const auto refused = [&](std::vector<double> weights, const char* part) {
    const std::string said = refusal([&] { gram.add(*features, X, Y, weights); });
    EXPECT_NE(said.find(part), std::string::npos) << said << " instead of " << part;
  };
  refused({1, 1}, "weights is a list of 2 numbers; expected 6, one for each row of X");
  refused({1, 1, 1, -1, 1, 1}, "weights has -1 at row 3; expected a finite number >= 0");
  refused({1, 1, 1, 1, 1, kNaN}, "weights has nan at row 5");
  Y(4, 0) = kNaN;
  refused({}, "Y has nan at row 4, column 0; expected a finite number");
  Y = Matrix<double>(6, 2, 1.0);
  refused({}, "Y is 6 x 2; expected 6 x 1: a row of targets for each row of X");
  Y = Matrix<double>(6, 1, 1.0);
  X(2, 1) = kNaN;
  refused({}, "X has nan at row 2, column 1; expected a finite number");
  X = Matrix<double>(6, 2, 1.0);
  refused({}, "X is 6 x 2; expected n x 3 (d)");
  EXPECT_EQ(gram.rows(), 0U);
  EXPECT_EQ(gram.weight(), 0);
  const Matrix<double> good = rows<double>(6);
  EXPECT_NE(refusal([&] { Gram(9, 1).add(*features, good, Y); }).find("a map with 8 outputs; expected 9"),
            std::string::npos);
  const auto asymmetric = make_features({.d = 3,
                                         .kernel = "softmax",
                                         .map = "complex_exponential",
                                         .coupling = "iid",
                                         .m = 4,
                                         .parameters = {{"A", std::vector<double>{0.5, 0.5, 0.5}}}});
  EXPECT_NE(refusal([&] {
              Gram(asymmetric->outputs(), 1).add(*asymmetric, good, Y);
            }).find("the map 'complex_exponential', which treats query and key differently"),
            std::string::npos);
}

}  // namespace
}  // namespace bochner
