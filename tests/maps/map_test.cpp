// SPDX-License-Identifier: Apache-2.0
// What every line of maps.def promises of itself, and the phases of the cosine map.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/stream.h"
#include "maps/feature_map.h"
#include "support/statistics.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 3;

MapRequest request(double norm_exponent, std::size_t m, std::uint64_t seed) {
  static const Parameters parameters = {{"A", -0.1}};
  static const std::vector<double> squared_norms(1 << 15, 4.0);
  return {norm_exponent, 4, m, seed, parameters, std::span(squared_norms).first(m)};
}

class EveryMap : public ::testing::TestWithParam<const Map*> {};

TEST_P(EveryMap, FinishHasItsWidth) {
  const std::vector<double> norms(kRows, 1.0);
  std::vector<double> terms(kRows);
  EXPECT_EQ(simd::width(GetParam()->make(request(0.0, 5, 1))->finish(norms, terms).shape), GetParam()->width);
}

TEST_P(EveryMap, ScaleFallsWithTheRootOfTheDirections) {
  const std::vector<double> norms(kRows, 0.0);
  std::vector<double> terms(kRows);
  const double one = GetParam()->make(request(0.5, 1, 1))->finish(norms, terms).scale;
  for (const std::size_t m : {2, 3, 100, 4096}) {
    const double scale = GetParam()->make(request(0.5, m, 1))->finish(norms, terms).scale;
    EXPECT_NEAR(scale * std::sqrt(static_cast<double>(m)), one, 1e-15) << m;
  }
}

TEST_P(EveryMap, FloatAndDoubleFinishAlike) {
  const std::vector<double> norms = {0.25, 1.0, 4.0};
  const std::vector<float> float_norms(norms.begin(), norms.end());
  std::vector<double> terms(kRows, 0.0);
  std::vector<float> float_terms(kRows, 0.0f);
  const auto map = GetParam()->make(request(0.5, 6, 9));
  const simd::Finish<double> exact = map->finish(norms, terms);
  const simd::Finish<float> rounded = map->finish(float_norms, float_terms);
  EXPECT_EQ(exact.shape, rounded.shape);
  EXPECT_EQ(static_cast<float>(exact.scale), rounded.scale);
  EXPECT_EQ(exact.row_scale == nullptr, rounded.row_scale == nullptr);
  EXPECT_EQ(exact.row_offset == nullptr, rounded.row_offset == nullptr);
  ASSERT_EQ(exact.column_offset == nullptr, rounded.column_offset == nullptr);
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_EQ(static_cast<float>(terms[i]), float_terms[i]) << i;
  for (std::size_t j = 0; exact.column_offset != nullptr && j < 6; ++j)
    EXPECT_EQ(static_cast<float>(exact.column_offset[j]), rounded.column_offset[j]) << j;
}

INSTANTIATE_TEST_SUITE_P(Maps, EveryMap, ::testing::ValuesIn(all_maps().begin(), all_maps().end()),
                         [](const auto& test) { return std::string(test.param->entry.name); });

std::vector<double> phases(std::uint64_t seed, std::size_t m) {
  const Map& cosine =
      **std::find_if(all_maps().begin(), all_maps().end(), [](const Map* map) { return map->entry.name == "cosine"; });
  std::vector<double> norms(1), terms(1);
  const auto map = cosine.make(request(0.0, m, seed));
  const simd::Finish<double> finish = map->finish(norms, terms);
  return {finish.column_offset, finish.column_offset + m};
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
