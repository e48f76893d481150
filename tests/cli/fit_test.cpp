// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/gram.h"
#include "bochner/kernel_ridge.h"
#include "bochner/lengthscale.h"
#include "bochner/model.h"
#include "cli/command.h"
#include "cli/generated_rows.h"
#include "support/gzip.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_bochner;
using test::run_shell;
using test::TemporaryFolder;
using test::write_regression;
using Words = std::vector<std::string>;

void expect_success(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

Words fit_words(Words more = {}) {
  Words words = {"fit", "rows.csv", "--target", "y", "--model", "m.safetensors", "--m", "40"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(CliFit, FitsWhatTheLibraryFits) {
  const TemporaryFolder folder;
  write_regression(folder, "rows.csv", 900);
  expect_success(run_bochner(fit_words({"--holdout", "0", "--seed", "5", "--lengthscale", "median"}), folder.path()));
  const Model model = load_model(folder / "m.safetensors");
  // The same by hand.
  const Table table = read_table(folder / "rows.csv");
  const auto& all = std::get<Matrix<double>>(table.values);
  Matrix<double> X(900, 3), Y(900, 1);
  for (std::size_t i = 0; i < 900; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      X(i, j) = (all(i, j) - model.preprocessing.mean[j]) / model.preprocessing.scale[j];
    Y(i, 0) = all(i, 3);
  }
  Spec spec{.d = 3, .m = 40, .seed = 5};
  spec.lengthscale = {lengthscale_from<double>(X.view(), "median", 5)};
  const auto features = make_features(spec);
  EXPECT_EQ(model.spec, features->spec());
  FoldGram gram(80, 1);
  gram.add(*features, X.view(), Y.view());
  const KernelRidgeFit fit = fit_kernel_ridge(gram, {.selection = Selection::folds});
  EXPECT_EQ(model.facts.at("alpha"), fit.alpha);
  EXPECT_EQ(std::memcmp(model.linear.weights.data(), fit.model.weights.data(), 80 * sizeof(double)), 0);
  // And predictions: from the file, from the model, by hand.
  expect_success(run_bochner({"predict", "m.safetensors", "rows.csv", "--out", "p.npy"}, folder.path()));
  const Table predicted = read_table(folder / "p.npy");
  const auto& found = std::get<Matrix<double>>(predicted.values);
  const Matrix<double> expected = predict(*features, fit.model, MatrixView<const double>(X));
  ASSERT_EQ(found.rows(), 900u);
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), 900 * sizeof(double)), 0);
  EXPECT_EQ(ModelPredictor(load_model(folder / "m.safetensors")).predict(X),
            std::vector<double>(expected.data(), expected.data() + 900));
}

TEST(CliFit, TellsWhatWasChosenAndHowGoodItIs) {
  const TemporaryFolder folder;
  write_regression(folder, "rows.csv", 2000);
  const Outcome plain = run_bochner(fit_words(), folder.path());
  expect_success(plain);
  for (const char* word : {"ridge", "regression", "lengthscale", "'scale'", "alpha", "5 folds", "held out", "R2"})
    EXPECT_NE(plain.out.find(word), std::string::npos) << word << " in " << plain.out;
  const Outcome outcome = run_bochner(fit_words({"--json"}), folder.path());
  expect_success(outcome);
  const json told = json::parse(outcome.out);
  EXPECT_EQ(told["task"], "regression");
  EXPECT_EQ(told["outputs"], 80);
  EXPECT_EQ(told["facts"]["rows"].get<double>() + told["holdout"]["rows"].get<double>(), 2000);
  EXPECT_GT(told["holdout"]["r2"].get<double>(), 0.9);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"rows.csv", "m.safetensors"}));
}

TEST(CliFit, TheSameModelFromEveryFormatAndThreads) {
  const TemporaryFolder folder;
  write_regression(folder, "rows.csv", 700);
  folder.write("packed.csv.gz", test::gzip(folder.read("rows.csv")));
  Table table = read_table(folder / "rows.csv");
  write_table(folder / "rows.npy", Table{std::move(table.values), {}});
  std::string svm;
  const Table again = read_table(folder / "rows.csv");
  const auto& all = std::get<Matrix<double>>(again.values);
  for (std::size_t i = 0; i < 700; ++i)
    svm += fmt::format("{} 1:{} 2:{} 3:{}\n", all(i, 3), all(i, 0), all(i, 1), all(i, 2));
  folder.write("rows.svm", svm);
  const auto weights = [&](const Words& words) {
    expect_success(run_bochner(words, folder.path()));
    const Model model = load_model(folder / "m");
    return std::vector<double>(model.linear.weights.data(), model.linear.weights.data() + 40);
  };
  const auto expected = weights({"fit", "rows.csv", "--target", "y", "--model", "m", "--m", "20"});
  EXPECT_EQ(weights({"fit", "packed.csv.gz", "--target", "y", "--model", "m", "--m", "20"}), expected);
  EXPECT_EQ(weights({"fit", "rows.npy", "--target", "4", "--model", "m", "--m", "20", "--threads", "3"}), expected);
  EXPECT_EQ(weights({"fit", "rows.svm", "--model", "m", "--m", "20", "--threads", "1"}), expected);
  expect_success(run_bochner({"predict", "m", "rows.svm", "--out", "a.npy"}, folder.path()));
}

TEST(CliFit, ClassifiesWordsByBothLearners) {
  const TemporaryFolder folder;
  test::write_classes(folder, "rows.csv", 600);
  for (const char* learner : {"ridge", "nadaraya_watson"}) {
    expect_success(run_bochner(fit_words({"--learner", learner, "--lengthscale", "0.5"}), folder.path()));
    const Outcome outcome = run_bochner({"evaluate", "m.safetensors", "rows.csv", "--json"}, folder.path());
    expect_success(outcome);
    const json told = json::parse(outcome.out);
    EXPECT_EQ(told["classes"], (Words{"in", "out"}));
    EXPECT_GT(told["accuracy"].get<double>(), 0.8) << learner;
    EXPECT_EQ(told["confusion"][0][0].get<int>() + told["confusion"][0][1].get<int>() +
                  told["confusion"][1][0].get<int>() + told["confusion"][1][1].get<int>(),
              600);
    const Outcome words = run_bochner({"predict", "m.safetensors", "rows.csv"}, folder.path());
    expect_success(words);
    EXPECT_TRUE(words.out.starts_with("prediction\n")) << words.out.substr(0, 40);
    EXPECT_EQ(std::ranges::count(words.out, '\n'), 601);
    expect_success(run_bochner({"predict", "m.safetensors", "rows.csv", "--out", "p.csv", "--scores"}, folder.path()));
    EXPECT_TRUE(folder.read("p.csv").starts_with("prediction,\"score:in\",\"score:out\"\n"));
  }
}

TEST(CliFit, TransformsByTheModel) {
  const TemporaryFolder folder;
  write_regression(folder, "rows.csv", 50);
  expect_success(run_bochner(fit_words({"--float32"}), folder.path()));
  expect_success(run_bochner({"transform", "rows.csv", "--model", "m.safetensors", "--out", "z.npy"}, folder.path()));
  const ModelPredictor predictor(load_model(folder / "m.safetensors"));
  const auto rows = open_rows(folder / "rows.csv", read_options(predictor.model().preprocessing));
  PreparedRows prepared(predictor.model().preprocessing, *rows, false);
  Matrix<double> X(50, 3);
  ASSERT_EQ(prepared.next(X), 50u);
  const Matrix<double> expected = predictor.transform(X);
  const Table table = read_table(folder / "z.npy");
  const auto& found = std::get<Matrix<float>>(table.values);
  ASSERT_EQ(found.cols(), 80u);
  for (std::size_t i = 0; i < 50 * 80; ++i) ASSERT_EQ(static_cast<double>(found.data()[i]), expected.data()[i]);
}

TEST(CliFit, FillsInAndDrops) {
  const TemporaryFolder folder;
  std::string text = "id,a,b,y\n";
  for (int i = 0; i < 300; ++i)
    text += fmt::format("r{},{},{},{}\n", i, i % 17 == 3 ? "NA" : fmt::format("{}", i % 29), i % 3 == 0 ? "u" : "v",
                        std::sin(i % 29 * 0.3) + 0.5);
  folder.write("rows.csv", text);
  const Words words = {"fit",    "rows.csv", "--target", "y",   "--model", "m",
                       "--drop", "id",       "--impute", "--m", "32",      "--json"};
  const Outcome outcome = run_bochner(words, folder.path());
  expect_success(outcome);
  const json told = json::parse(outcome.out);
  EXPECT_EQ(told["inputs"], 2);
  EXPECT_EQ(told["d"], 3);
  expect_success(run_bochner({"evaluate", "m", "rows.csv"}, folder.path()));
}

/// No mechanism is chosen by the error of the kernel: "auto" is the default, and a wanted error decides m alone.
TEST(CliFit, AutoIsTheDefaultOfTheKernel) {
  const TemporaryFolder folder;
  write_regression(folder, "rows.csv", 200);
  const auto spec_of = [&](Words more) {
    Words words = {"fit", "rows.csv", "--target", "y", "--model", "m", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_bochner(words, folder.path());
    expect_success(outcome);
    return json::parse(outcome.out)["spec"];
  };
  EXPECT_EQ(spec_of({"--map", "auto", "--coupling", "auto", "--m", "32"}), spec_of({"--m", "32"}));
  const json laplace = spec_of({"--kernel", "laplace", "--map", "auto", "--coupling", "auto", "--m", "32"});
  EXPECT_EQ(laplace["coupling"], "iid");
  const json coarse = spec_of({"--m", "auto", "--error", "0.1"}), fine = spec_of({"--m", "auto", "--error", "0.02"});
  for (const json& spec : {coarse, fine}) {
    EXPECT_EQ(spec["map"], "trigonometric");
    EXPECT_EQ(spec["coupling"], "orthogonal");
    EXPECT_EQ(spec["block"], spec["d"]);
  }
  EXPECT_GT(fine["m"], coarse["m"]);
}

TEST(CliFit, HonoursTheMemoryLimit) {
  const TemporaryFolder folder;
  write_regression(folder, "rows.csv", 200);
  expect_success(run_bochner(fit_words({"--memory", "256M"}), folder.path()));
  Words large = {"fit", "rows.csv", "--target", "y", "--model", "l", "--m", "6000", "--memory", "256M"};
  const Outcome outcome = run_bochner(large, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  const std::size_t at = outcome.err.find("at most ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  large[7] = outcome.err.substr(at + 8, outcome.err.find(':', at) - at - 8);
  large.push_back("--json");
  expect_success(run_bochner(large, folder.path()));
}

}  // namespace
}  // namespace bochner
