// SPDX-License-Identifier: Apache-2.0
#include "bochner/gaussian_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include "bochner/kernel_matrix.h"
#include "bochner/threads.h"
#include "core/blas.h"
#include "learners/given_features.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

/// n noisy rows in three dimensions with two targets, the third coordinate without a part in them.
struct Data {
  explicit Data(std::size_t n) : X(normal_rows(n, 3, 1, 1)), Y(normal_rows(n, 2, 0.2, 2)), weights(n) {
    for (std::size_t i = 0; i < n; ++i) {
      Y(i, 0) += std::sin(2 * X(i, 0)) + 5;
      Y(i, 1) += std::cos(X(i, 1) + X(i, 0));
      weights[i] = static_cast<double>(i % 4);
    }
  }
  Matrix<double> X, Y;
  std::vector<double> weights;
};

Spec spec(std::size_t m, std::string map = "trigonometric") {
  return {.d = 3, .map = std::move(map), .coupling = "iid", .m = m, .lengthscale = {1.5}};
}

Matrix<double> gram_of(const Features& phi, MatrixView<const double> A, MatrixView<const double> B) {
  Matrix<double> left(A.rows(), phi.outputs()), right(B.rows(), phi.outputs()), K(A.rows(), B.rows());
  phi.transform(A, left);
  phi.transform(B, right);
  blas::gemm_nt<double>(1, left, right, 0, K);
  return K;
}

/// The textbook formulas with the kernel signal phi . phi', n^3 (Rasmussen & Williams, algorithm 2.1), for targets less
/// their means and over their deviations, and in their units again.
struct Textbook {
  Matrix<double> mean, variance;
  double log_likelihood = 0;

  Textbook(const Features& phi, const Data& data, MatrixView<const double> at, double noise, double signal,
           bool normalise)
      : mean(at.rows(), 2), variance(at.rows(), 2) {
    const std::size_t n = data.X.rows();
    const Matrix<double> across = gram_of(phi, at, data.X), own = gram_of(phi, at, at);
    Matrix<double> L = gram_of(phi, data.X, data.X), y(2, n), solved(at.rows(), n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) L(i, j) *= signal;
      L(i, i) += noise;
      for (std::size_t q = 0; q < at.rows(); ++q) solved(q, i) = signal * across(q, i);
    }
    EXPECT_EQ(blas::cholesky(L), 0);
    blas::cholesky_solve_rows(L, solved);
    for (std::size_t t = 0; t < 2; ++t) {
      double middle = 0, square = 0, norm = 0, determinant = 0;
      for (std::size_t i = 0; normalise && i < n; ++i) middle += data.Y(i, t) / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i) square += (data.Y(i, t) - middle) * (data.Y(i, t) - middle);
      const double scale = normalise ? std::sqrt(square / static_cast<double>(n)) : 1;
      for (std::size_t i = 0; i < n; ++i) y(t, i) = (data.Y(i, t) - middle) / scale;
      Matrix<double> dual(1, n);
      std::copy_n(y.view().row(t).data(), n, dual.data());
      blas::cholesky_solve_rows(L, dual);
      for (std::size_t i = 0; i < n; ++i) {
        norm += y(t, i) * dual(0, i);
        determinant += 2 * std::log(L(i, i));
      }
      log_likelihood -= 0.5 * (norm + determinant + static_cast<double>(n) * std::log(2 * std::numbers::pi));
      for (std::size_t q = 0; q < at.rows(); ++q) {
        mean(q, t) = middle;
        for (std::size_t i = 0; i < n; ++i) mean(q, t) += scale * signal * across(q, i) * dual(0, i);
        variance(q, t) = signal * own(q, q);
        for (std::size_t i = 0; i < n; ++i) variance(q, t) -= signal * across(q, i) * solved(q, i);
        variance(q, t) *= scale * scale;
      }
    }
  }
};

/// More outputs than rows and fewer, given and found variances, with and without the mean.
TEST(GaussianProcess, IsTheTextbook) {
  const Data data(40);
  const Matrix<double> at = normal_rows(20, 3, 2, 9);
  for (const std::size_t m : {8, 50})
    for (const bool normalise : {true, false})
      for (const GaussianProcessOptions& options :
           {GaussianProcessOptions{.noise_variance = 0.1, .signal_variance = 2.0, .normalise = normalise},
            GaussianProcessOptions{.normalise = normalise}}) {
        const auto phi = make_features(spec(m));
        const auto fit = fit_gaussian_process(*phi, data.X, data.Y, {}, options);
        const Textbook want(*phi, data, at, fit.noise_variance, fit.signal_variance, normalise);
        const Matrix<double> mean = predict(*phi, fit.mean, at);
        const PredictiveVariance variance = predictive_variance(*phi, fit, at);
        EXPECT_EQ(variance.clamped, 0U);
        EXPECT_NEAR(fit.log_marginal_likelihood, want.log_likelihood, 1e-8 * std::fabs(want.log_likelihood));
        for (std::size_t q = 0; q < 20; ++q) {
          EXPECT_NEAR(mean(q, 0), want.mean(q, 0), 1e-8);
          EXPECT_NEAR(mean(q, 1), want.mean(q, 1), 1e-8);
          EXPECT_NEAR(variance.values(q, 0), want.variance(q, 0), 1e-8);
          EXPECT_NEAR(variance.values(q, 1), want.variance(q, 1), 1e-8);
        }
      }
}

/// No step of either variance makes the targets likelier, whichever of them is free.
TEST(GaussianProcess, VariancesAreTheLikeliest) {
  const Data data(60);
  for (const std::size_t m : {10, 40}) {
    const auto phi = make_features(spec(m));
    for (const GaussianProcessOptions& given : {GaussianProcessOptions{}, GaussianProcessOptions{.noise_variance = 0.2},
                                                GaussianProcessOptions{.signal_variance = 3.0}}) {
      const auto best = fit_gaussian_process(*phi, data.X, data.Y, {}, given);
      for (const double factor : {0.98, 1.02})
        for (const bool noise : {true, false}) {
          if (noise ? given.noise_variance.has_value() : given.signal_variance.has_value()) continue;
          const GaussianProcessOptions other{.noise_variance = best.noise_variance * (noise ? factor : 1),
                                             .signal_variance = best.signal_variance * (noise ? 1 : factor)};
          const auto moved = fit_gaussian_process(*phi, data.X, data.Y, {}, other);
          EXPECT_LT(moved.log_marginal_likelihood, best.log_marginal_likelihood);
          EXPECT_GT(moved.log_marginal_likelihood, best.log_marginal_likelihood - 1);
        }
    }
  }
}

/// From rows, from their sums, and from rows repeated as often as their weight.
TEST(GaussianProcess, WeightsRepeatRows) {
  const Data data(40);
  Matrix<double> X(60, 3), Y(60, 2);
  for (std::size_t i = 0, to = 0; i < 40; ++i)
    for (std::size_t copy = 0; copy < i % 4; ++copy, ++to) {
      std::copy_n(data.X.view().row(i).data(), 3, X.view().row(to).data());
      std::copy_n(data.Y.view().row(i).data(), 2, Y.view().row(to).data());
    }
  for (const std::size_t m : {7, 100}) {
    const auto phi = make_features(spec(m));
    Gram gram(phi->outputs(), 2);
    gram.add(*phi, data.X, data.Y, data.weights);
    // With more outputs than rows, equal targets of equal rows would make the likeliest noise 0.
    GaussianProcessOptions options;
    if (m == 100) options.noise_variance = 0.1;
    const auto weighted = fit_gaussian_process(*phi, data.X, data.Y, data.weights, options),
               summed = fit_gaussian_process(gram, options), repeated = fit_gaussian_process(*phi, X, Y, {}, options);
    const auto want = predictive_variance(*phi, repeated, data.X).values;
    for (const GaussianProcessFit* fit : {&weighted, &summed}) {
      EXPECT_NEAR(fit->log_marginal_likelihood / repeated.log_marginal_likelihood, 1, 1e-8);
      EXPECT_NEAR(fit->noise_variance / repeated.noise_variance, 1, 1e-6);
      EXPECT_NEAR(fit->mean.weights(1, 3), repeated.mean.weights(1, 3), 1e-6);
      const auto got = predictive_variance(*phi, *fit, data.X).values;
      for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(got(i, 1), want(i, 1), 1e-7);
    }
  }
}

/// The mean and the variance of 20,000 drawn functions at three points and two targets, 24 numbers in all: within 5.6
/// standard errors, which one seed in a million does not keep.
TEST(GaussianProcess, DrawnFunctionsHaveTheLawOfThePosterior) {
  const Data data(30);
  const Matrix<double> at = normal_rows(3, 3, 1.5, 9);
  const std::size_t draws = 20000;
  for (const std::size_t m : {6, 24}) {
    const auto phi = make_features(spec(m));
    const auto fit = fit_gaussian_process(*phi, data.X, data.Y, {}, {.noise_variance = 0.5, .signal_variance = 1.0});
    const Matrix<double> values = predict(*phi, draw_functions(fit, draws, 3), at), mean = predict(*phi, fit.mean, at);
    const auto variance = predictive_variance(*phi, fit, at).values;
    for (std::size_t q = 0; q < 3; ++q)
      for (std::size_t t = 0; t < 2; ++t) {
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < draws; ++i) {
          const double excess = values(q, 2 * i + t) - mean(q, t);
          sum += excess / static_cast<double>(draws);
          squares += excess * excess / static_cast<double>(draws);
        }
        EXPECT_NEAR(sum, 0, 5.6 * std::sqrt(variance(q, t) / static_cast<double>(draws)));
        EXPECT_NEAR(squares / variance(q, t), 1, 5.6 * std::sqrt(2.0 / static_cast<double>(draws)));
      }
    const LinearModel few = draw_functions(fit, 2, 3), other = draw_functions(fit, 2, 4);
    const Matrix<double> first = predict(*phi, few, at), again = predict(*phi, other, at);
    for (std::size_t f = 0; f < 4; ++f) {
      EXPECT_EQ(first(0, f), values(0, f));
      EXPECT_NE(first(0, f), again(0, f));
    }
  }
}

/// Features of |phi|^2 other than k(x, x): the two priors differ by just that, and zero is the least.
TEST(GaussianProcess, ExactPriorVariance) {
  const Data data(30);
  const Matrix<double> at = normal_rows(25, 3, 1, 9);
  const auto phi = make_features(spec(20, "cosine"));
  const auto fit = fit_gaussian_process(*phi, data.X, data.Y, {}, {.noise_variance = 0.1, .signal_variance = 2.0});
  const auto own = predictive_variance(*phi, fit, at).values;
  const auto exact = predictive_variance(*phi, fit, at, PriorVariance::exact);
  const Matrix<double> squares = gram_of(*phi, at, at);
  std::size_t below = 0;
  for (std::size_t q = 0; q < 25; ++q) {
    const double scale = fit.y_scale[1] * fit.y_scale[1], want = own(q, 1) + 2 * scale * (1 - squares(q, q));
    below += want < 0 ? 1 : 0;
    EXPECT_NEAR(exact.values(q, 1), std::fmax(want, 0), 1e-12);
  }
  EXPECT_EQ(exact.clamped, below);
  EXPECT_GT(below, 0U);
}

TEST(GaussianProcess, SameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  const Data data(300);
  std::vector<double> first;
  for (const int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    std::vector<double> bits;
    for (const std::size_t m : {40, 200}) {
      const auto phi = make_features(spec(m));
      const auto fit = fit_gaussian_process(*phi, data.X, data.Y, data.weights);
      const auto variance = predictive_variance(*phi, fit, data.X).values;
      const LinearModel drawn = draw_functions(fit, 3, 1);
      bits.insert(bits.end(), variance.data(), variance.data() + 600);
      bits.insert(bits.end(), fit.mean.weights.data(), fit.mean.weights.data() + 2 * phi->outputs());
      bits.insert(bits.end(), drawn.weights.data(), drawn.weights.data() + 6 * phi->outputs());
      const auto part = predictive_variance(*phi, fit, data.X.view().row_range(77, 80)).values;
      EXPECT_TRUE(std::equal(part.data(), part.data() + 6, variance.data() + 2 * 77));
    }
    if (threads == 1) first = bits;
    EXPECT_EQ(bits, first) << threads << " threads";
  }
  set_num_threads(before);
}

TEST(GaussianProcess, FloatRowsAreNear) {
  const Data data(200);
  Matrix<float> X(200, 3);
  for (std::size_t i = 0; i < 600; ++i) X.data()[i] = static_cast<float>(data.X.data()[i]);
  const auto phi = make_features(spec(30));
  const auto single = fit_gaussian_process(*phi, X, data.Y), fit = fit_gaussian_process(*phi, data.X, data.Y);
  EXPECT_NEAR(single.noise_variance / fit.noise_variance, 1, 1e-3);
  const auto got = predictive_variance(*phi, single, X).values, want = predictive_variance(*phi, fit, data.X).values;
  for (std::size_t i = 0; i < 200; ++i) EXPECT_NEAR(got(i, 0) / want(i, 0), 1, 1e-2);
}

/// A target and a thousand of it, a constant one between: as many units of each, and the constant one has its own
/// value.
TEST(GaussianProcess, TargetsHaveTheirOwnUnits) {
  const Data data(40);
  Matrix<double> Y(40, 3), alone(40, 1);
  for (std::size_t i = 0; i < 40; ++i) {
    Y(i, 0) = alone(i, 0) = data.Y(i, 0);
    Y(i, 1) = 7;
    Y(i, 2) = 1000 * data.Y(i, 0);
  }
  for (const std::size_t m : {8, 50}) {
    const auto phi = make_features(spec(m));
    Gram gram(phi->outputs(), 3);
    gram.add(*phi, data.X.view().row_range(0, 15), Y.view().row_range(0, 15));
    gram.add(*phi, data.X.view().row_range(15, 40), Y.view().row_range(15, 40));
    const GaussianProcessOptions given{.noise_variance = 0.1, .signal_variance = 2.0};
    const auto one = fit_gaussian_process(*phi, data.X, alone, {}, given);
    const Matrix<double> want = predict(*phi, one.mean, data.X);
    const auto deviation = predictive_variance(*phi, one, data.X).values;
    for (const GaussianProcessFit& fit :
         {fit_gaussian_process(*phi, data.X, Y, {}, given), fit_gaussian_process(gram, given)}) {
      EXPECT_EQ(fit.y_scale[1], 1);
      EXPECT_NEAR(fit.y_scale[2] / fit.y_scale[0], 1000, 1e-9);
      const Matrix<double> mean = predict(*phi, fit.mean, data.X);
      const auto variance = predictive_variance(*phi, fit, data.X).values;
      for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_NEAR(mean(i, 0), want(i, 0), 1e-8);
        EXPECT_NEAR(mean(i, 1), 7, 1e-12);
        EXPECT_NEAR(mean(i, 2) / mean(i, 0), 1000, 1e-6);
        EXPECT_NEAR(variance(i, 0) / deviation(i, 0), 1, 1e-8);
        EXPECT_NEAR(variance(i, 2) / variance(i, 0), 1e6, 1e-3);
      }
    }
  }
}

/// Weights c times as large with c times the noise are the same process.
TEST(GaussianProcess, WeightsDivideTheNoise) {
  const Data data(40);
  std::vector<double> larger = data.weights;
  for (double& weight : larger) weight *= 37;
  for (const std::size_t m : {7, 100}) {
    const auto phi = make_features(spec(m));
    const auto fit = fit_gaussian_process(*phi, data.X, data.Y, data.weights, {.noise_variance = 0.1}),
               same = fit_gaussian_process(*phi, data.X, data.Y, larger,
                                           {.noise_variance = 3.7, .signal_variance = fit.signal_variance});
    const Matrix<double> mean = predict(*phi, fit.mean, data.X), other = predict(*phi, same.mean, data.X);
    const auto variance = predictive_variance(*phi, fit, data.X).values,
               also = predictive_variance(*phi, same, data.X).values;
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_NEAR(mean(i, 1), other(i, 1), 1e-9);
      EXPECT_NEAR(variance(i, 1), also(i, 1), 1e-9);
    }
  }
}

/// A line with hardly any noise: a kernel that is all but flat would be likeliest with a signal of 100 and more.
TEST(GaussianProcess, FoundSignalsAreOfTheSizeOfTheTargets) {
  const Matrix<double> X = normal_rows(60, 3, 1, 1);
  Matrix<double> Y(60, 1);
  for (std::size_t i = 0; i < 60; ++i) Y(i, 0) = 5 + 3 * X(i, 0);
  Spec flat = spec(50);
  flat.lengthscale = {30.0};
  for (const auto& given : {GaussianProcessOptions{}, GaussianProcessOptions{.noise_variance = 1e-3}}) {
    const auto fit = fit_gaussian_process(*make_features(flat), X, Y, {}, given);
    EXPECT_NEAR(fit.signal_variance, 10, 1e-6);
    for (const double factor : {0.98, 1.02}) {
      if (given.noise_variance) continue;
      const GaussianProcessOptions other{.noise_variance = factor * fit.noise_variance, .signal_variance = 10.0};
      EXPECT_LT(fit_gaussian_process(*make_features(flat), X, Y, {}, other).log_marginal_likelihood,
                fit.log_marginal_likelihood);
    }
  }
}

TEST(GaussianProcess, OddData) {
  const auto phi = make_features(spec(4));
  const Matrix<double> X = normal_rows(3, 3, 1, 1), constant(3, 1, 7.0), none(3, 0);
  const auto flat = fit_gaussian_process(*phi, X, constant);
  EXPECT_NEAR(predict(*phi, flat.mean, X)(1, 0), 7, 1e-12);
  EXPECT_TRUE(std::isfinite(flat.log_marginal_likelihood));
  const auto one = fit_gaussian_process(*phi, X.view().row_range(0, 1), constant.view().row_range(0, 1));
  EXPECT_NEAR(predict(*phi, one.mean, X)(2, 0), 7, 1e-12);
  EXPECT_EQ(fit_gaussian_process(*phi, X, none).mean.weights.rows(), 0U);
}

TEST(GaussianProcess, Refusals) {
  const Data data(5);
  const auto phi = make_features(spec(2));
  const auto said = [&](const GaussianProcessOptions& options) {
    return refusal([&] { fit_gaussian_process(*phi, data.X, data.Y, {}, options); });
  };
  EXPECT_EQ(said({.noise_variance = 0}), "noise_variance is 0; expected a finite number > 0");
  EXPECT_EQ(said({.signal_variance = -1}), "signal_variance is -1; expected a finite number > 0");
  EXPECT_EQ(refusal([&] { fit_gaussian_process(*phi, data.X, data.Y, std::vector<double>(5, 0.0)); }),
            "weights is 0 in sum; expected at least one row of weight > 0");
  EXPECT_EQ(refusal([] { fit_gaussian_process(Gram(4, 1)); }),
            "gram is one of no rows; expected at least one row of "
            "weight > 0");
  const auto fit = fit_gaussian_process(*phi, data.X, data.Y);
  EXPECT_EQ(refusal([&] { predictive_variance(*make_features(spec(3)), fit, data.X); }),
            "fit is one of 4 outputs; expected 6, those of the features");
  EXPECT_EQ(refusal([&] { draw_functions(fit, 0, 0); }), "draws is 0; expected at least 1");
  const test::GivenFeatures lopsided(
      3, 2, [](std::span<const double>, std::size_t) { return 1.0; }, false);
  EXPECT_EQ(refusal([&] { fit_gaussian_process(lopsided, data.X, data.Y); }).find("features is the map 'given', which"),
            0U);
}

}  // namespace
}  // namespace bochner
