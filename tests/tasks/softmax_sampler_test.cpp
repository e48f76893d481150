// SPDX-License-Identifier: Apache-2.0
#include "bochner/softmax_sampler.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "bochner/threads.h"
#include "support/golden.h"
#include "support/normal_rows.h"
#include "support/refusal.h"
#include "tasks/sum_tree.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

/// Probabilities of all classes for row 0 of the queries.
std::vector<double> probabilities(const SoftmaxSampler& sampler, const Matrix<double>& queries,
                                  std::optional<std::uint64_t> excluded = std::nullopt) {
  const std::size_t n = sampler.classes();
  Matrix<std::uint64_t> ids(1, n);
  for (std::size_t i = 0; i < n; ++i) ids(0, i) = i;
  Matrix<double> logs(1, n);
  std::vector<std::uint64_t> leave_out;
  if (excluded) leave_out.push_back(*excluded);
  sampler.log_probability(queries.view().row_range(0, 1), ids.view(), logs.view(), leave_out);
  std::vector<double> result;
  for (const double log : logs.view().row(0)) result.push_back(std::exp(log));
  return result;
}

/// phi(h) . phi(c_i) of all classes over their sum.
std::vector<double> direct(const SoftmaxSampler& sampler, const Matrix<double>& queries,
                           const Matrix<double>& classes) {
  const auto features = make_features(sampler.spec());
  Matrix<double> query(queries.rows(), features->outputs()), keys(classes.rows(), features->outputs());
  features->transform(queries.view(), query.view(), Side::query);
  features->transform(classes.view(), keys.view(), Side::key);
  std::vector<double> result;
  for (std::size_t i = 0; i < classes.rows(); ++i)
    result.push_back(std::inner_product(query.data(), query.data() + query.cols(), keys.view().row(i).data(), 0.0));
  const double total = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& value : result) value /= total;
  return result;
}

TEST(SoftmaxSampler, ProposalIsThatOfTheFeatures) {
  const Matrix<double> h = normal_rows(1, 5, 0.7, 1);
  for (const std::size_t n : {1, 2, 7, 8, 9, 16, 17, 100, 257}) {
    const Matrix<double> classes = normal_rows(n, 5, 0.7, 2);
    for (const char* map : {"positive", "optimal_positive_paired"}) {
      const SoftmaxSampler sampler({.d = 5, .map = map, .m = 24, .seed = 3}, classes.view());
      const auto expected = direct(sampler, h, classes), found = probabilities(sampler, h);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << n << " " << map;
    }
  }
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

TEST(SoftmaxSampler, ExclusionIsRenormalisation) {
  const Matrix<double> h = normal_rows(1, 4, 0.6, 1), classes = normal_rows(50, 4, 0.6, 2);
  const SoftmaxSampler sampler({.d = 4, .map = "positive", .m = 64}, classes.view());
  const auto all = probabilities(sampler, h), others = probabilities(sampler, h, 20);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(others[i], i == 20 ? 0 : all[i] / (1 - all[20]), 1e-12);
}

TEST(SoftmaxSampler, AnUpdateIsARebuild) {
  Matrix<double> classes = normal_rows(30, 3, 0.5, 2);
  const Matrix<double> h = normal_rows(1, 3, 0.5, 1);
  const Spec spec{.d = 3, .map = "positive", .m = 16};
  SoftmaxSampler sampler(spec, classes.view());
  for (const double size : {0.3, 40.0, 0.1}) {  // 40: beyond the range in which features keep their scale
    for (double& entry : classes.view().row(13)) entry = size;
    sampler.update(13, classes.view().row(13));
    const auto found = probabilities(sampler, h), expected = probabilities(SoftmaxSampler(spec, classes.view()), h);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << size;
  }
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
  BOCHNER_NEED_GOLDEN();
  for (const auto& known : testing::golden_cases("sampling", "sampling_probs")) {
    const auto h = known.args.at("h").get<std::vector<double>>();
    const auto C = known.args.at("C").get<std::vector<std::vector<double>>>();
    const auto W = known.args.at("W").get<std::vector<std::vector<double>>>();
    ASSERT_EQ(known.args.at("map"), "prf");
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
    Proposal proposal(tree, query, 0.0);
    for (std::size_t i = 0; i < C.size(); ++i) {
      const double expected = known.value.at(i);
      EXPECT_NEAR(std::exp(proposal.log_probability(i)), expected, known.rtol * expected);
    }
  }
}

TEST(SoftmaxSampler, KnownPartitions) {
  BOCHNER_NEED_GOLDEN();
  for (const auto& known : testing::golden_cases("sampling", "sampled_softmax_logZ")) {
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
  EXPECT_NE(refusal([] { sampled_log_partition(0, {}, {}); }).find("at least one"), std::string::npos);
}

}  // namespace
}  // namespace bochner
