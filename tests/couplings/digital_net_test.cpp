// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "couplings/quasi_random.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using Net = std::vector<NetCoordinate>;

Net scrambled_net(std::size_t d, unsigned columns, std::uint64_t seed) {
  Net net = sobol_net(d, columns);
  for (std::size_t j = 0; j < d; ++j) scramble(seed, j, net[j]);
  return net;
}

/// Calls visit with every way to write `total` as a sum of s whole numbers >= 0.
template <class Visit>
void for_each_composition(unsigned total, std::vector<unsigned>& parts, std::size_t s, const Visit& visit) {
  if (parts.size() + 1 == s) {
    parts.push_back(total);
    visit(parts);
    parts.pop_back();
    return;
  }
  for (unsigned part = 0; part <= total; ++part) {
    parts.push_back(part);
    for_each_composition(total - part, parts, s, visit);
    parts.pop_back();
  }
}

/// Whether the first 2^columns points are a (t, columns, s)-net in base 2: every interval prod [a_j 2^-k_j, (a_j + 1)
/// 2^-k_j) with sum k_j = columns - t holds exactly 2^t of them.
bool is_net(const Net& net, unsigned columns, unsigned t) {
  bool holds = true;
  std::vector<unsigned> parts;
  for_each_composition(columns - t, parts, net.size(), [&](const std::vector<unsigned>& depths) {
    std::vector<std::size_t> counts(std::size_t{1} << (columns - t), 0);
    for (std::uint64_t n = 0; n < std::uint64_t{1} << columns; ++n) {
      std::uint64_t cell = 0;
      for (std::size_t j = 0; j < net.size(); ++j)
        cell = (cell << depths[j]) | (net[j].point(n) >> (kNetDigits - depths[j]));
      ++counts[cell];
    }
    holds = holds && std::ranges::all_of(counts, [&](std::size_t count) { return count == std::size_t{1} << t; });
  });
  return holds;
}

TEST(DigitalNet, EveryElementaryIntervalHoldsItsShare) {
  // t = sum of (degree of polynomial j - 1): degrees 0, 1, 2, 3 of the first four coordinates.
  for (const auto& [d, t] : {std::pair(1u, 0u), std::pair(2u, 0u), std::pair(3u, 1u), std::pair(4u, 3u)}) {
    EXPECT_TRUE(is_net(sobol_net(d, 9), 9, t)) << d;
    for (std::uint64_t seed = 0; seed < 5; ++seed) EXPECT_TRUE(is_net(scrambled_net(d, 9, seed), 9, t)) << d;
  }
  EXPECT_FALSE(is_net(sobol_net(3, 9), 9, 0));  // no such net of three dimensions starts the sequence
}

TEST(DigitalNet, EveryCoordinateIsAPermutationOfTheGrid) {
  for (const Net& net : {sobol_net(kSobolDimensions, 6), scrambled_net(kSobolDimensions, 6, 3)})
    for (const NetCoordinate& coordinate : net) ASSERT_TRUE(is_net({coordinate}, 6, 0));
}

TEST(DigitalNet, KnownPoints) {
  // Point 3001 in Gray code order of the direction numbers new-joe-kuo-6, as scipy.stats.qmc.Sobol has it.
  const Net net = sobol_net(kSobolDimensions, 12);
  constexpr std::uint64_t kIndex = 3001 ^ (3001 >> 1);
  const auto point = [&](std::size_t j) { return net[j].point(kIndex) >> (kNetDigits - 12); };
  EXPECT_EQ(point(0), 2663u);
  EXPECT_EQ(point(1), 3433u);
  EXPECT_EQ(point(2), 339u);
  EXPECT_EQ(point(10), 2331u);
  EXPECT_EQ(point(100), 3115u);
  EXPECT_EQ(point(1000), 3295u);
  EXPECT_EQ(point(3666), 1227u);
  for (const NetCoordinate& coordinate : net) EXPECT_EQ(coordinate.point(1), std::uint64_t{1} << (kNetDigits - 1));
}

TEST(DigitalNet, ScramblesAreUniformAndIndependentFromCoordinateToCoordinate) {
  std::vector<double> first, second;
  std::vector<std::size_t> corners(16, 0);  // of the two top digits of both coordinates
  constexpr std::uint64_t kSeeds = 20'000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Net net = scrambled_net(2, 5, seed);
    first.push_back(static_cast<double>(net[0].point(21)) * 0x1p-52);
    second.push_back(static_cast<double>(net[1].point(21)) * 0x1p-52);
    ++corners[(net[0].point(21) >> 50) * 4 + (net[1].point(21) >> 50)];
  }
  const auto uniform = [](double u) { return u; };
  EXPECT_GT(testing::ks_p_value(first, uniform), testing::kLeastP);
  EXPECT_GT(testing::ks_p_value(second, uniform), testing::kLeastP);
  EXPECT_GT(testing::uniform_chi_square_p_value(corners), testing::kLeastP);
}

TEST(DigitalNet, TheMatrixIsRandomBelowItsDiagonal) {
  // Point 1 is 0.1000...; with the shift taken off, digits 2 to 52 of its scramble are fair coins.
  std::vector<std::size_t> counts(8, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const NetCoordinate coordinate = scrambled_net(1, 1, seed)[0];
    const std::uint64_t digits = coordinate.point(1) ^ coordinate.point(0);
    ASSERT_EQ(digits >> 51, 1u);
    ++counts[(digits >> 48) & 7];
    ++counts[digits & 7];
  }
  EXPECT_GT(testing::uniform_chi_square_p_value(counts), testing::kLeastP);
}

TEST(RadicalInverse, KnownValues) {
  const auto value = [](std::uint64_t n, std::uint64_t b) {
    return static_cast<double>(radical_inverse(n, b)) * 0x1p-52;
  };
  EXPECT_EQ(value(1, 2), 0.5);
  EXPECT_EQ(value(6, 2), 0.375);
  EXPECT_EQ(value(0, 7), 0.0);
  // scipy.stats.qmc.Halton, point 1000.
  EXPECT_NEAR(value(1000, 2), 0.0927734375, 0x1p-52);
  EXPECT_NEAR(value(1000, 3), 0.3475080018289895, 0x1p-51);
  EXPECT_NEAR(value(1000, 5), 0.00512, 0x1p-52);
  EXPECT_NEAR(value(1000, 71), 0.08728426899424717, 0x1p-52);
  EXPECT_LT(radical_inverse((std::uint64_t{1} << 52) - 1, 2), std::uint64_t{1} << 52);
}

TEST(RadicalInverse, FirstPrimes) {
  EXPECT_EQ(first_primes(0).size(), 0u);
  EXPECT_EQ(first_primes(6), (std::vector<std::uint64_t>{2, 3, 5, 7, 11, 13}));
  const std::vector<std::uint64_t> primes = first_primes(10'000);
  EXPECT_EQ(primes.size(), 10'000u);
  EXPECT_EQ(primes.back(), 104'729u);
}

}  // namespace
}  // namespace bochner
