// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "support/golden.h"

namespace bochner {
namespace {

double angular(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& sigma = {1.0}) {
  return kernel_matrix<double>({x.data(), 1, x.size()}, {y.data(), 1, y.size()}, "angular", sigma)(0, 0);
}

TEST(AngularKernel, KnowsEveryAngle) {
  for (const double theta : {1e-15, 1e-10, 1e-5, 0.1, 1.0, 1.5, 3.0, std::numbers::pi - 1e-9, std::numbers::pi}) {
    const double expected = 1 - 2 * theta / std::numbers::pi;
    EXPECT_NEAR(angular({2.0, 0.0}, {std::cos(theta), std::sin(theta)}), expected, 1e-15) << theta;
    EXPECT_NEAR(angular({0.0, 3.0, 0.0}, {0.0, std::cos(theta), -std::sin(theta)}), expected, 1e-15) << theta;
  }
}

TEST(AngularKernel, EqualsKnownAnswers) {
  for (const testing::GoldenCase& known : testing::golden_cases("theory", "sgn_mean")) {
    const double theta = known.args.at("theta");
    EXPECT_NEAR(angular({1.0, 0.0}, {std::cos(theta), std::sin(theta)}), known.value.get<double>(), 1e-15) << theta;
  }
}

/// An arc cosine of the rounded cosine would give 1 - 9e-9 here.
TEST(AngularKernel, KeepsSmallAngles) {
  EXPECT_NEAR(1 - angular({1.0, 0.0}, {1.0, 1e-9}), 2e-9 / std::numbers::pi, 1e-15);
  EXPECT_NEAR(1 + angular({1.0, 0.0}, {-1.0, 1e-9}), 2e-9 / std::numbers::pi, 1e-15);
}

TEST(AngularKernel, IsBlindToNorms) {
  const std::vector<double> x = {0.3, -2.0, 1.1}, y = {1.7, 0.2, 0.4};
  const double expected = angular(x, y);
  for (const double size : {1e-150, 1e-3, 7.0, 1e140}) {
    std::vector<double> longer = y;
    for (double& entry : longer) entry *= size;
    EXPECT_NEAR(angular(x, longer), expected, 2e-15) << size;
    EXPECT_NEAR(angular(x, y, {1 / std::min(size, 1e3)}), expected, 2e-15) << "lengthscale";
  }
}

TEST(AngularKernel, VectorLengthscalesTurnTheAngles) {
  EXPECT_NEAR(angular({1.0, 0.0}, {1.0, 1.0}), 0.5, 1e-15);
  const double theta = std::atan2(1.0 / 3.0, 2.0);
  EXPECT_NEAR(angular({1.0, 0.0}, {1.0, 1.0}, {0.5, 3.0}), 1 - 2 * theta / std::numbers::pi, 1e-15);
}

/// Features of the zero vector are all +1: they meet themselves with 1, and any other vector with mean 0.
TEST(AngularKernel, ZeroVectorIsWhatSignFeaturesMakeOfIt) {
  EXPECT_EQ(angular({0.0, 0.0}, {0.0, 0.0}), 1.0);
  EXPECT_NEAR(angular({0.0, 0.0}, {3.0, -1.0}), 0.0, 1e-16);
  EXPECT_NEAR(angular({3.0, -1.0}, {-0.0, 0.0}), 0.0, 1e-16);
  const auto features = make_features({.d = 2, .kernel = "angular", .map = "sign", .coupling = "iid", .m = 64});
  const Matrix<double> X(1, 2, 0.0);
  Matrix<double> Z(1, 64);
  features->transform(X.view(), Z.view(), Side::query);
  for (std::size_t j = 0; j < 64; ++j) EXPECT_EQ(Z(0, j), 0.125);
}

}  // namespace
}  // namespace bochner
