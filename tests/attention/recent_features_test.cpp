// SPDX-License-Identifier: Apache-2.0
#include "attention/recent_features.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace bochner {
namespace {

TEST(RecentFeatures, AreDrawnOnceForEqualOptions) {
  const AttentionOptions options{.map = "positive", .m = 8, .seed = 12345};
  const auto first = recent_features(4, options);
  EXPECT_EQ(recent_features(4, options), first);
}

TEST(RecentFeatures, EveryOptionThatMattersIsLookedAt) {
  const AttentionOptions options{.map = "optimal_positive", .m = 8, .seed = 12346};
  const auto first = recent_features(4, options);
  std::vector<AttentionOptions> others(7, options);
  others[0].map = "positive";
  others[1].coupling = "iid";
  others[2].m = 9;
  others[3].seed = 1;
  others[4].parameters = {{"A", -0.1}};
  others[5].scale = 1.0;
  others[6].causal = true;
  for (const AttentionOptions& other : others) EXPECT_NE(recent_features(4, other), first);
  EXPECT_NE(recent_features(5, options), first);
  EXPECT_EQ(recent_features(4, options), first);
}

TEST(RecentFeatures, OldAndLargeOnesAreNotKept) {
  const AttentionOptions options{.map = "positive", .m = 8, .seed = 12347}, large{.map = "positive", .m = 1 << 15};
  const auto first = recent_features(4, options);
  EXPECT_NE(recent_features(4, large), recent_features(4, large));
  for (std::uint64_t seed = 0; seed < 32; ++seed) recent_features(4, {.map = "positive", .m = 1, .seed = seed});
  EXPECT_NE(recent_features(4, options), first);
}

TEST(RecentFeatures, MayBeAskedForByManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (std::uint64_t i = 0; i < 200; ++i) {
        const auto features = recent_features(3, {.map = "positive", .m = 4, .seed = i % 40});
        EXPECT_EQ(features->features().spec().seed, i % 40);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace bochner
