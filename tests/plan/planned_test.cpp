// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/plan.h"
#include "bochner/registry.h"
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

/// A W of more than 2^17 entries is not drawn: a part of it is measured.
TEST(Planned, TakesACouplingWithoutAClosedFormThatIsNamed) {
  const Matrix<double> X = normal_rows(50, 64, 0.1, 1), Y = normal_rows(30, 64, 0.1, 2);
  for (const std::string coupling : {"halton", "sobol", "circulant", "fastfood"})
    for (const std::size_t m : {16, 2048, 2049, 1 << 20}) {
      const Spec made = planned<double>({.d = 64, .coupling = coupling, .m = m, .seed = 3}, X.view(), Y.view());
      EXPECT_EQ(made.coupling, coupling);
      EXPECT_EQ(made.m * width(made.map, made.parameters), 2 * m) << made.map;
    }
}

/// The variance of unbiased directions falls at least as fast as 1/m.
TEST(Planned, ErrorOfAPartIsThatOfFewerDirections) {
  const Matrix<double> X = normal_rows(100, 64, 0.1, 1);
  for (const std::string coupling : {"circulant", "halton"}) {
    const auto best = [&](std::size_t outputs) {
      return plan<double>(X.view(), {}, {.map = "cosine", .coupling = coupling, .outputs = outputs}).best();
    };
    const Candidate whole = best(2048), part = best(2048 * 16);
    EXPECT_NEAR(part.error, whole.error / 4, 1e-12 * whole.error);
    EXPECT_NEAR(part.standard_error, whole.standard_error / 4, 1e-12 * whole.error);
    EXPECT_EQ(part.outputs, 2048u * 16);
    EXPECT_EQ(whole.reason, "the best of 1 mechanisms, measured on a few draws");
    EXPECT_EQ(part.reason, "the best of 1 mechanisms, measured on a few draws of 2048 of its directions");
  }
}

TEST(Planned, TargetOfANamedCouplingIsMetBeyondWhatIsDrawn) {
  const Matrix<double> X = normal_rows(50, 64, 0.1, 1);
  const Spec made = planned<double>({.d = 64, .map = "cosine", .coupling = "halton"}, X.view(), {}, 0.01);
  EXPECT_EQ(made.coupling, "halton");
  EXPECT_GT(made.m, 2048u);  // 2^17 entries
}

/// Nothing but m is planned: parameters of the mechanism are kept, and its block is its own.
TEST(Planned, TargetKeepsTheMechanismThatIsNamed) {
  const Matrix<double> X = normal_rows(100, 4, 0.5, 1);
  const Spec own{.d = 4, .map = "trigonometric", .coupling = "orthogonal"};
  const Spec made = planned<double>(own, X.view(), {}, 0.02);
  EXPECT_EQ(std::get<double>(made.parameters.at("block")), 4);
  EXPECT_EQ(made.map, own.map);
  EXPECT_EQ(made.coupling, own.coupling);
  Spec given = own;
  given.parameters = {{"block", 16.0}};
  const Spec padded = planned<double>(given, X.view(), {}, 0.02);
  EXPECT_EQ(std::get<double>(padded.parameters.at("block")), 16);
  EXPECT_LT(padded.m, made.m);
  const Spec weighted = planned<double>(
      {.d = 4, .kernel = "softmax", .map = "optimal_positive", .coupling = "orthogonal", .parameters = {{"A", -0.3}}},
      X.view(), {}, 0.05);
  EXPECT_EQ(std::get<double>(weighted.parameters.at("A")), -0.3);
  EXPECT_EQ(refusal([&] { plan<double>(X.view(), {}, {.outputs = 8, .only_m = true}); }),
            "only_m is true; expected a map and a coupling by name");
}

TEST(Planned, RefusesParametersOfOneMap) {
  const Matrix<double> X = normal_rows(20, 4, 0.5, 1);
  EXPECT_EQ(refusal([&] {
              planned<double>({.d = 4, .parameters = {{"A", -0.1}}}, X.view());
            }),
            "parameter 'A' is given, but map or coupling is 'auto'; name both, or leave 'A' to the plan");
  EXPECT_EQ(refusal([&] { planned<double>({.d = 4, .kernel = "matern", .parameters = {{"nu", 2.5}}}, X.view()); }), "");
}

}  // namespace
}  // namespace bochner
