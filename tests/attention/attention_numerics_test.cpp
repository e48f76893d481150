// SPDX-License-Identifier: Apache-2.0
// Attention over the range of norms and lengths against the same estimator in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "attention/attention_cases.h"
#include "bochner/half.h"
#include "support/scale.h"

namespace bochner {
namespace {

using test::attend;
using test::distance;
using test::Estimator;
using test::Heads;
using test::oracle;
using test::scaled;

/// Nearest numbers that float, Float16 and BFloat16 all hold: below 2^-16 zero.
double shared_by_all(double number) {
  const auto rounded = static_cast<double>(static_cast<float>(BFloat16(static_cast<float>(number))));
  return std::abs(rounded) < 0x1p-16 ? 0.0 : rounded;
}

/// Rows of equal norm, |x|^2/2 = `half` for x = sqrt(scale) q, but for rounding.
Heads<float> on_sphere(std::size_t n, std::size_t d, double half, std::uint64_t seed) {
  Heads<double> drawn = Heads<double>::normal(1, 1, n, d, 1, seed);
  Heads<float> rows(1, 1, n, d);
  for (std::size_t i = 0; i < n; ++i) {
    double norm = 0;
    for (std::size_t c = 0; c < d; ++c) norm += drawn.at(0, 0, i, c) * drawn.at(0, 0, i, c);
    const double factor = std::sqrt(2 * half * std::sqrt(static_cast<double>(d)) / norm);
    for (std::size_t c = 0; c < d; ++c)
      rows.at(0, 0, i, c) = static_cast<float>(shared_by_all(factor * drawn.at(0, 0, i, c)));
  }
  return rows;
}

template <class T>
Heads<T> as(const Heads<float>& from) {
  Heads<T> to(from.batch, from.heads, from.length, from.dim);
  for (std::size_t i = 0; i < from.numbers.size(); ++i) to.numbers[i] = static_cast<T>(from.numbers[i]);
  return to;
}

struct Point {
  Heads<float> q, k, v;
  double half;
  bool causal;
};

template <class T>
struct Answer {
  Heads<T> out;
  AttentionReport report;
};

template <class T>
Answer<T> answer(const Point& point, const AttentionOptions& options) {
  const Heads<T> q = as<T>(point.q), k = as<T>(point.k), v = as<T>(point.v);
  Answer<T> made{Heads<T>(1, 1, q.length, v.dim), {}};
  made.report = attention<T>(q.view(), k.view(), v.view(), made.out.view(), options);
  return made;
}

double median(std::vector<double> numbers) {
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2));
  return numbers[numbers.size() / 2];
}

/// Up to |x|^2/2 = 400 results are those of the oracle; above, the diagnostics say that they mean little.
template <class T>
void expect_estimator(const Point& point, const Answer<T>& found, const Heads<double>& expected, std::size_t every,
                      const std::string& where) {
  double most = 0;
  for (std::size_t i = 0; i < found.out.numbers.size(); ++i) {
    ASSERT_TRUE(std::abs(found.out.numbers[i]) <= T(1.0001)) << where;
    if (i / found.out.dim % every == 0)
      most = std::max(most, std::abs(static_cast<double>(found.out.numbers[i]) - expected.numbers[i]));
  }
  EXPECT_EQ(found.report.undefined_rows, 0u) << where;
  if (point.half <= 400)
    EXPECT_LT(most, (point.half <= 144 ? 1e-5 : 1e-4) * (std::is_same_v<T, float> ? 1 : 1e-6)) << where;
  else
    EXPECT_TRUE(median(found.report.effective_features) < 2 || median(found.report.relative_error) > 0.5) << where;
}

/// One point of the grid for four kinds of numbers, which hold the same ones.
void expect_point(double half, std::size_t n, bool causal, const char* map) {
  const std::size_t d = 16, every = n > 2000 ? 64 : 1;
  Point point{on_sphere(n, d, half, 1), on_sphere(n, d, half, 2), Heads<float>(1, 1, n, n > 2000 ? 2 : 8), half,
              causal};
  const Stream stream(3, Purpose::iid_entries);
  for (std::size_t i = 0; i < point.v.numbers.size(); ++i)
    point.v.numbers[i] = static_cast<float>(shared_by_all(2 * stream.uniform(i / point.v.dim, i % point.v.dim) - 1));
  const AttentionOptions options{.map = map, .m = 32, .causal = causal, .diagnostics = true};
  const Answer<float> single = answer<float>(point, options);
  const Answer<double> wide = answer<double>(point, options);
  const Estimator estimator(d, options, wide.report.A.empty() ? 0.0 : wide.report.A[0], 0.25);
  const Heads<double> expected = half > 400 ? Heads<double>(1, 1, n, point.v.dim)
                                            : oracle(point.q, point.k, point.v, estimator, causal, {}, every);
  const std::string where =
      std::string(map) + ' ' + std::to_string(half) + ' ' + std::to_string(n) + (causal ? " causal" : "");
  expect_estimator(point, single, expected, every, where + " float");
  expect_estimator(point, wide, expected, every, where + " double");
  EXPECT_TRUE(answer<Float16>(point, options).out.same_bits(as<Float16>(single.out))) << where;
  EXPECT_TRUE(answer<BFloat16>(point, options).out.same_bits(as<BFloat16>(single.out))) << where;
}

constexpr double kHalfNorms[] = {0, 1, 4, 9, 16, 36, 64, 144, 400, 1e4};

TEST(AttentionNumerics, EveryNormAndLength) {
  for (const bool causal : {false, true})
    for (const double half : kHalfNorms)
      for (const std::size_t n : {1u, 2u, 128u, 1024u}) {
        if (n == 1024 && scaled(20) < 20) continue;
        for (const char* map : {"positive", "optimal_positive"}) expect_point(half, n, causal, map);
      }
}

TEST(AttentionNumerics, LongRows) {
  if (scaled(20) < 20) GTEST_SKIP() << "BOCHNER_TEST_SCALE: long rows show numbers, not memory";
  for (const bool causal : {false, true})
    for (const double half : kHalfNorms) expect_point(half, 65536, causal, "optimal_positive");
}

/// Segments of 576 keys are joined in float, one after the other: a rounding error of at most 2^-24 of the sum so far
/// in each, and more inside a chunk and a segment; of random signs they add up as the root of their number, in
/// numerator and denominator: five standard deviations.
/// Projections of more coordinates have more rounding errors: 2.5e-6 sqrt(dim), which is 1e-5 at dim 16.
TEST(AttentionNumerics, MoreCoordinates) {
  const std::size_t n = 60;
  for (const std::size_t d : {16u, 64u, 256u})
    for (const auto& [half, other] : {std::pair{36.0, 36.0}, {64.0, 64.0}, {100.0, 1.0}, {144.0, 1.0}, {144.0, 144.0}})
      for (const char* map : {"positive", "optimal_positive"})
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          const Heads<float> q = on_sphere(n, d, half, 2 * seed), k = on_sphere(n, d, other, 2 * seed + 1);
          auto v = Heads<float>::normal(1, 1, n, 4, 1, seed);
          for (float& number : v.numbers) number = std::clamp(number, -1.0F, 1.0F);
          const AttentionOptions options{.map = map, .m = 128, .causal = seed % 2 == 1, .diagnostics = true};
          const Answer<float> found = answer<float>({q, k, v, half, options.causal}, options);
          const Estimator estimator(d, options, found.report.A.empty() ? 0.0 : found.report.A[0],
                                    1 / std::sqrt(static_cast<double>(d)));
          EXPECT_LT(distance(found.out, oracle(q, k, v, estimator, options.causal)),
                    2.5e-6 * std::sqrt(static_cast<double>(d)))
              << d << ' ' << half << ' ' << other << ' ' << map << ' ' << seed;
        }
}

/// Numbers of 2^-83, whose squares are no floats, with a scale of 2^164: what they would be without both. (Not bit by
/// bit: exponents come from those for the A of |x+y|^2 = 2 scale dim.)
TEST(AttentionNumerics, SmallNumbersAndALargeScale) {
  auto q = Heads<float>::normal(1, 2, 120, 16, 1, 1), k = Heads<float>::normal(1, 2, 150, 16, 1, 2);
  const auto v = Heads<float>::normal(1, 2, 150, 5, 1, 3);
  AttentionOptions options{.m = 32, .scale = 0.25};
  const Heads<float> expected = attend(q, k, v, options);
  for (Heads<float>* rows : {&q, &k})
    for (float& number : rows->numbers) number *= 0x1p-83F;
  options.scale = 0x1p164;
  EXPECT_LT(distance(attend(q, k, v, options), expected), 1e-5);
}

TEST(AttentionNumerics, AMillionKeysInFloat) {
  if (scaled(20) < 20) GTEST_SKIP() << "BOCHNER_TEST_SCALE: long rows show numbers, not memory";
  const std::size_t n = 1'000'000, d = 2;
  const auto q = Heads<float>::normal(1, 1, n, d, 1, 1), k = Heads<float>::normal(1, 1, n, d, 1, 2);
  auto v = Heads<float>::normal(1, 1, n, 1, 0.5, 3);
  for (float& number : v.numbers) number = 1 + std::clamp(number, -1.0F, 1.0F);
  for (const bool causal : {false, true}) {
    const AttentionOptions options{.map = "positive", .m = 8, .causal = causal};
    const Heads<float> single = attend(q, k, v, options);
    const Heads<double> wide = attend(as<double>(q), as<double>(k), as<double>(v), options);
    EXPECT_LT(distance(single, wide), 5 * std::sqrt(2 * (1e6 / 576 + 96 + 6)) * 0x1p-24) << causal;
  }
}

/// One key with |x|^2/2 = `half` among rows of unit entries, the first of all or of a segment.
void expect_long_key(std::size_t place, double half, bool causal, const char* map) {
  const std::size_t n = 700, d = 16;
  const auto q = Heads<float>::normal(1, 1, n, d, 1, 1), v = Heads<float>::normal(1, 1, n, 4, 0.3, 3);
  auto k = Heads<float>::normal(1, 1, n, d, 1, 2);
  const Heads<float> far = on_sphere(1, d, half, 4);
  for (std::size_t c = 0; c < d; ++c) k.at(0, 0, place, c) = far.at(0, 0, 0, c);
  // The best A of a mean over such rows would be that of the long one.
  AttentionOptions options{.map = map, .m = 32, .causal = causal};
  if (options.map == "optimal_positive") options.parameters = {{"A", -0.1}};
  const Estimator estimator(d, options, options.parameters.empty() ? 0.0 : -0.1, 0.25);
  Heads<double> expected = oracle(q, k, v, estimator, causal);
  // One key alone has the weight 1; relative to the keys after it, it leaves even the range of long double.
  for (std::size_t c = 0; c < v.dim && causal; ++c) expected.at(0, 0, 0, c) = v.at(0, 0, 0, c);
  EXPECT_LT(distance(attend(q, k, v, options), expected), 1e-5)
      << map << ' ' << place << ' ' << half << (causal ? " causal" : "");
}

TEST(AttentionNumerics, OneLongKeyLeavesTheOthersExact) {
  for (const bool causal : {false, true})
    for (const char* map : {"positive", "optimal_positive"})
      for (const std::size_t place : {0u, 300u, 576u})
        for (const double half : {36.0, 144.0, 1e4, 1e6, 1e10}) expect_long_key(place, half, causal, map);
}

}  // namespace
}  // namespace bochner
