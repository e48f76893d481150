// SPDX-License-Identifier: Apache-2.0
// Known answers of ridge regression, of the mean of a Gaussian process and of Nadaraya and Watson's estimate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "bochner/compose.h"
#include "bochner/gram.h"
#include "bochner/kernel_matrix.h"
#include "bochner/kernel_ridge.h"
#include "features/composed.h"
#include "features/lookup.h"
#include "learners/given_features.h"
#include "support/given_part.h"
#include "support/given_projection.h"
#include "support/golden.h"

namespace bochner {
namespace {

using testing::golden_cases;
using testing::GoldenCase;

Matrix<double> matrix(const nlohmann::json& rows) {
  Matrix<double> A(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.cols(); ++j) A(i, j) = rows[i][j].get<double>();
  return A;
}

Matrix<double> column(const nlohmann::json& numbers) {
  Matrix<double> A(numbers.size(), 1);
  for (std::size_t i = 0; i < A.rows(); ++i) A(i, 0) = numbers[i].get<double>();
  return A;
}

/// The cosine map on the W and the phases of the case.
std::unique_ptr<Features> cosine_features(const GoldenCase& known) {
  const Matrix<double> W = matrix(known.args.at("W"));
  std::vector<double> turns;
  for (const double phase : known.args.at("b")) turns.push_back(phase / (2 * std::numbers::pi));
  const Map& map = find_map("cosine");
  Spec spec{.d = W.cols(), .kernel = "gaussian", .map = "cosine", .coupling = "iid", .m = W.rows()};
  auto projection = std::make_unique<testing::GivenProjection>(W, std::move(turns));
  auto made = map.make({0.0, spec.d, spec.m, 0, spec.parameters, *projection});
  return compose(std::move(spec), map, std::move(made), std::move(projection));
}

/// To rtol of the largest: entries near 0 are differences of such.
void expect_close(const std::vector<double>& actual, const GoldenCase& known) {
  const std::vector<double> expected = known.value;
  ASSERT_EQ(actual.size(), expected.size());
  double size = 0;
  for (const double value : expected) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], known.rtol * size) << i;
}

KernelRidgeFit ridge(const Features& features, const GoldenCase& known, double alpha) {
  return fit_kernel_ridge(features, matrix(known.args.at("X")), column(known.args.at("y")), {},
                          {.alpha = alpha, .intercept = false});
}

std::vector<double> entries(const Matrix<double>& A) { return {A.data(), A.data() + A.rows() * A.cols()}; }

TEST(GoldenLearners, RidgeOnCosineFeatures) {
  for (const GoldenCase& known : golden_cases("learners", "krr_beta"))
    expect_close(entries(ridge(*cosine_features(known), known, known.args.at("lam")).model.weights), known);
  for (const GoldenCase& known : golden_cases("learners", "krr_predict")) {
    const auto features = cosine_features(known);
    const KernelRidgeFit fit = ridge(*features, known, known.args.at("lam"));
    expect_close(entries(predict(*features, fit.model, matrix(known.args.at("Xs")))), known);
  }
}

/// Rows L_i with L L' = A (lower triangle of Cholesky).
Matrix<double> cholesky(const Matrix<double>& A) {
  Matrix<double> L(A.rows(), A.rows(), 0.0);
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = A(i, j);
      for (std::size_t k = 0; k < j; ++k) rest -= L(i, k) * L(j, k);
      L(i, j) = i == j ? std::sqrt(rest) : rest / L(j, j);
    }
  return L;
}

/// k(x', X) (K + noise I)^{-1} y by the exact fit, and as ridge regression on features whose inner products are the
/// kernel at these points: rows of the Cholesky factor of their kernel matrix.
TEST(GoldenLearners, MeanOfTheExactGaussianProcess) {
  const std::vector<double> one = {1.0};
  for (const GoldenCase& known : golden_cases("learners", "gp_posterior_mean_exact")) {
    const Matrix<double> X = matrix(known.args.at("X")), at = matrix(known.args.at("Xs"));
    const std::vector<double> y = known.args.at("y");
    const double noise = known.args.at("noise_var");
    const ExactRidgeFit exact = fit_exact_ridge("gaussian", one, X, y, noise);
    EXPECT_EQ(exact.jitter, 0.0);
    const Matrix<double> across = kernel_matrix<double>(at, X, "gaussian", one);
    std::vector<double> mean(at.rows(), 0.0);
    for (std::size_t i = 0; i < at.rows(); ++i)
      for (std::size_t j = 0; j < X.rows(); ++j) mean[i] += across(i, j) * exact.dual[j];
    expect_close(mean, known);

    Matrix<double> all(X.rows() + at.rows(), X.cols());
    std::copy_n(X.data(), X.rows() * X.cols(), all.data());
    std::copy_n(at.data(), at.rows() * at.cols(), all.data() + X.rows() * X.cols());
    const Matrix<double> L = cholesky(kernel_matrix<double>(all, all, "gaussian", one));
    const test::GivenFeatures features(X.cols(), all.rows(), [&](std::span<const double> x, std::size_t j) {
      for (std::size_t i = 0; i < all.rows(); ++i)
        if (std::ranges::equal(x, all.view().row(i))) return L(i, j);
      return std::nan("");
    });
    expect_close(entries(predict(features, ridge(features, known, noise).model, at)), known);
  }
}

/// sum_i k(x, x_i) label_i / sum_i k(x, x_i) with positive features, labels being classes.
TEST(GoldenLearners, NadarayaWatson) {
  for (const GoldenCase& known : golden_cases("learners", "nadaraya_watson")) {
    ASSERT_EQ(known.args.at("map"), "positive");
    const FeaturesPart features = testing::given_part("gaussian", "positive", matrix(known.args.at("W")));
    const Matrix<double> train = matrix(known.args.at("train")), rows = matrix(known.args.at("test"));
    const Matrix<double> labels = matrix(known.args.at("labels"));
    std::vector<std::int64_t> classes;
    for (std::size_t i = 0; i < labels.rows(); ++i)
      classes.push_back(std::ranges::max_element(labels.view().row(i)) - labels.view().row(i).begin());
    ClassSums sums(features->outputs(), labels.cols());
    sums.add(*features, train, classes);
    Matrix<double> Z(rows.rows(), features->outputs()), scores(rows.rows(), labels.cols(), 0.0);
    features->transform(rows.view(), Z.view(), Side::query);
    for (std::size_t i = 0; i < scores.rows(); ++i)
      for (std::size_t c = 0; c < scores.cols(); ++c)
        for (std::size_t j = 0; j < Z.cols(); ++j) scores(i, c) += Z(i, j) * sums.sums()(c, j);
    const Matrix<double> shares = class_shares(scores, {});
    const Matrix<double> expected = matrix(known.value);
    for (std::size_t i = 0; i < shares.rows(); ++i)
      for (std::size_t c = 0; c < shares.cols(); ++c)
        EXPECT_NEAR(shares(i, c), expected(i, c), known.rtol * expected(i, c)) << i << ' ' << c;
  }
}

}  // namespace
}  // namespace bochner
