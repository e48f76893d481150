// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "attention/attention_cases.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::Heads;
using test::refusal;

struct Arrays {
  Heads<float> q = Heads<float>::normal(2, 4, 5, 3, 1, 1), k = Heads<float>::normal(2, 2, 5, 3, 1, 2);
  Heads<float> v = Heads<float>::normal(2, 2, 5, 6, 1, 3), out = Heads<float>(2, 4, 5, 6);
  AttentionOptions options = {.m = 8};
  MatrixView<const bool> mask = {};
};

std::string refused(const std::function<void(Arrays&)>& change) {
  Arrays a;
  change(a);
  return refusal([&] { attention<float>(a.q.view(), a.k.view(), a.v.view(), a.out.view(), a.options, a.mask); });
}

TEST(AttentionInput, ShapesThatDoNotFitAreNamed) {
  EXPECT_EQ(refused([](Arrays&) {}), "");
  const auto shape = [](std::size_t b, std::size_t h, std::size_t n, std::size_t d) {
    return Heads<float>(b, h, n, d);
  };
  EXPECT_EQ(refused([&](Arrays& a) { a.k = shape(1, 2, 5, 3); }),
            "k is an array of shape (1, 2, 5, 3); expected batch 2, as q has");
  EXPECT_EQ(refused([&](Arrays& a) { a.k = shape(2, 2, 5, 4); }),
            "k is an array of shape (2, 2, 5, 4); expected dim 3, as q has");
  EXPECT_EQ(refused([&](Arrays& a) { a.v = shape(2, 2, 4, 6); }),
            "v is an array of shape (2, 2, 4, 6); expected length 5, as k has");
  EXPECT_EQ(refused([&](Arrays& a) { a.v = shape(2, 1, 5, 6); }),
            "v is an array of shape (2, 1, 5, 6); expected heads 2, as k has");
  EXPECT_EQ(refused([&](Arrays& a) { a.k = shape(2, 3, 5, 3), a.v = shape(2, 3, 5, 6); }),
            "k is an array of 3 heads; expected a divisor of 4, the number of heads of q");
  EXPECT_EQ(refused([&](Arrays& a) { a.out = shape(2, 4, 5, 3); }),
            "out is an array of shape (2, 4, 5, 3); expected dim 6, as v has");
  EXPECT_EQ(
      refused([&](Arrays& a) { a.q = shape(2, 4, 4, 3), a.out = shape(2, 4, 4, 6), a.options.causal = true; }),
      "k is an array of shape (2, 2, 5, 3); expected length (causal attention has a key for each query) 4, as q has");
  const bool seen[5] = {};
  EXPECT_EQ(refused([&](Arrays& a) { a.mask = {seen, 1, 5}; }), "key_mask is 1 x 5; expected 2 x 5 (batch x keys)");
}

TEST(AttentionInput, EntriesThatAreNotFiniteAreNamed) {
  for (const bool causal : {false, true})
    for (const char* map : {"positive", "optimal_positive"}) {
      const auto with = [&](const std::function<void(Arrays&)>& change) {
        return refused([&](Arrays& a) {
          a.options.causal = causal;
          a.options.map = map;
          change(a);
        });
      };
      EXPECT_EQ(with([](Arrays& a) { a.q.at(1, 3, 2, 0) = std::numeric_limits<float>::quiet_NaN(); }),
                "q has nan at [1, 3, 2, 0]; expected a finite number");
      EXPECT_EQ(with([](Arrays& a) { a.k.at(0, 1, 4, 2) = std::numeric_limits<float>::infinity(); }),
                "k has inf at [0, 1, 4, 2]; expected a finite number");
      EXPECT_EQ(with([](Arrays& a) { a.v.at(0, 0, 3, 5) = -std::numeric_limits<float>::infinity(); }),
                "v has -inf at [0, 0, 3, 5]; expected a finite number");
      EXPECT_EQ(with([](Arrays& a) { a.k.at(0, 1, 4, 2) = 3e30F; }),
                "k has 3e+30 at [0, 1, 4, 2]; expected at most 1e+18 in float32");
      EXPECT_EQ(with([](Arrays& a) { a.v.at(0, 0, 3, 5) = 3e30F; }),
                "v has 3e+30 at [0, 0, 3, 5]; expected at most 1e+18 in float32");
    }
}

/// Sums of a key that is followed by ones e^20 times as large reach v e^20 for each of these.
TEST(AttentionInput, TheLargestValuesGiveFiniteResults) {
  const std::size_t n = 2000;
  Heads<float> q(1, 1, n, 1), v(1, 1, n, 1), out(1, 1, n, 1);
  std::ranges::fill(q.numbers, 1.0F);
  std::ranges::fill(v.numbers, 1e18F);
  Heads<float> k = q;
  k.at(0, 0, 0, 0) = 6.0F;  // of features with exponents w k - k^2/2, about 20 below those of the others
  for (const bool causal : {false, true}) {
    const AttentionOptions options{.map = "positive", .coupling = "iid", .m = 8, .causal = causal};
    EXPECT_EQ(attention<float>(q.view(), k.view(), v.view(), out.view(), options).undefined_rows, 0u);
    for (const float number : out.numbers) ASSERT_NEAR(number, 1e18F, 1e13F);
  }
}

/// A scale so small that the best A rounds to 0: all weights are 1.
TEST(AttentionInput, TheSmallestScalesGiveTheMean) {
  for (const double scale : {1e-17, 1e-30, 1e-300}) {
    const auto q = Heads<double>::normal(1, 1, 5, 3, 1, 1), k = Heads<double>::normal(1, 1, 5, 3, 1, 2);
    auto v = Heads<double>::normal(1, 1, 5, 1, 1, 3);
    double mean = 0;
    for (const double number : v.numbers) mean += number / 5;
    for (const double number : test::attend(q, k, v, {.m = 8, .scale = scale}).numbers)
      ASSERT_NEAR(number, mean, 1e-7) << scale;
  }
}

TEST(AttentionInput, OptionsThatCannotBeAreNamed) {
  EXPECT_EQ(refused([](Arrays& a) { a.options.scale = -1; }), "scale is -1; expected a finite number > 0");
  EXPECT_EQ(refused([](Arrays& a) { a.options.scale = 1e300; }), "scale is 1e+300; expected at most 1e+60");
  for (const char* map : {"trigonometric", "poisson"})
    EXPECT_EQ(refused([&](Arrays& a) { a.options.map = map; }),
              "map is '" + std::string(map) +
                  "'; expected a positive map or a hybrid for attention: positive, positive_paired, optimal_positive, "
                  "optimal_positive_paired, poisson_positive, geometric_positive, hybrid_angular, hybrid_gaussian, "
                  "hybrid_clustered");
  EXPECT_NE(refused([](Arrays& a) { a.options.map = "favour"; }).find("unknown map 'favour'"), std::string::npos);
  EXPECT_NE(
      refused([](Arrays& a) { a.options.parameters["A"] = 1.0; }).find("A is 1; expected a number < 1/8 and > -1e12"),
      std::string::npos);
}

/// A from a scale so large that no feature tells rows apart, with rows that are in range nevertheless.
TEST(AttentionInput, TheLargestScaleIsTaken) {
  for (const bool causal : {false, true})
    EXPECT_EQ(refused([&](Arrays& a) {
                for (Heads<float>* rows : {&a.q, &a.k}) std::ranges::fill(rows->numbers, 1e-30F);
                a.options.scale = 1e60, a.options.causal = causal;
              }),
              "");
}

TEST(AttentionInput, ParametersThatOnlyTheFutureKnowsAreNamed) {
  const std::string rest =
      "; expected every parameter to be given, so that nothing depends on the future: bochner.features(...).fit finds "
      "them from data";
  AttentionOptions options{.map = "poisson_positive", .m = 8, .causal = true};
  EXPECT_EQ(refused([&](Arrays& a) { a.options = options; }),
            "map 'poisson_positive' of causal attention lacks 'rate', 'shift'" + rest);
  options.causal = false;
  EXPECT_EQ(refusal([&] {
              AttentionState<float>({1, 1, 1, 3, 3}, options);
            }),
            "map 'poisson_positive' of causal attention lacks 'rate', 'shift'" + rest);
  options = {.map = "geometric_positive", .m = 8, .parameters = {{"shift", -9.0}}, .causal = true};
  EXPECT_EQ(refused([&](Arrays& a) { a.options = options; }),
            "map 'geometric_positive' of causal attention lacks 'p'" + rest);
}

TEST(AttentionInput, EntriesBelowTheShiftAreNamed) {
  for (const bool causal : {false, true}) {
    AttentionOptions options{.map = "poisson_positive", .m = 8, .causal = causal};
    options.parameters = {{"rate", 2.0}, {"shift", std::vector<double>{-9, -9, -9}}};
    const auto with = [&](const std::function<void(Arrays&)>& change) {
      return refused([&](Arrays& a) {
        a.options = options;
        change(a);
      });
    };
    EXPECT_EQ(with([](Arrays&) {}), "");
    EXPECT_EQ(with([](Arrays& a) { a.q.at(1, 3, 2, 1) = -10; }),
              "q has -10 at [1, 3, 2, 1], below the shift -9 of that coordinate; expected an entry at or above it");
    EXPECT_EQ(with([](Arrays& a) { a.k.at(0, 1, 4, 2) = -11; }),
              "k has -11 at [0, 1, 4, 2], below the shift -9 of that coordinate; expected an entry at or above it");
  }
}

TEST(AttentionInput, NothingToAttendToGivesZerosAndIsCounted) {
  for (const bool causal : {false, true}) {
    Arrays a;
    a.options.causal = causal;
    const bool seen[10] = {false, true, true, true, true};  // the first key of the first, none of the second
    std::fill(a.out.numbers.begin(), a.out.numbers.end(), 7.0F);
    const auto report = attention<float>(a.q.view(), a.k.view(), a.v.view(), a.out.view(), a.options, {seen, 2, 5});
    EXPECT_EQ(report.undefined_rows, causal ? 4u + 20u : 20u);
    for (std::size_t h = 0; h < 4; ++h)
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(a.out.at(1, h, i, 3), 0.0F);
        EXPECT_EQ(a.out.at(0, h, i, 3) == 0.0F, causal && i == 0);
      }
  }
  Heads<float> none(1, 2, 0, 3), no_values(1, 2, 0, 6), q = Heads<float>::normal(1, 2, 4, 3, 1, 1), out(1, 2, 4, 6);
  std::fill(out.numbers.begin(), out.numbers.end(), 7.0F);
  EXPECT_EQ(attention<float>(q.view(), none.view(), no_values.view(), out.view()).undefined_rows, 8u);
  for (const float number : out.numbers) EXPECT_EQ(number, 0.0F);
}

TEST(AttentionInput, ARefusedStepLeavesTheStateAsItWas) {
  Arrays a;
  AttentionState<float> state({2, 4, 2, 3, 6}, a.options), other({2, 4, 2, 3, 6}, a.options);
  Arrays bad;
  bad.k.at(1, 1, 4, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal([&] { state.step(bad.q.view(), bad.k.view(), bad.v.view(), bad.out.view()); }),
            "k has nan at [1, 1, 4, 0]; expected a finite number");
  EXPECT_EQ(state.length(), 0u);
  Arrays same;
  state.step(a.q.view(), a.k.view(), a.v.view(), a.out.view());
  other.step(same.q.view(), same.k.view(), same.v.view(), same.out.view());
  EXPECT_TRUE(a.out.same_bits(same.out));
  EXPECT_EQ(refusal([&] {
              const Heads<float> q(2, 2, 1, 3), k(2, 2, 1, 3), v(2, 2, 1, 6);
              Heads<float> out(2, 2, 1, 6);
              state.step(q.view(), k.view(), v.view(), out.view());
            }),
            "heads of q is 2; expected 4, that of the state");
  EXPECT_EQ(refusal([] { AttentionState<float>({1, 4, 3, 2, 2}); }), "kv_heads is 3; expected a divisor of 4 (heads)");
}

}  // namespace
}  // namespace bochner
