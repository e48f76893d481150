// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/kernel_matrix.h"
#include "bochner/kernel_ridge.h"
#include "bochner/threads.h"
#include "learners/given_features.h"

namespace bochner {
namespace {

using test::GivenFeatures;
using Wide = std::vector<std::vector<long double>>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double wave(std::span<const double> x, std::size_t j) {
  double phase = 0.7 * static_cast<double>(j);
  for (std::size_t l = 0; l < x.size(); ++l) phase += std::sin(3.0 * static_cast<double>(j * x.size() + l)) * x[l];
  return std::cos(phase);
}

Matrix<double> inputs(std::size_t n, std::size_t d) {
  Matrix<double> X(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t l = 0; l < d; ++l) X(i, l) = 2 * std::sin(1.3 * static_cast<double>(i * d + l));
  return X;
}

std::vector<double> targets(std::size_t n) {
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = std::sin(0.9 * static_cast<double>(i)) + 0.1 * static_cast<double>(i % 7);
  return y;
}

Wide explicit_features(const Features& features, MatrixView<const double> X) {
  Wide phi(X.rows(), std::vector<long double>(features.outputs()));
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < features.outputs(); ++j) phi[i][j] = wave(X.row(i), j);
  return phi;
}

/// Gaussian elimination with row pivots in long double: the oracle of every solve here.
std::vector<long double> eliminate(Wide A, std::vector<long double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    std::swap(A[k], A[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

long double norm(const std::vector<long double>& v) {
  long double sum = 0;
  for (long double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// |got - want| <= (rows + size) eps condition |want|: the backward error of forming and factorising the equation,
/// amplified by a condition number bounded through the trace.
void expect_solution(std::span<const double> got, const std::vector<long double>& want, long double trace, double alpha,
                     std::size_t rows) {
  ASSERT_EQ(got.size(), want.size());
  std::vector<long double> difference(want);
  for (std::size_t j = 0; j < want.size(); ++j) difference[j] -= got[j];
  const long double condition = (trace + alpha) / alpha;
  const long double eps = std::numeric_limits<double>::epsilon();
  EXPECT_LE(norm(difference), static_cast<long double>(rows + want.size()) * eps * condition * norm(want));
}

template <class Error, class Call>
void expect_error(Call call, const std::string& part) {
  std::string message = "nothing thrown";
  try {
    call();
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

/// One target, no intercept.
KernelRidgeFit fit_ridge(const Features& features, MatrixView<const double> X, const std::vector<double>& y,
                         double alpha) {
  return fit_kernel_ridge(features, X, MatrixView<const double>(y.data(), y.size(), 1), {},
                          {.alpha = alpha, .intercept = false});
}

std::vector<double> predict_ridge(const Features& features, const KernelRidgeFit& fit, MatrixView<const double> X) {
  const Matrix<double> y = predict(features, fit.model, X);
  return {y.data(), y.data() + y.rows()};
}

std::vector<double> beta(const KernelRidgeFit& fit) {
  return {fit.model.weights.data(), fit.model.weights.data() + fit.model.weights.cols()};
}

TEST(Ridge, SolvesTheNormalEquation) {
  for (const std::size_t n : {1, 5, 511, 512, 513, 1700}) {
    const GivenFeatures features(3, 24, wave);
    const auto X = inputs(n, 3);
    const auto y = targets(n);
    const double alpha = 0.01;
    const Wide phi = explicit_features(features, X);
    Wide gram(24, std::vector<long double>(24, 0));
    std::vector<long double> right(24, 0);
    long double trace = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < 24; ++j) {
        for (std::size_t k = 0; k < 24; ++k) gram[j][k] += phi[i][j] * phi[i][k];
        right[j] += phi[i][j] * y[i];
      }
    for (std::size_t j = 0; j < 24; ++j) {
      trace += gram[j][j];
      gram[j][j] += alpha;
    }
    const KernelRidgeFit fit = fit_ridge(features, X, y, alpha);
    EXPECT_EQ(fit.jitter, 0) << n;
    expect_solution(beta(fit), eliminate(gram, right), trace, alpha, n);
  }
}

/// Phi (Phi'Phi + a I)^-1 Phi'y = K (K + a I)^-1 y with K = Phi Phi'.
TEST(Ridge, PredictsAsTheDualWithItsOwnKernel) {
  const std::size_t n = 40;
  const GivenFeatures features(2, 56, wave);
  const auto X = inputs(n, 2);
  const auto test = inputs(n + 9, 2);
  const auto y = targets(n);
  const double alpha = 0.1;
  const Wide phi = explicit_features(features, X);
  const Wide psi = explicit_features(features, test);
  const auto kernel = [](const std::vector<long double>& a, const std::vector<long double>& b) {
    long double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
  };
  Wide K(n, std::vector<long double>(n));
  long double trace = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) K[i][j] = kernel(phi[i], phi[j]);
  for (std::size_t i = 0; i < n; ++i) {
    trace += K[i][i];
    K[i][i] += alpha;
  }
  const auto dual = eliminate(K, {y.begin(), y.end()});
  std::vector<long double> want(test.rows(), 0);
  for (std::size_t i = 0; i < test.rows(); ++i)
    for (std::size_t j = 0; j < n; ++j) want[i] += kernel(psi[i], phi[j]) * dual[j];
  const auto got = predict_ridge(features, fit_ridge(features, X, y, alpha), test);
  expect_solution(got, want, trace, alpha, n);
}

TEST(Ridge, ExactRidgeSolvesTheKernelEquation) {
  const std::size_t n = 37;
  const auto X = inputs(n, 3);
  const auto y = targets(n);
  const double alpha = 0.05;
  const std::vector<double> lengthscale = {0.8, 1.1, 1.7};
  Wide K(n, std::vector<long double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      long double square = 0;
      for (std::size_t l = 0; l < 3; ++l) {
        const long double z = (static_cast<long double>(X(i, l)) - X(j, l)) / lengthscale[l];
        square += z * z;
      }
      K[i][j] = std::exp(-square / 2) + (i == j ? alpha : 0);
    }
  const ExactRidgeFit fit = fit_exact_ridge("gaussian", lengthscale, X, y, alpha);
  EXPECT_EQ(fit.jitter, 0);
  expect_solution(fit.dual, eliminate(K, {y.begin(), y.end()}), static_cast<long double>(n), alpha, n);
}

TEST(Ridge, SameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  for (const std::size_t n : {700, 5000}) {
    const GivenFeatures features(3, 41, wave);
    const auto X = inputs(n, 3);
    const auto y = targets(n);
    set_num_threads(1);
    const KernelRidgeFit one = fit_ridge(features, X, y, 1e-3);
    const auto predicted = predict_ridge(features, one, X);
    for (int threads = 2; threads <= 4; ++threads) {
      set_num_threads(threads);
      const KernelRidgeFit many = fit_ridge(features, X, y, 1e-3);
      EXPECT_EQ(beta(many), beta(one)) << n << " rows, " << threads << " threads";
      EXPECT_EQ(predict_ridge(features, many, X), predicted) << n << " rows, " << threads << " threads";
    }
  }
  set_num_threads(before);
}

TEST(Ridge, PredictionOfARowDoesNotDependOnItsBatch) {
  const GivenFeatures features(2, 30, wave);
  const auto X = inputs(1100, 2);
  const KernelRidgeFit fit = fit_ridge(features, X, targets(1100), 1.0);
  const auto whole = predict_ridge(features, fit, X);
  for (const std::size_t i : {0, 511, 512, 1099})
    EXPECT_EQ(predict_ridge(features, fit, X.view().row_range(i, i + 1))[0], whole[i]) << i;
  EXPECT_TRUE(predict_ridge(features, fit, X.view().row_range(0, 0)).empty());
}

TEST(Ridge, SingularEquationGetsTheSmallestJitterThatHelps) {
  const GivenFeatures ones(1, 2, [](std::span<const double>, std::size_t) { return 1.0; });
  const auto X = inputs(4, 1);
  const std::vector<double> y = {1, 2, 3, 6};
  const KernelRidgeFit fit = fit_ridge(ones, X, y, 0);
  EXPECT_DOUBLE_EQ(fit.jitter, 1e-12 * 4);
  EXPECT_NEAR(predict_ridge(ones, fit, X)[0], 3, 3e-4);  // eps / 1e-12, the rounding error times the condition
}

TEST(Ridge, NumericalFailureIsOneSentence) {
  const GivenFeatures huge(1, 3, [](std::span<const double>, std::size_t) { return 1e200; });
  const auto X = inputs(5, 1);
  expect_error<std::invalid_argument>([&] { fit_ridge(huge, X, targets(5), 1); }, "the Gram matrix is not finite");
}

TEST(Ridge, RefusesAlphaThatIsNotANonNegativeNumber) {
  const GivenFeatures features(1, 3, wave);
  const auto X = inputs(5, 1);
  const std::vector<double> one = {1.0};
  for (const double alpha : {-1e-9, -kInfinity, kInfinity, kNaN}) {
    expect_error<std::invalid_argument>([&] { fit_ridge(features, X, targets(5), alpha); }, "alpha is");
    expect_error<std::invalid_argument>([&] { fit_exact_ridge("gaussian", one, X, targets(5), alpha); }, "alpha is");
  }
}

TEST(Ridge, RefusesDataThatDoNotFit) {
  const GivenFeatures features(2, 3, wave);
  auto X = inputs(800, 2);
  auto y = targets(800);
  const auto refused = [&](const char* part, const char* of_features = nullptr) {
    expect_error<std::invalid_argument>([&] { fit_ridge(features, X, y, 1); }, of_features ? of_features : part);
    expect_error<std::invalid_argument>([&] { fit_exact_ridge("gaussian", std::vector<double>{1.0}, X, y, 1); }, part);
  };
  y.pop_back();
  refused("y is a list of 799 numbers; expected 800, one for each row of X", "Y is 799 x 1; expected 800 x 1");
  y = targets(800);
  y[703] = kNaN;
  refused("y has nan at row 703", "Y has nan at row 703, column 0");
  y = targets(800);
  X(700, 1) = -kInfinity;
  refused("X has -inf at row 700, column 1");
  X = Matrix<double>(0, 2);
  y.clear();
  refused("X is 0 x 2; expected at least one row");
}

TEST(Ridge, RefusesFeaturesThatDoNotFit) {
  const GivenFeatures features(2, 3, wave);
  const GivenFeatures asymmetric(2, 3, wave, false);
  const auto X = inputs(5, 2);
  const auto narrow = inputs(5, 1);
  const KernelRidgeFit fit = fit_ridge(features, X, targets(5), 1);
  expect_error<std::invalid_argument>([&] { fit_ridge(asymmetric, X, targets(5), 1); },
                                      "the map 'given', which treats query and key differently");
  expect_error<std::invalid_argument>([&] { fit_ridge(features, narrow, targets(5), 1); },
                                      "X is 5 x 1; expected n x 2 (d)");
  expect_error<std::invalid_argument>([&] { predict_ridge(features, fit, narrow); }, "X is 5 x 1; expected n x 2 (d)");
  auto bad = inputs(600, 2);
  bad(599, 0) = kNaN;
  expect_error<std::invalid_argument>([&] { predict_ridge(features, fit, bad); }, "X has nan at row 599, column 0");
}

}  // namespace
}  // namespace bochner
