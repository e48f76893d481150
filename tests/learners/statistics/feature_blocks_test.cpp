// SPDX-License-Identifier: Apache-2.0
#include "learners/statistics/feature_blocks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "learners/given_features.h"

namespace bochner {
namespace {

/// 200 rows, three blocks of 64 and one of 8, that carry their number.
class FeatureBlocksTest : public testing::Test {
 protected:
  FeatureBlocksTest() : X(200, 1), labels(200, 0), rows{features, MatrixView<const double>(X), labels, {}} {
    for (std::size_t i = 0; i < 200; ++i) X(i, 0) = static_cast<double>(i);
  }

  /// The rows that are wanted of those visited, by the number their features tell.
  std::set<std::size_t> visited(const FeatureBlocks& blocks, const FeatureBlocks::Wanted& wanted) {
    std::set<std::size_t> numbers;
    std::mutex mutex;
    blocks.for_each(
        [&](const FeatureBlocks::Block& block) {
          const std::scoped_lock lock(mutex);
          const auto Z = std::get<MatrixView<const double>>(block.Z);
          ASSERT_EQ(Z.rows(), std::popcount(block.rows));
          std::size_t i = 0;
          for (std::size_t bit = 0; bit < 64; ++bit) {
            if (!(block.rows >> bit & 1)) continue;
            EXPECT_EQ(Z(i, 0), static_cast<double>(64 * block.block + bit));
            EXPECT_EQ(Z(i++, 1), 1);
            if (wanted(block.block) >> bit & 1) numbers.insert(64 * block.block + bit);
          }
        },
        wanted);
    return numbers;
  }

  std::atomic<std::size_t> computed{0};
  test::GivenFeatures features{1, 2, [this](std::span<const double> x, std::size_t j) {
                                 computed += j;
                                 return j == 0 ? x[0] : 1.0;
                               }};
  Matrix<double> X;
  std::vector<std::int64_t> labels;
  LabelledRows rows;
};

/// Of the blocks every third row, none, all, and one beyond the end.
std::uint64_t some(std::size_t block) {
  constexpr std::uint64_t kWanted[] = {0x9249249249249249, 0, ~std::uint64_t{0}, std::uint64_t{1} << 9 | 1};
  return kWanted[block];
}

TEST_F(FeatureBlocksTest, OnlyWantedRowsAreComputed) {
  const FeatureBlocks blocks(rows, 2, 0);
  EXPECT_EQ(blocks.blocks(), 4);
  EXPECT_EQ(visited(blocks, some).size(), 22 + 64 + 1);
  EXPECT_EQ(computed, 22 + 64 + 1);
}

TEST_F(FeatureBlocksTest, KeptRowsAreComputedOnce) {
  const FeatureBlocks blocks(rows, 2, 200 * 2 * sizeof(double));
  EXPECT_EQ(computed, 200);
  for (int pass = 0; pass < 2; ++pass) EXPECT_EQ(visited(blocks, some).size(), 22 + 64 + 1);
  EXPECT_EQ(computed, 200);
}

TEST_F(FeatureBlocksTest, SumsOfAllSegmentsStayBelowTheirMemory) {
  EXPECT_EQ(FeatureBlocks(rows, 2, 0).segments(), 4);
  EXPECT_EQ(FeatureBlocks(rows, std::size_t{1} << 21, 0).segments(), 2);
  EXPECT_EQ(FeatureBlocks(rows, std::size_t{1} << 30, 0).segments(), 1);
}

}  // namespace
}  // namespace bochner
