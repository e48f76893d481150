// SPDX-License-Identifier: Apache-2.0
#include "bochner/error_report.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bochner/matrix.h"
#include "core/stream.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::normal_rows;

/// Features that are a tenth too large.
class Enlarged final : public Features {
 public:
  explicit Enlarged(std::unique_ptr<Features> inner) : inner_(std::move(inner)) {}
  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override { enlarge(X, Z, side); }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override { enlarge(X, Z, side); }
  Matrix<double> directions() const override { return inner_->directions(); }
  std::size_t outputs() const override { return inner_->outputs(); }
  bool symmetric() const override { return true; }
  const Spec& spec() const override { return inner_->spec(); }

 private:
  template <class T>
  void enlarge(MatrixView<const T> X, MatrixView<T> Z, Side side) const {
    inner_->transform(X, Z, side);
    for (std::size_t i = 0; i < Z.rows(); ++i)
      for (T& entry : Z.row(i)) entry *= T(1.1);
  }
  std::unique_ptr<Features> inner_;
};

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
  const Enlarged broken(make_features({.d = 4, .map = "trigonometric", .coupling = "orthogonal", .m = 512}));
  const ErrorReport report = error_report<double>(broken, X.view());
  EXPECT_FALSE(report.kept);
  EXPECT_NE(report.advice.find("x the promised one; about m = "), std::string::npos) << report.advice;
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
