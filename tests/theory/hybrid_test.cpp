// SPDX-License-Identifier: Apache-2.0
#include "theory/hybrid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/golden.h"
#include "theory/fourier_terms.h"

namespace bochner::theory {
namespace {

using testing::GoldenCase;

PairGeometry pair_of(const GoldenCase& known) {
  return pair_geometry(known.args.at("nx"), known.args.at("ny"), known.args.at("dot"));
}

/// The angle of vectors with the inner products of the case.
Angle angle_of(const PairGeometry& pair) {
  const double x = std::sqrt(pair.nx), along = pair.dot / x;
  const double across2 = pair.ny - along * along;
  const std::vector<double> first = {x, 0.0}, second = {along, across2 > 1e-14 ? std::sqrt(across2) : 0.0};
  return angle_between(first, second);
}

void expect_near(double value, double expected, double rtol, const nlohmann::json& args) {
  EXPECT_NEAR(value, expected, rtol * std::abs(expected) + 1e-15) << args;
}

void expect_moments(const CoefficientMoments& moments, const GoldenCase& known) {
  const double values[] = {moments.mean, moments.square, moments.rest_square, moments.cross};
  for (std::size_t k = 0; k < 4; ++k) expect_near(values[k], known.value.at(k), known.rtol, known.args);
}

/// The errors of both bases with independent rows, for softmax, and their covariance.
double hybrid_of(const CoefficientMoments& lambda, const GoldenCase& known) {
  const PairGeometry pair = pair_of(known);
  const std::size_t m = known.args.at("m");
  const BlockStructure rows = iid_blocks(m, 4);
  const double log_factor = pair.nx + pair.ny;
  return mse_hybrid(lambda, mse_positive_paired(pair, log_factor, rows),
                    mse_trigonometric(gaussian_terms(pair.z2, 4), log_factor, rows),
                    known.args.at("shared").get<bool>() ? shared_rows_covariance(pair, log_factor, m) : 0.0);
}

CoefficientMoments gaussian_of(const GoldenCase& known) {
  const PairGeometry pair = pair_of(known);
  const double sigma = known.args.at("sigma"), s2 = sigma * sigma, r = known.args.at("r");
  const PairGeometry wide{s2 * pair.nx, s2 * pair.ny, s2 * pair.dot, s2 * pair.v2, s2 * pair.z2};
  const BlockStructure rows = iid_blocks(known.args.at("n"), 4);
  const std::string method = known.args.at("method");
  const double V = method == "trig"  ? mse_trigonometric(gaussian_terms(wide.z2, 4), 0.0, rows)
                   : method == "pos" ? mse_positive(wide, 0.0, rows)
                                     : mse_positive_paired(wide, 0.0, rows);
  return gaussian_coefficient(pair.z2, sigma, r, V);
}

TEST(GoldenHybridTheory, AngularMoments) {
  for (const GoldenCase& known : testing::golden_cases("theory", "angular_lambda_moments")) {
    const double theta = known.args.at("theta");
    const std::vector<double> x = {1.0, 0.0}, y = {std::cos(theta), std::sin(theta)};
    expect_moments(angular_coefficient(angle_between(x, y), known.args.at("n")), known);
  }
}

TEST(GoldenHybridTheory, GaussianMoments) {
  for (const GoldenCase& known : testing::golden_cases("theory", "gauss_lambda_moments"))
    expect_moments(gaussian_of(known), known);
}

TEST(GoldenHybridTheory, AngularError) {
  for (const GoldenCase& known : testing::golden_cases("theory", "mse_angular_hybrid")) {
    const CoefficientMoments lambda = angular_coefficient(angle_of(pair_of(known)), known.args.at("n"));
    expect_near(hybrid_of(lambda, known), known.value, known.rtol, known.args);
  }
}

TEST(GoldenHybridTheory, GaussianError) {
  for (const GoldenCase& known : testing::golden_cases("theory", "mse_gauss_hybrid"))
    expect_near(hybrid_of(gaussian_of(known), known), known.value, known.rtol, known.args);
}

TEST(GoldenHybridTheory, RelativeErrors) {
  for (const GoldenCase& known : testing::golden_cases("theory", "eps_relative"))
    expect_near(eps_relative(known.args.at("theta"), known.args.at("r"), known.args.at("m")), known.value, known.rtol,
                known.args);
  for (const GoldenCase& known : testing::golden_cases("theory", "eps_angular"))
    expect_near(eps_angular(known.args.at("theta"), known.args.at("r"), known.args.at("m"), known.args.at("n")),
                known.value, known.rtol, known.args);
  for (const GoldenCase& known : testing::golden_cases("theory", "eps_angular_bound"))
    expect_near(eps_angular_bound(known.args.at("r"), known.args.at("m"), known.args.at("n")), known.value, known.rtol,
                known.args);
}

/// The corrected Theorem 3.5 bounds the error at every angle, also where the printed one fails (r = 5, n = 1), and is
/// not far off.
TEST(HybridTheory, BoundHolds) {
  for (const double r : {1.0, 2.0, 5.0, 12.0})
    for (const std::size_t n : {1, 4, 64}) {
      double largest = 0;
      for (int k = 0; k <= 2000; ++k) largest = std::max(largest, eps_angular(std::numbers::pi * k / 2000, r, 7, n));
      const double bound = eps_angular_bound(r, 7, n);
      EXPECT_LE(largest, bound) << r << ' ' << n;
      EXPECT_GT(largest, bound / 4) << r << ' ' << n;
    }
}

/// Both fractions of a small angle, of its supplement, and of zero vectors.
TEST(HybridTheory, AnglesKeepTheirDigits) {
  const double small = 1e-9;
  const std::vector<double> x = {3.0, 0.0}, near = {2.0 * std::cos(small), 2.0 * std::sin(small)};
  const std::vector<double> far = {-near[0], -near[1]}, zero = {0.0, 0.0};
  EXPECT_NEAR(angle_between(x, near).fraction * std::numbers::pi / small, 1.0, 1e-13);
  EXPECT_NEAR(angle_between(x, far).rest * std::numbers::pi / small, 1.0, 1e-13);
  EXPECT_EQ(angle_between(x, zero).fraction, 0.5);
  EXPECT_EQ(angle_between(zero, zero).fraction, 0.0);
  EXPECT_EQ(angle_between(x, x).fraction, 0.0);
}

}  // namespace
}  // namespace bochner::theory
