// SPDX-License-Identifier: Apache-2.0
#include "core/errors.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>

namespace bochner {
namespace {

constexpr std::string_view kMaps[] = {"trigonometric", "cosine", "positive", "positive_paired", "sign", "rff"};

std::string sentence_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no std::invalid_argument";
}

TEST(Errors, RefuseNamesArgumentValueAndWhatIsAllowed) {
  EXPECT_EQ(sentence_of([] { refuse("m", "0", "at least 1"); }), "m is 0; expected at least 1");
}

TEST(Errors, RefuseNameSuggestsTheNearest) {
  EXPECT_EQ(sentence_of([] { refuse_name("map", "trigonometrc", kMaps); }),
            "unknown map 'trigonometrc'; did you mean 'trigonometric'? "
            "known: trigonometric, cosine, positive, positive_paired, sign, rff");
}

TEST(Errors, RefuseNameWithoutANearOne) {
  EXPECT_EQ(sentence_of([] { refuse_name("map", "zzzzzzzz", kMaps); }),
            "unknown map 'zzzzzzzz'; known: trigonometric, cosine, positive, positive_paired, sign, rff");
}

TEST(NearestName, InsertionDeletionReplacementSwapAndCase) {
  for (const std::string_view name : {"cosin", "cossine", "cozine", "csoine", "COSINE", "Cosnie"})
    EXPECT_EQ(nearest_name(name, kMaps), "cosine") << name;
  EXPECT_EQ(nearest_name("positiv", kMaps), "positive");
  EXPECT_EQ(nearest_name("positive_pared", kMaps), "positive_paired");
}

TEST(NearestName, ASwapOfNeighboursIsOneStep) {
  constexpr std::string_view known[] = {"xbad", "abc"};  // "bac": 1 from abc by a swap, 2 by replacements
  EXPECT_EQ(nearest_name("bac", known), "abc");
  constexpr std::string_view two[] = {"ab"};  // one step is allowed for two letters
  EXPECT_EQ(nearest_name("ba", two), "ab");
}

TEST(NearestName, AtMostHalfOfTheKnownName) {
  constexpr std::string_view known[] = {"sign"};
  EXPECT_EQ(nearest_name("sixx", known), "sign");
  EXPECT_EQ(nearest_name("sxxx", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("signxx", known), "sign");
  EXPECT_EQ(nearest_name("signxxx", known), "");
  EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(NearestName, TheFirstOfEquallyNear) {
  constexpr std::string_view known[] = {"abcd", "abce"};
  EXPECT_EQ(nearest_name("abcx", known), "abcd");
}

TEST(NearestName, AHugeNameCostsNothing) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(nearest_name(std::string(100000000, 'x'), kMaps), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace bochner
