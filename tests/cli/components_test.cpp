// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/kernel_pca.h"
#include "bochner/model.h"
#include "cli/expect_refused.h"
#include "cli/generated_rows.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_bochner;
using test::TemporaryFolder;
using Words = std::vector<std::string>;

Outcome succeed(const TemporaryFolder& folder, const Words& words) {
  Outcome outcome = run_bochner(words, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome;
}

Words fit_words(Words more = {}) {
  Words words = {"fit", "rows.csv", "--learner", "pca", "--components", "3", "--model", "m", "--m", "20", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Matrix<double> prepared(const TemporaryFolder& folder, const Model& model, std::size_t n) {
  const auto rows = open_rows(folder / "rows.csv", read_options(model.preprocessing));
  PreparedRows ready(model.preprocessing, *rows, false);
  Matrix<double> X(n, model.preprocessing.d());
  EXPECT_EQ(ready.next(X), n);
  return X;
}

TEST(CliComponents, AreThoseOfTheLibrary) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 300);
  const json told = json::parse(succeed(folder, fit_words()).out);
  EXPECT_EQ(told["task"], "components");
  EXPECT_EQ(told["inputs"], 4);
  EXPECT_EQ(told["facts"]["rows"], 300);
  EXPECT_TRUE(told["holdout"].is_null());
  const ModelPredictor predictor(load_model(folder / "m"));
  const Matrix<double> X = prepared(folder, predictor.model(), 300);
  Gram gram(40, 0);
  gram.add(predictor.features(), X.view(), MatrixView<const double>(nullptr, 300, 0));
  const KernelPcaFit fit = fit_kernel_pca(gram, 3);
  EXPECT_EQ(told["explained_variance"].get<std::vector<double>>(), fit.explained_variance);
  EXPECT_EQ(told["facts"]["total_variance"].get<double>(), fit.total_variance);
  EXPECT_EQ(predictor.model().components->mean, fit.mean);
  succeed(folder, {"transform", "rows.csv", "--model", "m", "--out", "t.npy"});
  const Table table = read_table(folder / "t.npy");
  const auto& found = std::get<Matrix<double>>(table.values);
  const Matrix<double> expected = predict(predictor.features(), fit.model, MatrixView<const double>(X));
  ASSERT_EQ(found.rows(), 300u);
  ASSERT_EQ(found.cols(), 3u);
  EXPECT_TRUE(std::equal(found.data(), found.data() + 900, expected.data()));
}

TEST(CliComponents, LeaveTheTargetOut) {
  const TemporaryFolder folder;
  test::write_classes(folder, "rows.csv", 200);
  EXPECT_EQ(json::parse(succeed(folder, fit_words({"--target", "y"})).out)["inputs"], 3);
  const std::string with = folder.read("m");
  // Its words are not even looked at, and rows to transform may lack the column.
  succeed(folder, {"transform", "rows.csv", "--model", "m", "--out", "t.csv"});
  const std::string text = folder.read("rows.csv");
  std::string without;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    without += text.substr(at, text.rfind(',', end) - at) + "\n";
    at = end + 1;
  }
  folder.write("less.csv", without);
  succeed(folder, {"transform", "less.csv", "--model", "m", "--out", "u.csv"});
  EXPECT_EQ(folder.read("u.csv"), folder.read("t.csv"));
  EXPECT_TRUE(folder.read("t.csv").starts_with("\"score0\",\"score1\",\"score2\"\n") ||
              folder.read("t.csv").starts_with("score0,score1,score2\n"));
}

TEST(CliComponents, PredictNothingAndSaySo) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 100);
  succeed(folder, fit_words());
  const auto before = test::contents(folder);
  test::expect_refused(folder, before, {"predict", "m", "rows.csv"}, {"m: principal components predict nothing"});
  test::expect_refused(folder, before, {"evaluate", "m", "rows.csv"}, {"bochner transform"});
  test::expect_refused(folder, before, fit_words({"--holdout", "0.1"}), {"holdout is 0.1", "expected 0"});
  test::expect_refused(folder, before, fit_words({"--task", "regression", "--target", "y"}), {"'pca'", "ridge, gp"});
  test::expect_refused(folder, before, fit_words({"--alpha", "1"}), {"alpha is 1", "neither"});
  Words many = fit_words();
  many[5] = "41";
  test::expect_refused(folder, before, many, {"components is 41", "from 1 to 40"});
  test::expect_refused(folder, before, {"fit", "rows.csv", "--target", "y", "--model", "n", "--components", "2"},
                       {"components is 2", "pca, not 'ridge'"});
}

}  // namespace
}  // namespace bochner
