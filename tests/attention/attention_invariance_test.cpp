// SPDX-License-Identifier: Apache-2.0
// What a result must not depend on, bit by bit: the future, padding, batch mates, other heads, threads.
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <utility>

#include "attention/attention_cases.h"
#include "bochner/threads.h"

namespace bochner {
namespace {

using test::attend;
using test::Heads;

constexpr std::size_t kCases = 100;

struct Input {
  Heads<float> q, k, v;
};

/// Sizes from 0.3 to 10: references change never, or at many rows.
Input input(std::size_t n, std::uint64_t seed, std::size_t batch = 1, std::size_t heads = 1) {
  const double size = 0.3 * std::pow(10.0, static_cast<double>(seed % 7) / 4);
  return {Heads<float>::normal(batch, heads, n, 6, size, 3 * seed),
          Heads<float>::normal(batch, heads, n, 6, size, 3 * seed + 1),
          Heads<float>::normal(batch, heads, n, 20, 1, 3 * seed + 2)};
}

AttentionOptions options_of(std::uint64_t seed, bool causal) {
  const char* maps[] = {"positive", "optimal_positive", "positive_paired", "optimal_positive_paired"};
  return {.map = maps[seed % 4], .m = 13 + seed % 5, .seed = seed, .causal = causal};
}

TEST(AttentionInvariance, TheFutureDoesNotChangeThePast) {
  const Stream stream(1, Purpose::iid_entries);
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const std::size_t n = 2 + stream.bits(seed, 0) % (seed % 5 == 0 ? 1500 : 240),
                      kept = 1 + stream.bits(seed, 1) % (n - 1);
    const std::size_t longer = n + stream.bits(seed, 2) % 130;
    const Input one = input(n, seed);
    Input other = input(longer, seed + 1000);
    for (std::size_t i = 0; i < kept; ++i) {
      for (std::size_t c = 0; c < 6; ++c) other.q.at(0, 0, i, c) = one.q.at(0, 0, i, c);
      for (std::size_t c = 0; c < 6; ++c) other.k.at(0, 0, i, c) = one.k.at(0, 0, i, c);
      for (std::size_t c = 0; c < 20; ++c) other.v.at(0, 0, i, c) = one.v.at(0, 0, i, c);
    }
    for (std::size_t i = kept; i < longer; ++i) other.v.at(0, 0, i, i % 20) = i % 2 == 0 ? 1e18F : -1e18F;
    const AttentionOptions options = options_of(seed, true);
    EXPECT_TRUE(attend(one.q, one.k, one.v, options)
                    .prefix(kept)
                    .same_bits(attend(other.q, other.k, other.v, options).prefix(kept)))
        << seed << ' ' << n << ' ' << kept;
  }
}

TEST(AttentionInvariance, PaddingDoesNotCount) {
  const Stream stream(2, Purpose::iid_entries);
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const std::size_t n = 1 + stream.bits(seed, 0) % 200, longer = n + 1 + stream.bits(seed, 1) % 1700;
    const Input one = input(n, seed);
    Input padded = input(longer, seed + 1000);
    std::unique_ptr<bool[]> seen(new bool[longer]);
    for (std::size_t i = 0; i < longer; ++i) {
      seen[i] = i < n;
      for (std::size_t c = 0; c < 6; ++c)
        padded.k.at(0, 0, i, c) = i < n ? one.k.at(0, 0, i, c) : std::numeric_limits<float>::quiet_NaN();
      for (std::size_t c = 0; c < 20; ++c)
        padded.v.at(0, 0, i, c) = i < n ? one.v.at(0, 0, i, c) : std::numeric_limits<float>::infinity();
    }
    const AttentionOptions options = options_of(seed, false);
    EXPECT_TRUE(attend(one.q, one.k, one.v, options)
                    .same_bits(attend(one.q, padded.k, padded.v, options, {seen.get(), 1, longer})))
        << seed << ' ' << n << ' ' << longer;
  }
}

/// A padded batch of self-attention: what is masked as a key does not count as a query either, so that A and what
/// hybrids fit are those of the rows themselves. Hybrids refuse rows of any size.
TEST(AttentionInvariance, PaddedSelfAttentionIsThatOfItsRows) {
  const Stream stream(4, Purpose::iid_entries);
  for (std::uint64_t seed = 0; seed < kCases; ++seed)
    for (const char* map : {"optimal_positive", "optimal_positive_paired", "hybrid_gaussian"}) {
      const bool hybrid = map[0] == 'h';
      const std::size_t n = 1 + stream.bits(seed, 0) % 200, longer = n + 1 + stream.bits(seed, 1) % 200;
      const Input one = input(n, seed, 1, 2);
      Input padded = input(longer, seed + 1000, 1, 2);
      std::unique_ptr<bool[]> seen(new bool[longer]);
      for (std::size_t i = 0; i < longer; ++i) {
        seen[i] = i < n;
        for (std::size_t h = 0; h < 2; ++h)
          for (std::size_t c = 0; c < 20; ++c) {
            if (c < 6) padded.q.at(0, h, i, c) = i < n ? one.q.at(0, h, i, c) : hybrid ? 3.0F : 1e9F;
            if (c < 6) padded.k.at(0, h, i, c) = i < n ? one.k.at(0, h, i, c) : std::nanf("");
            padded.v.at(0, h, i, c) = i < n ? one.v.at(0, h, i, c) : std::numeric_limits<float>::infinity();
          }
      }
      AttentionOptions options = options_of(seed, false);
      options.map = map;
      EXPECT_TRUE(attend(one.q, one.k, one.v, options)
                      .same_bits(attend(padded.q, padded.k, padded.v, options, {seen.get(), 1, longer}).prefix(n)))
          << map << ' ' << seed << ' ' << n << ' ' << longer;
    }
}

/// What masked keys hold inside the rows, with and without causal.
TEST(AttentionInvariance, MaskedKeysAreNotRead) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::size_t n = 130;
    const Input one = input(n, seed);
    Input other = one;
    std::unique_ptr<bool[]> seen(new bool[n]);
    for (std::size_t i = 0; i < n; ++i) {
      seen[i] = (i * 7 + seed) % 5 != 0;
      if (seen[i]) continue;
      other.k.at(0, 0, i, 1) = std::numeric_limits<float>::quiet_NaN();
      other.v.at(0, 0, i, 2) = std::numeric_limits<float>::infinity();
    }
    for (const bool causal : {false, true}) {
      const MatrixView<const bool> mask(seen.get(), 1, n);
      const AttentionOptions options = options_of(seed, causal);
      EXPECT_TRUE(
          attend(one.q, one.k, one.v, options, mask).same_bits(attend(other.q, other.k, other.v, options, mask)))
          << seed << causal;
    }
  }
}

template <class Use>
void on_threads(std::initializer_list<int> counts, const Use& use) {
  const int before = num_threads();
  for (const int threads : counts) {
    set_num_threads(threads);
    use(threads);
  }
  set_num_threads(before);
}

/// One to four heads on fewer and on more threads: heads by themselves, and by pieces.
TEST(AttentionInvariance, ThreadsDoNotMeet) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Input all = input(seed < 4 ? 1500 : 150, seed, 1, 1 + seed % 4);
    for (const bool causal : {false, true}) {
      const AttentionOptions options = options_of(seed, causal);
      Heads<float> expected(0, 0, 0, 0);
      on_threads({1, 2, 3, 5, 8}, [&](int threads) {
        const Heads<float> out = attend(all.q, all.k, all.v, options);
        if (threads == 1) expected = out;
        EXPECT_TRUE(out.same_bits(expected)) << seed << causal << threads;
      });
    }
  }
}

/// A prompt of many rows goes by pieces, single rows do not; the state is the same.
TEST(AttentionInvariance, AStateDoesNotKnowThreads) {
  const Input all = input(1500, 3);
  const AttentionOptions options = options_of(3, true);
  Heads<float> expected(0, 0, 0, 0);
  on_threads({1, 2, 8}, [&](int threads) {
    AttentionState<float> state({1, 1, 1, 6, 20}, options);
    Heads<float> out(1, 1, 1500, 20);
    for (const auto& [first, last] : {std::pair{0, 150}, {150, 1400}, {1400, 1401}, {1401, 1500}}) {
      const auto part = [&](auto view) {
        view.data += static_cast<std::size_t>(first) * view.row_stride;
        view.length = static_cast<std::size_t>(last - first);
        return view;
      };
      state.step(part(all.q.view()), part(all.k.view()), part(all.v.view()), part(out.view()));
    }
    if (threads == 1) expected = out;
    EXPECT_TRUE(out.same_bits(expected)) << threads;
  });
}

TEST(AttentionInvariance, HeadsDoNotMeet) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::size_t n = seed < 2 ? 1300 : 150;
    const Input all = input(n, seed, 2, 2);
    for (const bool causal : {false, true}) {
      const AttentionOptions options = options_of(seed, causal);
      const Heads<float> out = attend(all.q, all.k, all.v, options);
      for (std::size_t head = 0; head < 4; ++head) {
        const auto alone = [&](const Heads<float>& whole) {
          Heads<float> one(1, 1, n, whole.dim);
          std::copy_n(&whole.at(head / 2, head % 2, 0, 0), n * whole.dim, one.numbers.begin());
          return one;
        };
        EXPECT_TRUE(alone(out).same_bits(attend(alone(all.q), alone(all.k), alone(all.v), options))) << seed << causal;
      }
    }
  }
}

}  // namespace
}  // namespace bochner
