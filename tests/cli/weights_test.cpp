// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/linear_classifier.h"
#include "bochner/model.h"
#include "cli/expect_refused.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_bochner;
using test::TemporaryFolder;
using Words = std::vector<std::string>;

constexpr std::size_t kRows = 240;

/// Inputs a and b, weights v of 1, 2 and 3, the target last; `repeated` writes each row as often as it weighs.
void write_rows(const TemporaryFolder& folder, const char* name, bool classes, bool repeated) {
  std::string text = repeated ? "a,b,y\n" : "a,v,b,y\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    const double a = static_cast<double>(i * 37 % 101) / 50 - 1, b = static_cast<double>(i * 53 % 89) / 44 - 1;
    const std::string y = classes ? (a * a + b * b < 0.3 ? "in" : "out") : fmt::format("{}", std::sin(3 * a) + b);
    const std::size_t weight = 1 + i % 3;
    if (!repeated) text += fmt::format("{},{},{},{}\n", a, weight, b, y);
    for (std::size_t k = 0; repeated && k < weight; ++k) text += fmt::format("{},{},{}\n", a, b, y);
  }
  folder.write(name, text);
}

Model fitted(const TemporaryFolder& folder, const std::string& rows, Words more) {
  Words words = {"fit", rows, "--model", "m", "--m", "20", "--holdout", "0", "--lengthscale", "1", "--no-standardise"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run_bochner(words, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return load_model(folder / "m");
}

/// The same predictions as from rows that are written again and again, up to rounding and, of logistic and svc, ten
/// times the part of the gradient that their method leaves.
TEST(CliWeights, CountRows) {
  const TemporaryFolder folder;
  for (const auto& [learner, tolerance] : {std::pair<Words, double>{{"--learner", "ridge", "--alpha", "0.1"}, 1e-9},
                                           {{"--learner", "gp"}, 1e-6},
                                           {{"--learner", "nadaraya_watson"}, 1e-12},
                                           {{"--learner", "logistic"}, 1e-3},
                                           {{"--learner", "svc"}, 1e-3},
                                           {{"--learner", "pca"}, 1e-9}}) {
    SCOPED_TRACE(learner[1]);
    const bool classes = learner[1] != "gp" && learner[1] != "pca";
    write_rows(folder, "rows.csv", classes, false);
    write_rows(folder, "repeated.csv", classes, true);
    Words once = learner, often = learner;
    once.insert(once.end(), {"--target", "y", "--weight", "v"});
    often.insert(often.end(), {"--target", "y"});
    const ModelPredictor weighted(fitted(folder, "rows.csv", once)), counted(fitted(folder, "repeated.csv", often));
    EXPECT_EQ(weighted.model().preprocessing.inputs.size(), 2u);
    Matrix<double> X(50, 2);
    for (std::size_t i = 0; i < 100; ++i) X.data()[i] = std::sin(static_cast<double>(i));
    const Matrix<double> left = weighted.scores(X), right = counted.scores(X);
    double size = 0;
    for (std::size_t i = 0; i < 50; ++i) size = std::max(size, std::fabs(right(i, 0)));
    for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(left(i, 0), right(i, 0), tolerance * size);
  }
}

TEST(CliWeights, BalanceClasses) {
  const TemporaryFolder folder;
  write_rows(folder, "rows.csv", true, false);
  for (const bool weighted : {false, true}) {
    const Words words = {
        "--learner", "svc", "--target", "y", "--class-weight", "balanced", weighted ? "--weight" : "--drop", "v"};
    const Model model = fitted(folder, "rows.csv", words);
    const auto rows = open_rows(folder / "rows.csv", read_options(model.preprocessing));
    PreparedRows prepared(model.preprocessing, *rows, true, false, 1);
    Matrix<double> X(kRows, 2);
    std::vector<double> y(kRows), weights(kRows);
    ASSERT_EQ(prepared.next(X, y, weights), kRows);
    const std::vector<std::int64_t> labels(y.begin(), y.end());
    if (!weighted) weights.clear();
    const LinearClassifierFit fit = fit_linear_classifier(*make_features(model.spec), X.view(), labels, 2,
                                                          balanced_weights(labels, 2, weights), {});
    EXPECT_TRUE(std::equal(model.linear.weights.data(), model.linear.weights.data() + 40, fit.model.weights.data()));
  }
}

TEST(CliWeights, WrongOnesAreRefusedWithTheirLine) {
  const TemporaryFolder folder;
  const Words fit = {"fit", "rows.csv", "--target", "y", "--model", "m", "--weight", "v", "--impute"};
  const auto refused = [&](const std::string& text, const Words& words, Words more = {}) {
    folder.write("rows.csv", text);
    Words all = fit;
    all.insert(all.end(), more.begin(), more.end());
    test::expect_refused(folder, test::contents(folder), all, words);
  };
  refused("a,v,y\n1,1,2\n2,-0.5,3\n", {"rows.csv, line 3, column 2", "the weight is -0.5", ">= 0"});
  refused("a,v,y\n1,1,2\n2,,3\n", {"rows.csv, line 3, column 2", "the weight is missing"});
  refused("a,v,y\n1,x,2\n2,1,3\n", {"rows.csv, line 2, column 2", "'x' is not a number"});
  refused("a,v,y\n1,0,2\n2,0,3\n", {"rows.csv", "column 2 has no weight > 0"}, {"--holdout", "0"});
  refused("a,w,y\n1,1,2\n", {"unknown weight 'v'"});
  refused("a,v,y\n1,1,2\n", {"drop is the weight"}, {"--drop", "v"});
  refused("v,y\n1,2\n", {"no column beside the target"}, {"--holdout", "0"});
  refused("a,v,y\n1,1,2\n2,1,3.5\n", {"class_weight is balanced", "not 'ridge'"}, {"--class-weight", "balanced"});
  refused("a,v,y\n1,1,2\n", {"--class-weight is 'even'", "'balanced'"}, {"--class-weight", "even"});
}

/// |x| without noise is fitted the better the smaller alpha is, as far as numbers reach.
TEST(CliWeights, AnErrorThatFallsToTheEndOfThePathIsANote) {
  const TemporaryFolder folder;
  for (const bool noise : {false, true}) {
    std::string text = "x,y\n";
    for (int i = 0; i < 400; ++i)
      text += fmt::format("{},{}\n", i / 66.5 - 3, std::abs(i / 66.5 - 3) + (noise ? i * 7919 % 13 : 0));
    folder.write("rows.csv", text);
    const Outcome outcome = run_bochner({"fit", "rows.csv", "--target", "y", "--model", "m", "--m", "32",
                                         "--lengthscale", "3", "--no-standardise", "--holdout", "0", "--json"},
                                        folder.path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    bool said = false;
    const auto notes = json::parse(outcome.out).at("notes").get<std::vector<std::string>>();
    for (const std::string& note : notes)
      said = said || (note.starts_with("alpha ") && note.find("has the least error and is the least") < note.size());
    EXPECT_EQ(said, !noise) << outcome.out;
  }
}

}  // namespace
}  // namespace bochner
