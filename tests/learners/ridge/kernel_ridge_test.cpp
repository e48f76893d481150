// SPDX-License-Identifier: Apache-2.0
#include "bochner/kernel_ridge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "bochner/threads.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// n noisy rows in three dimensions with two targets.
struct Data {
  explicit Data(std::size_t n) : X(normal_rows(n, 3, 1, 1)), Y(normal_rows(n, 2, 0.3, 2)), weights(n) {
    for (std::size_t i = 0; i < n; ++i) {
      Y(i, 0) += std::sin(2 * X(i, 0)) + 5;
      Y(i, 1) += X(i, 1) * X(i, 2);
      weights[i] = static_cast<double>(i % 4);
    }
  }
  Matrix<double> X, Y;
  std::vector<double> weights;
};

std::unique_ptr<Features> features(std::size_t m) {
  return make_features({.d = 3, .map = "trigonometric", .coupling = "iid", .m = m, .lengthscale = {1.5}});
}

Matrix<double> without(MatrixView<const double> A, std::size_t row) {
  Matrix<double> rest(A.rows() - 1, A.cols());
  for (std::size_t i = 0, to = 0; i < A.rows(); ++i)
    if (i != row) std::copy_n(A.row(i).data(), A.cols(), rest.view().row(to++).data());
  return rest;
}

double squared_error(const Features& phi, const LinearModel& model, MatrixView<const double> X,
                     MatrixView<const double> Y) {
  const Matrix<double> fitted = predict(phi, model, X);
  double sum = 0;
  for (std::size_t i = 0; i < Y.rows(); ++i)
    for (std::size_t t = 0; t < Y.cols(); ++t) sum += (Y(i, t) - fitted(i, t)) * (Y(i, t) - fitted(i, t));
  return sum;
}

void expect_near(MatrixView<const double> got, MatrixView<const double> want, double error) {
  ASSERT_EQ(got.rows(), want.rows());
  for (std::size_t i = 0; i < want.rows(); ++i)
    for (std::size_t j = 0; j < want.cols(); ++j) EXPECT_NEAR(got(i, j), want(i, j), error) << i << " " << j;
}

/// The gradient of the penalised loss vanishes: sum w e = 0 and sum w e phi = alpha weights.
TEST(KernelRidge, IsStationary) {
  const Data data(60);
  for (const std::size_t m : {10, 50}) {
    const auto phi = features(m);
    for (const bool intercept : {true, false}) {
      const auto fit = fit_kernel_ridge(*phi, data.X, data.Y, data.weights, {.alpha = 0.3, .intercept = intercept});
      EXPECT_EQ(fit.jitter, 0);
      EXPECT_GT(fit.condition, 1);
      const Matrix<double> fitted = predict(*phi, fit.model, data.X);
      Matrix<double> Z(60, phi->outputs());
      phi->transform(data.X, Z);
      for (std::size_t t = 0; t < 2; ++t) {
        double constant = 0;
        std::vector<double> slope(phi->outputs(), 0.0);
        for (std::size_t i = 0; i < 60; ++i) {
          const double residual = data.weights[i] * (data.Y(i, t) - fitted(i, t));
          constant += residual;
          for (std::size_t j = 0; j < slope.size(); ++j) slope[j] += residual * Z(i, j);
        }
        EXPECT_NEAR(intercept ? constant : fit.model.intercept[t], 0, 1e-10);
        for (std::size_t j = 0; j < slope.size(); ++j) EXPECT_NEAR(slope[j], 0.3 * fit.model.weights(t, j), 1e-10);
      }
    }
  }
}

TEST(KernelRidge, LeaveOneOutIsWhatRefittingGives) {
  const Data data(40);
  for (const std::size_t m : {10, 40})
    for (const bool intercept : {true, false}) {
      const auto phi = features(m);
      const auto fit = fit_kernel_ridge(*phi, data.X, data.Y, {}, {.path = {1e-3, 2.0, 1e-1}, .intercept = intercept});
      ASSERT_EQ(fit.path, (std::vector<double>{2.0, 1e-1, 1e-3}));
      for (std::size_t a = 0; a < 3; ++a) {
        double sum = 0;
        for (std::size_t i = 0; i < 40; ++i) {
          const auto rest = fit_kernel_ridge(*phi, without(data.X, i), without(data.Y, i), {},
                                             {.alpha = fit.path[a], .intercept = intercept});
          sum += squared_error(*phi, rest.model, data.X.view().row_range(i, i + 1), data.Y.view().row_range(i, i + 1));
        }
        EXPECT_NEAR(fit.errors[a] / (sum / 40), 1, 1e-9) << m << " " << intercept << " " << fit.path[a];
      }
      const std::size_t best = fit.errors[0] < fit.errors[1] ? (fit.errors[0] < fit.errors[2] ? 0 : 2)
                                                             : (fit.errors[1] < fit.errors[2] ? 1 : 2);
      EXPECT_EQ(fit.alpha, fit.path[best]);
    }
}

/// Rows of weight w are w rows, for the fit and for the choice of alpha.
TEST(KernelRidge, WeightsRepeatRows) {
  const Data data(40);
  Matrix<double> X(60, 3), Y(60, 2);
  for (std::size_t i = 0, to = 0; i < 40; ++i)
    for (std::size_t copy = 0; copy < i % 4; ++copy, ++to) {
      std::copy_n(data.X.view().row(i).data(), 3, X.view().row(to).data());
      std::copy_n(data.Y.view().row(i).data(), 2, Y.view().row(to).data());
    }
  for (const std::size_t m : {5, 100})
    for (const Selection selection : {Selection::leave_one_out, Selection::generalised}) {
      const auto phi = features(m);
      const KernelRidgeOptions options{.selection = selection, .path = {1e-2, 1e-1, 1.0, 10.0}};
      const auto weighted = fit_kernel_ridge(*phi, data.X, data.Y, data.weights, options);
      const auto repeated = fit_kernel_ridge(*phi, X, Y, {}, options);
      EXPECT_EQ(weighted.alpha, repeated.alpha);
      for (std::size_t a = 0; a < 4; ++a) EXPECT_NEAR(weighted.errors[a] / repeated.errors[a], 1, 1e-9);
      expect_near(weighted.model.weights, repeated.model.weights, 1e-9);
    }
}

/// Two ways to one solution: a fit to n rows with more outputs than rows, and the normal equation from folds.
TEST(KernelRidge, DualIsPrimal) {
  const Data data(30);
  const auto phi = features(40);
  FoldGram gram(80, 2);
  gram.add(*phi, data.X, data.Y, data.weights);
  for (const double alpha : {0.5, 1e-3}) {
    const auto dual = fit_kernel_ridge(*phi, data.X, data.Y, data.weights, {.alpha = alpha});
    const auto primal = fit_kernel_ridge(gram, {.alpha = alpha});
    expect_near(dual.model.weights, primal.model.weights, 1e-9);
    EXPECT_NEAR(dual.model.intercept[0], primal.model.intercept[0], 1e-9);
  }
  const auto dual = fit_kernel_ridge(*phi, data.X, data.Y, data.weights, {.selection = Selection::generalised});
  const auto primal = fit_kernel_ridge(gram, {.selection = Selection::generalised});
  EXPECT_NEAR(dual.alpha / primal.alpha, 1, 1e-9);
  for (std::size_t a = 0; a < 10; ++a) EXPECT_NEAR(dual.errors[a] / primal.errors[a], 1, 1e-8);
}

TEST(KernelRidge, FoldErrorsAreThoseOfHeldOutRows) {
  const Data data(200);
  const auto phi = features(8);
  FoldGram gram(16, 2, 3);
  gram.add(*phi, data.X.view().row_range(0, 77), data.Y.view().row_range(0, 77));
  gram.add(*phi, data.X.view().row_range(77, 200), data.Y.view().row_range(77, 200));
  std::uint64_t least = 200;
  for (std::size_t k = 0; k < 3; ++k) least = std::min(least, gram.fold(k).rows());
  EXPECT_GT(least, 40U);
  // The rows of a fold are found again by adding them one at a time.
  std::vector<std::vector<std::size_t>> members(3);
  FoldGram single(16, 2, 3);
  for (std::size_t i = 0; i < 200; ++i) {
    std::vector<std::uint64_t> before;
    for (std::size_t k = 0; k < 3; ++k) before.push_back(single.fold(k).rows());
    single.add(*phi, data.X.view().row_range(i, i + 1), data.Y.view().row_range(i, i + 1));
    for (std::size_t k = 0; k < 3; ++k)
      if (single.fold(k).rows() > before[k]) members[k].push_back(i);
  }
  const auto fit = fit_kernel_ridge(gram, {.selection = Selection::folds, .path = {1.0, 1e-2}});
  for (std::size_t a = 0; a < 2; ++a) {
    double sum = 0;
    for (const auto& fold : members) {
      std::vector<double> kept(200, 1.0);
      for (const std::size_t i : fold) kept[i] = 0;
      const auto rest = fit_kernel_ridge(*phi, data.X, data.Y, kept, {.alpha = fit.path[a]});
      for (const std::size_t i : fold)
        sum += squared_error(*phi, rest.model, data.X.view().row_range(i, i + 1), data.Y.view().row_range(i, i + 1));
    }
    EXPECT_NEAR(fit.errors[a] / (sum / 200), 1, 1e-9);
  }
  const auto whole = fit_kernel_ridge(*phi, data.X, data.Y, {}, {.selection = Selection::folds, .folds = 3});
  EXPECT_NEAR(whole.alpha / fit_kernel_ridge(gram, {.selection = Selection::folds}).alpha, 1, 1e-9);
}

TEST(KernelRidge, FloatRowsGiveTheSameFit) {
  const Data data(3000);
  const auto phi = features(20);
  Matrix<float> X(3000, 3);
  for (std::size_t i = 0; i < 9000; ++i) X.data()[i] = static_cast<float>(data.X.data()[i]);
  const auto wide = fit_kernel_ridge(*phi, data.X, data.Y), narrow = fit_kernel_ridge(*phi, X, data.Y);
  EXPECT_GT(wide.path.size(), narrow.path.size());
  for (std::size_t a = 0; a < 10; ++a) EXPECT_NEAR(narrow.errors[a] / wide.errors[a], 1, 1e-4);
  const auto given = fit_kernel_ridge(*phi, data.X, data.Y, {}, {.alpha = 1});
  expect_near(predict(*phi, fit_kernel_ridge(*phi, X, data.Y, {}, {.alpha = 1}).model, X),
              predict(*phi, given.model, data.X), 1e-4);
}

TEST(KernelRidge, SameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  const Data data(700);
  for (const std::size_t m : {35, 400})
    for (const Selection selection : {Selection::leave_one_out, Selection::folds, Selection::generalised}) {
      if (m == 400 && selection == Selection::folds) continue;  // as with fewer outputs, only slower
      const auto phi = features(m);
      std::vector<double> first;
      for (const int threads : {1, 2, 3, 8}) {
        set_num_threads(threads);
        const auto fit = fit_kernel_ridge(*phi, data.X, data.Y, data.weights, {.selection = selection});
        std::vector<double> numbers(fit.model.weights.data(), fit.model.weights.data() + 2 * phi->outputs());
        numbers.insert(numbers.end(), fit.errors.begin(), fit.errors.end());
        const Matrix<double> fitted = predict(*phi, fit.model, data.X);
        numbers.insert(numbers.end(), fitted.data(), fitted.data() + 1400);
        if (threads == 1) first = numbers;
        EXPECT_EQ(numbers, first) << threads << " threads, m = " << m;
      }
    }
  set_num_threads(before);
}

TEST(KernelRidge, SingularEquations) {
  const auto phi = make_features({.d = 3, .kernel = "angular", .map = "sign", .coupling = "iid", .m = 4});
  const Matrix<double> X(5, 3, 1.0), Y(5, 1, 7.0);  // features are 1/2 or -1/2: about their mean there is nothing
  const auto fit = fit_kernel_ridge(*phi, X, Y, {}, {.alpha = 0});
  EXPECT_DOUBLE_EQ(predict(*phi, fit.model, X)(0, 0), 7);
  EXPECT_EQ(fit.condition, std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(predict(*phi, fit_kernel_ridge(*phi, X, Y).model, X)(0, 0), 7);
  const auto shortest = fit_kernel_ridge(*phi, X, Y, {}, {.alpha = 0, .intercept = false});
  EXPECT_EQ(shortest.jitter, 0);
  EXPECT_NEAR(predict(*phi, shortest.model, X)(0, 0), 7, 1e-12);
  const auto least = fit_kernel_ridge(*phi, X, Y, {}, {.alpha = 1e-300, .intercept = false});
  EXPECT_EQ(least.jitter, 0);
  EXPECT_NEAR(predict(*phi, least.model, X)(0, 0), 7, 1e-12);
}

TEST(KernelRidge, FoldsSurviveBytes) {
  const Data data(50);
  FoldGram gram(4, 2, 3), other(4, 2, 3);
  gram.add(*features(2), data.X, data.Y);
  const auto bytes = gram.to_bytes();
  FoldGram again = FoldGram::from_bytes(bytes);
  EXPECT_EQ(again.to_bytes(), bytes);
  other.merge(gram);
  EXPECT_EQ(other.to_bytes(), bytes);
  again.add(*features(2), data.X, data.Y);
  gram.add(*features(2), data.X, data.Y);
  EXPECT_EQ(again.to_bytes(), gram.to_bytes());  // it goes on where it was
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(refusal([&] { FoldGram::from_bytes(std::span(bytes).first(length)); }).empty()) << length;
  EXPECT_EQ(refusal([&] { gram.merge(FoldGram(4, 2, 4)); }), "other is 4 folds; expected 3");
  EXPECT_EQ(refusal([&] { FoldGram(4, 2, 1); }), "folds is 1; expected from 2 to 1000");
}

TEST(KernelRidge, RefusesWhatDoesNotFit) {
  const Data data(6);
  const auto phi = features(2);
  const auto refused = [&](std::vector<double> weights, const KernelRidgeOptions& options, const char* part) {
    const std::string said = refusal([&] { fit_kernel_ridge(*phi, data.X, data.Y, weights, options); });
    EXPECT_NE(said.find(part), std::string::npos) << said << " instead of " << part;
  };
  refused({}, {.alpha = -1}, "alpha is -1; expected a finite number >= 0");
  refused({}, {.alpha = kNaN}, "alpha is nan");
  refused({}, {.path = {1.0, 0.0}}, "path is 0; expected finite numbers > 0");
  refused({0, 0, 0, 0, 0, 0}, {}, "weights is 0 in sum; expected at least one row of weight > 0");
  refused({1}, {}, "weights is a list of 1 numbers");
  EXPECT_NE(refusal([&] { fit_kernel_ridge(FoldGram(4, 2), {}); }).find("selection is leave_one_out; expected folds"),
            std::string::npos);
  EXPECT_NE(refusal([&] { fit_kernel_ridge(FoldGram(4, 2), {.alpha = 1}); }).find("weights is 0 in sum"),
            std::string::npos);
  EXPECT_NE(refusal([&] { selection_from_name("leave_one_ou"); }).find("did you mean 'leave_one_out'"),
            std::string::npos);
  const LinearModel model{Matrix<double>(2, 4, 0.0), {0.0}}, narrow{Matrix<double>(2, 3, 0.0), {0.0, 0.0}};
  EXPECT_EQ(refusal([&] { predict(*phi, model, data.X); }), "model is 1 intercepts; expected 2, one for each function");
  EXPECT_EQ(refusal([&] { predict(*phi, narrow, data.X); }),
            "model is 3 weights per function; expected 4, the outputs of the features");
}

}  // namespace
}  // namespace bochner
