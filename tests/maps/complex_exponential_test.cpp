// SPDX-License-Identifier: Apache-2.0
// complex_exponential: its closed form, zero variance where A x + inverse(A') y = 0, and what fit chooses.
#include "theory/complex_exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "maps/pair_moments.h"
#include "support/normals.h"

namespace bochner {
namespace {

using Complex = std::complex<double>;
using Vector = std::vector<double>;

const Vector kX = {0.5, -0.2, 0.4, 0.1}, kY = {-0.1, 0.3, 0.2, 0.4};

Spec complex_exponential(std::size_t d, std::size_t m, const Value& A) {
  return {.d = d, .map = "complex_exponential", .coupling = "iid", .m = m, .parameters = {{"A", A}}};
}

/// 1 + E / 5 with random E of normal entries, real or complex.
template <class Number>
std::vector<Number> matrix(std::size_t d, Number factor) {
  const Matrix<double> E = test::normals<double>(2 * d, d, 8);
  std::vector<Number> A;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      Number entry = (i == j ? 1.0 : 0.0) + 0.2 * E(i, j);
      if constexpr (std::is_same_v<Number, Complex>) entry += Complex(0, 0.2 * E(d + i, j));
      A.push_back(factor * entry);
    }
  return A;
}

TEST(ComplexExponential, IsUnbiasedWithTheClosedFormError) {
  const Value weights[] = {matrix<double>(4, 1.0), matrix<Complex>(4, std::polar(1.0, 0.8)),
                           Vector{1.3, 0.8, -1.1, 0.7},
                           std::vector<Complex>{Complex(0.3, 1), 1, Complex(0, -1.2), 0.9}};
  for (const char* kernel : {"gaussian", "softmax"})
    for (const char* coupling : {"iid", "orthogonal", "simplex"})
      for (const Value& A : weights) {
        Spec spec = complex_exponential(4, 6, A);
        spec.kernel = kernel;
        spec.coupling = coupling;
        spec.seed = 6'000'000;
        if (theory::exactness(spec) == theory::Exactness::exact)
          testing::expect_closed_form(spec, kX, kY);
        else
          EXPECT_TRUE(width("ce", spec.parameters) == 2 && spec.coupling != "iid");
      }
}

/// A x + inverse(A') y = 0: every direction returns the kernel itself.
TEST(ComplexExponential, IsExactAtTheCentres) {
  const Vector x = {0.8, -0.5, 1.2, 0.3, -0.9}, y = {1.1, 0.4, 0.7, -0.6, -0.2};
  const std::vector<Complex> A = theory::vanishing_diagonal(x, y);
  for (const char* kernel : {"gaussian", "softmax"})
    for (const char* coupling : {"iid", "orthogonal", "hadamard", "simplex_plus"}) {
      Spec spec = complex_exponential(5, 3, A);
      spec.kernel = kernel;
      spec.coupling = coupling;
      const double exact = kernel_matrix<double>({x.data(), 1, 5}, {y.data(), 1, 5}, kernel, spec.lengthscale)(0, 0);
      for (spec.seed = 0; spec.seed < 20; ++spec.seed)
        EXPECT_NEAR(testing::estimate(*make_features(spec), x, y), exact, 1e-10 * exact) << coupling;
    }
}

TEST(ComplexExponentialFit, IsExactAtTheMeans) {
  const Vector x = {0.8, -0.5, 1.2}, y = {1.1, 0.4, 0.7};
  Matrix<double> X = test::normals<double>(200, 3, 5), Y = test::normals<double>(100, 3, 6);
  Vector x_mean(3, 0.0), y_mean(3, 0.0);
  for (std::size_t l = 0; l < 3; ++l) {
    for (std::size_t i = 0; i < 200; ++i) x_mean[l] += (X(i, l) = x[l] + 0.1 * X(i, l)) / 200;
    for (std::size_t i = 0; i < 100; ++i) y_mean[l] += (Y(i, l) = y[l] + 0.1 * Y(i, l)) / 100;
  }
  const auto features = make_features({.d = 3, .kernel = "softmax", .map = "ce", .m = 4});
  EXPECT_THROW(features->outputs(), std::invalid_argument);
  features->fit(X.view(), Y.view());
  EXPECT_EQ(features->outputs(), 8u);
  EXPECT_FALSE(features->symmetric());
  const double exact = std::exp(x_mean[0] * y_mean[0] + x_mean[1] * y_mean[1] + x_mean[2] * y_mean[2]);
  EXPECT_NEAR(testing::estimate(*features, x_mean, y_mean), exact, 1e-10 * exact);
}

/// Means that are small beside the spread would give entries of A without bound, and features that overflow.
TEST(ComplexExponentialFit, StaysModerateForCentredData) {
  Matrix<double> X = test::normals<double>(300, 4, 5), Y = test::normals<double>(300, 4, 6);
  for (std::size_t i = 0; i < 300; ++i) X(i, 0) = 0, Y(i, 1) = 0, X(i, 2) = 0, Y(i, 2) = 0;
  const auto features = make_features({.d = 4, .map = "ce", .m = 4});
  features->fit(X.view(), Y.view());
  const Value& found = features->spec().parameters.at("A");
  const auto* list = std::get_if<std::vector<Complex>>(&found);
  const Vector* real = std::get_if<Vector>(&found);
  const auto size = [&](std::size_t k) { return list != nullptr ? std::abs((*list)[k]) : std::abs((*real)[k]); };
  EXPECT_EQ(size(0), 1e6);   // all x are 0
  EXPECT_EQ(size(1), 1e-6);  // all y are 0
  EXPECT_EQ(size(2), 1.0);
  EXPECT_LT(std::abs(std::log(size(3))), std::log(4.2));
}

TEST(ComplexExponential, ADiagonalIsAMatrix) {
  const std::vector<Complex> diagonal = {Complex(0.5, 1), 2, Complex(0, -0.7)};
  std::vector<Complex> whole(9);
  for (std::size_t k = 0; k < 3; ++k) whole[4 * k] = diagonal[k];
  const auto a = make_features(complex_exponential(3, 40, diagonal)),
             b = make_features(complex_exponential(3, 40, whole));
  const Matrix<float> X = test::normals<float>(11, 3, 2);
  for (const Side side : {Side::query, Side::key}) {
    Matrix<float> Za(11, 80), Zb(11, 80);
    a->transform(X.view(), Za.view(), side);
    b->transform(X.view(), Zb.view(), side);
    for (std::size_t i = 0; i < 11 * 80; ++i)
      ASSERT_NEAR(Za.data()[i], Zb.data()[i], 1e-5 * (1 + std::abs(Za.data()[i])));
  }
}

void expect_refusal(const Spec& spec, const std::string& words) {
  for (const bool theory_alone : {false, true}) try {
      if (theory_alone)
        theory::mse(spec, Vector(spec.d, 0.1), Vector(spec.d, 0.2));
      else
        make_features(spec);
      ADD_FAILURE() << "accepted: " << words;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST(ComplexExponential, RefusesMatricesThatCannotBeInverted) {
  expect_refusal(complex_exponential(2, 3, Vector{1, 2, 2, 4}), "condition inf");
  expect_refusal(complex_exponential(2, 3, std::vector<Complex>{1, Complex(0, 1), Complex(0, 1), -1.0 + 1e-13}),
                 "an invertible matrix: condition below");
  expect_refusal(complex_exponential(2, 3, Vector{1, 0}), "no entry 0");
  expect_refusal(complex_exponential(2, 3, Vector{1, 2, 3}), "d numbers (a diagonal) or d x d");
  expect_refusal(complex_exponential(2, 3, Vector{1, NAN}), "all finite");
  expect_refusal(complex_exponential(2, 3, 1.0), "d numbers");
}

}  // namespace
}  // namespace bochner
