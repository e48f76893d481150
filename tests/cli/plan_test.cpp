// SPDX-License-Identifier: Apache-2.0
#include "bochner/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/table.h"
#include "cli/command.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_bochner;
using test::run_shell;
using test::TemporaryFolder;
using Words = std::vector<std::string>;

Matrix<double> points(std::size_t n, std::size_t d) {
  Matrix<double> X(n, d);
  for (std::size_t i = 0; i < n * d; ++i) X.data()[i] = static_cast<double>((i * 37 + 11) % 101) / 101 - 0.5;
  return X;
}

Matrix<double> copy(const Matrix<double>& X) {
  Matrix<double> same(X.rows(), X.cols());
  std::copy_n(X.data(), X.rows() * X.cols(), same.data());
  return same;
}

TEST(PlanCommand, SaysWhatTheLibrarySays) {
  const TemporaryFolder folder;
  const Matrix<double> X = points(60, 3), Y = points(40, 3);
  write_table(folder / "x.npy", Table{copy(X), {}});
  write_table(folder / "y.npy", Table{copy(Y), {}});
  const Outcome outcome =
      run_bochner({"plan", "x.npy", "--keys", "y.npy", "--kernel", "softmax", "--m", "20", "--require",
                   "positive,symmetric", "--lengthscale", "0.8", "--seed", "4", "--json"},
                  folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Plan made = plan<double>(
      X.view(), Y.view(),
      {.kernel = "softmax", .lengthscale = {0.8}, .outputs = 40, .require = {"positive", "symmetric"}, .seed = 4});
  const json said = json::parse(outcome.out);
  ASSERT_EQ(said["table"].size(), made.table.size());
  for (std::size_t i = 0; i < made.table.size(); ++i) {
    EXPECT_EQ(said["table"][i]["spec"], json::parse(to_json(made.table[i].spec)));
    EXPECT_EQ(said["table"][i]["error"], made.table[i].error);
  }
}

/// The line that it proposes makes the features that it ranked first.
TEST(PlanCommand, ProposesALineThatRuns) {
  const TemporaryFolder folder;
  write_table(folder / "x.csv", Table{points(60, 3), {}});
  for (const Words& more : {Words{"--m", "16"}, Words{"--target", "0.05", "--require", "positive"}}) {
    Words words = {"plan", "x.csv", "--lengthscale", "median"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_bochner(words, folder.path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::string line = outcome.out.substr(outcome.out.find("  bochner transform"));
    const Outcome run = run_shell(line, folder.path());
    EXPECT_EQ(run.exit_code, 0) << line << run.err;
    EXPECT_TRUE(std::filesystem::exists(folder / "features.npy"));
  }
}

/// `transform` with auto makes the features that the library plans.
TEST(PlanCommand, TransformPlansWhatIsAuto) {
  const TemporaryFolder folder;
  const Matrix<double> X = points(60, 3);
  write_table(folder / "x.npy", Table{copy(X), {}});
  const auto spec_of = [&](Words more) {
    more.insert(more.begin(), {"transform", "x.npy", "--out", "z.npy", "--json"});
    const Outcome outcome = run_bochner(more, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["spec"];
  };
  const Spec open{.d = 3, .m = 12, .seed = 4};
  EXPECT_EQ(spec_of({"--map", "auto", "--m", "12", "--seed", "4"}),
            json::parse(to_json(planned<double>(open, X.view()))));
  EXPECT_EQ(spec_of({"--m", "auto", "--target", "0.04", "--seed", "4"}),
            json::parse(to_json(planned<double>(open, X.view(), {}, 0.04))));
  EXPECT_EQ(spec_of({"--m", "12"})["map"], "trigonometric");
  const Outcome told = run_bochner({"transform", "x.npy", "--out", "z.npy", "--coupling", "auto"}, folder.path());
  EXPECT_NE(told.out.find(", planned: map "), std::string::npos) << told.out;
  for (const Words& alone : {Words{"--m", "auto"}, Words{"--target", "0.1"}}) {
    Words words = {"transform", "x.npy", "--out", "z.npy"};
    words.insert(words.end(), alone.begin(), alone.end());
    const Outcome outcome = run_bochner(words, folder.path());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("--target ERROR and --m auto need each other"), std::string::npos) << outcome.err;
  }
}

TEST(PlanCommand, MemoryHasUnits) {
  const TemporaryFolder folder;
  write_table(folder / "x.csv", Table{points(10, 3), {}});
  const Outcome bytes = run_bochner({"plan", "x.csv", "--m", "8", "--memory", "1073741824"}, folder.path());
  EXPECT_EQ(bytes.exit_code, 0) << bytes.err;
  const Outcome units = run_bochner({"plan", "x.csv", "--m", "8", "--memory", "1G"}, folder.path());
  EXPECT_EQ(units.exit_code, 0) << units.err;
}

TEST(PlanCommand, BadInputIsOneSentence) {
  const TemporaryFolder folder;
  write_table(folder / "x.csv", Table{points(10, 3), {}});
  folder.write("nan.csv", "1,2\n3,nan\n");
  folder.write("narrow.csv", "1\n2\n");
  const std::vector<std::pair<Words, std::string>> cases = {
      {{}, "no input file; see 'bochner plan --help'"},
      {{"none.csv"}, "none.csv"},
      {{"x.csv", "--m", "0"}, "--m is 0; expected a number of random directions >= 1"},
      {{"x.csv", "--m", "4", "--target", "0.1"}, "--m and --target exclude each other; give one of them"},
      {{"x.csv", "--target", "-1"}, "--target is '-1'; expected an error > 0"},
      {{"x.csv", "--require", "positif"}, "unknown constraint 'positif'; did you mean 'positive'?"},
      {{"x.csv", "--measure", "relativ"}, "unknown measure 'relativ'; did you mean 'relative'?"},
      {{"x.csv", "--kernel", "laplace", "--require", "positive"}, "drop 'positive'"},
      {{"x.csv", "--keys", "narrow.csv"}, "Y is 2 x 1; expected at least one row of 3 columns"},
      {{"x.csv", "--target", "1e-9", "--memory", "100000"}, "the best error within"},
      {{"x.csv", "--memory", "1T"}, "--memory is '1T'; expected bytes, such as 1073741824, 1024M or 1G"},
      {{"x.csv", "--nu", "3"}, "parameter 'nu'"}};
  for (const auto& [words, sentence] : cases) {
    Words all = {"plan"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_bochner(all, folder.path());
    EXPECT_EQ(outcome.exit_code, 2) << sentence;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(sentence), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace bochner
