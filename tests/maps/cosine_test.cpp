// SPDX-License-Identifier: Apache-2.0
// The phases of the cosine map.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/stream.h"
#include "maps/feature_map.h"
#include "support/given_projection.h"
#include "support/statistics.h"

namespace bochner {
namespace {

std::vector<double> phases(std::uint64_t seed, std::size_t m) {
  const Map& cosine =
      **std::find_if(all_maps().begin(), all_maps().end(), [](const Map* map) { return map->entry.name == "cosine"; });
  const testing::GivenProjection projection(Matrix<double>(m, 1, 0.0));
  const Parameters none;
  const std::vector<double> zero(1, 0.0);
  Matrix<double> Z(1, m);
  cosine.make({0.0, 1, m, seed, none, projection})
      ->transform(Rows<double>{{zero.data(), 1, 1}, zero, Side::query, 0, false}, projection, Z.view());
  return projection.offsets;
}

TEST(CosinePhases, AreUniformOnTheCircle) {
  std::vector<double> turns = phases(5, 20000);
  for (double& turn : turns) turn -= std::floor(turn);
  EXPECT_GT(testing::ks_p_value(turns, [](double u) { return u; }), testing::kLeastP);
}

/// In turns within half a turn of 0: there the sum with a projection is rounded finest.
TEST(CosinePhases, AreTheStreamsUniformNumbers) {
  const std::vector<double> turns = phases(42, 50);
  const Stream stream(42, Purpose::phases);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    EXPECT_EQ(turns[i] < 0 ? turns[i] + 1 : turns[i], stream.uniform(i, 0)) << i;
    EXPECT_LE(std::abs(turns[i]), 0.5);
  }
}

TEST(CosinePhases, FollowTheSeed) {
  const std::vector<double> a = phases(1, 40), b = phases(2, 40);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NE(a[i], b[i]) << i;
  EXPECT_EQ(a, phases(1, 40));
}

TEST(CosinePhases, OfFewDirectionsAreTheFirstOfMany) {
  const std::vector<double> few = phases(3, 7), many = phases(3, 70);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

}  // namespace
}  // namespace bochner
