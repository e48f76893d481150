// SPDX-License-Identifier: Apache-2.0
#include "bochner/linear_classifier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "bochner/threads.h"
#include "learners/classifier/classifier_objective.h"
#include "learners/given_features.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

constexpr ClassifierLoss kLosses[] = {ClassifierLoss::squared_hinge, ClassifierLoss::logistic,
                                      ClassifierLoss::multinomial};

/// n noisy rows in three dimensions, classes by sectors of the first two coordinates.
struct Data {
  Data(std::size_t n, std::size_t classes) : X(normal_rows(n, 3, 1, 1)), labels(n), weights(n), classes(classes) {
    const Matrix<double> noise = normal_rows(n, 1, 0.3, 2);
    for (std::size_t i = 0; i < n; ++i) {
      const double turn = std::atan2(X(i, 1), X(i, 0)) / 6.2832 + 0.5 + 0.1 * noise(i, 0);
      labels[i] = static_cast<std::int64_t>(std::fabs(turn) * static_cast<double>(classes)) %
                  static_cast<std::int64_t>(classes);
      weights[i] = static_cast<double>(i % 4);
    }
  }
  Matrix<double> X;
  std::vector<std::int64_t> labels;
  std::vector<double> weights;
  std::size_t classes;

  std::size_t functions() const { return classes == 2 ? 1 : classes; }
};

std::unique_ptr<Features> features(std::size_t m) {
  return make_features({.d = 3, .map = "trigonometric", .coupling = "iid", .m = m, .lengthscale = {1.5}});
}

std::vector<double> normals(std::size_t size, std::uint64_t seed) {
  const Matrix<double> row = normal_rows(1, size, 1, seed);
  return {row.data(), row.data() + size};
}

std::vector<double> moved(std::vector<double> x, double step, const std::vector<double>& v) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += step * v[i];
  return x;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

/// Central differences, and the preconditioner against the products with unit vectors.
TEST(ClassifierObjective, DerivativesAreThoseOfTheValue) {
  const auto phi = features(4);
  for (const std::size_t classes : {2, 3})
    for (const ClassifierLoss loss : kLosses)
      for (const bool intercept : {true, false}) {
        const Data data(70, classes);
        const ClassifierObjective f({*phi, data.X, data.labels, data.weights}, data.functions(),
                                    {.loss = loss, .C = 0.7, .intercept = intercept});
        ASSERT_EQ(f.size(), data.functions() * (8 + (intercept ? 1 : 0)));
        const std::vector<double> x = normals(f.size(), 5), v = normals(f.size(), 6);
        const double h = 1e-5;
        const auto here = f.at(x), right = f.at(moved(x, h, v)), left = f.at(moved(x, -h, v));
        const std::vector<double> product = f.curvature(x, here, v);
        EXPECT_NEAR((sum(right.values) - sum(left.values)) / (2 * h), dot(here.gradient, v), 1e-5);
        for (std::size_t i = 0; i < f.size(); ++i) {
          // The slope of the squared hinge has kinks: rows that cross one within h are few and count O(h).
          EXPECT_NEAR((right.gradient[i] - left.gradient[i]) / (2 * h), product[i], 1e-5) << i;
          std::vector<double> unit(f.size(), 0.0);
          unit[i] = 1;
          const bool penalised = i % f.width() < 8;
          EXPECT_NEAR(here.scale[i], f.curvature(x, here, unit)[i] + (penalised ? 0 : 1), 1e-10) << i;
        }
      }
}

/// The objective as it is written in the header.
double plain_objective(const Features& phi, const Data& data, const LinearModel& model, ClassifierLoss loss, double C) {
  const Matrix<double> scores = predict(phi, model, data.X);
  double sum = 0;
  for (std::size_t k = 0; k < model.weights.rows(); ++k)
    for (std::size_t j = 0; j < model.weights.cols(); ++j) sum += model.weights(k, j) * model.weights(k, j) / 2;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto label = static_cast<std::size_t>(data.labels[i]);
    double cost = 0, total = 0;
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      const double y = label == (scores.cols() == 1 ? 1 : k) ? 1 : -1, f = scores(i, k);
      cost +=
          loss == ClassifierLoss::squared_hinge ? std::pow(std::fmax(0, 1 - y * f), 2) : std::log1p(std::exp(-y * f));
      total += std::exp(f);
    }
    const bool joint = loss == ClassifierLoss::multinomial && scores.cols() > 1;
    sum += C * data.weights[i] * (joint ? std::log(total) - scores(i, label) : cost);
  }
  return sum;
}

TEST(LinearClassifier, MinimisesTheObjective) {
  const auto phi = features(20);
  for (const std::size_t classes : {2, 4})
    for (const ClassifierLoss loss : kLosses)
      for (const double C : {0.1, 100.0}) {
        const Data data(200, classes);
        const LinearClassifierOptions options{.loss = loss, .C = C, .tolerance = 1e-9};
        auto fit = fit_linear_classifier(*phi, data.X, data.labels, classes, data.weights, options);
        EXPECT_TRUE(fit.reached);
        EXPECT_LT(fit.iterations, 30U);
        EXPECT_GT(fit.passes, fit.iterations);
        EXPECT_NEAR(plain_objective(*phi, data, fit.model, loss, C) / fit.objective, 1, 1e-12);
        // No small move of an intercept or a weight does better.
        for (const double step : {1e-3, -1e-3}) {
          fit.model.intercept[0] += step;
          EXPECT_GT(plain_objective(*phi, data, fit.model, loss, C), fit.objective);
          fit.model.intercept[0] -= step;
          fit.model.weights(0, 3) += step;
          EXPECT_GT(plain_objective(*phi, data, fit.model, loss, C), fit.objective);
          fit.model.weights(0, 3) -= step;
        }
      }
}

/// Almost separable classes and little penalty: few rows bend the squared hinge, and full steps lead far beyond.
TEST(LinearClassifier, ConvergesWherePoorStepsAreShortened) {
  const Data data(600, 8);
  EXPECT_TRUE(fit_linear_classifier(*features(60), data.X, data.labels, 8, {}, {.C = 1e4}).reached);
}

/// One feature x in {-1, 1}, one row each, no intercept: w = 4 C / (1 + 4 C) minimises w^2 / 2 + 2 C (1 - w)^2.
TEST(LinearClassifier, ClosedFormOfTwoRows) {
  const test::GivenFeatures phi(1, 1, [](std::span<const double> x, std::size_t) { return x[0]; });
  Matrix<double> X(2, 1);
  X(0, 0) = -1;
  X(1, 0) = 1;
  const std::vector<std::int64_t> labels = {0, 1};
  for (const double C : {0.01, 1.0, 50.0}) {
    const auto fit = fit_linear_classifier(phi, X, labels, 2, {}, {.C = C, .intercept = false, .tolerance = 1e-12});
    EXPECT_NEAR(fit.model.weights(0, 0), 4 * C / (1 + 4 * C), 1e-12);
    EXPECT_EQ(fit.model.intercept[0], 0);
  }
}

TEST(LinearClassifier, TwoClassesHaveOneLogisticFunction) {
  const Data data(100, 2);
  const auto phi = features(10);
  const auto one = fit_linear_classifier(*phi, data.X, data.labels, 2, {}, {.loss = ClassifierLoss::logistic});
  const auto all = fit_linear_classifier(*phi, data.X, data.labels, 2, {}, {.loss = ClassifierLoss::multinomial});
  ASSERT_EQ(one.model.weights.rows(), 1U);
  for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(one.model.weights(0, j), all.model.weights(0, j));
}

/// Softmax does not change where a number is added to all functions; what is found adds up to zero.
TEST(LinearClassifier, FunctionsOfAllClassesAddUpToZero) {
  const Data data(150, 3);
  const auto phi = features(10);
  const auto fit = fit_linear_classifier(*phi, data.X, data.labels, 3, data.weights,
                                         {.loss = ClassifierLoss::multinomial, .tolerance = 1e-8});
  EXPECT_NEAR(sum(fit.model.intercept), 0, 1e-9);
}

TEST(LinearClassifier, WeightsRepeatRows) {
  const Data data(80, 3);
  Matrix<double> X(120, 3);
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < 80; ++i)
    for (std::size_t copy = 0; copy < i % 4; ++copy) {
      std::copy_n(data.X.view().row(i).data(), 3, X.view().row(labels.size()).data());
      labels.push_back(data.labels[i]);
    }
  const auto phi = features(10);
  for (const ClassifierLoss loss : kLosses) {
    const LinearClassifierOptions options{.loss = loss, .tolerance = 1e-10};
    const auto weighted = fit_linear_classifier(*phi, data.X, data.labels, 3, data.weights, options);
    const auto repeated = fit_linear_classifier(*phi, X, labels, 3, {}, options);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t j = 0; j < 20; ++j)
        EXPECT_NEAR(weighted.model.weights(k, j), repeated.model.weights(k, j), 1e-8);
  }
}

TEST(LinearClassifier, SameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  const Data data(1000, 3);
  const auto phi = features(30);
  std::vector<double> first;
  for (const int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    std::vector<double> bits;
    for (const ClassifierLoss loss : kLosses) {
      const auto fit = fit_linear_classifier(*phi, data.X, data.labels, 3, data.weights, {.loss = loss});
      bits.insert(bits.end(), fit.model.weights.data(), fit.model.weights.data() + 180);
      bits.push_back(fit.objective);
    }
    if (threads == 1) first = bits;
    EXPECT_EQ(bits, first) << threads << " threads";
  }
  set_num_threads(before);
}

TEST(LinearClassifier, FloatRowsAreNear) {
  const Data data(300, 3);
  Matrix<float> X(300, 3);
  for (std::size_t i = 0; i < 900; ++i) X.data()[i] = static_cast<float>(data.X.data()[i]);
  const auto phi = features(20);
  const auto single = fit_linear_classifier(*phi, X, data.labels, 3, {}, {.tolerance = 1e-8});
  const auto fit = fit_linear_classifier(*phi, data.X, data.labels, 3, {}, {.tolerance = 1e-8});
  EXPECT_TRUE(single.reached);
  EXPECT_NEAR(single.objective / fit.objective, 1, 1e-5);
}

TEST(LinearClassifier, TellsWhenItDidNotConverge) {
  const Data data(100, 3);
  const auto phi = features(10);
  const auto fit = fit_linear_classifier(*phi, data.X, data.labels, 3, {}, {.tolerance = 1e-9, .max_iterations = 1});
  EXPECT_FALSE(fit.reached);
  EXPECT_EQ(fit.iterations, 1U);
  EXPECT_GT(fit.gradient, 0);
  const auto impossible = fit_linear_classifier(*phi, data.X, data.labels, 3, {}, {.tolerance = 1e-300});
  EXPECT_FALSE(impossible.reached);
  EXPECT_LT(impossible.gradient, 1e-9);
}

TEST(LinearClassifier, BalancedClassesWeighTheSame) {
  const std::vector<std::int64_t> labels = {0, 0, 0, 2, 2, 0};
  const std::vector<double> weights = {1, 1, 0, 2, 4, 2};
  const std::vector<double> balanced = balanced_weights(labels, 3, weights), plain = balanced_weights(labels, 3);
  const std::vector<double> want = {1.25, 1.25, 0, 5.0 / 3, 10.0 / 3, 2.5}, even = {0.75, 0.75, 0.75, 1.5, 1.5, 0.75};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(balanced[i], want[i], 1e-14);
    EXPECT_NEAR(plain[i], even[i], 1e-14);
  }
}

TEST(LinearClassifier, Probabilities) {
  Matrix<double> scores(2, 3, 0.0), one(1, 1, -800.0);
  scores(0, 1) = std::log(2.0);
  for (std::size_t k = 0; k < 3; ++k) scores(1, k) = -1000.0;
  const Matrix<double> joint = class_probabilities(scores, ClassifierLoss::multinomial);
  const Matrix<double> apart = class_probabilities(scores, ClassifierLoss::logistic);
  EXPECT_NEAR(joint(0, 0), 0.25, 1e-15);
  EXPECT_NEAR(joint(0, 1), 0.5, 1e-15);
  EXPECT_NEAR(apart(0, 0), 0.3, 1e-15);
  EXPECT_NEAR(apart(0, 1), 0.4, 1e-15);
  EXPECT_NEAR(joint(1, 2), 1.0 / 3, 1e-15);
  EXPECT_NEAR(apart(1, 2), 1.0 / 3, 1e-15);
  const Matrix<double> two = class_probabilities(one, ClassifierLoss::logistic);
  EXPECT_EQ(two(0, 0), 1);
  EXPECT_EQ(two(0, 1), 0);
  EXPECT_EQ(refusal([&] { class_probabilities(scores, ClassifierLoss::squared_hinge); }),
            "loss is squared_hinge; expected logistic or multinomial");
}

TEST(LinearClassifier, Refusals) {
  const Data data(5, 2);
  const auto phi = features(2);
  const auto said = [&](std::size_t classes, const LinearClassifierOptions& options,
                        std::span<const double> weights = {}) {
    return refusal([&] { fit_linear_classifier(*phi, data.X, data.labels, classes, weights, options); });
  };
  const std::vector<double> none(5, 0.0), few(4, 1.0);
  EXPECT_EQ(said(1, {}), "classes is 1; expected at least 2");
  EXPECT_EQ(said(2, {.C = 0}), "C is 0; expected a finite number > 0");
  EXPECT_EQ(said(2, {.tolerance = std::numeric_limits<double>::infinity()}),
            "tolerance is inf; expected a finite number > 0");
  EXPECT_EQ(said(2, {.max_iterations = 0}), "max_iterations is 0; expected at least 1");
  EXPECT_EQ(said(2, {}, none), "weights is 0 in sum; expected at least one row of weight > 0");
  EXPECT_EQ(said(2, {}, few), "weights is a list of 4 numbers; expected 5, one for each row of X");
  const std::vector<std::int64_t> high = {0, 1, 2, 0, 0};
  EXPECT_EQ(refusal([&] { fit_linear_classifier(*phi, data.X, high, 2); }),
            "labels has 2 at row 2; expected a number from 0 to 1");
  EXPECT_EQ(refusal([&] { fit_linear_classifier(*phi, data.X.view().row_range(0, 0), {}, 2); }),
            "X is 0 x 3; expected at least one row");
  EXPECT_EQ(refusal([] { classifier_loss_from_name("hinge"); }).find("unknown loss 'hinge'"), 0U);
  const test::GivenFeatures lopsided(
      3, 2, [](std::span<const double>, std::size_t) { return 1.0; }, false);
  EXPECT_EQ(refusal([&] { fit_linear_classifier(lopsided, data.X, data.labels, 2); }),
            "features is the map 'given', which treats query and key differently; "
            "expected a map with one feature vector per row for both sides");
  const test::GivenFeatures huge(3, 2, [](std::span<const double>, std::size_t) { return 1e300; });
  EXPECT_THROW(fit_linear_classifier(huge, data.X, data.labels, 2), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
