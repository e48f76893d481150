// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bochner/gaussian_process.h"
#include "bochner/threads.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

/// The third coordinate has no part in the targets.
struct Data {
  explicit Data(std::size_t n) : X(normal_rows(n, 3, 1, 1)), Y(normal_rows(n, 2, 0.2, 2)) {
    for (std::size_t i = 0; i < n; ++i) {
      Y(i, 0) += std::sin(2 * X(i, 0)) + 5;
      Y(i, 1) += std::cos(X(i, 1) + X(i, 0));
    }
  }
  Matrix<double> X, Y;
};

Spec spec(std::size_t m) { return {.d = 3, .map = "trigonometric", .coupling = "iid", .m = m, .lengthscale = {1.5}}; }

TEST(LikeliestLengthscale, IsFound) {
  const Data data(250);
  const auto phi = [](const std::vector<double>& lengthscale) {
    Spec one = spec(64);
    one.lengthscale = lengthscale;
    return make_features(one);
  };
  Spec far = spec(64);
  far.lengthscale = {40.0};
  const LengthscaleSearch all{.rows = 250}, each{.per_coordinate = true, .rows = 250};
  const auto one = likeliest_lengthscale(far, data.X, data.Y, {}, {}, all);
  ASSERT_EQ(one.lengthscale.size(), 1U);
  const auto at = [&](const std::vector<double>& lengthscale) {
    return fit_gaussian_process(*phi(lengthscale), data.X, data.Y).log_marginal_likelihood;
  };
  EXPECT_NEAR(one.log_marginal_likelihood, at(one.lengthscale), 1e-7 * std::fabs(one.log_marginal_likelihood));
  for (const double factor : {std::exp2(0.125), std::exp2(-0.125)})
    EXPECT_LE(at({factor * one.lengthscale[0]}), one.log_marginal_likelihood);
  EXPECT_GT(one.lengthscale[0], 0.4);
  EXPECT_LT(one.lengthscale[0], 6);
  const auto ard = likeliest_lengthscale(far, data.X, data.Y, {}, {}, each);
  ASSERT_EQ(ard.lengthscale.size(), 3U);
  EXPECT_GT(ard.log_marginal_likelihood, one.log_marginal_likelihood);
  // The third coordinate has no part in the targets.
  EXPECT_GT(ard.lengthscale[2], 4 * std::fmax(ard.lengthscale[0], ard.lengthscale[1]));
  EXPECT_LE(ard.evaluations, 200U);
  EXPECT_LE(likeliest_lengthscale(far, data.X, data.Y, {}, {}, {.rows = 50, .evaluations = 6}).evaluations, 6U);
}

TEST(LikeliestLengthscale, SameForAnyNumberOfThreadsAndType) {
  const int before = num_threads();
  const Data data(300);
  Matrix<float> X(300, 3);
  Matrix<double> same(300, 3);
  for (std::size_t i = 0; i < 900; ++i) same.data()[i] = X.data()[i] = static_cast<float>(data.X.data()[i]);
  const LengthscaleSearch search{.per_coordinate = true, .rows = 60};
  const auto single = likeliest_lengthscale(spec(20), X, data.Y, {}, {}, search);
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    const auto found = likeliest_lengthscale(spec(20), same, data.Y, {}, {}, search);
    EXPECT_EQ(found.lengthscale, single.lengthscale) << threads << " threads";
    EXPECT_EQ(found.log_marginal_likelihood, single.log_marginal_likelihood) << threads << " threads";
  }
  set_num_threads(before);
}

/// A line: no lengthscale is too long for it, but of those that are longer than the rows are apart none is tried.
TEST(LikeliestLengthscale, IsNoLongerThanFourDistances) {
  const Matrix<double> X = normal_rows(100, 3, 1, 1);
  Matrix<double> Y(100, 1);
  for (std::size_t i = 0; i < 100; ++i) Y(i, 0) = X(i, 0) + X(i, 1) + X(i, 2);
  double sum = 0;
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t k = 0; k < i; ++k)
      sum += std::hypot(X(i, 0) - X(k, 0), X(i, 1) - X(k, 1), X(i, 2) - X(k, 2)) / (50 * 99);
  for (const double start : {0.5, 1e3}) {
    Spec one = spec(64);
    one.lengthscale = {start};
    const auto found = likeliest_lengthscale(one, X, Y);
    EXPECT_LT(found.lengthscale[0], 4 * sum * (1 + 1e-6));
    EXPECT_GT(found.lengthscale[0], sum);
  }
}

/// Rows that are all equal have no distance, and any lengthscale is as good as another.
TEST(LikeliestLengthscale, OfEqualRowsIsWhereItStarts) {
  const Matrix<double> X(10, 3, 0.5), Y = normal_rows(10, 1, 1, 1);
  EXPECT_EQ(likeliest_lengthscale(spec(4), X, Y).lengthscale, spec(4).lengthscale);
}

TEST(LikeliestLengthscale, Refusals) {
  const Data data(5);
  const auto said = [&](const LengthscaleSearch& search) {
    return refusal([&] { likeliest_lengthscale(spec(2), data.X, data.Y, {}, {}, search); });
  };
  EXPECT_EQ(said({.rows = 1}), "rows is 1; expected at least 2");
  EXPECT_EQ(said({.evaluations = 0}), "evaluations is 0; expected at least 1");
  EXPECT_EQ(refusal([&] { likeliest_lengthscale(spec(2), data.X, data.Y, {}, {.noise_variance = -1}); }),
            "noise_variance is -1; expected a finite number > 0");
}

}  // namespace
}  // namespace bochner
