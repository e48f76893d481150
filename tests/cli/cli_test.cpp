// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/lengthscale.h"
#include "bochner/registry.h"
#include "bochner/table.h"
#include "bochner/version.h"
#include "cli/command.h"
#include "support/scale.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_bochner;
using test::run_shell;
using test::TemporaryFolder;
using Words = std::vector<std::string>;

/// Entries spread over [-2, 2).
template <class T>
Matrix<T> points(std::size_t n, std::size_t d) {
  Matrix<T> X(n, d);
  for (std::size_t i = 0; i < n * d; ++i) X.data()[i] = static_cast<T>((i * 37 + 11) % 101) / T(25.25) - 2;
  return X;
}

template <class T>
void expect_features(const std::filesystem::path& file, const Spec& spec, const Matrix<T>& X, Side side = Side::query) {
  const auto features = make_features(spec);
  if (X.rows() > 0) features->fit(X.view());
  Matrix<T> expected(X.rows(), features->outputs());
  features->transform(X.view(), expected.view(), side);
  const Table table = read_table(file);
  const auto& read = std::get<Matrix<T>>(table.values);
  ASSERT_EQ(read.rows(), expected.rows());
  ASSERT_EQ(read.cols(), expected.cols());
  EXPECT_EQ(std::memcmp(read.data(), expected.data(), sizeof(T) * X.rows() * expected.cols()), 0);
}

void expect_success(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST(Cli, TellsItsVersion) {
  const TemporaryFolder folder;
  const Outcome outcome = run_bochner({"--version"}, folder.path());
  expect_success(outcome);
  EXPECT_EQ(outcome.out, "bochner " + std::string(kVersion) + "\n");
}

TEST(Cli, HelpNamesEveryCommand) {
  const TemporaryFolder folder;
  const Outcome outcome = run_bochner({"--help"}, folder.path());
  expect_success(outcome);
  for (const char* word : {"list", "plan", "transform", "fit", "predict", "evaluate", "attention", "Example:"})
    EXPECT_NE(outcome.out.find(word), std::string::npos);
}

TEST(Cli, ExamplesOfTheHelpRun) {
  for (const Words& command : {Words{}, Words{"list"}, Words{"plan"}, Words{"transform"}, Words{"fit"},
                               Words{"predict"}, Words{"evaluate"}, Words{"attention"}}) {
    const TemporaryFolder folder;
    Words help = command;
    help.push_back("--help");
    const std::string text = run_bochner(help, folder.path()).out;
    const std::size_t mark = text.find("Example:\n  ");
    ASSERT_NE(mark, std::string::npos) << text;
    const std::size_t first = mark + std::strlen("Example:\n  ");
    const std::string line = text.substr(first, text.find('\n', first) - first);
    SCOPED_TRACE(line);
    const Outcome outcome = run_shell(line, folder.path());
    expect_success(outcome);
    EXPECT_NE(outcome.out, "");
  }
}

TEST(Cli, HelpOfTransformShowsEveryOption) {
  const TemporaryFolder folder;
  const Outcome outcome = run_bochner({"transform", "--help"}, folder.path());
  expect_success(outcome);
  for (const char* option : {"input", "--out", "--kernel", "--map", "--coupling", "--m", "--seed", "--lengthscale",
                             "--threads", "--side", "--float32", "--json"})
    EXPECT_NE(outcome.out.find(option), std::string::npos) << option;
}

TEST(Cli, ListsTheRegistry) {
  const TemporaryFolder folder;
  const Outcome outcome = run_bochner({"list"}, folder.path());
  expect_success(outcome);
  for (const auto& entries : {kernels(), maps(), couplings()})
    for (const Entry& entry : entries) {
      EXPECT_NE(outcome.out.find(entry.name), std::string::npos) << entry.name;
      EXPECT_NE(outcome.out.find(entry.formula), std::string::npos) << entry.formula;
      EXPECT_NE(outcome.out.find(entry.summary), std::string::npos) << entry.summary;
    }
}

TEST(Cli, ListsWhatFitsAsJson) {
  const TemporaryFolder folder;
  for (const std::size_t d : {1, 2, 8}) {
    const Outcome outcome = run_bochner({"list", "--json", "--d", std::to_string(d)}, folder.path());
    expect_success(outcome);
    const json listed = json::parse(outcome.out);
    EXPECT_EQ(listed["d"], d);
    EXPECT_EQ(listed["kernels"].size(), kernels().size());
    EXPECT_EQ(listed["maps"].size(), maps().size());
    EXPECT_EQ(listed["couplings"].size(), couplings().size());
    ASSERT_EQ(listed["fits"].size(), kernels().size() * maps().size() * couplings().size());
    for (const json& line : listed["fits"]) {
      const std::string reason = misfit(line["kernel"].get<std::string>(), line["map"].get<std::string>(),
                                        line["coupling"].get<std::string>(), d);
      EXPECT_EQ(line["fits"], reason.empty());
      EXPECT_EQ(line["reason"], reason);
    }
    for (const json& map : listed["maps"]) EXPECT_EQ(map["width"], width(map["name"].get<std::string>()));
  }
}

TEST(Cli, TransformsFloat64) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", Table{points<double>(50, 3), {}});
  expect_success(run_bochner({"transform", "x.npy", "--out", "z.npy", "--kernel", "rbf", "--map", "rff", "--coupling",
                              "orf", "--m", "17", "--seed", "18446744073709551615", "--lengthscale", "0.5,2,1e1"},
                             folder.path()));
  const Spec spec{.d = 3, .m = 17, .seed = 18446744073709551615u, .lengthscale = {0.5, 2, 10}};
  expect_features(folder / "z.npy", spec, points<double>(50, 3));
  EXPECT_EQ(folder.names(), (std::set<std::string>{"x.npy", "z.npy"}));
}

TEST(Cli, DefaultsAreThoseOfSpec) {
  const TemporaryFolder folder;
  write_table(folder / "x.csv", Table{points<double>(5, 2), {"a", "b"}});
  expect_success(run_bochner({"transform", "x.csv", "--out", "z.npy"}, folder.path()));
  Spec spec;
  spec.d = 2;
  expect_features(folder / "z.npy", spec, points<double>(5, 2));
}

TEST(Cli, Float32StaysFloat32) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", Table{points<float>(20, 4), {}});
  expect_success(run_bochner({"transform", "x.npy", "--out", "z.npy", "--m", "8"}, folder.path()));
  expect_features(folder / "z.npy", Spec{.d = 4, .m = 8}, points<float>(20, 4));
}

TEST(Cli, Float32OnRequest) {
  const TemporaryFolder folder;
  const Matrix<double> X = points<double>(20, 4);
  Matrix<float> rounded(20, 4);
  for (std::size_t i = 0; i < 80; ++i) rounded.data()[i] = static_cast<float>(X.data()[i]);
  write_table(folder / "x.csv", Table{points<double>(20, 4), {}});
  expect_success(run_bochner({"transform", "x.csv", "--out", "z.npy", "--m", "8", "--float32"}, folder.path()));
  expect_features(folder / "z.npy", Spec{.d = 4, .m = 8}, rounded);
}

TEST(Cli, CsvOutputHasTheSameBits) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", Table{points<double>(20, 4), {}});
  expect_success(run_bochner({"transform", "x.npy", "--out", "z.csv", "--map", "positive", "--m", "3"}, folder.path()));
  expect_features(folder / "z.csv", Spec{.d = 4, .map = "positive", .m = 3}, points<double>(20, 4));
  EXPECT_EQ(read_table(folder / "z.csv").columns, (Words{"phi0", "phi1", "phi2"}));
}

TEST(Cli, EveryFittingCombinationOnBothSides) {
  const TemporaryFolder folder;
  // A small run takes every seventh: all kernels, maps and couplings come up.
  const std::size_t step = test::test_scale() < 1 ? 7 : 1;
  std::size_t number = 0;
  write_table(folder / "x.npy", Table{points<float>(6, 3), {}});
  for (const Entry& kernel : kernels())
    for (const Entry& map : maps())
      for (const Entry& coupling : couplings()) {
        const std::string k(kernel.name), f(map.name), c(coupling.name);
        if (!misfit(k, f, c, 3).empty() || number++ % step != 0) continue;
        SCOPED_TRACE(k + " " + f + " " + c);
        for (const auto& [side, name] : {std::pair(Side::query, "query"), std::pair(Side::key, "key")}) {
          expect_success(run_bochner({"transform", "x.npy", "--out", "z.npy", "--kernel", k, "--map", f, "--coupling",
                                      c, "--m", "5", "--side", name},
                                     folder.path()));
          expect_features(folder / "z.npy", Spec{.d = 3, .kernel = k, .map = f, .coupling = c, .m = 5},
                          points<float>(6, 3), side);
        }
      }
}

TEST(Cli, NoRowsWork) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,b\n");
  for (const char* out : {"z.npy", "z.csv"}) {
    expect_success(run_bochner({"transform", "x.csv", "--out", out, "--m", "4"}, folder.path()));
    const Table table = read_table(folder / out);
    EXPECT_EQ(std::get<Matrix<double>>(table.values).rows(), 0u);
    EXPECT_EQ(std::get<Matrix<double>>(table.values).cols(), 8u);
  }
}

TEST(Cli, BlocksAndThreadsDoNotChangeABit) {
  const TemporaryFolder folder;
  // 60,000 rows of 200 features are three blocks of the progress bar.
  write_table(folder / "x.npy", Table{points<float>(60'000, 3), {}});
  for (const char* threads : {"1", "3"}) {
    expect_success(
        run_bochner({"transform", "x.npy", "--out", "z.npy", "--m", "100", "--threads", threads}, folder.path()));
    expect_features(folder / "z.npy", Spec{.d = 3, .m = 100}, points<float>(60'000, 3));
  }
}

TEST(Cli, JsonTellsWhatWasDone) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", Table{points<float>(7, 3), {}});
  const Outcome outcome =
      run_bochner({"transform", "x.npy", "--out", "z.npy", "--m", "5", "--coupling", "simrf", "--json"}, folder.path());
  expect_success(outcome);
  const json told = json::parse(outcome.out);
  EXPECT_EQ(spec_from_json(told["spec"].dump()),
            (Spec{.d = 3, .map = "trigonometric", .coupling = "simplex", .m = 5, .parameters = {{"block", 3.0}}}));
  EXPECT_EQ(told["n"], 7);
  EXPECT_EQ(told["d"], 3);
  EXPECT_EQ(told["outputs"], 10);
  EXPECT_EQ(told["dtype"], "float32");
  EXPECT_EQ(told["out"], "z.npy");
  EXPECT_GE(told["seconds"].get<double>(), 0.0);
}

/// By transform and by fit; silent where the parameters serve the rows.
TEST(Cli, ParametersFromDataThatAreWorthlessAreNoted) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", Table{points<double>(300, 3), {}});
  for (const auto& [lengthscale, worthless] : {std::pair{"0.02", true}, std::pair{"20", false}}) {
    const std::vector<std::string> words = {"x.npy", "--map",         "optimal_positive", "--m",
                                            "64",    "--lengthscale", lengthscale,        "--json"};
    std::vector<std::string> transform = {"transform", "--out", "z.npy"},
                             fit = {"fit", "--model", "m", "--target", "3"};
    transform.insert(transform.end(), words.begin(), words.end());
    fit.insert(fit.end(), words.begin(), words.end());
    for (const auto& command : {transform, fit}) {
      const Outcome outcome = run_bochner(command, folder.path());
      expect_success(outcome);
      const json told = json::parse(outcome.out);
      std::size_t noted = 0;
      for (const auto& note : told["notes"])
        noted +=
            note.get<std::string>().starts_with("map is 'optimal_positive', whose relative error is predicted as ");
      EXPECT_EQ(noted, worthless ? 1u : 0u) << outcome.out;
    }
    transform.pop_back();
    const Outcome text = run_bochner(transform, folder.path());
    expect_success(text);
    EXPECT_EQ(text.out.find("note: map is 'optimal_positive'") != std::string::npos, worthless) << text.out;
  }
}

TEST(Cli, LengthscaleFromTheInput) {
  const TemporaryFolder folder;
  const Matrix<float> X = points<float>(1500, 3);
  write_table(folder / "x.npy", Table{points<float>(1500, 3), {}});
  for (const std::string_view rule : lengthscale_rules()) {
    const double sigma = lengthscale_from<float>(X.view(), rule, 7);
    Words words = {"transform", "x.npy",  "--out", "z.npy",         "--m",
                   "5",         "--seed", "7",     "--lengthscale", std::string(rule)};
    const Outcome plain = run_bochner(words, folder.path());
    expect_success(plain);
    EXPECT_NE(plain.out.find(fmt::format("lengthscale {:.6g} ({})", sigma, rule)), std::string::npos) << plain.out;
    const Spec spec{.d = 3, .m = 5, .seed = 7, .lengthscale = {sigma}};
    expect_features(folder / "z.npy", spec, X);
    words.push_back("--json");
    const Outcome outcome = run_bochner(words, folder.path());
    expect_success(outcome);
    EXPECT_EQ(spec_from_json(json::parse(outcome.out)["spec"].dump()), make_features(spec)->spec());
  }
}

TEST(Cli, AnOldOutputIsReplacedOrKept) {
  const TemporaryFolder folder;
  folder.write("x.csv", "1,2\n");
  folder.write("bad.csv", "1,2\nx,3\n");
  folder.write("z.npy", "old");
  EXPECT_EQ(run_bochner({"transform", "bad.csv", "--out", "z.npy"}, folder.path()).exit_code, 2);
  EXPECT_EQ(folder.read("z.npy"), "old");
  expect_success(run_bochner({"transform", "x.csv", "--out", "z.npy"}, folder.path()));
  EXPECT_NO_THROW(read_table(folder / "z.npy"));
}

TEST(Cli, FullDiskIsAFailure) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", Table{points<double>(1000, 3), {}});
  folder.write("z.npy", "old");
  const Outcome outcome = run_shell("ulimit -f 8; bochner transform x.npy --out z.npy", folder.path());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("bochner: z.npy: cannot be written")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(folder.read("z.npy"), "old");
  EXPECT_EQ(folder.names(), (std::set<std::string>{"x.npy", "z.npy"}));
}

TEST(Cli, FullStandardOutputIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const TemporaryFolder folder;
  const Outcome outcome = run_shell("bochner list > /dev/full", folder.path());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.err.starts_with("bochner: cannot write to standard output")) << outcome.err;
}

}  // namespace
}  // namespace bochner
