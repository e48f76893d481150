// SPDX-License-Identifier: Apache-2.0
// Attention over the range of norms and lengths against the same estimator in long double, and its statistics.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/scale.h"
#include "support/statistics.h"
#include "tasks/attention_cases.h"

namespace bochner {
namespace {

using test::attend;
using test::distance;
using test::Estimator;
using test::Heads;
using test::oracle;
using test::scaled;

/// Rows of equal norm, |x|^2/2 = `half` for x = sqrt(scale) q.
template <class T>
Heads<T> on_sphere(std::size_t n, std::size_t d, double half, std::uint64_t seed) {
  Heads<double> drawn = Heads<double>::normal(1, 1, n, d, 1, seed);
  Heads<T> rows(1, 1, n, d);
  for (std::size_t i = 0; i < n; ++i) {
    double norm = 0;
    for (std::size_t c = 0; c < d; ++c) norm += drawn.at(0, 0, i, c) * drawn.at(0, 0, i, c);
    const double factor = std::sqrt(2 * half * std::sqrt(static_cast<double>(d)) / norm);
    for (std::size_t c = 0; c < d; ++c) rows.at(0, 0, i, c) = static_cast<T>(factor * drawn.at(0, 0, i, c));
  }
  return rows;
}

/// Values of size 1: the error allowed is that of the exponents. Those of the A of least variance have the size
/// sqrt(1-4A) |w||x|, |w| about 4, and are rounded twice.
template <class T>
double allowed(double half, double A) {
  const double error = half <= 144 ? 1e-5 : 1e-4, exponent = std::sqrt((1 - 4 * A) * 2 * half) * 4;
  return std::is_same_v<T, float> ? std::max(error, 2 * exponent * 0x1p-24) : error * 1e-6;
}

template <class T>
void expect_point(double half, std::size_t n, bool causal) {
  const std::size_t d = 16;
  const auto q = on_sphere<T>(n, d, half, 1), k = on_sphere<T>(n, d, half, 2);
  Heads<T> v(1, 1, n, n > 2000 ? 2 : 8);
  const Stream stream(3, Purpose::iid_entries);
  for (std::size_t i = 0; i < v.numbers.size(); ++i)
    v.numbers[i] = static_cast<T>(2 * stream.uniform(i / v.dim, i % v.dim) - 1);
  for (const char* map : {"positive", "optimal_positive"}) {
    if (n > 2000 && map[0] == 'p') continue;
    AttentionOptions options{.map = map, .m = 32, .causal = causal, .diagnostics = true};
    Heads<T> out(1, 1, n, v.dim);
    const AttentionReport report = attention<T>(q.view(), k.view(), v.view(), out.view(), options);
    const std::string where = std::string(map) + ' ' + std::to_string(half) + ' ' + std::to_string(n);
    for (const T number : out.numbers) ASSERT_TRUE(std::abs(number) <= T(1.0001)) << where;
    EXPECT_EQ(report.undefined_rows, 0u);
    if (half > 400) {  // one feature decides, and the report says so
      double mean = 0;
      for (const double effective : report.effective_features) mean += effective / static_cast<double>(n);
      EXPECT_TRUE(mean < 2 || map[0] == 'o') << where << ' ' << mean;
      continue;
    }
    const Estimator estimator(d, options, report.A.empty() ? 0.0 : report.A[0], 0.25);
    EXPECT_LT(distance(out, oracle(q, k, v, estimator, causal)), allowed<T>(half, estimator.A))
        << where << (causal ? " causal" : "");
  }
}

TEST(AttentionNumerics, EveryNormAndLength) {
  for (const bool causal : {false, true})
    for (const double half : {0.0, 1.0, 4.0, 9.0, 16.0, 36.0, 64.0, 144.0, 400.0, 1e4})
      for (const std::size_t n : {1u, 2u, 128u, 1024u}) {
        if (n == 1024 && scaled(20) < 20) continue;
        expect_point<float>(half, n, causal);
        if (n <= 128) expect_point<double>(half, n, causal);
      }
}

TEST(AttentionNumerics, LongRows) {
  if (scaled(20) < 20) GTEST_SKIP() << "numbers, not memory";
  for (const bool causal : {false, true})
    for (const double half : {4.0, 144.0}) expect_point<float>(half, 65536, causal);
}

/// A key k = -q has the weight exp(-scale |q|^2) exactly, whatever W; with a value of its own it tells the denominator
/// and the numerator from the result. Both are means over m directions of an unbiased estimator.
TEST(AttentionNumerics, NumeratorAndDenominatorAreUnbiased) {
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

TEST(AttentionNumerics, DiagnosticsKnowHowManyFeaturesCount) {
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
TEST(AttentionNumerics, TheJackknifeIsTheScatterOverDraws) {
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

}  // namespace
}  // namespace bochner
