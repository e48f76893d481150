// SPDX-License-Identifier: Apache-2.0
// Attention by signed features: hybrids, their floor and what is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "attention/attention_cases.h"
#include "bochner/threads.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::attend;
using test::distance;
using test::Heads;
using test::refusal;

constexpr std::size_t kDim = 4;
const double kScale = 0.6;

struct Choice {
  const char* map;
  Parameters parameters;
};

std::vector<Choice> choices() {
  const std::vector<double> queries = {1, 0, 0, 0, -1, 0, 1, 0}, keys = {0, 1, 0, 0, 0, -1, 0, 1};
  return {{"hybrid_angular", {{"lambda_m", 4.0}}},
          {"hybrid_gaussian", {{"lambda_m", 3.0}, {"radius", 1.5}}},
          {"hybrid_clustered", {{"query_centres", queries}, {"key_centres", keys}}}};
}

AttentionOptions options_of(const Choice& choice, bool causal, double floor) {
  return {.map = choice.map,
          .m = 6,
          .seed = 3,
          .parameters = choice.parameters,
          .scale = kScale,
          .causal = causal,
          .floor = floor};
}

struct Naive {
  Heads<double> out;
  std::size_t undefined = 0, negative = 0, floored = 0;
};

/// Everything as it is written: weights phi(q).phi(k), the floor n exp(scale q.mean).
Naive naive(const Heads<double>& q, const Heads<double>& k, const Heads<double>& v, const AttentionOptions& options,
            MatrixView<const bool> mask) {
  const auto features = make_features({.d = kDim,
                                       .kernel = "softmax",
                                       .map = options.map,
                                       .coupling = options.coupling,
                                       .m = options.m,
                                       .seed = options.seed,
                                       .lengthscale = {1 / std::sqrt(kScale)},
                                       .parameters = options.parameters});
  Naive found{Heads<double>(1, 1, q.length, v.dim)};
  Matrix<double> Q(q.length, features->outputs()), K(k.length, features->outputs());
  features->transform(q.view().head(0, 0), Q);
  features->transform(k.view().head(0, 0), K, Side::key);
  for (std::size_t t = 0; t < q.length; ++t) {
    double denominator = 0, count = 0, product = 0;
    std::vector<double> sums(v.dim);
    for (std::size_t i = 0; i < (options.causal ? t + 1 : k.length); ++i) {
      if (!mask(0, i)) continue;
      double weight = 0;
      for (std::size_t j = 0; j < Q.cols(); ++j) weight += Q(t, j) * K(i, j);
      denominator += weight;
      for (std::size_t c = 0; c < v.dim; ++c) sums[c] += weight * v.at(0, 0, i, c);
      for (std::size_t c = 0; c < kDim; ++c) product += q.at(0, 0, t, c) * k.at(0, 0, i, c);
      ++count;
    }
    const double least = count > 0 ? options.floor * count * std::exp(kScale * product / count) : 0;
    found.negative += denominator < 0;
    found.floored += denominator < least;
    denominator = std::max(denominator, least);
    found.undefined += !(denominator > 0);
    for (std::size_t c = 0; c < v.dim; ++c) found.out.at(0, 0, t, c) = denominator > 0 ? sums[c] / denominator : 0;
  }
  return found;
}

/// Sizes at which denominators of m = 6 are often negative; more than two segments.
TEST(AttentionHybrid, IsTheFormulaWithAFloor) {
  std::size_t negative = 0;
  for (const std::size_t n : {60u, 1300u})
    for (const bool causal : {false, true})
      for (const double floor : {0.0, 1.0})
        for (const Choice& choice : choices()) {
          const auto q = Heads<double>::normal(1, 1, n, kDim, 1.6, 1), k = Heads<double>::normal(1, 1, n, kDim, 1.6, 2);
          const auto v = Heads<double>::normal(1, 1, n, 3, 1, 3);
          std::unique_ptr<bool[]> seen(new bool[n]);
          for (std::size_t i = 0; i < n; ++i) seen[i] = i > 1 && i % 4 != 3;
          const MatrixView<const bool> mask(seen.get(), 1, n);
          AttentionOptions options = options_of(choice, causal, floor);
          options.diagnostics = true;
          const Naive expected = naive(q, k, v, options, mask);
          Heads<double> out(1, 1, n, 3);
          const auto report = attention<double>(q.view(), k.view(), v.view(), out.view(), options, mask);
          const std::string where = std::string(choice.map) + (causal ? " causal " : " ") + std::to_string(floor);
          for (std::size_t i = 0; i < out.numbers.size(); ++i)
            ASSERT_NEAR(out.numbers[i], expected.out.numbers[i], 1e-9 * (1 + std::abs(expected.out.numbers[i])))
                << where << ' ' << i;
          EXPECT_EQ(report.undefined_rows, expected.undefined) << where;
          EXPECT_EQ(report.negative_rows, expected.negative) << where;
          EXPECT_EQ(report.floored_rows, expected.floored) << where;
          EXPECT_GT(report.sampled_weights, report.negative_weights) << where;
          negative += report.negative_weights;
        }
  EXPECT_GT(negative, 100u);
}

/// The past, threads and steps, as for positive maps.
TEST(AttentionHybrid, DependsOnThePastAlone) {
  const int before = num_threads();
  const std::size_t n = 1300, kept = 1250;
  for (const Choice& choice : choices()) {
    const auto q = Heads<float>::normal(1, 1, n, kDim, 1, 1), v = Heads<float>::normal(1, 1, n, 3, 1, 3);
    auto k = Heads<float>::normal(1, 1, n, kDim, 1, 2);
    const AttentionOptions options = options_of(choice, true, 1);
    set_num_threads(1);
    const Heads<float> whole = attend(q, k, v, options);
    set_num_threads(2);
    EXPECT_TRUE(attend(q, k, v, options).same_bits(whole)) << choice.map;
    AttentionState<float> state({1, 1, 1, kDim, 3}, options);
    Heads<float> stepped(1, 1, n, 3);
    for (std::size_t i = 0; i < n; i += 50) {
      const auto part = [&](auto view) {
        view.data += i * view.row_stride;
        view.length = 50;
        return view;
      };
      state.step(part(q.view()), part(k.view()), part(v.view()), part(stepped.view()));
    }
    EXPECT_LT(distance(stepped, whole), 1e-3) << choice.map;  // denominators near 0 enlarge rounding
    for (std::size_t i = kept; i < n; ++i) k.at(0, 0, i, 1) = 5;
    EXPECT_TRUE(attend(q, k, v, options).prefix(kept).same_bits(whole.prefix(kept))) << choice.map;
  }
  set_num_threads(before);
}

/// Rows with |x|^2/2 of 120 leave the range of float, not that of the result.
TEST(AttentionHybrid, LongRowsStayFinite) {
  const auto q = Heads<float>::normal(1, 1, 50, kDim, 10, 1), k = Heads<float>::normal(1, 1, 50, kDim, 10, 2);
  const auto v = Heads<float>::normal(1, 1, 50, 3, 1, 3);
  for (const Choice& choice : choices())
    for (const float number : attend(q, k, v, options_of(choice, false, 1)).numbers) ASSERT_TRUE(std::isfinite(number));
  auto far = k;
  far.at(0, 0, 7, 0) = 100;
  EXPECT_EQ(refusal([&] { attend(q, far, v, options_of(choices()[0], false, 1)); }),
            "k has a row at [0, 0, 7] whose features leave the range of float64; expected scale |x|^2 / 2 below 700, "
            "of hybrid_clustered below 6 to 700 by its centres");
}

/// A result is finite, or zeros that are counted, or a row is refused: of no norm it is NaN or infinite.
TEST(AttentionHybrid, NoNormGivesWhatIsNotFinite) {
  std::size_t undefined = 0, refused = 0;
  for (std::size_t n = 0; n < 14; ++n)
    for (const char* map : {"hybrid_angular", "hybrid_gaussian", "hybrid_clustered"}) {
      constexpr double kHalf[] = {5, 10, 50, 100, 300, 600, 690};
      const double half = kHalf[n / 2], floor = static_cast<double>(n % 2);
      const double size = std::sqrt(half);  // scale 1/2 and 4 entries: |x|^2/2 is about size^2
      const auto q = Heads<float>::normal(1, 1, 30, kDim, size, 1), k = Heads<float>::normal(1, 1, 30, kDim, size, 2);
      const auto v = Heads<float>::normal(1, 1, 30, 3, 1, 3);
      Heads<float> out(1, 1, 30, 3);
      AttentionReport report;
      if (!refusal([&] {
             report = attention<float>(q.view(), k.view(), v.view(), out.view(), {.map = map, .m = 8, .floor = floor});
           }).empty()) {
        ++refused;
        continue;
      }
      std::size_t zeros = 0;
      for (std::size_t i = 0; i < 30; ++i) {
        for (std::size_t c = 0; c < 3; ++c) ASSERT_TRUE(std::isfinite(out.at(0, 0, i, c))) << map << ' ' << half;
        zeros += out.at(0, 0, i, 0) == 0 && out.at(0, 0, i, 1) == 0 && out.at(0, 0, i, 2) == 0 ? 1 : 0;
      }
      EXPECT_EQ(report.undefined_rows, zeros) << map << ' ' << half;
      undefined += zeros;
    }
  EXPECT_GT(undefined, 0u);
  EXPECT_GT(refused, 0u);
}

/// A batch element without keys, rows that are all alike and one query: fewer clusters, not a refusal.
TEST(AttentionHybrid, FewRowsHaveFewClusters) {
  const auto q = Heads<double>::normal(2, 1, 5, kDim, 1, 1), k = Heads<double>::normal(2, 1, 5, kDim, 1, 2);
  const auto v = Heads<double>::normal(2, 1, 5, 3, 1, 3);
  const bool seen[10] = {true, true, true, true, true};
  const AttentionOptions options{.map = "hybrid_clustered", .m = 6};
  Heads<double> out(2, 1, 5, 3);
  const auto report =
      attention<double>(q.view(), k.view(), v.view(), out.view(), options, MatrixView<const bool>(seen, 2, 5));
  EXPECT_EQ(report.undefined_rows, 5u);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_TRUE(out.at(0, 0, i, c) != 0 && out.at(1, 0, i, c) == 0);
  Heads<double> alike(2, 1, 5, kDim);
  std::ranges::fill(alike.numbers, 0.5);
  for (const auto& queries : {q.prefix(1), alike})
    for (const double number : attend(queries, alike, v, options).numbers) ASSERT_TRUE(std::isfinite(number));
}

TEST(AttentionHybrid, FitsEachHeadByItself) {
  const std::size_t n = 40;
  const auto q = Heads<double>::normal(1, 4, n, kDim, 1, 1), k = Heads<double>::normal(1, 2, n, kDim, 1, 2);
  const auto v = Heads<double>::normal(1, 2, n, 3, 1, 3);
  for (const char* map : {"hybrid_gaussian", "hybrid_clustered"}) {
    const AttentionOptions options{.map = map, .m = 6};
    const Heads<double> whole = attend(q, k, v, options);
    const auto part = [&](const Heads<double>& from, std::size_t heads) {
      Heads<double> made(1, heads, n, from.dim);
      std::copy_n(&from.at(0, from.heads / 2, 0, 0), made.numbers.size(), made.numbers.begin());
      return made;
    };
    EXPECT_TRUE(part(whole, 2).same_bits(attend(part(q, 2), part(k, 1), part(v, 1), options))) << map;
    AttentionOptions causal = options;
    causal.causal = true;
    EXPECT_NE(refusal([&] { attend(q, k, v, causal); }).find("of causal attention lacks '"), std::string::npos);
  }
}

TEST(AttentionHybrid, RefusesAFloorOutOfRangeAndGradients) {
  auto x = Heads<double>::normal(1, 1, 4, kDim, 1, 1);
  for (const double floor : {-0.1, 1.5, std::nan("")})
    EXPECT_NE(refusal([&] { attend(x, x, x, options_of(choices()[0], false, floor)); }).find("a number from 0 to 1"),
              std::string::npos);
  EXPECT_NE(refusal([&] {
              attention_gradient<double>(x.view(), x.view(), x.view(), x.view(), x.view(), x.view(), x.view(),
                                         options_of(choices()[0], false, 1));
            }).find("expected an exponential map"),
            std::string::npos);
}

}  // namespace
}  // namespace bochner
