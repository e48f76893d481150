// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "learners/ridge/ridge_path.h"

namespace bochner {
namespace {

using Errors = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Alphas descend along the errors, so the first is the largest.
TEST(BestOf, IsTheLeastOrTheFirstWithinAThousandthOfIt) {
  EXPECT_EQ(best_of(Errors{3, 2, 1, 2}), 2u);
  EXPECT_EQ(best_of(Errors{3, 1.0009, 1, 2}), 1u);
  EXPECT_EQ(best_of(Errors{3, 1.0011, 1, 2}), 2u);
  EXPECT_EQ(best_of(Errors{1.0009, 1.5, 1}), 0u);
  EXPECT_EQ(best_of(Errors{2000, 1000.9, 1000}), 1u);
}

TEST(BestOf, OfEqualOnesTheFirst) {
  EXPECT_EQ(best_of(Errors{1, 1, 1}), 0u);
  EXPECT_EQ(best_of(Errors{2, 1, 1}), 1u);
  EXPECT_EQ(best_of(Errors{0, 0}), 0u);
  EXPECT_EQ(best_of(Errors{5}), 0u);
}

/// Beside errors of 1, those of 1e-28 and 1e-30 are both rounding.
TEST(BestOf, RoundingIsAsGoodAsNothing) {
  EXPECT_EQ(best_of(Errors{1, 1e-4, 1e-28, 1e-30, 0}), 2u);
  EXPECT_EQ(best_of(Errors{1, 1e-4, 1e-8, 0}), 3u);
  EXPECT_EQ(best_of(Errors{1e-28, 1e-30}), 1u);
}

TEST(BestOf, ErrorsThatAreNoNumbersAreNoneToChoose) {
  EXPECT_EQ(best_of(Errors{kInfinity, 2, 1}), 2u);
  EXPECT_EQ(best_of(Errors{kNan, 2, 1, kNan}), 2u);
  EXPECT_EQ(best_of(Errors{2, kNan, kInfinity}), 0u);
  EXPECT_EQ(best_of(Errors{kInfinity, 1, 1e-28, 1e-30}), 2u);
  for (const Errors& none : {Errors{kNan, kNan}, Errors{kInfinity, kInfinity}, Errors{}})
    EXPECT_THROW(best_of(none), std::invalid_argument);
}

/// Without a penalty errors have no bound, which says nothing about what is rounding beside the others.
TEST(BestOf, ErrorsThatExplodeAreNoMeasure) {
  EXPECT_EQ(best_of(Errors{1, 0.1, 0.01, 0.02, 1e15}), 2u);
  EXPECT_EQ(best_of(Errors{1, 0.1, 0.01, 1e30, kInfinity}), 2u);
}

}  // namespace
}  // namespace bochner
