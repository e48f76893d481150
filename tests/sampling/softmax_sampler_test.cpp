// SPDX-License-Identifier: Apache-2.0
#include "bochner/softmax_sampler.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "bochner/threads.h"
#include "sampling/proposals.h"
#include "sampling/sum_tree.h"
#include "support/golden.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::estimates;
using test::normal_rows;
using test::probabilities;
using test::refusal;
using test::shares;

TEST(SoftmaxSampler, ProposalIsThatOfTheFeatures) {
  const Matrix<double> h = normal_rows(1, 5, 0.7, 1);
  for (const std::size_t n : {1, 2, 7, 8, 9, 16, 17, 100, 257}) {
    const Matrix<double> classes = normal_rows(n, 5, 0.7, 2);
    for (const char* map : {"positive", "optimal_positive_paired", "auto"}) {
      const SoftmaxSampler sampler({.d = 5, .map = map, .m = 24, .seed = 3}, classes.view());
      const auto expected = shares(estimates(sampler, h, classes)), found = probabilities(sampler, h);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << n << " " << map;
    }
  }
}

// Its features of queries and of classes differ. Every kernel is near 1, far above the floor.
TEST(SoftmaxSampler, QueriesAndClassesHaveTheirOwnSides) {
  const Matrix<double> h = normal_rows(1, 4, 0.2, 1), classes = normal_rows(30, 4, 0.2, 2);
  const SoftmaxSampler sampler({.d = 4, .map = "hybrid_angular", .m = 64}, classes.view(), 1e-3);
  const auto expected = shares(estimates(sampler, h, classes)), found = probabilities(sampler, h);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
}

void follows(const SoftmaxSampler& sampler, const Matrix<double>& h, std::optional<std::uint64_t> excluded = {}) {
  constexpr std::size_t kDraws = 20000;
  Matrix<std::uint64_t> ids(1, kDraws);
  Matrix<double> logs(1, kDraws);
  std::vector<std::uint64_t> leave_out;
  if (excluded) leave_out.push_back(*excluded);
  sampler.sample(h.view(), 5, ids.view(), logs.view(), leave_out);
  const auto expected = probabilities(sampler, h, excluded);
  EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), 1.0, 1e-12);
  std::vector<double> counts(sampler.classes());
  for (std::size_t k = 0; k < kDraws; ++k) {
    ++counts[ids(0, k)];
    EXPECT_NEAR(std::exp(logs(0, k)), expected[ids(0, k)], 1e-12);
  }
  double statistic = 0, degrees = -1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] == 0) {
      EXPECT_EQ(counts[i], 0);
      continue;
    }
    statistic += (counts[i] - kDraws * expected[i]) * (counts[i] - kDraws * expected[i]) / (kDraws * expected[i]);
    ++degrees;
  }
  EXPECT_GT(boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic)), 1e-6);
}

TEST(SoftmaxSampler, DrawsFollowTheirProbabilities) {
  const Matrix<double> h = normal_rows(1, 4, 0.6, 1), classes = normal_rows(37, 4, 0.6, 2);
  const SoftmaxSampler sampler({.d = 4, .map = "optimal_positive", .m = 64}, classes.view());
  follows(sampler, h);
  follows(sampler, h, 11);
  follows(SoftmaxSampler({.d = 4, .map = "trigonometric", .m = 8}, classes.view(), 0.05), h);
  follows(SoftmaxSampler({.d = 4, .map = "trigonometric", .m = 8}, classes.view(), 0.05), h, 36);
}

// Pairs of draws of one query, next to each other and in rows next to each other: the table of the buckets of both.
TEST(SoftmaxSampler, DrawsAreIndependent) {
  constexpr std::size_t kRows = 100, kDraws = 100, kBuckets = 5;
  const Matrix<double> one = normal_rows(1, 4, 0.6, 1), classes = normal_rows(8 * kBuckets, 4, 0.6, 2);
  Matrix<double> h(kRows, 4);
  for (std::size_t i = 0; i < kRows; ++i) std::ranges::copy(one.view().row(0), h.view().row(i).begin());
  const SoftmaxSampler sampler({.d = 4, .map = "positive", .m = 64}, classes.view());
  Matrix<std::uint64_t> ids(kRows, kDraws);
  Matrix<double> logs(kRows, kDraws);
  sampler.sample(h.view(), 9, ids.view(), logs.view());
  const auto p = probabilities(sampler, one);
  Matrix<double> along(kBuckets, kBuckets, 0.0), across(kBuckets, kBuckets, 0.0);
  for (std::size_t i = 0; i + 1 < kRows; ++i)
    for (std::size_t k = 0; k + 1 < kDraws; ++k) {
      if (k % 2 == 0) ++along(ids(i, k) / 8, ids(i, k + 1) / 8);
      if (i % 2 == 0) ++across(ids(i, k) / 8, ids(i + 1, k) / 8);
    }
  for (const Matrix<double>* table : {&along, &across}) {
    const double total = std::accumulate(table->data(), table->data() + kBuckets * kBuckets, 0.0);
    double statistic = 0;
    for (std::size_t a = 0; a < kBuckets; ++a)
      for (std::size_t b = 0; b < kBuckets; ++b) {
        const double expected =
            total * std::accumulate(&p[8 * a], &p[8 * a] + 8, 0.0) * std::accumulate(&p[8 * b], &p[8 * b] + 8, 0.0);
        statistic += ((*table)(a, b) - expected) * ((*table)(a, b) - expected) / expected;
      }
    const boost::math::chi_squared law(kBuckets * kBuckets - 1);
    EXPECT_GT(boost::math::cdf(boost::math::complement(law, statistic)), 1e-6);
  }
}

TEST(SoftmaxSampler, ExclusionIsRenormalisation) {
  const Matrix<double> h = normal_rows(1, 4, 0.6, 1), classes = normal_rows(50, 4, 0.6, 2);
  const SoftmaxSampler sampler({.d = 4, .map = "positive", .m = 64}, classes.view());
  const auto all = probabilities(sampler, h);
  for (const std::uint64_t left_out : {20, 49}) {  // 49: one of the two in the last bucket
    const auto others = probabilities(sampler, h, left_out);
    for (std::size_t i = 0; i < 50; ++i)
      EXPECT_NEAR(others[i], i == left_out ? 0 : all[i] / (1 - all[left_out]), 1e-12) << left_out;
  }
}

// Up to eight classes no sum comes between: weights are max(e^b phi(h) . phi(c), floor).
TEST(SoftmaxSampler, TheFloorHasTheUnitsOfTheKernel) {
  const Matrix<double> h = normal_rows(1, 4, 0.9, 1), classes = normal_rows(8, 4, 0.9, 2);
  std::vector<double> biases(8);
  for (std::size_t i = 0; i < 8; ++i) biases[i] = 0.2 * static_cast<double>(i) - 5;
  for (const char* map : {"positive", "trigonometric"}) {
    const double floor = 1.5 * std::exp(-5.0);
    const SoftmaxSampler sampler({.d = 4, .map = map, .m = 64}, classes.view(), floor, biases);
    std::vector<double> weights = estimates(sampler, h, classes);
    int low = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      weights[i] *= std::exp(biases[i]);
      if (weights[i] < floor) weights[i] = floor, ++low;
    }
    ASSERT_TRUE(low > 0 && low < 8) << low;
    const auto expected = shares(weights), found = probabilities(sampler, h);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << map;
  }
}

TEST(SoftmaxSampler, AFloorAboveAllKernelsIsUniform) {
  const Matrix<double> h = normal_rows(1, 4, 0.6, 1), classes = normal_rows(37, 4, 0.6, 2);
  const SoftmaxSampler sampler({.d = 4, .map = "trigonometric", .m = 8}, classes.view(), 1e6);
  for (const double p : probabilities(sampler, h)) EXPECT_NEAR(p, 1.0 / 37, 1e-12);
}

TEST(SoftmaxSampler, LargeEmbeddingsDoNotOverflow) {
  const Matrix<double> h = normal_rows(3, 8, 20.0, 1), classes = normal_rows(64, 8, 20.0, 2);
  const SoftmaxSampler sampler({.d = 8, .map = "positive", .m = 32}, classes.view());
  Matrix<std::uint64_t> ids(3, 10);
  Matrix<double> logs(3, 10);
  sampler.sample(h.view(), 1, ids.view(), logs.view());
  for (std::size_t i = 0; i < 3; ++i)
    for (const double log : logs.view().row(i)) EXPECT_TRUE(std::isfinite(log) && log <= 0);
}

TEST(SoftmaxSampler, DrawsOfAQueryAreTheSameOnAnyThreads) {
  const Matrix<double> h = normal_rows(40, 4, 0.6, 1), classes = normal_rows(300, 4, 0.6, 2);
  const SoftmaxSampler sampler({.d = 4, .map = "positive", .m = 16}, classes.view());
  Matrix<std::uint64_t> ids(40, 6), again(40, 6);
  Matrix<double> logs(40, 6), same(40, 6);
  sampler.sample(h.view(), 7, ids.view(), logs.view());
  const int before = num_threads();
  set_num_threads(1);
  sampler.sample(h.view(), 7, again.view(), same.view());
  set_num_threads(before);
  EXPECT_TRUE(std::equal(ids.data(), ids.data() + 240, again.data()));
  EXPECT_TRUE(std::equal(logs.data(), logs.data() + 240, same.data()));
}

TEST(SoftmaxSampler, KnownProposals) {
  for (const auto& known : testing::golden_cases("sampler", "sampling_probs")) {
    const auto h = known.args.at("h").get<std::vector<double>>();
    const auto C = known.args.at("C").get<std::vector<std::vector<double>>>();
    const auto W = known.args.at("W").get<std::vector<std::vector<double>>>();
    ASSERT_EQ(known.args.at("map"), "positive");
    const auto feature = [&](const std::vector<double>& x, std::size_t j) {
      const double norm = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
      return std::exp(std::inner_product(x.begin(), x.end(), W[j].begin(), 0.0) - norm / 2);
    };
    Matrix<double> keys(C.size(), W.size());
    std::vector<double> query(W.size());
    for (std::size_t j = 0; j < W.size(); ++j) {
      query[j] = feature(h, j);
      for (std::size_t i = 0; i < C.size(); ++i) keys(i, j) = feature(C[i], j);
    }
    const SumTree tree(std::move(keys));
    Proposal proposal(tree, query, {});
    for (std::size_t i = 0; i < C.size(); ++i) {
      const double expected = known.value.at(i);
      EXPECT_NEAR(std::exp(proposal.log_probability(i)), expected, known.rtol * expected);
    }
  }
}

TEST(SoftmaxSampler, KnownPartitions) {
  for (const auto& known : testing::golden_cases("sampler", "sampled_softmax_logZ")) {
    const auto logits = known.args.at("logits").get<std::vector<double>>();
    const auto q = known.args.at("q").get<std::vector<double>>();
    const std::size_t target = known.args.at("target");
    std::vector<double> drawn, log_q;
    for (const std::size_t s : known.args.at("samples")) {
      drawn.push_back(logits[s]);
      log_q.push_back(std::log(q[s] / (1 - q[target])));
    }
    const double expected = known.value;
    EXPECT_NEAR(sampled_log_partition(logits[target], drawn, log_q), expected, known.rtol * expected);
  }
}

TEST(SoftmaxSampler, RefusesWhatMakesNoSense) {
  const Matrix<double> classes = normal_rows(5, 3, 1.0, 1), one = normal_rows(1, 3, 1.0, 1);
  const Spec positive{.d = 3, .map = "positive", .m = 8};
  SoftmaxSampler sampler(positive, classes.view());
  Matrix<std::uint64_t> ids(1, 2, 0);
  Matrix<double> logs(1, 2);
  const std::vector<std::uint64_t> unknown{5}, two{1, 2}, zero{0};
  EXPECT_EQ(refusal([&] { SoftmaxSampler(positive, Matrix<double>(0, 3).view()); }),
            "embeddings is an array of no rows; expected at least one class");
  EXPECT_EQ(refusal([&] { SoftmaxSampler(positive, classes.view(), -1.0); }), "floor is -1; expected a number >= 0");
  EXPECT_NE(
      refusal([&] { SoftmaxSampler({.d = 3, .map = "trigonometric", .m = 8}, classes.view()); }).find("number > 0"),
      std::string::npos);
  EXPECT_EQ(refusal([&] { sampler.sample(classes.view(), 1, ids.view(), logs.view()); }),
            "queries is an array of 5 rows; expected 1, as ids has");
  EXPECT_EQ(refusal([&] { sampler.sample(one.view(), 1, ids.view(), logs.view(), unknown); }),
            "excluded is class 5; expected 0 to 4");
  EXPECT_NE(refusal([&] { sampler.sample(one.view(), 1, ids.view(), logs.view(), two); }).find("one for each of 1"),
            std::string::npos);
  const SoftmaxSampler single(positive, one.view());
  EXPECT_EQ(refusal([&] { single.sample(one.view(), 1, ids.view(), logs.view(), zero); }),
            "excluded is the only class; expected at least one other class");
  EXPECT_EQ(refusal([&] { sampler.update(7, one.view().row(0)); }), "id is class 7; expected 0 to 4");
  EXPECT_NE(refusal([&] { sampler.update(1, std::span<const double>(one.data(), 2)); }).find("2 numbers"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { SoftmaxSampler(positive, classes.view(), 0.0, std::vector<double>(4)); }),
            "biases is a list of 4 numbers; expected one for each of 5 classes");
  EXPECT_EQ(refusal([&] { sampler.update(1, one.view().row(0), std::log(0.0)); }),
            "bias is -inf (class 1); expected a finite number");
  EXPECT_NE(refusal([] { sampled_log_partition(0, {}, {}); }).find("at least one"), std::string::npos);
}

TEST(SoftmaxSampler, RefusalsNameTheArgument) {
  const Matrix<double> classes = normal_rows(5, 3, 1.0, 1), narrow = normal_rows(5, 2, 1.0, 1);
  Matrix<double> broken = normal_rows(5, 3, 1.0, 1), large = normal_rows(5, 3, 1.0, 1);
  broken(4, 2) = std::nan("");
  large(3, 1) = 1e151;
  const Spec positive{.d = 3, .map = "positive", .m = 8};
  SoftmaxSampler sampler(positive, classes.view());
  Matrix<std::uint64_t> ids(5, 2, 0);
  Matrix<double> logs(5, 2);
  EXPECT_EQ(refusal([&] { SoftmaxSampler(positive, broken.view()); }),
            "embeddings has nan at row 4, column 2; expected a finite number");
  EXPECT_EQ(refusal([&] { SoftmaxSampler(positive, narrow.view()); }),
            "embeddings is an array of 2 columns; expected 3");
  EXPECT_EQ(refusal([&] { sampler.sample(broken.view(), 1, ids.view(), logs.view()); }),
            "queries has nan at row 4, column 2; expected a finite number");
  EXPECT_EQ(refusal([&] { sampler.log_probability(narrow.view(), ids.view(), logs.view()); }),
            "queries is an array of 2 columns; expected 3");
  EXPECT_EQ(refusal([&] { sampler.sample(large.view(), 1, ids.view(), logs.view()); }).find("queries has 1e+151"), 0u);
  EXPECT_EQ(refusal([&] { sampler.update(1, broken.view().row(4)); }),
            "embedding has nan at row 0, column 2; expected a finite number");
}

TEST(SoftmaxSampler, RowsBelowAShiftAreRefusedByTheirName) {
  Matrix<double> classes = normal_rows(20, 3, 1.0, 1), low = normal_rows(20, 3, 1.0, 2);
  for (std::size_t i = 0; i < 20; ++i) classes(i, 0) = std::abs(classes(i, 0)), low(i, 0) = 1;
  low(17, 0) = -9;
  const Spec spec{.d = 3, .map = "poisson_positive", .m = 8, .parameters = {{"shift", -5.0}, {"rate", 1.0}}};
  SoftmaxSampler sampler(spec, classes.view());
  Matrix<std::uint64_t> ids(20, 2, 0);
  Matrix<double> logs(20, 2);
  EXPECT_EQ(refusal([&] { SoftmaxSampler(spec, low.view()); }).find("embeddings has -9 at row 17, column 0"), 0u);
  EXPECT_EQ(refusal([&] {
              sampler.sample(low.view(), 1, ids.view(), logs.view());
            }).find("queries has -9 at row 17, column 0, below the shift"),
            0u);
  EXPECT_EQ(refusal([&] { sampler.update(1, low.view().row(17)); }).find("embedding has -9 at row 0, column 0"), 0u);
}

}  // namespace
}  // namespace bochner
