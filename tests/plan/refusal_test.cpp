// SPDX-License-Identifier: Apache-2.0
#include "support/refusal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bochner/plan.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::normal_rows;

std::string refusal(const Matrix<double>& X, const PlanRequest& request) {
  return test::refusal([&] { plan<double>(X.view(), {}, request); });
}

/// Dropping a word of the request makes a plan if and only if the refusal names it; returns the sentence before.
std::string with_words_that_can_be_dropped(const Matrix<double>& X, const PlanRequest& request) {
  const std::string sentence = refusal(X, request);
  const std::size_t end = sentence.find("; drop ");
  std::string expected;
  for (const std::string& word : request.require) {
    PlanRequest fewer = request;
    std::erase(fewer.require, word);
    if (refusal(X, fewer).empty()) expected += (expected.empty() ? "; drop '" : " or '") + word + "'";
  }
  EXPECT_EQ(end == std::string::npos ? "" : sentence.substr(end), expected) << sentence;
  return sentence.substr(0, end);
}

TEST(PlanRefusal, OfConstraintsNamesWhatToDrop) {
  const Matrix<double> X = normal_rows(20, 4, 0.5, 1);
  const PlanRequest request{.kernel = "laplace", .outputs = 16, .require = {"unbiased", "positive"}};
  EXPECT_EQ(with_words_that_can_be_dropped(X, request),
            "no mechanism for kernel 'laplace' in 4 dimensions with 16 outputs is unbiased and positive");
  // Each of the two is in the way: to drop one is not enough, and none is named.
  EXPECT_EQ(refusal(X, {.kernel = "laplace", .coupling = "iid", .outputs = 16, .require = {"positive", "structured"}}),
            "no mechanism for kernel 'laplace' in 4 dimensions with 16 outputs is positive and structured");
}

TEST(PlanRefusal, OfConstraintsWithATargetNamesWhatToDrop) {
  const Matrix<double> X = normal_rows(20, 4, 0.5, 1);
  EXPECT_EQ(with_words_that_can_be_dropped(X, {.kernel = "laplace", .target = 0.1, .require = {"positive", "bounded"}}),
            "no mechanism for kernel 'laplace' in 4 dimensions with 128 outputs is positive and bounded");
}

TEST(PlanRefusal, OfTooFewOutputsAsksForMore) {
  const Matrix<double> X = normal_rows(20, 4, 0.5, 1);
  PlanRequest request{.map = "trigonometric", .outputs = 1, .require = {"unbiased"}};
  EXPECT_EQ(with_words_that_can_be_dropped(X, request),
            "no mechanism that is unbiased for kernel 'gaussian' in 4 dimensions has as few as 1 outputs; give more");
  request.outputs = 2;
  EXPECT_EQ(refusal(X, request), "");
}

/// The bytes that the smallest takes, rounded up, are enough, and one less is not.
TEST(PlanRefusal, OfTooLittleMemorySaysWhatTheSmallestTakes) {
  const Matrix<double> X = normal_rows(20, 40, 0.1, 1);
  for (PlanRequest request :
       {PlanRequest{.outputs = 256, .require = {"unbiased", "positive"}, .exact_only = true, .memory = 6000},
        PlanRequest{.map = "trigonometric", .coupling = "circulant", .outputs = 256, .memory = 6000},
        PlanRequest{.map = "positive", .coupling = "circulant", .outputs = 255, .memory = 6000}}) {
    const std::string sentence = with_words_that_can_be_dropped(X, request);
    const std::string before = " outputs is within 6000 bytes of memory; the smallest takes ";
    const std::size_t at = sentence.find(before);
    ASSERT_NE(at, std::string::npos) << sentence;
    request.memory = std::stoul(sentence.substr(at + before.size()));
    EXPECT_EQ(refusal(X, request).find("bytes of memory"), std::string::npos) << sentence;
    --request.memory;
    EXPECT_NE(refusal(X, request).find("bytes of memory"), std::string::npos) << sentence;
  }
}

/// More than any machine holds is a matter of memory, not of outputs.
TEST(PlanRefusal, OfTooManyOutputsSpeaksOfMemory) {
  const Matrix<double> X = normal_rows(20, 4, 0.5, 1);
  for (const std::string coupling : {"auto", "iid", "halton", "hadamard"}) {
    const std::string sentence = refusal(X, {.coupling = coupling, .outputs = std::size_t{1} << 50});
    EXPECT_NE(sentence.find("bytes of memory; the smallest takes "), std::string::npos) << sentence;
  }
}

TEST(PlanRefusal, OfRowsThatAMapDoesNotTake) {
  EXPECT_EQ(refusal(normal_rows(20, 4, 1e100, 1), {.map = "geometric", .outputs = 32}),
            "no mechanism for kernel 'gaussian' in 4 dimensions takes these rows");
}

/// What each sentence about errors asks for is enough.
TEST(PlanRefusal, OfErrorsThatNobodyPredictsSaysWhy) {
  const Matrix<double> X = normal_rows(20, 4, 0.5, 1), wide = normal_rows(20, 4, 40, 1);
  PlanRequest request{.outputs = 32, .require = {"positive"}};
  request.coupling = "halton";
  EXPECT_EQ(with_words_that_can_be_dropped(X, request),
            "no mechanism that is positive for kernel 'gaussian' in 4 dimensions has a predicted error: they have no "
            "closed form, and only bounded features are measured on a few draws");
  EXPECT_EQ(with_words_that_can_be_dropped(
                X, {.outputs = 32, .require = {"structured", "positive", "unbiased", "symmetric"}}),
            "no mechanism that is structured and positive and unbiased and symmetric for kernel 'gaussian' in 4 "
            "dimensions has a predicted error: they have no closed form, and only bounded features are measured on a "
            "few draws");

  const auto refused_until = [&](const std::string& reason, PlanRequest wrong, const PlanRequest& right) {
    EXPECT_EQ(refusal(wide, wrong),
              "no mechanism for kernel '" + wrong.kernel + "' in 4 dimensions has a predicted error: " + reason);
    EXPECT_EQ(refusal(wide, right), "");
    wrong.lengthscale = {80.0};
    EXPECT_EQ(refusal(wide, wrong), "");
  };
  refused_until("k overflows on these rows; take a larger lengthscale, or smaller rows",
                {.kernel = "softmax", .coupling = "iid", .outputs = 32},
                {.kernel = "softmax", .coupling = "iid", .lengthscale = {80.0}, .outputs = 32});
  refused_until(
      "measure 'relative' divides by k, which is 0 in double precision for some pairs of these rows; take measure "
      "'absolute' or a larger lengthscale",
      {.coupling = "iid", .outputs = 32, .measure = "relative"},
      {.coupling = "iid", .outputs = 32, .measure = "absolute"});
  refused_until("their errors on these rows are out of the range of double precision; take a larger lengthscale",
                {.map = "positive", .coupling = "iid", .outputs = 32}, {.coupling = "iid", .outputs = 32});
}

/// A k whose square is infinite has no weight in a mean of (error / k)^2: the plan would look at the other pairs only.
TEST(PlanRefusal, OfMeasuresThatDivideByWhatOverflows) {
  for (const std::string measure : {"relative", "attention"})
    for (const double size : {12.0, 20.0, 40.0})
      for (const bool exact : {false, true})
        EXPECT_EQ(refusal(normal_rows(100, 4, size, 1),
                          {.kernel = "softmax", .outputs = 32, .measure = measure, .exact_only = exact}),
                  "measure '" + measure +
                      "' divides by the square of k, which overflows on these rows; take a larger lengthscale, or "
                      "smaller rows");
}

/// e^(|x|^2 / 2) of trigonometric features overflows from |x| = 38 on, so that they cannot be measured; k is e^(x.y).
TEST(PlanRefusal, LeavesOutMechanismsForWhichRowsAreTooLong) {
  Matrix<double> X = normal_rows(1, 4, 0.1, 1), Y = normal_rows(1, 4, 0.1, 2);
  X(0, 0) = 50, Y(0, 0) = 0.001;
  Plan made;
  const PlanRequest request{.kernel = "softmax", .outputs = 32};
  ASSERT_EQ(test::refusal([&] { made = plan<double>(X.view(), Y.view(), request); }), "");
  for (const Candidate& line : made.table) EXPECT_NE(line.exactness, theory::Exactness::none) << line.spec.map;
}

TEST(PlanRefusal, OfWhatDoesNotComposeNamesTheMisfit) {
  const Matrix<double> X = normal_rows(20, 4, 0.5, 1);
  for (const PlanRequest& request : {PlanRequest{.kernel = "laplace", .map = "positive", .outputs = 16},
                                     PlanRequest{.kernel = "laplace", .coupling = "orthogonal", .outputs = 16}}) {
    const std::string sentence = refusal(X, request);
    EXPECT_NE(sentence.find(request.map == "auto" ? "'orthogonal'" : "'positive'"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("no mechanism"), std::string::npos) << sentence;
  }
}

}  // namespace
}  // namespace bochner
