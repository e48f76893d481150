// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bochner/plan.h"
#include "bochner/registry.h"
#include "bochner/threads.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

double upper_end(const Candidate& candidate) { return candidate.error + 2 * candidate.standard_error; }

/// The error that a refusal names as the least within reach.
double named_error(const std::string& sentence) {
  const std::string before = "expected at least ";
  const std::size_t at = sentence.find(before);
  return at == std::string::npos ? std::numeric_limits<double>::quiet_NaN()
                                 : std::stod(sentence.substr(at + before.size()));
}

/// The sentence for a target that no memory of this size can hold, and then the plan for the error it names.
void expect_named_error_is_met(const Matrix<double>& X, PlanRequest request) {
  request.target = 1e-9;
  const std::string sentence = refusal([&] { plan<double>(X.view(), {}, request); });
  request.target = named_error(sentence);
  ASSERT_GT(request.target, 1e-9) << sentence;
  Plan made;
  ASSERT_EQ(refusal([&] { made = plan<double>(X.view(), {}, request); }), "");
  EXPECT_LE(upper_end(made.best()), request.target);
  EXPECT_GT(upper_end(made.best()), 0.8 * request.target);
  request.target *= 0.9;  // what it names is no more than is needed
  EXPECT_NE(refusal([&] { plan<double>(X.view(), {}, request); }), "") << request.coupling;
}

/// One query and one key: theory::mse at that pair is the whole plan. Half a percent of the directions less is too few,
/// and so is one less where they are few.
TEST(PlanTarget, TakesNoMoreDirectionsThanTheClosedFormNeeds) {
  const Matrix<double> X = normal_rows(1, 6, 0.5, 1), Y = normal_rows(1, 6, 0.4, 2);
  for (const std::string kernel : {"gaussian", "softmax"})
    for (const std::string map : {"trigonometric", "cosine", "positive", "optimal_positive_paired"})
      for (const double target : {0.3, 0.1, 0.03, 0.003}) {
        const PlanRequest request{.kernel = kernel, .map = map, .coupling = "iid", .target = target};
        Spec spec = plan<double>(X.view(), Y.view(), request).best().spec;
        const auto error = [&] { return std::sqrt(theory::mse(spec, X.view().row(0), Y.view().row(0))); };
        EXPECT_LE(error(), target * (1 + 1e-12)) << kernel << ' ' << map << ' ' << spec.m;
        if (spec.m == 1) continue;
        spec.m = std::min(spec.m - 1, spec.m * 99 / 100);
        EXPECT_GT(error(), target) << kernel << ' ' << map << ' ' << spec.m;
      }
}

/// As many outputs meet the target, a hundredth less do not: for every line with a closed form, by a plan of its own.
TEST(PlanTarget, EveryLineNeedsItsOutputs) {
  const Matrix<double> X = normal_rows(150, 6, 0.4, 9);
  const PlanRequest request{.target = 0.02, .exact_only = true, .seed = 3};
  const Plan made = plan<double>(X.view(), {}, request);
  ASSERT_GE(made.table.size(), 4u);
  const auto best_error = [&](const Spec& spec, std::size_t outputs) {
    return plan<double>(X.view(), {},
                        {.map = spec.map, .coupling = spec.coupling, .outputs = outputs, .exact_only = true, .seed = 3})
        .best()
        .error;
  };
  for (const Candidate& line : made.table) {
    EXPECT_LE(line.error, 0.02);
    EXPECT_LE(best_error(line.spec, line.outputs), 0.02 * 1.0000001) << line.spec.map << ' ' << line.spec.coupling;
  }
  const Candidate& best = made.best();
  EXPECT_GT(best_error(best.spec, best.outputs * 99 / 100), 0.02) << best.spec.map << ' ' << best.spec.coupling;
}

TEST(PlanTarget, IsRankedByOutputs) {
  const Plan made = plan<double>(normal_rows(150, 8, 0.3, 9).view(), {}, {.target = 0.03});
  ASSERT_GE(made.table.size(), 4u);
  for (std::size_t i = 1; i < made.table.size(); ++i) EXPECT_LE(made.table[i - 1].outputs, made.table[i].outputs);
  for (const Candidate& line : made.table) {
    EXPECT_EQ(line.outputs, width(line.spec.map, line.spec.parameters) * line.spec.m);
    EXPECT_LE(upper_end(line), 0.03) << line.spec.map << ' ' << line.spec.coupling;
  }
  EXPECT_TRUE(made.best().reason.starts_with("the fewest outputs of ")) << made.best().reason;
  EXPECT_NE(made.table.back().reason.find(" x the outputs of the best, "), std::string::npos);
}

/// Points of low discrepancy have errors that are measured: they meet the target at two standard errors above what was
/// measured with care, and are chosen over all closed forms where they need fewer outputs.
TEST(PlanTarget, MeasuredErrorsAreConfirmed) {
  const Matrix<double> X = normal_rows(200, 3, 0.7, 5);
  for (const double target : {0.06, 0.04}) {
    const Plan made = plan<double>(X.view(), {}, {.map = "trigonometric", .target = target});
    const Candidate& best = made.best();
    EXPECT_EQ(best.exactness, theory::Exactness::none) << best.spec.coupling;
    EXPECT_GT(best.standard_error, 0);
    EXPECT_LE(upper_end(best), target);
    EXPECT_NE(best.reason.find("measured on a few draws"), std::string::npos) << best.reason;
    // 32 draws and 1024 pairs, as a plan for so many outputs takes where a glance says that it may be the best.
    const Plan again =
        plan<double>(X.view(), {}, {.map = best.spec.map, .coupling = best.spec.coupling, .outputs = best.outputs});
    EXPECT_EQ(again.best().error, best.error);
    EXPECT_EQ(again.best().standard_error, best.standard_error);
    EXPECT_LT(
        best.outputs,
        plan<double>(X.view(), {}, {.map = "trigonometric", .target = target, .exact_only = true}).best().outputs);
  }
}

TEST(PlanTarget, NamedErrorIsWithinReach) {
  expect_named_error_is_met(normal_rows(60, 4, 0.5, 1), {.map = "trigonometric", .exact_only = true, .memory = 20000});
  expect_named_error_is_met(normal_rows(60, 4, 0.5, 1), {.require = {"positive"}, .exact_only = true, .memory = 8000});
  expect_named_error_is_met(normal_rows(60, 4, 0.5, 1), {.kernel = "laplace", .memory = 20000});
  expect_named_error_is_met(normal_rows(60, 40, 0.1, 1),
                            {.map = "trigonometric", .coupling = "hadamard", .memory = 20000});
}

TEST(PlanTarget, NamedErrorOfAMeasuredCouplingIsWithinReach) {
  for (const std::string coupling : {"halton", "sobol", "circulant", "fastfood"})
    for (std::uint64_t seed = 0; seed < 2; ++seed)
      expect_named_error_is_met(normal_rows(60, 4, 0.5, 1),
                                {.map = "trigonometric", .coupling = coupling, .memory = 30000, .seed = seed});
}

TEST(PlanTarget, IsTheSameOnAnyNumberOfThreads) {
  const Matrix<double> few = normal_rows(200, 3, 0.6, 3), many = normal_rows(200, 64, 0.1, 3);
  const int threads = num_threads();
  const auto table = [&](int count, const PlanRequest& request) {
    set_num_threads(count);
    const Plan made = plan<double>((request.target > 0 ? few : many).view(), {}, request);
    set_num_threads(threads);
    return made.table;
  };
  for (const PlanRequest& request :
       {PlanRequest{.target = 0.08, .seed = 5}, PlanRequest{.coupling = "halton", .outputs = 20000, .seed = 5}}) {
    const std::vector<Candidate> one = table(1, request), four = table(4, request);
    ASSERT_EQ(one.size(), four.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].spec, four[i].spec);
      EXPECT_EQ(one[i].error, four[i].error);
      EXPECT_EQ(one[i].standard_error, four[i].standard_error);
      EXPECT_EQ(one[i].reason, four[i].reason);
    }
  }
}

}  // namespace
}  // namespace bochner
