// SPDX-License-Identifier: Apache-2.0
// Laws of weighted rows: a weight is how often a row is there, and the size of all weights says nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bochner/kernel_ridge.h"
#include "bochner/linear_classifier.h"
#include "core/row_hash.h"
#include "learners/statistics/equal_rows.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::normal_rows;

constexpr Selection kSelections[] = {Selection::leave_one_out, Selection::folds, Selection::generalised};
/// Outputs are twice as many: below and above the rows, the normal equation and the dual one.
constexpr std::size_t kDirections[] = {12, 200};

template <class T>
Matrix<T> as(const Matrix<double>& A) {
  Matrix<T> result(A.rows(), A.cols());
  std::transform(A.data(), A.data() + A.rows() * A.cols(), result.data(), [](double v) { return static_cast<T>(v); });
  return result;
}

/// A smooth function of two columns with noise, two targets, and weights that are whole numbers from 0 to 3.
struct Table {
  explicit Table(std::size_t n) : X(normal_rows(n, 2, 1, 1)), Y(normal_rows(n, 2, 0.3, 2)), weights(n) {
    for (std::size_t i = 0; i < n; ++i) {
      Y(i, 0) += std::sin(X(i, 0) + X(i, 1)) + 3;
      Y(i, 1) += X(i, 0);
      weights[i] = static_cast<double>(mixed(i) % 4);
    }
  }
  /// Rows `chosen`, in that order.
  Table(const Table& from, const std::vector<std::size_t>& chosen)
      : X(chosen.size(), 2), Y(chosen.size(), from.Y.cols()) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::ranges::copy(from.X.view().row(chosen[i]), X.view().row(i).begin());
      std::ranges::copy(from.Y.view().row(chosen[i]), Y.view().row(i).begin());
    }
  }
  Matrix<double> X, Y;
  std::vector<double> weights;
};

std::vector<double> times(std::vector<double> weights, double factor) {
  for (double& weight : weights) weight *= factor;
  return weights;
}

std::unique_ptr<Features> features(std::size_t m, std::size_t d = 2) {
  return make_features({.d = d, .map = "trigonometric", .coupling = "iid", .m = m, .lengthscale = {1.5}});
}

/// The largest difference of two matrices beside the largest number of the first.
double difference(const Matrix<double>& a, const Matrix<double>& b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) {
    most = std::max(most, std::abs(a.data()[i] - b.data()[i]));
    size = std::max(size, std::abs(a.data()[i]));
  }
  return most / size;
}

template <class T>
class WeightsOf : public ::testing::Test {
 protected:
  Matrix<double> predictions(const Features& phi, const Table& table, const std::vector<double>& weights,
                             const KernelRidgeOptions& options) {
    fit = fit_kernel_ridge(phi, as<T>(table.X), table.Y, weights, options);
    return predict(phi, fit.model, as<T>(rows));
  }

  const Matrix<double> rows = normal_rows(20, 2, 1, 3);
  KernelRidgeFit fit;
  /// Products of float rows are rounded, and with other weights otherwise.
  const double close = std::is_same_v<T, float> ? 1e-4 : 1e-9;
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WeightsOf, Scalars);

/// Powers of four are multiplied without rounding, others with: 1.2 is the case of which alpha became 4e-11.
constexpr double kFactors[] = {1e-140, 1e-20, 1.0 / 3, 0.5, 1.2, 2, 7, 1e20, 1e140};

TYPED_TEST(WeightsOf, TheirSizeIsThatOfAlpha) {
  const Table table(100);
  for (const std::size_t m : kDirections) {
    const auto phi = features(m);
    const Matrix<double> plain = this->predictions(*phi, table, table.weights, {.alpha = 0.1});
    for (const double c : kFactors)
      EXPECT_LT(difference(plain, this->predictions(*phi, table, times(table.weights, c), {.alpha = 0.1 * c})),
                this->close)
          << c << " " << m;
  }
}

TYPED_TEST(WeightsOf, TheirSizeHasNoPartInTheChoiceOfAlpha) {
  const Table table(100);
  for (const std::size_t m : kDirections)
    for (const Selection selection : kSelections) {
      const auto phi = features(m);
      const KernelRidgeOptions options{.selection = selection};
      const Matrix<double> plain = this->predictions(*phi, table, table.weights, options);
      const double alpha = this->fit.alpha;
      for (const double c : kFactors) {
        EXPECT_LT(difference(plain, this->predictions(*phi, table, times(table.weights, c), options)), this->close)
            << c << " " << m << " " << selection_names()[static_cast<std::size_t>(selection)];
        EXPECT_NEAR(this->fit.alpha / (alpha * c), 1, 1e-4);
      }
    }
}

/// In any order, and with the row of weight 0 that repetition leaves out.
TYPED_TEST(WeightsOf, WholeNumbersAreRepetitions) {
  const Table table(100);
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < 100; ++i) copies.insert(copies.end(), static_cast<std::size_t>(table.weights[i]), i);
  for (const std::uint64_t salt : {1, 2}) {
    std::vector<std::size_t> order(copies.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) { return row_hash(i, salt); });
    std::vector<std::size_t> chosen;
    for (const std::size_t i : order) chosen.push_back(copies[i]);
    const Table repeated(table, chosen);
    for (const std::size_t m : kDirections)
      for (const Selection selection : kSelections) {
        const auto phi = features(m);
        const KernelRidgeOptions options{.selection = selection};
        const Matrix<double> weighted = this->predictions(*phi, table, table.weights, options);
        EXPECT_LT(difference(weighted, this->predictions(*phi, repeated, {}, options)), this->close)
            << m << " " << selection_names()[static_cast<std::size_t>(selection)];
      }
  }
}

TYPED_TEST(WeightsOf, ARowOfNoneIsAbsent) {
  const Table table(100);
  std::vector<std::size_t> seen;
  std::vector<double> weights;
  for (std::size_t i = 0; i < 100; ++i)
    if (table.weights[i] > 0) {
      seen.push_back(i);
      weights.push_back(table.weights[i]);
    }
  const Table rest(table, seen);
  Table odd(100);  // what stands in such a row has no part in anything
  for (std::size_t i = 0; i < 100; ++i)
    if (table.weights[i] == 0) odd.Y(i, 0) = 1e150;
  for (const std::size_t m : kDirections)
    for (const Selection selection : kSelections) {
      const auto phi = features(m);
      const KernelRidgeOptions options{.selection = selection};
      const Matrix<double> without = this->predictions(*phi, rest, weights, options);
      EXPECT_LT(difference(without, this->predictions(*phi, odd, table.weights, options)), this->close) << m;
    }
}

/// 0 and -0 are one number.
TEST(Weights, TheSignOfZeroMakesNoOtherRow) {
  Matrix<double> X(4, 1), Y(4, 1);
  X(0, 0) = 0.0, X(1, 0) = -0.0, X(2, 0) = 0.0, X(3, 0) = 1;
  Y(0, 0) = -0.0, Y(1, 0) = 0.0, Y(2, 0) = 5, Y(3, 0) = 5;
  const EqualRows rows = equal_rows<double>(X, Y, std::vector{1.0, 2.0, 0.5, 4.0});
  ASSERT_EQ(rows.count(), 3u);
  EXPECT_EQ(rows.weight, (std::vector{3.0, 0.5, 4.0}));
  EXPECT_EQ(rows.left_out, (std::vector{1.75, 0.5, 4.0}));  // at 0 there are two answers of weight 3.5
  EXPECT_EQ(rows.parts, (std::vector<std::size_t>{2, 1, 1}));
  EXPECT_DOUBLE_EQ(rows.observations(), 3 / 1.75 + 2);
}

/// Equal rows, equal x with other answers and weights: the error of refitting without what is left out of each row.
TEST(Weights, LeaveOneOutIsWhatRefittingGives) {
  Table table(60);
  for (std::size_t i = 40; i < 60; ++i) {
    std::ranges::copy(table.X.view().row(i - 40 - i % 2), table.X.view().row(i).begin());
    if (i < 50) std::ranges::copy(table.Y.view().row(i - 40 - i % 2), table.Y.view().row(i).begin());
  }
  for (double& weight : table.weights) weight += 0.25;
  const EqualRows distinct = equal_rows<double>(table.X, table.Y, table.weights);
  ASSERT_LT(distinct.count(), 60u);
  ASSERT_TRUE(std::ranges::any_of(distinct.parts, [](std::size_t parts) { return parts > 1; }));
  for (const std::size_t m : kDirections)
    for (const bool intercept : {true, false}) {
      const auto phi = features(m);
      const auto fit =
          fit_kernel_ridge(*phi, table.X, table.Y, table.weights, {.path = {10.0, 0.1, 1e-2}, .intercept = intercept});
      for (std::size_t a = 0; a < 3; ++a) {
        double sum = 0, weight = 0;
        for (std::size_t g = 0; g < distinct.count(); ++g) {
          std::vector<double> rest = table.weights;
          for (std::size_t i = 0; i < 60; ++i)
            if (distinct.of[i] == g) rest[i] *= 1 - distinct.left_out[g] / distinct.weight[g];
          const auto own =
              fit_kernel_ridge(*phi, table.X, table.Y, rest, {.alpha = fit.path[a], .intercept = intercept});
          const std::size_t i = distinct.first[g];
          const Matrix<double> found = predict(*phi, own.model, table.X.view().row_range(i, i + 1));
          for (std::size_t t = 0; t < 2; ++t) sum += distinct.weight[g] * std::pow(table.Y(i, t) - found(0, t), 2);
          weight += distinct.weight[g];
        }
        EXPECT_NEAR(fit.errors[a] / (sum / weight), 1, 1e-8) << m << " " << intercept << " " << fit.path[a];
      }
    }
}

/// An answer at an x of several is cut into min(ceil(w k / W), folds) parts in different folds; others stay whole.
TEST(Weights, FoldsCutAFrequentAnswerAndKeepOthersWhole) {
  Matrix<double> X(6, 1, 0.0), Y(6, 1, 0.0);
  const std::vector<double> weights = {3, 3, 1, 1, 2, 5};
  X(4, 0) = X(5, 0) = 1;
  Y(2, 0) = 1, Y(3, 0) = 2;  // at 0 the answers 0, 1 and 2 weigh 6, 1 and 1, in sum 8: ceil(6 * 3 / 8) = 3 parts
  const auto phi = features(2, 1);
  const auto weights_of = [](const FoldGram& gram) {
    std::multiset<double> found;
    for (std::size_t k = 0; k < gram.folds(); ++k)
      if (gram.fold(k).weight() > 0) found.insert(gram.fold(k).weight());
    return found;
  };
  for (std::size_t folds = 2; folds <= 40; ++folds) {
    FoldGram cut(4, 1, folds), whole(4, 1, folds);
    const auto only = [&](FoldGram& gram, bool all, std::size_t first, std::size_t last) {
      const std::vector<double> own(weights.begin() + static_cast<std::ptrdiff_t>(first),
                                    weights.begin() + static_cast<std::ptrdiff_t>(last));
      const auto rows = X.view().row_range(first, last), targets = Y.view().row_range(first, last);
      all ? gram.add_all(*phi, rows, targets, own) : gram.add(*phi, rows, targets, own);
    };
    only(cut, true, 4, 6);  // equal rows with one answer
    EXPECT_EQ(weights_of(cut), (std::multiset<double>{7})) << folds;
    only(whole, false, 0, 2);  // batch by batch
    only(whole, false, 1, 2);
    EXPECT_EQ(weights_of(whole), (std::multiset<double>{9})) << folds;
    FoldGram three(4, 1, folds);
    only(three, true, 0, 4);
    // One row of each answer at its own place, and the parts of the first: 3 of weight 2, or one for each of 2 folds.
    double most = 0;
    std::size_t used = 0;
    for (std::size_t k = 0; k < folds; ++k) {
      most = std::max(most, three.fold(k).weight());
      used += three.fold(k).weight() > 0 ? 1 : 0;
    }
    EXPECT_GE(used, std::min<std::size_t>(folds, 3)) << folds;
    EXPECT_LE(most, 6.0 / static_cast<double>(std::min<std::size_t>(folds, 3)) + 2) << folds;
    EXPECT_DOUBLE_EQ(three.observations(), 6 / (8.0 / 3) + 2);
  }
}

/// Ten levels with forty answers each, of the means -1 and 1 with noise of variance 1. What leaves all rows of a level
/// out together predicts nothing at all. Here the fit is as good as the means of the levels, but for what ten numbers
/// and their shrinkage cost among 400: 2 * 10 / 400. Weights of 3 change nothing.
TEST(Weights, LevelsWithManyAnswersKeepTheirAlpha) {
  const std::size_t n = 400;
  Matrix<double> X(n, 1), Y = normal_rows(n, 1, 1, 5);
  for (std::size_t i = 0; i < n; ++i) {
    X(i, 0) = static_cast<double>(i % 10) * 3;
    Y(i, 0) = std::round(8 * Y(i, 0)) / 8 + (i % 2 == 0 ? 1 : -1);  // some answers are there twice
  }
  for (const std::size_t m : {20, 300})
    for (const Selection selection : kSelections)
      for (const double weight : {1.0, 3.0}) {
        const auto phi = features(m, 1);
        const auto fit = fit_kernel_ridge(*phi, X, Y, std::vector(n, weight), {.selection = selection});
        const Matrix<double> found = predict(*phi, fit.model, X);
        double residual = 0, within = 0, total = 0, mean = 0;
        std::vector<double> levels(10, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
          mean += Y(i, 0) / n;
          levels[i % 10] += Y(i, 0) / (n / 10);
        }
        for (std::size_t i = 0; i < n; ++i) {
          residual += std::pow(Y(i, 0) - found(i, 0), 2);
          within += std::pow(Y(i, 0) - levels[i % 10], 2);
          total += std::pow(Y(i, 0) - mean, 2);
        }
        EXPECT_GT(1 - residual / total, 1 - within / total - 2.0 * 10 / n)
            << m << " " << selection_names()[static_cast<std::size_t>(selection)];
      }
}

/// 1 / 2 |w|^2 + C sum w_i loss: the size of weights is that of C.
TEST(Weights, TheirSizeIsThatOfC) {
  const Table table(100);
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < 100; ++i) labels.push_back(table.Y(i, 0) < 2.5 ? 0 : table.Y(i, 0) < 3.3 ? 1 : 2);
  const auto phi = features(12);
  const Matrix<double> rows = normal_rows(20, 2, 1, 3);
  for (const ClassifierLoss loss :
       {ClassifierLoss::squared_hinge, ClassifierLoss::logistic, ClassifierLoss::multinomial}) {
    const auto scores = [&](double c) {
      const LinearClassifierOptions options{.loss = loss, .C = 3 / c, .tolerance = 1e-12};
      const auto fit = fit_linear_classifier(*phi, table.X, labels, 3, times(table.weights, c), options);
      return predict(*phi, fit.model, rows);
    };
    const Matrix<double> plain = scores(1);
    for (const double c : {1e-100, 0.5, 1.2, 2.0, 1e100}) EXPECT_LT(difference(plain, scores(c)), 1e-9) << c;
  }
}

/// |x| without noise is fitted the better the smaller alpha is, as far as numbers reach: that is said. Where noise ends
/// the fall before, or the path is one that was given, there is nothing to say.
TYPED_TEST(WeightsOf, AnErrorThatFallsToTheEndOfThePathIsANote) {
  const Matrix<double> noise = normal_rows(400, 1, 3, 2);
  Matrix<double> x(400, 1), exact(400, 1), noisy(400, 1);
  for (std::size_t i = 0; i < 400; ++i) {
    x(i, 0) = static_cast<double>(i) / 66.5 - 3;
    exact(i, 0) = std::abs(x(i, 0));
    noisy(i, 0) = exact(i, 0) + noise(i, 0);
  }
  for (const Selection selection : kSelections) {
    const auto phi =
        make_features({.d = 1, .map = "trigonometric", .coupling = "orthogonal", .m = 32, .lengthscale = {3}});
    const auto notes = [&](const Matrix<double>& Y, const std::vector<double>& path) {
      return fit_kernel_ridge(*phi, as<TypeParam>(x), Y, {}, {.selection = selection, .path = path}).notes;
    };
    const std::vector<std::string> said = notes(exact, {});
    ASSERT_EQ(said.size(), 1u) << selection_names()[static_cast<std::size_t>(selection)];
    EXPECT_TRUE(said[0].starts_with("alpha ")) << said[0];
    EXPECT_TRUE(notes(noisy, {}).empty());
    EXPECT_TRUE(notes(exact, {1.0, 0.1}).empty());
  }
}

/// Whatever alpha is, however small: a target of zeros or of one number has its mean.
TYPED_TEST(WeightsOf, AConstantTargetHasItsMeanAtAnyAlpha) {
  Table table(100);
  const double values[] = {0.0, 7.0, -0.1, 1e100 / 3};
  table.Y = Matrix<double>(100, 4);
  for (std::size_t i = 0; i < 100; ++i) std::ranges::copy(values, table.Y.view().row(i).begin());
  for (const bool weighted : {false, true})
    for (const std::size_t m : kDirections)
      for (const double alpha : {0.0, 1e-300, 1e-20, 1.0}) {
        const auto weights = weighted ? times(table.weights, 1.2) : std::vector<double>();
        const Matrix<double> found = this->predictions(*features(m), table, weights, {.alpha = alpha});
        for (std::size_t i = 0; i < found.rows(); ++i)
          for (std::size_t t = 0; t < 4; ++t) {
            const double unit = std::nextafter(std::abs(values[t]), INFINITY) - std::abs(values[t]);
            EXPECT_LE(std::abs(found(i, t) - values[t]), 16 * unit) << values[t] << " " << alpha << " " << m;
          }
      }
}

}  // namespace
}  // namespace bochner
