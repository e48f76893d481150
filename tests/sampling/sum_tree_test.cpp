// SPDX-License-Identifier: Apache-2.0
#include "sampling/sum_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "bochner/softmax_sampler.h"
#include "sampling/proposals.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

/// Logarithms that fall from 0 to -60 as classes are counted, or that rise: the light ones are right or left children.
std::vector<double> slope(std::size_t classes, bool falling) {
  std::vector<double> logs(classes);
  for (std::size_t i = 0; i < classes; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(classes - 1);
    logs[i] = -60 * (falling ? share : 1 - share);
  }
  return logs;
}

// log q_i = log w_i - log sum w: sums of positive terms, so all digits but the last few of a logarithm near -60.
TEST(SumTree, SmallProbabilitiesHaveAllTheirDigits) {
  for (const std::size_t n : {9, 16, 17, 100, 1000})
    for (const bool falling : {true, false}) {
      const std::vector<double> logs = slope(n, falling);
      Matrix<double> weights(n, 1);
      double total = 0;
      for (std::size_t i = 0; i < n; ++i) total += weights(i, 0) = std::exp(logs[i]);
      const SumTree tree(std::move(weights));
      const std::vector<double> one{1.0};
      Proposal proposal(tree, one, {});
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(proposal.log_probability(i), logs[i] - std::log(total), 1e-12) << n << " " << i;
    }
}

// The largest number below 1 walks to the right wherever its share is above 2^-53, the smallest to the left.
TEST(SumTree, RareDrawsKnowTheirProbability) {
  constexpr std::size_t kClasses = 16;
  for (const bool right : {true, false}) {
    std::vector<double> logs(kClasses, 0.0);
    for (std::size_t i = 0; i < 8; ++i) logs[right ? 8 + i : i] = -33.0 - static_cast<double>(i);
    Matrix<double> weights(kClasses, 1);
    double total = 0;
    for (std::size_t i = 0; i < kClasses; ++i) total += weights(i, 0) = std::exp(logs[i]);
    const std::vector<double> one{1.0};
    const SumTree tree(std::move(weights));
    Proposal proposal(tree, one, {});
    const auto [id, log_probability] = proposal.draw([&](std::size_t) { return right ? 1 - 0x1p-53 : 0x1p-60; });
    EXPECT_EQ(id / 8, right ? 1u : 0u);
    EXPECT_NEAR(log_probability, logs[id] - std::log(total), 1e-12);
    EXPECT_NEAR(log_probability, proposal.log_probability(id), 1e-12);
  }
}

TEST(SumTree, SamplersSeeThemToo) {
  const Matrix<double> h = test::normal_rows(1, 4, 0.6, 1), classes = test::normal_rows(100, 4, 0.6, 2);
  for (const bool falling : {true, false}) {
    const std::vector<double> biases = slope(100, falling);
    const SoftmaxSampler sampler({.d = 4, .map = "positive", .m = 64}, classes.view(), 0, biases);
    const std::vector<double> kernels = test::estimates(sampler, h, classes);
    double total = 0;
    for (std::size_t i = 0; i < 100; ++i) total += kernels[i] * std::exp(biases[i]);
    const std::vector<double> found = test::probabilities(sampler, h);
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_NEAR(std::log(found[i]), std::log(kernels[i]) + biases[i] - std::log(total), 1e-10) << i;
  }
}

std::vector<double> log_probabilities(const SoftmaxSampler& sampler, std::vector<std::uint64_t> excluded = {}) {
  const std::size_t n = sampler.classes();
  Matrix<std::uint64_t> ids(1, n);
  std::iota(ids.data(), ids.data() + n, 0);
  Matrix<double> logs(1, n), h(1, 2, 0.0);
  sampler.log_probability(h.view(), ids.view(), logs.view(), excluded);
  return {logs.data(), logs.data() + n};
}

// At h = 0 and c = 0 every kernel is estimated as the same number, so that weights are e^b, far beyond the range of
// double. Classes share a bucket (3 of them) or not (30).
TEST(SumTree, WeightsHaveNoRange) {
  for (const std::size_t n : {3, 30}) {
    const Matrix<double> classes(n, 2, 0.0);
    std::vector<double> biases(n, -5000.0);
    biases[0] = 0, biases[1] = -1000, biases[n - 1] = -1001;
    const SoftmaxSampler sampler({.d = 2, .map = "positive", .m = 16}, classes.view(), 0, biases);
    const std::vector<double> all = log_probabilities(sampler), rest = log_probabilities(sampler, {0});
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(all[i], biases[i], 1e-12 * 5000) << n << " " << i;
    const double total = std::log1p(std::exp(-1.0));
    EXPECT_EQ(rest[0], -std::numeric_limits<double>::infinity());
    for (std::size_t i = 1; i < n; ++i) EXPECT_NEAR(rest[i], biases[i] + 1000 - total, 1e-12 * 5000) << n << " " << i;
  }
}

TEST(SumTree, DrawsAmongFaintClassesFollowTheirProbabilities) {
  constexpr std::size_t kDraws = 20000;
  const Matrix<double> classes(40, 2, 0.0), h(1, 2, 0.0);
  std::vector<double> biases(40, -1e5);
  biases[17] = 0, biases[3] = -1000, biases[33] = -1001;
  const SoftmaxSampler sampler({.d = 2, .map = "positive", .m = 16}, classes.view(), 0, biases);
  Matrix<std::uint64_t> ids(1, kDraws);
  Matrix<double> logs(1, kDraws);
  const std::vector<std::uint64_t> excluded{17};
  sampler.sample(h.view(), 5, ids.view(), logs.view(), excluded);
  const auto third = static_cast<double>(std::count(ids.data(), ids.data() + kDraws, 3u));
  const double p = 1 / (1 + std::exp(-1.0));
  EXPECT_EQ(third + static_cast<double>(std::count(ids.data(), ids.data() + kDraws, 33u)), kDraws);
  EXPECT_NEAR(third, p * kDraws, 4.9 * std::sqrt(p * (1 - p) * kDraws));  // 4.9: one in a million
  for (std::size_t k = 0; k < kDraws; ++k) EXPECT_NEAR(logs(0, k), std::log(ids(0, k) == 3 ? p : 1 - p), 1e-12);
}

// The floor is a weight as others are: far above e^b it is all that counts, far below it is nothing.
TEST(SumTree, FloorsHaveNoRange) {
  const Matrix<double> classes(20, 2, 0.0);
  std::vector<double> biases(20, -1e4);
  biases[5] = -1e4 + 2;
  const Spec spec{.d = 2, .map = "positive", .m = 16};
  for (const double log : log_probabilities(SoftmaxSampler(spec, classes.view(), 1e-300, biases)))
    EXPECT_NEAR(log, -std::log(20.0), 1e-12);
  biases.assign(20, 1e4), biases[5] = 1e4 + 2;
  const std::vector<double> logs = log_probabilities(SoftmaxSampler(spec, classes.view(), 1e300, biases));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(logs[i], (i == 5 ? 2 : 0) - std::log(19 + std::exp(2.0)), 1e-8);
}

// Updates to weights of any size, and back.
TEST(SumTree, UpdatesHaveNoRange) {
  const Matrix<double> classes(20, 2, 0.0);
  std::vector<double> biases(20, 0.0);
  SoftmaxSampler sampler({.d = 2, .map = "positive", .m = 16}, classes.view());
  for (const double bias : {2000.0, -2000.0, 1e300, -1e300, 0.5}) {
    biases[11] = bias;
    sampler.update(11, classes.view().row(11), bias);
    const std::vector<double> found = log_probabilities(sampler);
    const double log_total = bias > 1000 ? bias : std::log(19 + std::exp(bias));
    for (std::size_t i = 0; i < 20; ++i)
      EXPECT_NEAR(found[i], biases[i] - log_total, 1e-12 * std::max(1.0, std::abs(bias))) << bias << " " << i;
  }
}

}  // namespace
}  // namespace bochner
