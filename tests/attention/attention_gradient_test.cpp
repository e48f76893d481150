// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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

template <class T>
struct Gradients {
  Heads<T> q, k, v;
};

template <class T>
Gradients<T> gradients(const Heads<T>& q, const Heads<T>& k, const Heads<T>& v, const Heads<T>& grad,
                       const AttentionOptions& options, MatrixView<const bool> mask = {}) {
  Gradients<T> found{q, k, v};
  attention_gradient<T>(q.view(), k.view(), v.view(), grad.view(), found.q.view(), found.k.view(), found.v.view(),
                        options, mask);
  return found;
}

/// Central differences of grad . out by every entry: error h^2 / 6 times a third derivative, and 1e-15 / h.
void expect_differences(Heads<double>& changed, const Heads<double>& found, const std::function<double()>& value,
                        const std::string& where) {
  const double h = 2e-5;
  for (std::size_t i = 0; i < changed.numbers.size(); i += 61) {
    const double before = changed.numbers[i];
    changed.numbers[i] = before + h;
    const double above = value();
    changed.numbers[i] = before - h;
    const double below = value();
    changed.numbers[i] = before;
    ASSERT_NEAR(found.numbers[i], (above - below) / (2 * h), 2e-8) << where << i;
  }
}

TEST(AttentionGradient, IsTheLimitOfDifferences) {
  const std::size_t n = 603;  // more than a segment
  auto q = Heads<double>::normal(1, 4, n, 3, 1, 1), k = Heads<double>::normal(1, 2, n, 3, 1, 2);
  auto v = Heads<double>::normal(1, 2, n, 2, 1, 3);
  const auto grad = Heads<double>::normal(1, 4, n, 2, 1, 4);
  std::unique_ptr<bool[]> seen(new bool[n]);
  for (std::size_t i = 0; i < n; ++i) seen[i] = i % 5 != 3;
  const MatrixView<const bool> mask(seen.get(), 1, n);
  for (const bool causal : {false, true})
    for (const char* map : {"positive", "optimal_positive_paired"}) {
      AttentionOptions options{.map = map, .m = 5, .causal = causal};
      if (map[0] == 'o') options.parameters["A"] = -0.1;
      const auto value = [&] {
        const Heads<double> out = attend(q, k, v, options, mask);
        double sum = 0;
        for (std::size_t i = 0; i < out.numbers.size(); ++i) sum += out.numbers[i] * grad.numbers[i];
        return sum;
      };
      const Gradients<double> found = gradients(q, k, v, grad, options, mask);
      const std::string where = std::string(map) + (causal ? " causal " : " ");
      expect_differences(q, found.q, value, where + "q");
      expect_differences(k, found.k, value, where + "k");
      expect_differences(v, found.v, value, where + "v");
    }
}

/// Values and gradients of 2^59, near the largest that are taken: those of ordinary size times powers of two, bit by
/// bit.
TEST(AttentionGradient, LargeValuesAndGradientsDoNotOverflow) {
  const auto q = Heads<float>::normal(1, 2, 700, 8, 1, 1), k = Heads<float>::normal(1, 1, 700, 8, 1, 2);
  auto v = Heads<float>::normal(1, 1, 700, 8, 0.5, 3), grad = Heads<float>::normal(1, 2, 700, 8, 0.5, 4);
  for (const bool causal : {false, true}) {
    const AttentionOptions options{.map = "positive", .m = 16, .causal = causal};
    auto large = v, steep = grad;
    for (Heads<float>* rows : {&large, &steep})
      for (float& number : rows->numbers) number = std::clamp(number, -1.5F, 1.5F) * 0x1p59F;
    for (Heads<float>* rows : {&v, &grad})
      for (float& number : rows->numbers) number = std::clamp(number, -1.5F, 1.5F);
    const Gradients<float> found = gradients(q, k, large, steep, options);
    const Gradients<float> plain = gradients(q, k, v, grad, options);
    const auto expect_times = [&](const Heads<float>& a, const Heads<float>& b, float factor) {
      for (std::size_t i = 0; i < a.numbers.size(); ++i) ASSERT_EQ(a.numbers[i], b.numbers[i] * factor) << causal << i;
    };
    expect_times(found.q, plain.q, 0x1p118F);
    expect_times(found.k, plain.k, 0x1p118F);
    expect_times(found.v, plain.v, 0x1p59F);
  }
}

/// A of each head is that of the result; long rows, many references: |x|^2/2 up to about 144, as for results.
TEST(AttentionGradient, InFloatIsThatInDouble) {
  for (const double size : {1.0, 6.0, 10.0})
    for (const bool causal : {false, true}) {
      const std::size_t n = 300;
      const auto q = Heads<float>::normal(1, 2, n, 8, size, 1), k = Heads<float>::normal(1, 2, n, 8, size, 2);
      const auto v = Heads<float>::normal(1, 2, n, 6, 1, 3), grad = Heads<float>::normal(1, 2, n, 6, 1, 4);
      const auto wide = [](const Heads<float>& from) {
        Heads<double> to(from.batch, from.heads, from.length, from.dim);
        std::copy(from.numbers.begin(), from.numbers.end(), to.numbers.begin());
        return to;
      };
      const AttentionOptions options{.m = 24, .causal = causal};
      const auto single = gradients(q, k, v, grad, options);
      const auto exact = gradients(wide(q), wide(k), wide(v), wide(grad), options);
      const auto error = [](const Heads<float>& found, const Heads<double>& expected) {
        double largest = 0;
        for (const double number : expected.numbers) largest = std::max(largest, std::abs(number));
        return distance(found, expected) / largest;
      };
      EXPECT_LT(error(single.q, exact.q), 1e-5) << size << causal;
      EXPECT_LT(error(single.k, exact.k), 1e-5) << size << causal;
      EXPECT_LT(error(single.v, exact.v), 1e-5) << size << causal;
    }
}

TEST(AttentionGradient, OfNothingIsZeroAndMasksAreNotRead) {
  auto q = Heads<double>::normal(1, 1, 4, 3, 1, 1), k = Heads<double>::normal(1, 1, 4, 3, 1, 2);
  auto v = Heads<double>::normal(1, 1, 4, 2, 1, 3);
  const bool none[4] = {}, some[4] = {true, false, true, true};
  for (const bool causal : {false, true}) {
    const AttentionOptions options{.map = "positive", .m = 8, .causal = causal};
    const auto empty = gradients(q, k, v, v, options, {none, 1, 4});
    for (const auto* part : {&empty.q, &empty.k, &empty.v})
      for (const double number : part->numbers) EXPECT_EQ(number, 0.0);
    const auto expected = gradients(q, k, v, v, options, {some, 1, 4});
    auto spoiled_k = k, spoiled_v = v;
    spoiled_k.at(0, 0, 1, 0) = spoiled_v.at(0, 0, 1, 1) = std::numeric_limits<double>::quiet_NaN();
    const auto found = gradients(q, spoiled_k, spoiled_v, v, options, {some, 1, 4});
    EXPECT_TRUE(found.q.same_bits(expected.q) && found.k.same_bits(expected.k) && found.v.same_bits(expected.v));
  }
}

/// Heads by themselves and by pieces; grouped heads add to the same keys in order.
TEST(AttentionGradient, ThreadsDoNotMatter) {
  const int before = num_threads();
  const std::size_t n = 1300;
  for (const bool causal : {false, true})
    for (const double size : {1.0, 6.0}) {
      const auto q = Heads<float>::normal(1, 6, n, 4, size, 1), k = Heads<float>::normal(1, 3, n, 4, size, 2);
      const auto v = Heads<float>::normal(1, 3, n, 3, 1, 3), grad = Heads<float>::normal(1, 6, n, 3, 1, 4);
      const AttentionOptions options{.m = 12, .causal = causal};
      set_num_threads(1);
      const auto expected = gradients(q, k, v, grad, options);
      for (const int threads : {2, 8}) {
        set_num_threads(threads);
        const auto found = gradients(q, k, v, grad, options);
        EXPECT_TRUE(found.q.same_bits(expected.q) && found.k.same_bits(expected.k) && found.v.same_bits(expected.v))
            << causal << size << threads;
      }
    }
  set_num_threads(before);
}

TEST(AttentionGradient, RefusesWhatHasNone) {
  const auto x = Heads<double>::normal(1, 1, 4, 3, 1, 1);
  AttentionOptions options{.map = "poisson_positive", .coupling = "iid", .m = 4};
  options.parameters = {{"rate", 2.0}, {"shift", std::vector<double>(3, -9.0)}};
  EXPECT_NE(test::refusal([&] { gradients(x, x, x, x, options); }).find("expected an exponential map"),
            std::string::npos);
  Heads<double> wrong(1, 1, 4, 2), right = x;
  EXPECT_EQ(test::refusal([&] {
              attention_gradient<double>(x.view(), x.view(), x.view(), x.view(), wrong.view(), right.view(),
                                         right.view());
            }),
            "dq is an array of shape (1, 1, 4, 2); expected (1, 1, 4, 3)");
  EXPECT_EQ(test::refusal([&] { gradients(x, x, x, wrong, {}); }),
            "grad is an array of shape (1, 1, 4, 2); expected dim 3, as v has");
  right.at(0, 0, 2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(test::refusal([&] { gradients(x, x, x, right, {}); }),
            "grad has nan at [0, 0, 2, 1]; expected a finite number");
}

}  // namespace
}  // namespace bochner
