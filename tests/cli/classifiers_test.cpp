// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/linear_classifier.h"
#include "bochner/model.h"
#include "cli/command.h"
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

Words fit_words(const std::string& learner, Words more = {}) {
  Words words = {"fit",       "rows.csv", "--target",      "y",   "--model", "m", "--m", "40",
                 "--learner", learner,    "--lengthscale", "0.5", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Classes 1, 2 and 3 by the angle of (a, b).
void write_sectors(const TemporaryFolder& folder, const char* name, std::size_t n) {
  std::string text = "a,b,y\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double a = static_cast<double>(i * 37 % 1013) / 500 - 1, b = static_cast<double>(i * 53 % 887) / 440 - 1;
    text += fmt::format("{},{},{}\n", a, b, 1 + static_cast<int>((std::atan2(b, a) / 6.2832 + 0.5) * 2.999));
  }
  folder.write(name, text);
}

/// The rows of a file as a model prepares them.
struct Prepared {
  Prepared(const TemporaryFolder& folder, const Model& model, std::size_t n)
      : X(n, model.preprocessing.d()), y(n), labels(n) {
    const auto rows = open_rows(folder / "rows.csv", read_options(model.preprocessing));
    PreparedRows prepared(model.preprocessing, *rows, true);
    EXPECT_EQ(prepared.next(X, y), n);
    labels.assign(y.begin(), y.end());
  }
  Matrix<double> X;
  std::vector<double> y;
  std::vector<std::int64_t> labels;
};

TEST(CliClassifiers, FitWhatTheLibraryFits) {
  const TemporaryFolder folder;
  for (const bool two : {true, false}) {
    two ? test::write_classes(folder, "rows.csv", 500) : write_sectors(folder, "rows.csv", 500);
    for (const auto& [learner, loss] : {std::pair("logistic", ClassifierLoss::multinomial),
                                        std::pair("logistic_one_vs_rest", ClassifierLoss::logistic),
                                        std::pair("svc", ClassifierLoss::squared_hinge)}) {
      SCOPED_TRACE(learner);
      const json told = json::parse(succeed(folder, fit_words(learner, {"--holdout", "0", "--C", "20"})).out);
      EXPECT_EQ(told["facts"]["converged"], 1);
      const ModelPredictor predictor(load_model(folder / "m"));
      const Prepared rows(folder, predictor.model(), 500);
      const LinearClassifierFit fit = fit_linear_classifier(predictor.features(), rows.X.view(), rows.labels,
                                                            two ? 2 : 3, {}, {.loss = loss, .C = 20});
      const LinearModel& found = predictor.model().linear;
      ASSERT_EQ(found.weights.rows(), two ? 1u : 3u);
      EXPECT_TRUE(
          std::equal(found.weights.data(), found.weights.data() + found.weights.rows() * 80, fit.model.weights.data()));
      EXPECT_EQ(found.intercept, fit.model.intercept);
      const json judged = json::parse(succeed(folder, {"evaluate", "m", "rows.csv", "--json"}).out);
      EXPECT_GT(judged["accuracy"].get<double>(), 0.95);
      EXPECT_EQ(judged["log_loss"].is_null(), loss == ClassifierLoss::squared_hinge);
      if (loss == ClassifierLoss::squared_hinge) continue;
      const Matrix<double> p =
          class_probabilities(predict(predictor.features(), fit.model, MatrixView<const double>(rows.X)), loss);
      double loss_by_hand = 0;
      for (std::size_t i = 0; i < 500; ++i) loss_by_hand -= std::log(p(i, static_cast<std::size_t>(rows.y[i]))) / 500;
      EXPECT_NEAR(judged["log_loss"].get<double>(), loss_by_hand, 1e-12);
    }
  }
}

TEST(CliClassifiers, ProbabilitiesAreThoseOfTheModel) {
  const TemporaryFolder folder;
  write_sectors(folder, "rows.csv", 400);
  for (const Words& more : {Words{}, Words{"--map", "positive"}}) {
    const char* learner = more.empty() ? "logistic" : "nadaraya_watson";
    succeed(folder, fit_words(learner, more));
    succeed(folder, {"predict", "m", "rows.csv", "--out", "p.csv", "--probabilities", "--scores"});
    EXPECT_TRUE(folder.read("p.csv").starts_with(
        "prediction,\"score:1\",\"score:2\",\"score:3\",\"probability:1\",\"probability:2\",\"probability:3\"\n"))
        << folder.read("p.csv").substr(0, 100);
    const Table table = read_table(folder / "p.csv");
    const auto& out = std::get<Matrix<double>>(table.values);
    const ModelPredictor predictor(load_model(folder / "m"));
    const Matrix<double> p = predictor.probabilities(Prepared(folder, predictor.model(), 400).X);
    for (std::size_t i = 0; i < 400; ++i) {
      EXPECT_NEAR(out(i, 4) + out(i, 5) + out(i, 6), 1, 1e-12);
      EXPECT_EQ(out(i, 4), p(i, 0));
      const auto row = out.view().row(i).subspan(4);
      EXPECT_EQ(out(i, 0), 1 + (std::max_element(row.begin(), row.end()) - row.begin()));
    }
  }
}

TEST(CliClassifiers, ReadRowsAgainWhereTheyDoNotFit) {
  const TemporaryFolder folder;
  write_sectors(folder, "rows.csv", 9000);
  Words words = {"fit",       "rows.csv", "--target", "y",   "--model",       "m", "--m",   "5000",
                 "--learner", "svc",      "--memory", "80M", "--lengthscale", "1", "--json"};
  const Outcome refused = run_bochner(words, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  const std::size_t at = refused.err.find("at most ");
  ASSERT_NE(at, std::string::npos) << refused.err;
  // With the largest m that fits there is no room for rows; a few passes tell enough.
  words[7] = refused.err.substr(at + 8, refused.err.find(':', at) - at - 8);
  const json told = json::parse(succeed(folder, words).out);
  EXPECT_NE(told["notes"].dump().find("read again each time"), std::string::npos) << told["notes"];
  words[11] = "2G";
  const std::string bytes = folder.read("m");
  const json kept = json::parse(succeed(folder, words).out);
  EXPECT_NE(kept["notes"].dump().find("kept in memory"), std::string::npos) << kept["notes"];
  EXPECT_EQ(folder.read("m"), bytes);
}

TEST(CliClassifiers, ProcessesTellTheirDeviation) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 300);
  succeed(folder, fit_words("gp", {"--holdout", "0"}));
  succeed(folder, {"predict", "m", "rows.csv", "--out", "p.npy", "--std"});
  const Table table = read_table(folder / "p.npy");
  const auto& out = std::get<Matrix<double>>(table.values);
  ASSERT_EQ(out.cols(), 2u);
  const ModelPredictor predictor(load_model(folder / "m"));
  const Prepared rows(folder, predictor.model(), 300);
  Gram gram(80, 1);
  gram.add(predictor.features(), rows.X.view(), MatrixView<const double>(rows.y.data(), 300, 1));
  const GaussianProcessFit fit = fit_gaussian_process(gram);
  const Matrix<double> mean = predict(predictor.features(), fit.mean, MatrixView<const double>(rows.X));
  const PredictiveVariance variance = predictive_variance(predictor.features(), fit, MatrixView<const double>(rows.X));
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(out(i, 0), mean(i, 0));
    EXPECT_EQ(out(i, 1), std::sqrt(variance.values(i, 0)));
  }
  EXPECT_EQ(predictor.variances(rows.X, true).values(7, 0),
            variance.values(7, 0) + fit.y_scale[0] * fit.y_scale[0] * fit.noise_variance);
}

}  // namespace
}  // namespace bochner
