// SPDX-License-Identifier: Apache-2.0
#include "support/scale.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace bochner::test {
namespace {

TEST(Scale, IsOneWhenUnset) {
  unsetenv("BOCHNER_TEST_SCALE");
  EXPECT_EQ(scaled(2000), 2000U);
  setenv("BOCHNER_TEST_SCALE", "", 1);
  EXPECT_EQ(scaled(2000), 2000U);
}

TEST(Scale, MultipliesRoundsUpAndKeepsTheFloor) {
  setenv("BOCHNER_TEST_SCALE", "0.05", 1);
  EXPECT_EQ(scaled(2000), 100U);
  EXPECT_EQ(scaled(21), 2U);
  EXPECT_EQ(scaled(1), 1U);
  EXPECT_EQ(scaled(2000, 500), 500U);
  setenv("BOCHNER_TEST_SCALE", "2", 1);
  EXPECT_EQ(scaled(2000, 500), 4000U);
}

TEST(Scale, RefusesWhatIsNotAPositiveNumber) {
  for (const char* text : {"0", "-1", "nan", "inf", "fast", "0.5x"}) {
    setenv("BOCHNER_TEST_SCALE", text, 1);
    EXPECT_THROW(scaled(10), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace bochner::test
