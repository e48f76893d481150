// SPDX-License-Identifier: Apache-2.0
#include "bochner/error_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/plan.h"
#include "core/stream.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::normal_rows;

/// Features times numbers, one for each of them.
class Weighted final : public Features {
 public:
  Weighted(std::unique_ptr<Features> inner, std::vector<double> factors)
      : inner_(std::move(inner)), factors_(std::move(factors)) {}
  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override { weigh(X, Z, side); }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override { weigh(X, Z, side); }
  Matrix<double> directions() const override { return inner_->directions(); }
  std::size_t outputs() const override { return inner_->outputs(); }
  bool symmetric() const override { return true; }
  const Spec& spec() const override { return inner_->spec(); }

 private:
  template <class T>
  void weigh(MatrixView<const T> X, MatrixView<T> Z, Side side) const {
    inner_->transform(X, Z, side);
    for (std::size_t i = 0; i < Z.rows(); ++i)
      for (std::size_t j = 0; j < Z.cols(); ++j) Z(i, j) *= static_cast<T>(factors_[j]);
  }
  std::unique_ptr<Features> inner_;
  std::vector<double> factors_;
};

/// Features that are a tenth too large.
Weighted enlarged(std::unique_ptr<Features> inner) {
  const std::size_t outputs = inner->outputs();
  return {std::move(inner), std::vector<double>(outputs, 1.1)};
}

/// Of as many directions as it says only the first count.
Weighted thinned(std::unique_ptr<Features> inner, std::size_t first) {
  const std::size_t m = inner->spec().m;
  std::vector<double> factors(inner->outputs(), 0.0);
  for (std::size_t j = 0; j < factors.size(); ++j)
    if (j % m < first) factors[j] = std::sqrt(static_cast<double>(m) / static_cast<double>(first));
  return {std::move(inner), std::move(factors)};
}

/// The mean over seeds of the squared observed error is the squared prediction; so is that of the jackknife.
TEST(ErrorReport, AgreesWithItselfOverSeeds) {
  const Matrix<double> X = normal_rows(100, 4, 0.8, 11);
  for (const std::string coupling : {"iid", "orthogonal"}) {
    double observed = 0, jackknife = 0, predicted = 0;
    constexpr int kSeeds = 16;
    for (int seed = 0; seed < kSeeds; ++seed) {
      const auto features = make_features({.d = 4,
                                           .map = "trigonometric",
                                           .coupling = coupling,
                                           .m = 64,
                                           .seed = static_cast<std::uint64_t>(seed),
                                           .lengthscale = {1.2}});
      const ErrorReport report = error_report<double>(*features, X.view());
      EXPECT_EQ(report.exactness, theory::Exactness::exact);
      EXPECT_TRUE(report.kept) << report.advice;
      observed += report.observed * report.observed / kSeeds;
      jackknife += *report.jackknife * *report.jackknife / kSeeds;
      predicted = *report.predicted * *report.predicted;
    }
    // Errors of one draw share W over all pairs: their squares vary by about half, so by 13 % in the mean over seeds.
    EXPECT_NEAR(observed / predicted, 1, 0.6) << coupling;
    EXPECT_NEAR(jackknife / predicted, 1, 0.6) << coupling;
  }
}

TEST(ErrorReport, SaysWhenThePromiseIsNotKept) {
  const Matrix<double> X = normal_rows(100, 4, 0.3, 11);
  const Weighted broken = enlarged(make_features({.d = 4, .map = "trigonometric", .coupling = "orthogonal", .m = 512}));
  const ErrorReport report = error_report<double>(broken, X.view());
  EXPECT_FALSE(report.kept);
  EXPECT_NE(report.advice.find("it is a bias, which more directions do not mend; take another map"), std::string::npos)
      << report.advice;
}

TEST(ErrorReport, NamesTheDirectionsThatWouldKeepThePromise) {
  const Matrix<double> X = normal_rows(100, 4, 0.5, 11);
  const Weighted broken = thinned(make_features({.d = 4, .map = "trigonometric", .coupling = "iid", .m = 512}), 16);
  const ErrorReport report = error_report<double>(broken, X.view());
  EXPECT_FALSE(report.kept);
  EXPECT_NE(report.advice.find("x the promised one; about m = "), std::string::npos) << report.advice;
}

/// Along the axes Hadamard products in 4 dimensions have few directions.
TEST(ErrorReport, TellsBiasFromTooFewDirections) {
  Matrix<double> X(3, 3, 0.0);
  for (std::size_t i = 0; i < 3; ++i) X(i, i) = 3;
  const auto features = make_features({.d = 3, .map = "trigonometric", .coupling = "hadamard", .m = 400});
  const ErrorReport report = error_report<double>(*features, X.view());
  EXPECT_FALSE(report.kept);
  EXPECT_NE(report.advice.find("do not mend; take coupling 'orthogonal'"), std::string::npos) << report.advice;
}

TEST(ErrorReport, RoundingKeepsThePromise) {
  const Matrix<double> X(9, 6, 1.0);
  const ErrorReport report = error_report<double>(*make_features({.d = 6, .m = 48}), X.view());
  EXPECT_EQ(report.predicted, 0);
  EXPECT_LT(report.observed, 1e-14);
  EXPECT_TRUE(report.kept);
  EXPECT_EQ(report.advice, "");
}

TEST(ErrorReport, NeedsNoRivals) {
  const Matrix<double> X = normal_rows(300, 6, 5, 11);
  const auto features = make_features({.d = 6, .kernel = "softmax", .map = "positive", .m = 4});
  EXPECT_THROW(plan<double>(X.view(), {}, {.kernel = "softmax", .outputs = 4}), std::invalid_argument);
  EXPECT_NO_THROW(error_report<double>(*features, X.view()));
}

TEST(ErrorReport, NamesABetterMechanism) {
  const auto features = make_features({.d = 4, .map = "positive", .coupling = "iid", .m = 128});
  Matrix<float> X(20, 4, 0.4f);
  for (std::size_t i = 0; i < 20; ++i) X(i, i % 4) += 0.01f * static_cast<float>(i);
  const ErrorReport report = error_report<float>(*features, X.view());
  EXPECT_NE(report.advice.find("map 'trigonometric' with coupling"), std::string::npos) << report.advice;
}

TEST(ErrorReport, WithoutAClosedFormOrBlocks) {
  const Matrix<double> X = normal_rows(50, 4, 0.5, 11), Y = normal_rows(30, 4, 0.4, 11);
  const auto halton = make_features({.d = 4, .map = "trigonometric", .coupling = "halton", .m = 16});
  const ErrorReport report = error_report<double>(*halton, X.view(), Y.view(), 300);
  EXPECT_EQ(report.pairs, 300u);
  EXPECT_FALSE(report.predicted.has_value());
  EXPECT_EQ(report.exactness, theory::Exactness::none);
  EXPECT_GT(report.observed, 0);
  EXPECT_FALSE(report.jackknife.has_value());
  const auto one_block = make_features({.d = 4, .map = "trigonometric", .coupling = "orthogonal", .m = 4});
  EXPECT_FALSE(error_report<double>(*one_block, X.view()).jackknife.has_value());
}

TEST(ErrorReport, RefusesWhatDoesNotFit) {
  const auto features = make_features({.d = 4, .m = 8});
  const Matrix<double> X = normal_rows(5, 4, 1, 11), narrow = normal_rows(5, 3, 1, 11);
  EXPECT_THROW(error_report<double>(*features, narrow.view()), std::invalid_argument);
  EXPECT_THROW(error_report<double>(*features, X.view(), narrow.view()), std::invalid_argument);
  EXPECT_THROW(error_report<double>(*features, X.view(), {}, 0), std::invalid_argument);
  EXPECT_THROW(error_report<double>(*features, Matrix<double>(0, 4).view()), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
