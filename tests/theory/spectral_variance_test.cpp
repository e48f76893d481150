// SPDX-License-Identifier: Apache-2.0
// Var cos(w.z) of the laws beside the normal one, from kernel values, limits and identities; pairs of Matern rows.
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "reference/kernels.h"
#include "theory/angle.h"
#include "theory/conformity.h"
#include "theory/fourier_terms.h"
#include "theory/matern_variance.h"

namespace bochner::theory {
namespace {

/// (1 + k(2z))/2 - k(z)^2 with the kernel in long double.
long double from_kernel(std::string_view kernel, const std::vector<double>& z, const Parameters& parameters = {}) {
  const std::vector<double> zero(z.size(), 0.0), unit = {1.0}, half = {0.5};
  const long double k = reference::kernel<double>(kernel, z, zero, unit, parameters);
  const long double twice = reference::kernel<double>(kernel, z, zero, half, parameters);
  return (1 + twice) / 2 - k * k;
}

const std::vector<std::vector<double>> kDifferences = {{0.0, 0.0}, {1.0},       {-0.5, 0.25, 2.0},     {0.01, -0.02},
                                                       {1e-3},     {30.0, 0.1}, {3.0, -3.0, 3.0, -3.0}};

TEST(ProductVariance, IsThatOfTheKernelValues) {
  for (const std::vector<double>& z : kDifferences) {
    const long double laplace = from_kernel("laplace", z), cauchy = from_kernel("cauchy", z);
    EXPECT_NEAR(variance_laplace(z), static_cast<double>(laplace), 4e-16 * static_cast<double>(laplace) + 2e-19);
    EXPECT_NEAR(variance_cauchy(z), static_cast<double>(cauchy), 4e-15 * static_cast<double>(cauchy) + 4e-19);
  }
}

/// One coordinate: s^2 (5 + 2s) / ((1 + 4s)(1 + s)^2), s = z^2.
TEST(ProductVariance, KeepsItsDigitsAtSmallAndLargeDistances) {
  for (double z = 1e-70; z < 1e70; z *= 17.0) {
    const double s = z * z;
    const double numerator = (5 + 2 * s) / (1 + 4 * s), root = s / (1 + s);
    const std::vector<double> one = {z};
    EXPECT_NEAR(variance_cauchy(one) / (numerator * root * root), 1.0, 4e-15) << z;
    EXPECT_NEAR(variance_laplace(one) / (-std::expm1(-2 * z) / 2), 1.0, 4e-16) << z;
  }
}

TEST(MaternVariance, IsThatOfTheKernelValues) {
  for (const double nu : {0.01, 0.3, 0.5, 1.0, 1.5, 2.2, 7.0, 40.0})
    for (const double z : {1e-3, 0.1, 0.7, 1.0, 2.0, 4.0}) {
      const double expected = static_cast<double>(from_kernel("matern", {z}, {{"nu", nu}}));
      EXPECT_NEAR(variance_matern(nu, z * z), expected, 1e-12 * expected + 1e-17) << nu << " " << z;
    }
}

/// (1 - e^{-2z})/2 at nu = 1/2; t^3 2/3 and 5/4 (z^2)^2 ... at small z for 3/2 and 5/2.
TEST(MaternVariance, KeepsItsDigitsAtSmallDistances) {
  for (const double z : {1e-6, 1e-5, 1e-4}) {
    EXPECT_NEAR(variance_matern(0.5, z * z) / (-std::expm1(-2 * z) / 2), 1.0, 1e-12) << z;
    const double t = std::sqrt(3.0) * z;
    EXPECT_NEAR(variance_matern(1.5, z * z) / (2.0 / 3.0 * t * t * t), 1.0, 3 * t) << z;
  }
  EXPECT_EQ(variance_matern(1.5, 0.0), 0.0);
}

/// f(nu) = gaussian + a / nu + O(1 / nu^2), so 2 f(2 nu) - f(nu) is the Gaussian value to 1e-10 at nu = 1e5.
TEST(MaternVariance, GaussianLimit) {
  constexpr double kNu = 1e5;
  for (const double z : {1e-3, 0.5, 1.5}) {
    const double drop = std::expm1(-z * z);
    const double limit = 2 * variance_matern(2 * kNu, z * z) - variance_matern(kNu, z * z);
    EXPECT_NEAR(limit / (drop * drop / 2), 1.0, 1e-8) << z;
    for (const std::size_t d : {2, 3, 8, 64})
      for (const double c : {0.0, -0.25, -1.0}) {
        const double pair = 2 * pair_difference_matern(2 * kNu, z * z, d, c) - pair_difference_matern(kNu, z * z, d, c);
        const double gaussian = conf_difference(z * z, d, c);
        EXPECT_NEAR(pair, gaussian, 1e-8 * std::abs(gaussian) + 1e-12) << "d = " << d << ", c = " << c << ", z = " << z;
      }
  }
}

/// Independent directions in R^d meet at cosines c of density (1 - c^2)^{(d-3)/2}, so the covariance averages to 0.
TEST(MaternPair, IndependentDirectionsHaveNoCovariance) {
  using Rule = boost::math::quadrature::gauss<double, 60>;
  for (const double nu : {0.5, 1.5, 5.0, 200.0})
    for (const std::size_t d : {5, 8, 40})
      for (const double z : {0.3, 1.0, 3.0}) {
        double sum = 0.0, largest = 0.0;
        for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
          const double angle = std::numbers::pi / 2 * (1 - Rule::abscissa()[i]);  // even in c: half of the circle
          const double weight = Rule::weights()[i] * std::pow(std::sin(angle), static_cast<double>(d) - 2);
          const double difference = pair_difference_matern(nu, z * z, d, std::cos(angle));
          sum += weight * difference;
          largest = std::max(largest, weight * std::abs(difference));
        }
        EXPECT_NEAR(sum, 0.0, 1e-10) << "nu = " << nu << ", d = " << d << ", z = " << z;
        EXPECT_GT(largest, 1e-6) << "something was averaged";
      }
}

/// Orthogonal rows repel: less covariance than none, at the distances where the kernel is far from 0.
TEST(MaternPair, OrthogonalRowsGain) {
  for (const double nu : {0.3, 0.5, 1.5, 10.0})
    for (const std::size_t d : {2, 3, 8, 100})
      for (const double z : {0.1, 0.5, 1.0})
        EXPECT_LT(pair_difference_matern(nu, z * z, d, 0.0), 0.0) << nu << " " << d;
  EXPECT_EQ(pair_difference_matern(1.5, 0.0, 3, 0.0), 0.0);
}

TEST(SignVariance, IsThatOfACoin) {
  const std::vector<double> e1 = {1.0, 0.0}, zero = {0.0, 0.0};
  for (const double theta : {0.0, 1e-12, 0.3, 1.0, std::numbers::pi / 2, 3.0}) {
    const std::vector<double> y = {1e100 * std::cos(theta), 1e100 * std::sin(theta)};
    const double k = 1 - 2 * theta / std::numbers::pi;
    EXPECT_NEAR(mse_sign(e1, y, 7), (1 - k * k) / 7, 1e-15) << theta;
  }
  const std::vector<double> near = {-1.0, 1e-12};
  EXPECT_NEAR(mse_sign(e1, near, 1) / (4e-12 / std::numbers::pi), 1.0, 1e-11);
  EXPECT_EQ(mse_sign(zero, zero, 3), 0.0);
  EXPECT_EQ(mse_sign(zero, e1, 4), 0.25);
}

}  // namespace
}  // namespace bochner::theory
