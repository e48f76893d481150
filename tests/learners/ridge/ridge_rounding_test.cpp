// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bochner/gaussian_process.h"
#include "bochner/kernel_pca.h"
#include "bochner/kernel_ridge.h"
#include "learners/given_features.h"
#include "learners/statistics/training_data.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

/// A smooth function of two columns with noise of variance 0.01.
struct Data {
  explicit Data(std::size_t n) : X(normal_rows(n, 2, 1, 1)), Y(normal_rows(n, 1, 0.1, 2)), single(n, 2) {
    for (std::size_t i = 0; i < n; ++i) Y(i, 0) += std::sin(X(i, 0) + X(i, 1));
  }
  Matrix<float>& rounded() {
    for (std::size_t i = 0; i < X.rows() * 2; ++i) single.data()[i] = static_cast<float>(X.data()[i]);
    return single;
  }
  Matrix<double> X, Y;
  Matrix<float> single;
};

std::unique_ptr<Features> features(std::size_t m, const char* map = "trigonometric", double lengthscale = 1) {
  return make_features({.d = 2, .map = map, .coupling = "iid", .m = m, .lengthscale = {lengthscale}});
}

/// A row by itself has a leverage of nearly 1 at small alpha, of which float leaves nothing but rounding.
TEST(RidgeRounding, FloatRowsWithOneFarAwayChooseTheAlphaOfDoubles) {
  Data data(1000);
  data.X(0, 0) *= 100;
  data.X(0, 1) *= 100;
  const auto phi = features(64);
  const auto wide = fit_kernel_ridge(*phi, data.X, data.Y), narrow = fit_kernel_ridge(*phi, data.rounded(), data.Y);
  EXPECT_NEAR(narrow.alpha / wide.alpha, 1, 1e-3);
  std::size_t finite = 0;
  for (std::size_t a = 0; a < narrow.errors.size(); ++a) {
    if (!std::isfinite(narrow.errors[a])) continue;
    ++finite;
    EXPECT_NEAR(narrow.errors[a] / wide.errors[a], 1, 0.05) << a;
  }
  EXPECT_GT(finite, 10u);
  EXPECT_LT(narrow.errors[0], 2);  // of nearly no fit
}

/// Alphas below what float products can tell have no error; none of them is chosen, and no other for their sake.
TEST(RidgeRounding, AlphasBelowRoundingAreNotChosen) {
  Data data(1000);
  const auto phi = features(64);
  KernelRidgeOptions options;
  for (int power = -10; power <= 2; ++power) options.path.push_back(std::pow(10.0, power));
  for (const Selection selection : {Selection::leave_one_out, Selection::generalised}) {
    options.selection = selection;
    const auto wide = fit_kernel_ridge(*phi, data.X, data.Y, {}, options);
    const auto narrow = fit_kernel_ridge(*phi, data.rounded(), data.Y, {}, options);
    EXPECT_LE(narrow.alpha, 0.1);
    EXPECT_GE(narrow.alpha, 1e-3);
    EXPECT_EQ(narrow.alpha, wide.alpha);
    EXPECT_EQ(narrow.errors.back(), std::numeric_limits<double>::infinity());
  }
}

/// Sizes that float does not know.
TEST(RidgeRounding, TheSizeOfTargetsDoesNotMatter) {
  Data data(300);
  const auto phi = features(20);
  const auto plain = fit_kernel_ridge(*phi, data.rounded(), data.Y);
  for (const double size : {0x1p300, 0x1p-300}) {
    Matrix<double> Y(300, 1);
    for (std::size_t i = 0; i < 300; ++i) Y(i, 0) = size * data.Y(i, 0);
    const auto fit = fit_kernel_ridge(*phi, data.rounded(), Y);
    EXPECT_EQ(fit.alpha, plain.alpha);
    for (std::size_t a = 0; a < fit.errors.size(); ++a) EXPECT_EQ(fit.errors[a], plain.errors[a] * size * size) << a;
  }
}

/// One row leaves none to be fitted to, and is not refused.
TEST(RidgeRounding, ASingleRowIsItsOwnMean) {
  const Matrix<double> X(1, 2, 1.0), Y(1, 1, 7.0);
  for (const std::size_t m : {1, 3})
    for (const Selection selection : {Selection::leave_one_out, Selection::generalised})
      for (const double weight : {0.5, 1.0}) {
        const auto phi = make_features({.d = 2, .map = "cosine", .coupling = "iid", .m = m});
        const auto fit = fit_kernel_ridge(*phi, X, Y, std::vector{weight}, {.selection = selection});
        EXPECT_DOUBLE_EQ(predict(*phi, fit.model, X)(0, 0), 7);
        EXPECT_EQ(fit.alpha, fit.path[0]);
      }
}

/// Features of equal rows are nothing about their mean, here without rounding: the path has an end all the same.
TEST(RidgeRounding, EqualRowsOfZerosHaveAPathThatEnds) {
  const Matrix<double> X(2, 2, 0.0);
  Matrix<double> Y(2, 1, 1.0);
  Y(1, 0) = 3;
  for (const std::size_t m : {1, 40})
    for (const Selection selection : {Selection::leave_one_out, Selection::folds, Selection::generalised}) {
      const auto phi = features(m);
      const auto fit = fit_kernel_ridge(*phi, X, Y, {}, {.selection = selection});
      EXPECT_LT(fit.path.size(), 1000u);
      EXPECT_GT(fit.alpha, 0);
      EXPECT_DOUBLE_EQ(predict(*phi, fit.model, X)(0, 0), 2);
    }
}

TEST(RidgeRounding, WithoutAPenaltyEqualRowsHaveTheirMean) {
  for (const std::size_t n : {5, 7, 50, 3000})
    for (const std::size_t m : {1, 2, 3, 11, 50}) {  // normal equation and dual
      const Matrix<double> X(n, 2, 0.7);
      const Matrix<float> single(n, 2, 0.7F);
      Matrix<double> Y(n, 1);
      for (std::size_t i = 0; i < n; ++i) Y(i, 0) = static_cast<double>(i);
      const double mean = static_cast<double>(n - 1) / 2;
      const auto phi = features(m);
      const auto wide = fit_kernel_ridge(*phi, X, Y, {}, {.alpha = 0});
      EXPECT_NEAR(predict(*phi, wide.model, X)(0, 0), mean, 1e-10 * mean) << n << " " << m;
      const Matrix<double> beside(1, 2, 0.8);  // nothing was seen of any direction: the function is constant
      EXPECT_NEAR(predict(*phi, wide.model, beside)(0, 0), mean, 1e-10 * mean) << n << " " << m;
      if (n > 50) continue;
      const auto narrow = fit_kernel_ridge(*phi, single, Y, {}, {.alpha = 0});
      EXPECT_NEAR(predict(*phi, narrow.model, single)(0, 0), mean, 1e-5) << n << " " << m;
      EXPECT_NEAR(predict(*phi, narrow.model, beside)(0, 0), mean, 1e-5) << n << " " << m;
    }
}

TEST(RidgeRounding, FeaturesThatVanishAreTold) {
  const auto tiny = [](double scale) {
    return
        [scale](std::span<const double> x, std::size_t j) { return scale * std::cos(x[0] + static_cast<double>(j)); };
  };
  Data data(31);
  for (const auto& [scale, outputs] : {std::pair(1e-160, 4), std::pair(1e-160, 40), std::pair(0.0, 4)}) {
    const test::GivenFeatures phi(2, static_cast<std::size_t>(outputs), tiny(scale));
    for (const std::optional<double> alpha : {std::optional<double>(), std::optional(1e-300)}) {
      const std::string said = refusal([&] { fit_kernel_ridge(phi, data.X, data.Y, {}, {.alpha = alpha}); });
      EXPECT_NE(said.find("X has rows whose features vanish"), std::string::npos) << said;
    }
  }
  // The rows of a positive map that are so far away that float knows no such features.
  for (std::size_t i = 0; i < 62; ++i) data.X.data()[i] = 20 + data.X.data()[i];
  const auto positive = features(10, "positive");
  EXPECT_NE(
      refusal([&] { fit_kernel_ridge(*positive, data.rounded(), data.Y); }).find("X has rows whose features vanish"),
      std::string::npos);
}

/// A lengthscale at which features vanish is one that is not chosen.
TEST(RidgeRounding, TheSearchGoesOnWhereFeaturesVanish) {
  Data data(200);
  for (std::size_t i = 0; i < 400; ++i) data.X.data()[i] += 600;
  const Spec spec{.d = 2, .map = "positive", .coupling = "iid", .m = 32};
  const auto failed = refusal([&] { search_ridge_lengthscale(spec, data.X, data.Y); });
  EXPECT_NE(failed.find("X has rows whose features vanish"), std::string::npos)
      << failed;  // at none of them is anything left
  for (std::size_t i = 0; i < 400; ++i) data.X.data()[i] -= 590;
  const RidgeLengthscale found = search_ridge_lengthscale(spec, data.X, data.Y);
  EXPECT_FALSE(std::isfinite(found.errors.back()));
  EXPECT_GT(found.lengthscale, found.tried.back());
}

TEST(RidgeRounding, TargetsWhoseSquaresOverflowAreRefused) {
  Data data(20);
  data.Y(17, 0) = -1.1e150;
  const auto phi = features(4);
  for (const std::string& said : {refusal([&] { fit_kernel_ridge(*phi, data.X, data.Y); }),
                                  refusal([&] { fit_gaussian_process(*phi, data.X, data.Y); }),
                                  refusal([&] { FoldGram(phi->outputs(), 1).add(*phi, data.X, data.Y); })}) {
    EXPECT_NE(said.find("Y has -1.1e+150 at row 17, column 0; expected a number of at most 1e+150"), std::string::npos)
        << said;
  }
  data.Y(17, 0) = -1e150;
  EXPECT_TRUE(std::isfinite(fit_kernel_ridge(*phi, data.X, data.Y).errors[0]));
}

TEST(RidgeRounding, MatricesBeyondMemoryAreRefusedBeforeTheyAreMade) {
  constexpr std::size_t kHuge = std::size_t{1} << 24;  // 2 PiB
  for (const std::string& said : {refusal([] { Gram(kHuge, 1); }), refusal([] { FoldGram(kHuge, 1); }),
                                  refusal([] { require_memory(kHuge, 4); })}) {
    EXPECT_NE(said.find("outputs is 16777216; expected at most "), std::string::npos) << said;
    EXPECT_NE(said.find("GiB of "), std::string::npos) << said;
    EXPECT_NE(said.find("lower n_components or m"), std::string::npos) << said;
  }
  EXPECT_EQ(refusal([] { require_memory(1000, 4); }), "");
}

}  // namespace
}  // namespace bochner
