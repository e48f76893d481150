// SPDX-License-Identifier: Apache-2.0
// Attention over draws of W: means, errors and what predicts them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attention/attention_cases.h"
#include "bochner/theory.h"
#include "support/scale.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using test::attend;
using test::Heads;
using test::scaled;

/// A key k = -q has the weight exp(-scale |q|^2) exactly, whatever W; with a value of its own it tells the denominator
/// and the numerator from the result. Both are means over m directions of an unbiased estimator.
TEST(AttentionStatistics, NumeratorAndDenominatorAreUnbiased) {
  const std::size_t n = 6, d = 5, draws = scaled(2000);
  auto q = Heads<double>::normal(1, 1, 1, d, 1, 1), k = Heads<double>::normal(1, 1, n, d, 1, 2);
  Heads<double> v(1, 1, n, 2);
  for (std::size_t c = 0; c < d; ++c) k.at(0, 0, 0, c) = -q.at(0, 0, 0, c);
  v.at(0, 0, 0, 0) = 1;
  for (std::size_t i = 1; i < n; ++i) v.at(0, 0, i, 1) = 1 + static_cast<double>(i);
  const double scale = 0.3;
  double truth[2] = {}, known = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double product = 0;
    for (std::size_t c = 0; c < d; ++c) product += q.at(0, 0, 0, c) * k.at(0, 0, i, c);
    if (i == 0) known = std::exp(scale * product);
    truth[0] += std::exp(scale * product);
    truth[1] += std::exp(scale * product) * v.at(0, 0, i, 1);
  }
  for (const char* coupling : {"iid", "orthogonal", "simplex"})
    for (const char* map : {"positive", "positive_paired"}) {
      double sums[2] = {}, squares[2] = {};
      for (std::size_t seed = 0; seed < draws; ++seed) {
        const AttentionOptions options{.map = map, .coupling = coupling, .m = 8, .seed = seed, .scale = scale};
        const Heads<double> out = attend(q, k, v, options);
        const double denominator = known / out.numbers[0], estimates[2] = {denominator, out.numbers[1] * denominator};
        for (int e = 0; e < 2; ++e) {
          sums[e] += estimates[e] - truth[e];
          squares[e] += (estimates[e] - truth[e]) * (estimates[e] - truth[e]);
        }
      }
      for (int e = 0; e < 2; ++e)
        EXPECT_GT(testing::normal_p_value(sums[e] / std::sqrt(squares[e])), testing::kLeastP)
            << map << ' ' << coupling << ' ' << e << ' ' << sums[e] / static_cast<double>(draws);
    }
}

TEST(AttentionStatistics, DiagnosticsKnowHowManyFeaturesCount) {
  const auto zero = Heads<double>(1, 1, 3, 4);
  const auto v = Heads<double>::normal(1, 1, 3, 2, 1, 1);
  Heads<double> out(1, 1, 3, 2);
  for (const bool causal : {false, true}) {
    const AttentionOptions options{.map = "positive_paired", .m = 20, .causal = causal, .diagnostics = true};
    const auto report = attention<double>(zero.view(), zero.view(), v.view(), out.view(), options);
    for (const double effective : report.effective_features) EXPECT_NEAR(effective, 40, 1e-9);
    for (const double error : report.relative_error) EXPECT_NEAR(error, 0, 1e-9);
  }
}

/// The jackknife against the scatter over draws, of the denominator as above.
TEST(AttentionStatistics, TheJackknifeIsTheScatterOverDraws) {
  const std::size_t n = 5, d = 4, draws = 600;
  auto q = Heads<double>::normal(1, 1, 1, d, 0.7, 1), k = Heads<double>::normal(1, 1, n, d, 0.7, 2);
  Heads<double> v(1, 1, n, 1), out(1, 1, 1, 1);
  for (std::size_t c = 0; c < d; ++c) k.at(0, 0, 0, c) = -q.at(0, 0, 0, c);
  v.at(0, 0, 0, 0) = 1;
  double sum = 0, squares = 0, predicted = 0;
  for (std::size_t seed = 0; seed < draws; ++seed) {
    const AttentionOptions options{.map = "positive", .coupling = "iid", .m = 200, .seed = seed, .diagnostics = true};
    const auto report = attention<double>(q.view(), k.view(), v.view(), out.view(), options);
    const double denominator = 1 / out.numbers[0];
    sum += denominator, squares += denominator * denominator;
    predicted += report.relative_error[0] * report.relative_error[0];
  }
  const double mean = sum / draws, scatter = (squares / draws - mean * mean) / (mean * mean);
  // Both are estimates of one variance from 600 draws (relative error 0.06 for near-normal ones), the jackknife from 15
  // degrees of freedom each.
  EXPECT_NEAR(predicted / draws / scatter, 1, 0.35);
}

struct Case {
  const char* map;
  Parameters parameters;
};

/// Rows of moderate norm, |x|^2 about 1/2: for longer ones few draws make up most of the mean.
struct Rows {
  Heads<double> q = Heads<double>::normal(1, 1, 12, 8, 0.25, 1), k = Heads<double>::normal(1, 1, 20, 8, 0.25, 2);
  Heads<double> v = Heads<double>::normal(1, 1, 20, 4, 1, 3), exact = Heads<double>(1, 1, 12, 4);

  Rows() {
    for (std::size_t t = 0; t < q.length; ++t) {
      double total = 0;
      for (std::size_t i = 0; i < k.length; ++i) {
        double product = 0;
        for (std::size_t l = 0; l < 8; ++l) product += q.at(0, 0, t, l) * k.at(0, 0, i, l);
        total += std::exp(product);
        for (std::size_t c = 0; c < 4; ++c) exact.at(0, 0, t, c) += std::exp(product) * v.at(0, 0, i, c);
      }
      for (std::size_t c = 0; c < 4; ++c) exact.at(0, 0, t, c) /= total;
    }
  }
};

struct Measured {
  double mse, standard_error;
};

/// The mean squared error of all results over draws of W.
Measured measured_error(const Rows& rows, const Case& chosen, const char* coupling, std::size_t m, std::size_t draws) {
  double sum = 0, squares = 0;
  for (std::size_t seed = 0; seed < draws; ++seed) {
    const auto out = attend(
        rows.q, rows.k, rows.v,
        {.map = chosen.map, .coupling = coupling, .m = m, .seed = seed, .parameters = chosen.parameters, .scale = 1});
    double error = 0;
    for (std::size_t i = 0; i < out.numbers.size(); ++i)
      error += std::pow(out.numbers[i] - rows.exact.numbers[i], 2) / static_cast<double>(out.numbers.size());
    sum += error, squares += error * error;
  }
  const auto n = static_cast<double>(draws);
  return {sum / n, std::sqrt((squares / n - sum * sum / (n * n)) / n)};
}

/// theory::attention_error leaves out the second order, 1/m^2: at m = 512 less than the 10 % that are allowed, to which
/// five standard errors are added.
TEST(AttentionStatistics, TheClosedFormPredictsTheError) {
  const Rows rows;
  for (const Case& chosen :
       {Case{"positive", {}}, Case{"positive_paired", {}}, Case{"optimal_positive", {{"A", -0.05}}},
        Case{"optimal_positive_paired", {{"A", -0.05}}}}) {
    const Spec spec{
        .d = 8, .kernel = "softmax", .map = chosen.map, .coupling = "iid", .m = 512, .parameters = chosen.parameters};
    double predicted = 0;
    for (const auto& error :
         theory::attention_error(spec, rows.q.view().head(0, 0), rows.k.view().head(0, 0), rows.v.view().head(0, 0)))
      predicted += error.mse / 12;
    const Measured found = measured_error(rows, chosen, "iid", 512, scaled(2500, 100));
    EXPECT_NEAR(found.mse / predicted, 1, 0.1 + 5 * found.standard_error / predicted) << chosen.map;
    EXPECT_LT(5 * found.standard_error / predicted, scaled(20) < 20 ? 1.0 : 0.1) << "more draws are needed";
  }
}

/// Four times the directions, half the error: m E(error^2) stays the same to the first order in 1/m.
TEST(AttentionStatistics, ErrorsFallAsTheRootOfM) {
  const Rows rows;
  for (const char* coupling : {"iid", "orthogonal", "simplex"}) {
    const Case chosen{"positive", {}};
    const Measured few = measured_error(rows, chosen, coupling, 128, scaled(800, 100));
    const Measured many = measured_error(rows, chosen, coupling, 2048, scaled(200, 50));
    const double ratio = few.mse / many.mse / 16;
    const double error = std::hypot(few.standard_error / few.mse, many.standard_error / many.mse);
    EXPECT_NEAR(ratio, 1, 0.1 + 5 * error) << coupling;
  }
}

/// The variance of the denominator relative to its square, against the scatter over draws.
TEST(AttentionStatistics, TheClosedFormPredictsTheDenominator) {
  Rows rows;
  for (std::size_t l = 0; l < 8; ++l) rows.k.at(0, 0, 0, l) = -rows.q.at(0, 0, 0, l);  // its weight is exact
  Heads<double> v(1, 1, 20, 1);
  v.at(0, 0, 0, 0) = 1;
  const Heads<double> q = rows.q.prefix(1);
  const Spec spec{.d = 8, .kernel = "softmax", .map = "positive", .coupling = "iid", .m = 64};
  const double predicted =
      theory::attention_error(spec, q.view().head(0, 0), rows.k.view().head(0, 0), v.view().head(0, 0))[0].denominator;
  const std::size_t draws = scaled(4000, 400);
  double sum = 0, squares = 0, fourth = 0, truth = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    double product = 0;
    for (std::size_t l = 0; l < 8; ++l) product += q.at(0, 0, 0, l) * rows.k.at(0, 0, i, l);
    truth += std::exp(product);
    if (i == 0) sum = std::exp(product);
  }
  const double known = sum;
  for (std::size_t seed = 0; seed < draws; ++seed) {
    const auto out = attend(q, rows.k, v, {.map = "positive", .coupling = "iid", .m = 64, .seed = seed, .scale = 1});
    const double error = std::pow(known / out.numbers[0] / truth - 1, 2);
    squares += error, fourth += error * error;
  }
  const double mean = squares / static_cast<double>(draws);
  const double error = std::sqrt((fourth / static_cast<double>(draws) - mean * mean) / static_cast<double>(draws));
  EXPECT_GT(testing::normal_p_value((mean - predicted) / error), testing::kLeastP) << mean << ' ' << predicted;
  EXPECT_NEAR(mean / predicted, 1, 0.1 + 5 * error / predicted);
}

}  // namespace
}  // namespace bochner
