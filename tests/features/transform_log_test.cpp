// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bochner/features.h"
#include "support/normals.h"
#include "support/refusal.h"

namespace bochner {
namespace {

template <class T>
void expect_logarithms(const Spec& spec) {
  const auto features = make_features(spec);
  const Matrix<T> X = test::normals<T>(13, spec.d, 1);
  Matrix<T> plain(13, features->outputs()), logs(13, features->outputs());
  std::vector<double> factor(13);
  for (const Side side : {Side::query, Side::key}) {
    features->transform(X, plain, side);
    features->transform_log(X, logs, factor, side);
    // exponents are of size 10, and rounded a few times
    for (std::size_t i = 0; i < 13; ++i)
      for (std::size_t j = 0; j < features->outputs(); ++j)
        ASSERT_NEAR(std::exp(double(logs(i, j)) + factor[i]) / double(plain(i, j)), 1,
                    200 * std::numeric_limits<T>::epsilon())
            << spec.map;
  }
}

TEST(TransformLog, IsTheLogarithmOfEveryPositiveMap) {
  const std::vector<std::pair<const char*, Parameters>> maps = {
      {"positive", {}},
      {"positive_paired", {}},
      {"optimal_positive", {{"A", -0.1}}},
      {"optimal_positive_paired", {{"A", -0.1}}},
      {"poisson_positive", {{"rate", 2.0}, {"shift", std::vector<double>(4, -4.0)}}},
      {"geometric_positive", {{"p", 0.4}, {"shift", std::vector<double>(4, -4.0)}}},
  };
  for (const char* kernel : {"gaussian", "softmax"})
    for (const auto& [map, parameters] : maps) {
      const Spec spec{.d = 4,
                      .kernel = kernel,
                      .map = map,
                      .coupling = "iid",
                      .m = 9,
                      .lengthscale = {1.3},
                      .parameters = parameters};
      expect_logarithms<float>(spec);
      expect_logarithms<double>(spec);
    }
}

/// What would overflow is a number: the factor of a long row is double.
TEST(TransformLog, OfLongRows) {
  const auto features = make_features({.d = 2, .kernel = "softmax", .map = "positive", .m = 3});
  Matrix<float> X(1, 2, 1e9F), Z(1, 3);
  double factor = 0;
  features->transform_log(X, Z, {&factor, 1});
  EXPECT_NEAR(factor, -1e18, 1e6);
  for (const float z : Z.view().row(0)) EXPECT_TRUE(std::isfinite(z));
}

TEST(TransformLog, RefusesOtherMapsAndUnfittedOnes) {
  Matrix<double> X(1, 2, 0.5), Z(1, 6);
  std::vector<double> factor(1);
  const auto waves = make_features({.d = 2, .map = "trigonometric", .m = 3});
  EXPECT_NE(test::refusal([&] { waves->transform_log(X, Z, factor); }).find("map 'trigonometric' has no log scale"),
            std::string::npos);
  const auto unfitted = make_features({.d = 2, .map = "optimal_positive", .m = 6});
  EXPECT_NE(test::refusal([&] { unfitted->transform_log(X, Z, factor); }).find("lacks parameter 'A'"),
            std::string::npos);
  unfitted->fit(X.view());
  unfitted->transform_log(X, Z, factor);
  EXPECT_NE(test::refusal([&] { unfitted->transform_log(X, Z, {}); }).find("log_scale is 0 numbers"),
            std::string::npos);
}

}  // namespace
}  // namespace bochner
