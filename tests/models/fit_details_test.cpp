// SPDX-License-Identifier: Apache-2.0
#include "models/fit_details.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::TemporaryFolder;
using Sizes = std::vector<std::size_t>;

std::filesystem::path rows_file(const TemporaryFolder& folder, std::size_t n, bool classes) {
  std::string text = "a,b,y\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double a = static_cast<double>(i * 37 % 1013) / 200, b = static_cast<double>(i * 53 % 887) / 300;
    text += fmt::format("{},{},{}\n", a, b, classes ? (a > b ? "u" : "v") : fmt::format("{}", std::sin(a) + b));
  }
  return folder.write("rows.csv", text);
}

ModelFit fit(const std::filesystem::path& file, bool details, const char* learner = "") {
  const auto rows = open_rows(file, {.words = true});
  ModelRequest request;
  request.preprocessing.target = "y";
  request.preprocessing.holdout = 0.5;
  request.spec.m = 20;
  request.learner = learner;
  request.details = details;
  return fit_model(*rows, request);
}

TEST(FitDetails, AreThoseOfTheFit) {
  const TemporaryFolder folder;
  const auto file = rows_file(folder, 900, false);
  const ModelFit plain = fit(file, false), found = fit(file, true);
  EXPECT_FALSE(plain.details.has_value());
  ASSERT_TRUE(found.details.has_value());
  EXPECT_TRUE(std::equal(plain.model.linear.weights.data(), plain.model.linear.weights.data() + 40,
                         found.model.linear.weights.data()));
  const FitDetails& details = *found.details;
  // Every row that was held out: their errors are those of the metrics.
  ASSERT_EQ(details.truths.size(), found.holdout.rows);
  double squares = 0;
  for (std::size_t i = 0; i < details.truths.size(); ++i)
    squares += std::pow(details.truths[i] - details.predictions[i], 2);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(found.holdout.rows)), found.holdout.rmse, 1e-12);
  ASSERT_EQ(details.alphas.size(), details.alpha_errors.size());
  const double enough = 1.001 * std::ranges::min(details.alpha_errors);
  const auto first = std::ranges::find_if(details.alpha_errors, [&](double error) { return error <= enough; });
  EXPECT_EQ(details.alphas[static_cast<std::size_t>(first - details.alpha_errors.begin())],
            found.model.facts.at("alpha"));
  ASSERT_EQ(details.sizes.size(), 5u);
  EXPECT_EQ(details.sizes.back().m, 20u);
  EXPECT_EQ(details.sizes.back().error, found.holdout.rmse);
  EXPECT_EQ(details.sizes[2].m, 5u);
  EXPECT_EQ(details.sizes[2].outputs, 10u);
  EXPECT_GT(details.sizes[0].error, 2 * found.holdout.rmse);
  // k(x, x) = |phi(x)|^2 = 1, so both add up to 1.
  for (const auto& spectrum : {details.kernel_spectrum, details.feature_spectrum}) {
    EXPECT_NEAR(std::accumulate(spectrum.begin(), spectrum.end(), 0.0), 1, 1e-9);
    EXPECT_TRUE(std::ranges::is_sorted(spectrum, std::greater<>()));
  }
  EXPECT_LT(details.feature_spectrum[41], 1e-12);
  EXPECT_NEAR(details.feature_spectrum[0], details.kernel_spectrum[0], 0.1);
}

TEST(FitDetails, ClassesHaveSharesOfErrors) {
  const TemporaryFolder folder;
  const ModelFit found = fit(rows_file(folder, 300, true), true, "svc");
  EXPECT_TRUE(found.details->truths.empty());
  EXPECT_TRUE(found.details->alphas.empty());
  EXPECT_EQ(found.details->sizes.back().error, 1 - found.holdout.accuracy);
  EXPECT_EQ(found.details->Cs, (std::vector<double>{0.01, 0.1, 1, 10}));
  EXPECT_EQ(found.details->C_errors[2], 1 - found.holdout.accuracy);
  // The same as fits that ask for it.
  const auto rows = open_rows(folder / "rows.csv", {.words = true});
  ModelRequest request;
  request.preprocessing.target = "y";
  request.preprocessing.holdout = 0.5;
  request.spec.m = 20;
  request.learner = "svc";
  request.C = 0.01;
  EXPECT_EQ(found.details->C_errors[0], 1 - fit_model(*rows, request).holdout.accuracy);
  request.details = true;
  request.preprocessing.holdout = 0.0001;
  EXPECT_THROW(fit_model(*rows, request), std::invalid_argument);
}

TEST(FitDetails, PairsAreSpreadAndBounded) {
  const TemporaryFolder folder;
  const ModelFit found = fit(rows_file(folder, 9000, false), true);
  EXPECT_GT(found.holdout.rows, 4000u);
  EXPECT_EQ(found.details->truths.size(), 2000u);
}

TEST(FitDetails, SizesAreDifferent) {
  EXPECT_EQ(smaller_sizes(512), (Sizes{32, 64, 128, 256}));
  EXPECT_EQ(smaller_sizes(9), (Sizes{1, 2, 4}));
  EXPECT_EQ(smaller_sizes(1), Sizes{});
}

}  // namespace
}  // namespace bochner
