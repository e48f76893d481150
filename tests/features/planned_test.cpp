// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/plan.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

TEST(Planned, LeavesAloneWhatIsGiven) {
  const Spec spec{.d = 4, .map = "positive", .coupling = "iid", .m = 9, .seed = 3, .lengthscale = {2.0}};
  EXPECT_EQ(planned<double>(spec, normal_rows(50, 4, 0.5, 1).view()), spec);
}

TEST(Planned, TakesTheBestOfTheExactPlan) {
  const Matrix<double> X = normal_rows(100, 4, 0.5, 1), Y = normal_rows(80, 4, 0.9, 2);
  const Spec open{.d = 4, .kernel = "softmax", .m = 16, .seed = 3, .lengthscale = {1.5}};
  PlanRequest request{.kernel = "softmax",
                      .lengthscale = {1.5},
                      .outputs = 32,
                      .require = {"symmetric"},
                      .exact_only = true,
                      .seed = 3};
  EXPECT_EQ(planned<double>(open, X.view()), plan<double>(X.view(), {}, request).best().spec);
  request.require = {};
  EXPECT_EQ(planned<double>(open, X.view(), Y.view()), plan<double>(X.view(), Y.view(), request).best().spec);
}

TEST(Planned, KeepsTheMapOrTheCouplingThatIsNamed) {
  const Matrix<double> X = normal_rows(100, 4, 0.5, 1);
  const Spec map = planned<double>({.d = 4, .map = "positive", .m = 16}, X.view());
  EXPECT_EQ(map.map, "positive");
  EXPECT_EQ(map.coupling, "simplex");
  EXPECT_EQ(map.m, 32u);  // as many outputs as 16 directions of two outputs each
  EXPECT_EQ(planned<double>({.d = 4, .coupling = "simplex", .m = 16}, X.view()).coupling, "simplex");
}

TEST(Planned, TargetDecidesTheDirections) {
  const Matrix<double> X = normal_rows(100, 4, 0.5, 1);
  const Spec few = planned<double>({.d = 4}, X.view(), {}, 0.1), many = planned<double>({.d = 4}, X.view(), {}, 0.02);
  EXPECT_LT(few.m, many.m);
  EXPECT_NO_THROW(make_features(many));
}

TEST(Planned, RefusesParametersOfOneMap) {
  const Matrix<double> X = normal_rows(20, 4, 0.5, 1);
  EXPECT_EQ(refusal([&] {
              planned<double>({.d = 4, .parameters = {{"A", -0.1}}}, X.view());
            }),
            "parameter 'A' is given, but map, coupling or m is 'auto'; name all three, or leave 'A' to the plan");
  EXPECT_EQ(refusal([&] { planned<double>({.d = 4, .kernel = "matern", .parameters = {{"nu", 2.5}}}, X.view()); }), "");
}

}  // namespace
}  // namespace bochner
