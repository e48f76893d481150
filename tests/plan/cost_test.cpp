// SPDX-License-Identifier: Apache-2.0
// What the cost model must say whatever its constants are.
#include "plan/cost.h"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "bochner/registry.h"

namespace bochner {
namespace {

double cost(const Spec& spec) { return nanoseconds_per_row(resolve(spec)); }

TEST(Cost, GrowsWithColumnsAndDirections) {
  for (const char* map : {"trigonometric", "positive", "poisson", "hybrid_angular"}) {
    Spec spec{.d = 64, .map = map, .m = 512};
    if (spec.map == "poisson") spec.coupling = "iid", spec.parameters["rate"] = 1.0;
    const double one = cost(spec);
    EXPECT_GT(one, 0) << map;
    spec.d = 128;
    EXPECT_GT(cost(spec), one) << map;
    spec.d = 64;
    spec.m = 1024;
    EXPECT_GT(cost(spec), 1.5 * one) << map;
  }
}

TEST(Cost, OfMonomialsIsThatOfExponentsThatAreNotZero) {
  Spec spec{.d = 256, .map = "poisson", .coupling = "iid", .m = 512};
  spec.parameters["rate"] = 0.01;
  const double sparse = cost(spec);
  spec.parameters["rate"] = 5.0;
  EXPECT_GT(cost(spec), 3 * sparse);
  EXPECT_LT(sparse, cost({.d = 256, .map = "positive", .coupling = "iid", .m = 512}));
}

TEST(Cost, OfAComplexExponentialIsThatOfTwoProjections) {
  Spec spec{.d = 1024, .map = "complex_exponential", .m = 512};
  spec.parameters["A"] = std::vector<std::complex<double>>(1024, {1.0, 0.5});
  const double plain = cost({.d = 1024, .map = "trigonometric", .m = 512});
  EXPECT_GT(cost(spec), 1.8 * plain);
  EXPECT_LT(cost(spec), 2.5 * plain);
}

TEST(Cost, OfFastTransformsIsLessFromManyColumnsOn) {
  EXPECT_LT(cost({.d = 1024, .coupling = "hadamard", .m = 1024}), cost({.d = 1024, .coupling = "iid", .m = 1024}) / 4);
}

}  // namespace
}  // namespace bochner
