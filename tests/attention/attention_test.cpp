// SPDX-License-Identifier: Apache-2.0
#include "bochner/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "attention/attention_cases.h"

namespace bochner {
namespace {

using test::attend;
using test::distance;
using test::Estimator;
using test::Heads;
using test::oracle;

template <class T>
constexpr double kTolerance = std::is_same_v<T, float> ? 1e-6 : 1e-12;

template <class T>
class AttentionOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AttentionOf, Scalars);

/// sum_i w_ti v_i / sum_i w_ti with the weights phi(q).phi(k) of plain features, everything as it is written.
TYPED_TEST(AttentionOf, IsTheNaiveFormula) {
  using T = TypeParam;
  struct Choice {
    const char *map, *coupling;
    Parameters parameters;
  };
  const std::vector<Choice> choices = {
      {"positive", "iid", {}},
      {"positive_paired", "simplex", {}},
      {"optimal_positive", "hadamard", {{"A", -0.1}}},
      {"optimal_positive_paired", "orthogonal", {{"A", -0.05}}},
      {"poisson_positive", "iid", {{"rate", 3.0}, {"shift", std::vector<double>(5, -4.0)}}},
      {"geometric_positive", "iid", {{"p", 0.2}, {"shift", std::vector<double>(5, -4.0)}}},
  };
  const auto q = Heads<T>::normal(2, 2, 9, 5, 0.5, 1), k = Heads<T>::normal(2, 2, 11, 5, 0.5, 2);
  const auto v = Heads<T>::normal(2, 2, 11, 3, 1, 3);
  for (const Choice& choice : choices) {
    const AttentionOptions options{
        .map = choice.map, .coupling = choice.coupling, .m = 24, .parameters = choice.parameters, .scale = 0.7};
    const auto features = make_features({.d = 5,
                                         .kernel = "softmax",
                                         .map = choice.map,
                                         .coupling = choice.coupling,
                                         .m = 24,
                                         .lengthscale = {1 / std::sqrt(0.7)},
                                         .parameters = choice.parameters});
    const Heads<T> out = attend(q, k, v, options);
    Matrix<T> Q(9, features->outputs()), K(11, features->outputs());
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t h = 0; h < 2; ++h) {
        features->transform(q.view().head(b, h), Q);
        features->transform(k.view().head(b, h), K, Side::key);
        for (std::size_t t = 0; t < 9; ++t) {
          double total = 0, sums[3] = {};
          for (std::size_t i = 0; i < 11; ++i) {
            double weight = 0;
            for (std::size_t j = 0; j < K.cols(); ++j) weight += double(Q(t, j)) * double(K(i, j));
            total += weight;
            for (std::size_t c = 0; c < 3; ++c) sums[c] += weight * double(v.at(b, h, i, c));
          }
          for (std::size_t c = 0; c < 3; ++c)
            ASSERT_NEAR(out.at(b, h, t, c), sums[c] / total, 3 * kTolerance<T>) << choice.map << ' ' << t;
        }
      }
  }
}

/// Several jobs and chunks, with a mask and grouped heads, lengths that are no multiple of anything.
TYPED_TEST(AttentionOf, IsTheEstimator) {
  using T = TypeParam;
  const std::size_t queries = 150, keys = 1700;
  const auto q = Heads<T>::normal(2, 4, queries, 6, 1, 1), k = Heads<T>::normal(2, 2, keys, 6, 1, 2);
  const auto v = Heads<T>::normal(2, 2, keys, 19, 1, 3);
  std::unique_ptr<bool[]> seen(new bool[2 * keys]);
  for (std::size_t i = 0; i < 2 * keys; ++i) seen[i] = i % 3 != 1;
  const MatrixView<const bool> mask(seen.get(), 2, keys);
  for (const char* map : {"positive", "optimal_positive_paired"}) {
    AttentionOptions options{.map = map, .m = 20, .seed = 5};
    const bool optimal = options.map != "positive";
    if (optimal) options.parameters["A"] = -0.1;
    const Estimator estimator(6, options, optimal ? -0.1 : 0, 1 / std::sqrt(6.0));
    EXPECT_LT(distance(attend(q, k, v, options, mask), oracle(q, k, v, estimator, false, mask)), kTolerance<T>) << map;
    options.causal = true;
    const auto few = k.prefix(queries), short_values = v.prefix(queries);
    EXPECT_LT(distance(attend(q, few, short_values, options), oracle(q, few, short_values, estimator, true)),
              kTolerance<T>)
        << map;
  }
}

TYPED_TEST(AttentionOf, CausalIsBidirectionalOnPrefixesAndStepByStep) {
  using T = TypeParam;
  const std::size_t n = 1300;  // more than two segments
  const auto q = Heads<T>::normal(1, 4, n, 8, 1.5, 1), k = Heads<T>::normal(1, 2, n, 8, 1.5, 2);
  const auto v = Heads<T>::normal(1, 2, n, 5, 1, 3);
  AttentionOptions options{.m = 30, .causal = true};
  const Heads<T> whole = attend(q, k, v, options);
  AttentionOptions both = options;
  both.causal = false;
  both.parameters["A"] = attention<T>(q.view(), k.view(), v.view(), Heads<T>(1, 4, n, 5).view(), options).A[0];
  for (const std::size_t rows : {1u, 2u, 96u, 97u, 200u, 576u, 577u, 800u}) {
    const Heads<T> prefix = attend(q.prefix(rows), k.prefix(rows), v.prefix(rows), both);
    for (std::size_t h = 0; h < 4; ++h)
      for (std::size_t c = 0; c < 5; ++c)
        ASSERT_NEAR(prefix.at(0, h, rows - 1, c), whole.at(0, h, rows - 1, c), 2 * kTolerance<T>) << rows;
  }
  AttentionState<T> state({1, 4, 2, 8, 5}, options);
  Heads<T> stepped(1, 4, n, 5);
  for (std::size_t first = 0, step = 1; first < n; first += step) {
    step = std::min<std::size_t>(first % 7 == 3 ? 40 : 1, n - first);
    const auto part = [&](auto view) {
      view.data += first * view.row_stride;
      view.length = step;
      return view;
    };
    state.step(part(q.view()), part(k.view()), part(v.view()), part(stepped.view()));
    ASSERT_EQ(state.length(), first + step);
  }
  EXPECT_LT(distance(stepped, whole), kTolerance<T>);
  state.reset();
  Heads<T> again(1, 4, n, 5);
  state.step(q.view(), k.view(), v.view(), again.view());
  EXPECT_TRUE(again.same_bits(whole));
}

/// A of each key head from its own queries and unmasked keys: what fit finds.
TEST(Attention, ChoosesAForEachHead) {
  const std::size_t n = 70, d = 6;
  auto q = Heads<double>::normal(2, 2, n, d, 1, 1);
  const auto k = Heads<double>::normal(2, 2, n, d, 0.5, 2), v = Heads<double>::normal(2, 2, n, 4, 1, 3);
  for (std::size_t i = 0; i < n; ++i) q.at(1, 0, i, 2) += 3;
  Heads<double> out(2, 2, n, 4);
  for (const char* map : {"optimal_positive", "optimal_positive_paired"}) {
    const AttentionOptions options{.map = map, .m = 40};
    const AttentionReport report = attention<double>(q.view(), k.view(), v.view(), out.view(), options);
    ASSERT_EQ(report.A.size(), 4u);
    for (std::size_t head = 0; head < 4; ++head) {
      const auto features = make_features({.d = d,
                                           .kernel = "softmax",
                                           .map = map,
                                           .coupling = "orthogonal",
                                           .m = 40,
                                           .lengthscale = {std::pow(6.0, 0.25)}});
      features->fit(q.view().head(head / 2, head % 2), k.view().head(head / 2, head % 2));
      const double A = std::get<double>(features->spec().parameters.at("A"));
      EXPECT_NEAR(report.A[head], A, 1e-9 * std::abs(A));
      const Estimator estimator(d, options, A, 1 / std::sqrt(6.0));
      const Heads<double> expected = oracle(q, k, v, estimator, false);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(out.at(head / 2, head % 2, i, 1), expected.at(head / 2, head % 2, i, 1), 1e-9);
    }
  }
}

TEST(Attention, TakesStridedViews) {
  const std::size_t n = 30, d = 4;
  const auto packed = Heads<double>::normal(1, n, 3, 2 * d, 1, 1);  // (row, which of q k v, head and coordinate)
  const auto part = [&](std::size_t which) {
    return HeadsView<const double>(packed.numbers.data() + which * 2 * d, 1, 2, n, d, 0, d, 6 * d);
  };
  Heads<double> q(1, 2, n, d), k = q, v = q, out = q;
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < d; ++c) {
        q.at(0, h, i, c) = packed.at(0, i, 0, h * d + c);
        k.at(0, h, i, c) = packed.at(0, i, 1, h * d + c);
        v.at(0, h, i, c) = packed.at(0, i, 2, h * d + c);
      }
  for (const bool causal : {false, true}) {
    const AttentionOptions options{.m = 16, .causal = causal};
    attention<double>(part(0), part(1), part(2), out.view(), options);
    EXPECT_TRUE(out.same_bits(attend(q, k, v, options)));
  }
}

}  // namespace
}  // namespace bochner
