// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits, and attention on them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "attention/attention_cases.h"
#include "bochner/half.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::attend;
using test::Heads;
using test::refusal;

/// Every number of 16 bits comes back; between neighbours the nearer one wins, and the even one of two as near.
template <class Half>
void expect_nearest() {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    const float number = static_cast<float>(half);
    if (std::isnan(number)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(number))));
      continue;
    }
    ASSERT_EQ(Half(number).bits, half.bits);
    Half next = half;
    ++next.bits;
    const float above = static_cast<float>(next);
    if (!std::isfinite(number) || !std::isfinite(above) || std::signbit(number) != std::signbit(above)) continue;
    const float middle = number + (above - number) / 2;  // exact: both have few bits
    ASSERT_EQ(Half(middle).bits, bits % 2 == 0 ? half.bits : next.bits) << middle;
    ASSERT_EQ(Half(std::nextafter(middle, number)).bits, half.bits) << middle;
    ASSERT_EQ(Half(std::nextafter(middle, above)).bits, next.bits) << middle;
  }
}

TEST(Half, RoundsToTheNearest) {
  expect_nearest<Float16>();
  expect_nearest<BFloat16>();
  EXPECT_EQ(static_cast<float>(Float16(65504.0F)), 65504.0F);
  EXPECT_EQ(static_cast<float>(Float16(65520.0F)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(static_cast<float>(Float16(std::nextafter(65520.0F, 0.0F))), 65504.0F);
  EXPECT_EQ(static_cast<float>(Float16(-1e-10F)), 0.0F);
}

template <class Half>
Heads<Half> narrowed(const Heads<float>& from) {
  Heads<Half> to(from.batch, from.heads, from.length, from.dim);
  for (std::size_t i = 0; i < from.numbers.size(); ++i) to.numbers[i] = Half(from.numbers[i]);
  return to;
}
template <class Half>
Heads<float> widened(const Heads<Half>& from) {
  Heads<float> to(from.batch, from.heads, from.length, from.dim);
  for (std::size_t i = 0; i < from.numbers.size(); ++i) to.numbers[i] = static_cast<float>(from.numbers[i]);
  return to;
}

/// The state is float: the results are those of float, rounded once.
template <class Half>
void expect_rounded_float() {
  const std::size_t n = 700;
  const auto q = narrowed<Half>(Heads<float>::normal(1, 4, n, 6, 1, 1));
  const auto k = narrowed<Half>(Heads<float>::normal(1, 2, n, 6, 1, 2));
  const auto v = narrowed<Half>(Heads<float>::normal(1, 2, n, 19, 1, 3));
  std::unique_ptr<bool[]> seen(new bool[n]);
  for (std::size_t i = 0; i < n; ++i) seen[i] = i % 3 != 1;
  for (const bool causal : {false, true})
    for (const char* map : {"optimal_positive", "hybrid_angular"}) {
      const AttentionOptions options{.map = map, .m = 8, .causal = causal};
      const MatrixView<const bool> mask(seen.get(), 1, n);
      const Heads<float> expected = attend(widened(q), widened(k), widened(v), options, mask);
      EXPECT_TRUE(attend(q, k, v, options, mask).same_bits(narrowed<Half>(expected))) << map << causal;
    }
  auto bad = k;
  bad.at(0, 1, 4, 2) = Half(std::numeric_limits<float>::infinity());
  EXPECT_EQ(refusal([&] { attend(q, bad, v, AttentionOptions{.m = 8}); }),
            "k has inf at [0, 1, 4, 2]; expected a finite number");
}

TEST(AttentionHalf, IsThatOfFloatRounded) {
  expect_rounded_float<Float16>();
  expect_rounded_float<BFloat16>();
}

}  // namespace
}  // namespace bochner
