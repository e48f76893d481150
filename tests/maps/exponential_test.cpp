// SPDX-License-Identifier: Apache-2.0
// exponential: every kind of A and s against its closed form, sides, and what fit chooses.
#include "theory/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "core/data_statistics.h"
#include "maps/pair_moments.h"
#include "support/normals.h"
#include "theory/generalised_exponential.h"

namespace bochner {
namespace {

using Complex = std::complex<double>;

Spec exponential(std::size_t d, std::size_t m, Value A, double s) {
  return {.d = d, .map = "exponential", .coupling = "iid", .m = m, .parameters = {{"A", A}, {"s", s}}};
}

/// Re(1-16A) > 0, so that fourth moments exist.
const Value kWeights[] = {Value(-0.1), Value(0.03), Value(Complex(-0.06, 0.05)), Value(Complex(0.02, -0.04))};

TEST(Exponential, IsUnbiasedWithTheClosedFormError) {
  const std::vector<double> x = {0.5, -0.2, 0.4, 0.1}, y = {-0.1, 0.3, 0.2, 0.4};
  for (const char* kernel : {"gaussian", "softmax"})
    for (const char* coupling : {"iid", "orthogonal"})
      for (const Value& A : kWeights)
        for (const double s : {-1.0, 1.0}) {
          Spec spec = exponential(4, 6, A, s);
          spec.kernel = kernel;
          spec.coupling = coupling;
          spec.seed = 5'000'000;
          testing::expect_closed_form(spec, x, y);
        }
}

TEST(Exponential, WidthAndSymmetryFollowTheParameters) {
  EXPECT_EQ(width("gerf", {{"A", -0.1}, {"s", 1.0}}), 1u);
  EXPECT_EQ(width("gerf", {{"A", -0.1}, {"s", -1.0}}), 2u);
  EXPECT_EQ(width("gerf", {{"A", Complex(-0.1, 0.1)}, {"s", 1.0}}), 2u);
  EXPECT_EQ(width("gerf", {{"A", -0.1}}), 0u);
  for (const double s : {-1.0, 1.0}) {
    EXPECT_TRUE(make_features(exponential(3, 5, -0.1, s))->symmetric());
    EXPECT_FALSE(make_features(exponential(3, 5, Complex(-0.1, 0.1), s))->symmetric());
  }
}

template <class T>
Matrix<T> transformed(const Features& features, const Matrix<T>& X, Side side = Side::query) {
  Matrix<T> Z(X.rows(), features.outputs());
  features.transform(X.view(), Z.view(), side);
  return Z;
}

/// Real A and s = 1 is optimal_positive; A = 0 and s = -1 is trigonometric with cosines first.
TEST(Exponential, HasTheOtherMapsAsSpecialCases) {
  const Matrix<float> X = test::normals<float>(9, 6, 3);
  Spec other = exponential(6, 20, -0.07, 1);
  const Matrix<float> positive = transformed(*make_features(other), X);
  other.map = "optimal_positive";
  other.parameters = {{"A", -0.07}};
  const Matrix<float> same = transformed(*make_features(other), X);
  const Matrix<float> phases = transformed(*make_features(exponential(6, 20, 0.0, -1)), X);
  other.map = "trigonometric";
  other.parameters = {};
  const Matrix<float> waves = transformed(*make_features(other), X);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 20; ++j) {
      EXPECT_EQ(positive(i, j), same(i, j));
      EXPECT_EQ(phases(i, j), waves(i, 20 + j));
      EXPECT_EQ(phases(i, 20 + j), waves(i, j));
    }
}

TEST(Exponential, RealWeightsAreTheLimitOfComplexOnes) {
  const Matrix<double> X = test::normals<double>(5, 4, 3);
  for (const Side side : {Side::query, Side::key}) {
    const Matrix<double> limit = transformed(*make_features(exponential(4, 7, -0.07, -1)), X, side);
    const Matrix<double> near = transformed(*make_features(exponential(4, 7, Complex(-0.07, 1e-13), -1)), X, side);
    for (std::size_t i = 0; i < 5 * 14; ++i) EXPECT_NEAR(limit.data()[i], near.data()[i], 1e-11);
  }
}

/// Long rows of one sign have short differences; x and -x have short sums.
TEST(ExponentialFit, TakesTheBetterSign) {
  Matrix<double> X = test::normals<double>(50, 8, 3), Y(50, 8);
  for (std::size_t i = 0; i < 50 * 8; ++i) {
    X.data()[i] = 0.1 * X.data()[i] + 0.7;
    Y.data()[i] = -X.data()[i];
  }
  Spec spec{.d = 8, .map = "exponential", .m = 16};
  const auto near = make_features(spec), opposite = make_features(spec);
  EXPECT_FALSE(near->symmetric());
  near->fit(X.view());
  opposite->fit(X.view(), Y.view());
  EXPECT_EQ(std::get<double>(near->spec().parameters.at("s")), -1.0);
  EXPECT_EQ(std::get<double>(opposite->spec().parameters.at("s")), 1.0);
  EXPECT_EQ(near->outputs(), 32u);
  EXPECT_EQ(opposite->outputs(), 16u);
  EXPECT_TRUE(near->symmetric());
}

TEST(ExponentialFit, KeepsWhatIsGiven) {
  const Matrix<double> X = test::normals<double>(40, 8, 4);
  DataStatistics rows(8);
  rows.add(X.view());
  const double v2 = mean_squared_sum(rows, rows, 1), z2 = mean_squared_sum(rows, rows, -1);
  Spec spec{.d = 8, .map = "exponential", .m = 16, .parameters = {{"s", -1.0}}};
  EXPECT_EQ(std::get<double>(theory::optimal_parameters(spec, X.view()).at("A")), theory::optimal_phase_A(z2, 8));
  spec.parameters = {{"s", 1.0}};
  EXPECT_EQ(std::get<double>(theory::optimal_parameters(spec, X.view()).at("A")), theory::optimal_A(v2, 8));
  for (const Value& A : kWeights) {
    spec.parameters = {{"A", A}};
    const Parameters found = theory::optimal_parameters(spec, X.view());
    ASSERT_EQ(found.size(), 1u);
    const auto moment = [&](int s) {
      const double* real = std::get_if<double>(&A);
      return theory::log_second_moment(real != nullptr ? *real : std::get<Complex>(A), s, v2, z2, 8);
    };
    EXPECT_EQ(std::get<double>(found.at("s")), moment(1) <= moment(-1) ? 1.0 : -1.0);
  }
}

TEST(Exponential, RefusesWhatHasNoVariance) {
  for (const Value& A : {Value(0.125), Value(Complex(0.2, 0.1)), Value(std::string("best")), Value(Complex(0, NAN))})
    EXPECT_THROW(make_features(exponential(3, 4, A, 1)), std::invalid_argument);
  EXPECT_THROW(make_features(exponential(3, 4, -0.1, 0.5)), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
