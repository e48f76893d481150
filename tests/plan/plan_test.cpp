// SPDX-License-Identifier: Apache-2.0
#include "bochner/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/matrix.h"
#include "bochner/registry.h"
#include "bochner/threads.h"
#include "core/stream.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::normal_rows;

std::string refusal(const Matrix<double>& X, const PlanRequest& request) {
  try {
    plan<double>(X.view(), {}, request);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

const Candidate* find(const Plan& made, const std::string& map, const std::string& coupling) {
  for (const Candidate& candidate : made.table)
    if (candidate.spec.map == map && candidate.spec.coupling == coupling) return &candidate;
  return nullptr;
}

TEST(Plan, IsRankedAtEqualOutputs) {
  const Plan made = plan<double>(normal_rows(200, 8, 0.3, 1).view(), {}, {.outputs = 64});
  ASSERT_GT(made.table.size(), 20u);
  for (std::size_t i = 0; i < made.table.size(); ++i) {
    const Candidate& candidate = made.table[i];
    EXPECT_EQ(candidate.outputs, width(candidate.spec.map, candidate.spec.parameters) * candidate.spec.m);
    EXPECT_LE(candidate.outputs, 64u);
    EXPECT_GT(candidate.outputs, 32u);
    EXPECT_FALSE(candidate.reason.empty());
    const double before = i == 0 ? 0 : made.table[i - 1].error;
    EXPECT_LE(before, 1.001 * (candidate.error + 2 * candidate.standard_error)) << i;
    EXPECT_EQ(make_features(candidate.spec)->outputs(), candidate.outputs);
  }
}

/// One query and one key: the mean over pairs is the closed form at that pair.
TEST(Plan, ErrorIsTheClosedForm) {
  const Matrix<double> X = normal_rows(1, 5, 0.6, 1), Y = normal_rows(1, 5, 0.5, 2);
  const Plan made = plan<double>(X.view(), Y.view(), {.kernel = "softmax", .lengthscale = {1.3}, .outputs = 30});
  for (const Candidate& candidate : made.table) {
    if (candidate.exactness != theory::Exactness::exact) continue;
    const double exact = theory::mse(candidate.spec, X.view().row(0), Y.view().row(0));
    EXPECT_NEAR(candidate.error * candidate.error, exact, 1e-11 * exact) << candidate.spec.map;
  }
}

/// The sign of the generalised exponential, and with it the outputs of a direction, depends on the padded block.
TEST(Plan, GivesNobodyMoreOutputs) {
  for (const double size : {0.2, 0.25, 0.3})
    for (const Candidate& line :
         plan<double>(normal_rows(100, 64, size, 3).view(), {}, {.map = "exponential", .outputs = 256}).table)
      EXPECT_LE(line.outputs, 256u) << line.spec.coupling << ' ' << size;
}

TEST(Plan, IsTheSameOnAnyNumberOfThreads) {
  const Matrix<double> X = normal_rows(300, 6, 0.4, 3);
  const int threads = num_threads();
  set_num_threads(1);
  const Plan one = plan<double>(X.view(), {}, {.outputs = 48, .seed = 5});
  set_num_threads(4);
  const Plan four = plan<double>(X.view(), {}, {.outputs = 48, .seed = 5});
  set_num_threads(threads);
  ASSERT_EQ(one.table.size(), four.table.size());
  for (std::size_t i = 0; i < one.table.size(); ++i) {
    EXPECT_EQ(one.table[i].spec, four.table[i].spec);
    EXPECT_EQ(one.table[i].error, four.table[i].error);
  }
}

/// The planned features have the predicted error: mean over draws of the squared error of the Gram matrix, within 10 %
/// (the sample of pairs) and five standard errors.
TEST(Plan, PromiseIsKept) {
  constexpr std::size_t kRows = 80, kDraws = 60;
  const Matrix<double> X = normal_rows(kRows, 6, 0.35, 7);
  for (const std::string kernel : {"gaussian", "softmax", "laplace"}) {
    const Plan made = plan<double>(X.view(), {}, {.kernel = kernel, .outputs = 96});
    const Matrix<double> K = kernel_matrix<double>(X.view(), X.view(), kernel, std::vector<double>{1.0});
    double first = 0, second = 0;
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      Spec spec = made.best().spec;
      spec.seed = 100 + draw;
      const auto features = make_features(spec);
      Matrix<double> queries(kRows, features->outputs()), keys(kRows, features->outputs());
      features->transform(X.view(), queries.view(), Side::query);
      features->transform(X.view(), keys.view(), Side::key);
      double sum = 0;
      for (std::size_t i = 0; i < kRows; ++i)
        for (std::size_t j = 0; j < kRows; ++j) {
          double error = -K(i, j);
          for (std::size_t l = 0; l < queries.cols(); ++l) error += queries(i, l) * keys(j, l);
          sum += error * error / (kRows * kRows);
        }
      first += sum / kDraws;
      second += sum * sum / kDraws;
    }
    const double standard_error = std::sqrt((second - first * first) / (kDraws - 1));
    const double predicted = made.best().error * made.best().error;
    EXPECT_NEAR(first, predicted, 0.1 * predicted + 5 * standard_error) << kernel << ' ' << made.best().spec.map;
  }
}

TEST(Plan, MeetsWhatIsRequired) {
  const Matrix<double> X = normal_rows(100, 40, 0.1, 4);
  const auto all = [&](const char* word, const auto& holds) {
    const Plan made = plan<double>(X.view(), {}, {.outputs = 128, .require = {word}});
    EXPECT_FALSE(made.table.empty());
    for (const Candidate& candidate : made.table) EXPECT_TRUE(holds(candidate.spec)) << word << candidate.spec.map;
  };
  all("positive", [](const Spec& spec) { return spec.map.find("positive") != std::string::npos; });
  all("structured", [](const Spec& spec) { return spec.coupling != "orthogonal" && spec.coupling != "iid"; });
  all("unbiased", [](const Spec& spec) { return spec.coupling != "orthogonal_fixed" && spec.coupling != "hadamard"; });
  all("symmetric", [](const Spec& spec) { return make_features(spec)->symmetric(); });
  all("real", [](const Spec& spec) {
    return spec.map != "complex_exponential" &&
           (spec.map != "exponential" || std::get<double>(spec.parameters.at("s")) == 1);
  });
  all("bounded", [](const Spec& spec) { return spec.map != "positive" && spec.map != "positive_paired"; });
}

TEST(Plan, ImpossibleConstraintsNameOneToDrop) {
  const Matrix<double> X = normal_rows(10, 3, 1, 4);
  EXPECT_EQ(
      refusal(X, {.kernel = "laplace", .outputs = 16, .require = {"positive", "unbiased"}}),
      "no mechanism for kernel 'laplace' in 3 dimensions with 16 outputs is positive and unbiased; drop 'positive'");
}

TEST(Plan, TargetTakesTheFewestOutputs) {
  const Matrix<double> X = normal_rows(150, 8, 0.3, 9);
  const Plan made = plan<double>(X.view(), {}, {.target = 0.01});
  const Candidate& best = made.best();
  // The upper end of a measured error; its m is found to two percent.
  EXPECT_LE(best.error + 2 * best.standard_error, 0.01);
  EXPECT_GT(best.error + 2 * best.standard_error, 0.0098);
  for (const Candidate& other : made.table) EXPECT_LE(best.outputs, other.outputs);
  // As many outputs, ranked: the target is met.
  EXPECT_LE(plan<double>(X.view(), {}, {.outputs = best.outputs}).best().error, 0.0101);
}

TEST(Plan, TargetOutOfReachNamesTheBest) {
  const std::string sentence =
      refusal(normal_rows(50, 8, 0.5, 9), {.target = 1e-7, .exact_only = true, .memory = 1 << 20});
  EXPECT_TRUE(sentence.starts_with("target is 1e-07; expected at least 0.0")) << sentence;
  EXPECT_NE(sentence.find("the best error within 0.000977 GiB of memory"), std::string::npos) << sentence;
}

/// Signs tell rows of one line apart without an error.
TEST(Plan, ExactFeaturesAreTheBest) {
  const Plan made = plan<double>(normal_rows(50, 1, 1, 9).view(), {}, {.kernel = "angular", .outputs = 8});
  EXPECT_EQ(made.best().error, 0);
  EXPECT_EQ(made.best().spec.coupling, "iid");
}

TEST(Plan, EqualCostIsForAllCandidates) {
  const Matrix<double> X = normal_rows(200, 16, 0.3, 9);
  const Plan made = plan<double>(X.view(), {}, {.outputs = 600, .equal_cost = true});
  const double budget = find(made, "trigonometric", "orthogonal")->nanoseconds;
  for (const Candidate& line : made.table) EXPECT_LE(line.nanoseconds, 1.0001 * budget) << line.spec.map;
}

TEST(Plan, EqualCostGivesCheapRowsMoreOutputs) {
  const Plan made = plan<double>(normal_rows(100, 512, 0.03, 2).view(), {}, {.outputs = 1024, .equal_cost = true});
  const Candidate* dense = find(made, "trigonometric", "orthogonal");
  const Candidate* fast = find(made, "trigonometric", "hadamard");
  ASSERT_TRUE(dense != nullptr && fast != nullptr);
  EXPECT_GT(fast->outputs, 2 * dense->outputs);
  EXPECT_LT(fast->error, dense->error);
  EXPECT_NEAR(fast->nanoseconds, dense->nanoseconds, 0.1 * dense->nanoseconds);
}

TEST(Plan, ShiftsAreBelowRowsThatWereNotSampled) {
  const Matrix<double> X = normal_rows(4000, 3, 0.3, 12);
  const Plan made = plan<double>(X.view(), {}, {.outputs = 16, .require = {"positive"}});
  int shifted = 0;
  for (const Candidate& candidate : made.table) {
    if (!candidate.spec.parameters.contains("shift")) continue;
    const auto features = make_features(candidate.spec);
    Matrix<double> Z(X.rows(), features->outputs());
    EXPECT_NO_THROW(features->transform(X.view(), Z.view(), Side::query)) << candidate.spec.map;
    ++shifted;
  }
  EXPECT_GE(shifted, 2);
}

TEST(Plan, MeasuresAreDifferent) {
  const Matrix<double> X = normal_rows(200, 6, 0.5, 8);
  std::vector<double> errors;
  for (const std::string_view measure : plan_measures())
    errors.push_back(plan<double>(X.view(), {}, {.outputs = 64, .measure = std::string(measure)}).best().error);
  std::ranges::sort(errors);
  EXPECT_EQ(std::ranges::adjacent_find(errors), errors.end());
  const Plan relative = plan<double>(normal_rows(200, 6, 1.2, 8).view(), {}, {.outputs = 64, .measure = "relative"});
  EXPECT_TRUE(relative.best().spec.map.starts_with("optimal_positive")) << relative.best().spec.map;
}

TEST(Plan, RefusesWhatMakesNoSense) {
  const Matrix<double> X = normal_rows(10, 3, 1, 4);
  EXPECT_EQ(refusal(X, {}), "a plan needs either m (outputs) or a target error, and not both");
  EXPECT_EQ(refusal(X, {.outputs = 8, .target = 0.1}),
            "a plan needs either m (outputs) or a target error, and not both");
  EXPECT_EQ(refusal(X, {.target = -1}), "target is -1; expected a finite error > 0");
  EXPECT_TRUE(
      refusal(X, {.outputs = 8, .require = {"positiv"}}).starts_with("unknown constraint 'positiv'; did you mean"));
  EXPECT_TRUE(refusal(X, {.outputs = 8, .measure = "relativ"}).starts_with("unknown measure 'relativ'; did you mean"));
  EXPECT_EQ(refusal(Matrix<double>(0, 3), {.outputs = 8}), "X is 0 x 3; expected at least one row and one column");
  Matrix<double> broken = normal_rows(10, 3, 1, 4);
  broken(4, 1) = std::nan("");
  EXPECT_EQ(refusal(broken, {.outputs = 8}), "X has nan at row 4, column 1; expected a finite number");
}

// Which coupling for which map (FORMULAS, section 8).

TEST(Which, SinglePositiveMapsPreferSimplexAndPairedOnesOrthogonalRows) {
  for (const double size : {0.05, 0.15, 0.3}) {
    const Plan made = plan<double>(normal_rows(200, 8, size, 6).view(), {}, {.outputs = 16});
    EXPECT_LT(find(made, "positive", "simplex")->error, find(made, "positive", "orthogonal")->error);
    EXPECT_LT(find(made, "positive", "orthogonal")->error, find(made, "positive", "iid")->error);
    EXPECT_LT(find(made, "positive_paired", "orthogonal")->error, find(made, "positive_paired", "simplex")->error);
    EXPECT_LT(find(made, "optimal_positive", "simplex")->error, find(made, "optimal_positive", "orthogonal")->error);
  }
}

TEST(Which, PaddingHelps) {
  const std::vector<double> x(33, 0.04), y(33, 0.05);
  Spec spec{.d = 33, .map = "positive", .coupling = "simplex", .m = 64};
  const double own = theory::mse(spec, x, y);
  spec.parameters["block"] = 64.0;
  EXPECT_LT(theory::mse(spec, x, y), 0.6 * own);
}

TEST(Which, GainsOfCouplingVanishForLargeInputs) {
  const auto ratio = [](double size) {
    const std::vector<double> x(64, size / 16), y(64, size / 16);  // |x + y| = size
    Spec spec{.d = 64, .map = "positive", .coupling = "orthogonal", .m = 64};
    const double coupled = theory::mse(spec, x, y);
    spec.coupling = "iid";
    return coupled / theory::mse(spec, x, y);
  };
  EXPECT_LT(ratio(1.0), 0.75);
  EXPECT_GT(ratio(3.5), 0.995);
}

}  // namespace
}  // namespace bochner
