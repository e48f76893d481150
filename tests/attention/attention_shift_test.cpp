// SPDX-License-Identifier: Apache-2.0
// Attention by maps with a shift, whose parameters are found from the rows of each head or given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "attention/attention_cases.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::attend;
using test::distance;
using test::Heads;
using test::refusal;

constexpr std::size_t kDim = 5, kQueries = 7, kKeys = 11;

/// Entries from 1 on, so that a shift is > 0 and a row of zeros would lie below it; key 4 is masked and holds NaN.
struct Rows {
  Heads<double> q = Heads<double>::normal(2, 4, kQueries, kDim, 0.3, 1);
  Heads<double> k = Heads<double>::normal(2, 2, kKeys, kDim, 0.3, 2);
  Heads<double> v = Heads<double>::normal(2, 2, kKeys, 3, 1, 3);
  bool seen[2 * kKeys];

  Rows() {
    for (Heads<double>* rows : {&q, &k})
      for (double& number : rows->numbers) number = 1 + std::abs(number);
    for (std::size_t i = 0; i < 2 * kKeys; ++i) seen[i] = i % kKeys != 4;
    for (std::size_t head = 0; head < 4; ++head)
      for (std::size_t c = 0; c < kDim; ++c) k.at(head / 2, head % 2, 4, c) = std::nan("");
  }
  MatrixView<const bool> mask() const { return {seen, 2, kKeys}; }
};

/// Features fitted to the queries and unmasked keys of a key head.
std::unique_ptr<Features> fitted(const Rows& rows, std::size_t b, std::size_t h, const AttentionOptions& options) {
  auto features = make_features({.d = kDim,
                                 .kernel = "softmax",
                                 .map = options.map,
                                 .coupling = "iid",
                                 .m = options.m,
                                 .lengthscale = {std::pow(static_cast<double>(kDim), 0.25)},
                                 .parameters = options.parameters});
  Matrix<double> keys(kKeys - 1, kDim);
  for (std::size_t i = 0; i < kKeys - 1; ++i)
    for (std::size_t c = 0; c < kDim; ++c) keys(i, c) = rows.k.at(b, h, i + (i >= 4), c);
  const MatrixView<const double> queries(&rows.q.at(b, 2 * h, 0, 0), 2 * kQueries, kDim);
  features->fit(queries, keys.view());
  return features;
}

/// The formula as it is written, for one query.
std::vector<double> naive(const Rows& rows, const Features& features, std::size_t b, std::size_t h, std::size_t t) {
  Matrix<double> Q(1, features.outputs()), K(1, features.outputs());
  features.transform(MatrixView<const double>(&rows.q.at(b, h, t, 0), 1, kDim), Q);
  std::vector<double> sums(3);
  double total = 0;
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (i == 4) continue;
    features.transform(MatrixView<const double>(&rows.k.at(b, h / 2, i, 0), 1, kDim), K, Side::key);
    double weight = 0;
    for (std::size_t j = 0; j < K.cols(); ++j) weight += Q(0, j) * K(0, j);
    total += weight;
    for (std::size_t c = 0; c < 3; ++c) sums[c] += weight * rows.v.at(b, h / 2, i, c);
  }
  for (double& sum : sums) sum /= total;
  return sums;
}

/// One argument apart from any other map; what is given is kept.
TEST(AttentionShift, EveryHeadIsFittedToItsRows) {
  const Rows rows;
  for (const AttentionOptions& options :
       {AttentionOptions{.map = "poisson_positive", .m = 400}, AttentionOptions{.map = "geometric_positive", .m = 400},
        AttentionOptions{.map = "poisson_positive", .m = 400, .parameters = {{"shift", 0.5}}}}) {
    const Heads<double> out = attend(rows.q, rows.k, rows.v, options, rows.mask());
    for (std::size_t head = 0; head < 8; ++head) {
      const std::size_t b = head / 4, h = head % 4;
      const auto features = fitted(rows, b, h / 2, options);
      for (std::size_t t = 0; t < kQueries; ++t) {
        const std::vector<double> expected = naive(rows, *features, b, h, t);
        for (std::size_t c = 0; c < 3; ++c) ASSERT_NEAR(out.at(b, h, t, c), expected[c], 1e-12) << options.map << t;
      }
    }
  }
}

/// Parameters come from rows that count; queries of padding, far below the shift or far above all, are computed, too.
TEST(AttentionShift, PaddedSelfAttentionIsThatOfItsRows) {
  for (const char* map : {"poisson_positive", "geometric_positive"})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const std::size_t n = 40 + 13 * seed, longer = n + 1 + 30 * seed;
      const auto x = Heads<float>::normal(1, 1, n, kDim, 1, seed), v = Heads<float>::normal(1, 1, n, 3, 1, seed + 50);
      auto padded = Heads<float>::normal(1, 1, longer, kDim, 20, seed + 100), w = Heads<float>(1, 1, longer, 3);
      std::copy(x.numbers.begin(), x.numbers.end(), padded.numbers.begin());
      std::copy(v.numbers.begin(), v.numbers.end(), w.numbers.begin());
      const auto seen = std::make_unique<bool[]>(longer);
      std::fill_n(seen.get(), n, true);
      const AttentionOptions options{.map = map, .m = 64, .seed = seed};
      const Heads<float> out = attend(padded, padded, w, options, {seen.get(), 1, longer});
      EXPECT_TRUE(out.prefix(n).same_bits(attend(x, x, v, options))) << map << seed;
      for (const float number : out.numbers) EXPECT_TRUE(std::isfinite(number));
    }
}

TEST(AttentionShift, PaddedQueriesAreNotRefused) {
  const auto x = Heads<float>::normal(1, 1, 20, kDim, 1, 1);
  Heads<float> padded = x;
  bool seen[20];
  for (std::size_t i = 0; i < 20; ++i) {
    seen[i] = i < 15;
    for (std::size_t c = 0; c < kDim && !seen[i]; ++c) padded.at(0, 0, i, c) = -8;
  }
  const Heads<float> out = attend(padded, x, x, {.map = "poisson_positive", .m = 64}, {seen, 1, 20});
  for (const float number : out.numbers) EXPECT_TRUE(std::isfinite(number));
}

TEST(AttentionShift, SaysWhichHeadCannotBeFitted) {
  const auto q = Heads<double>::normal(1, 2, 9, kDim, 1, 1);
  Heads<double> k = q;
  k.at(0, 1, 3, 2) = 1e9;
  const std::string message = refusal([&] { attend(q, k, q, {.map = "poisson_positive", .m = 8}); });
  EXPECT_EQ(message.find("k has a head [0, 1] to which, with its queries, map 'poisson_positive' cannot be fitted: it "
                         "has rows too long for map 'poisson_positive' in units of the lengthscale: they ask for rate"),
            0u)
      << message;
}

/// -0.3 rounded to float lies below -0.3; exponents of a long row are computed in double, too.
TEST(AttentionShift, AnEntryAtTheShiftIsTakenInDoubleToo) {
  const double shift = -0.3;
  ASSERT_LT(static_cast<double>(static_cast<float>(shift)), shift);
  auto q = Heads<float>::normal(1, 1, 6, kDim, 1, 1);
  for (float& number : q.numbers) number = 90 + number;
  q.at(0, 0, 2, 1) = static_cast<float>(shift);
  const AttentionOptions options{
      .map = "poisson_positive", .m = 16, .parameters = {{"shift", shift}, {"rate", 40.0}}, .scale = 1};
  EXPECT_EQ(refusal([&] { attend(q, q, q, options); }), "");
}

}  // namespace
}  // namespace bochner
