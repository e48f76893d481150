// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bochner/model.h"
#include "bochner/table.h"
#include "cli/command.h"
#include "cli/generated_rows.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::Outcome;
using test::run_bochner;
using test::TemporaryFolder;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

void expect_peak_below([[maybe_unused]] const Outcome& outcome, [[maybe_unused]] std::size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which take memory of their own
  EXPECT_LT(outcome.peak, bytes);
#endif
}

/// As many rows as there are words, each of `columns` columns having all of them; the target is a number.
void write_words(const TemporaryFolder& folder, std::size_t words, std::size_t columns) {
  std::string text;
  for (std::size_t j = 0; j < columns; ++j) text += fmt::format("w{},", j);
  text += "y\n";
  for (std::size_t i = 0; i < words; ++i) {
    for (std::size_t j = 0; j < columns; ++j) text += fmt::format("v{},", (i + 7 * j) % words);
    text += fmt::format("{}.5\n", i * 37 % 101);
  }
  folder.write("words.csv", text);
}

/// Words make d large while the file has two columns: what a block takes follows d.
TEST(CliMemory, RowsOfWordsTakeWhatIsSaid) {
  const TemporaryFolder folder;
  write_words(folder, 3000, 1);
  const Outcome outcome = run_bochner(
      {"fit", "words.csv", "--target", "y", "--model", "m", "--m", "64", "--memory", "200M"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_peak_below(outcome, 200 * kMebibyte);
}

/// d = 36000: 2000 rows of it would be 549 MiB.
TEST(CliMemory, IsNotExceededByTheSampleOfWords) {
  const TemporaryFolder folder;
  write_words(folder, 9000, 4);
  std::vector<std::string> words = {"fit", "words.csv", "--target", "y",    "--model",   "m",
                                    "--m", "1",         "--memory", "150M", "--holdout", "0"};
  const Outcome refused = run_bochner(words, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  expect_peak_below(refused, 150 * kMebibyte);
  const std::size_t at = refused.err.find("at least ");
  ASSERT_NE(at, std::string::npos) << refused.err;
  const std::size_t least = std::stoul(refused.err.substr(at + 9));
  words[9] = fmt::format("{}M", least);
  const Outcome enough = run_bochner(words, folder.path());
  EXPECT_EQ(enough.exit_code, 0) << enough.err;
  expect_peak_below(enough, least * kMebibyte);
}

TEST(CliMemory, OfPredictionsIsWhatIsSaid) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 20'000);
  const auto rows = open_rows(folder / "rows.csv");
  ModelRequest request;
  request.preprocessing.target = "y";
  request.learner = "gp";
  request.spec.m = 500;
  save_model(folder / "m", fit_model(*rows, request).model);
  const Outcome told = run_bochner({"predict", "m", "rows.csv", "--std", "--out", "p.csv", "--json"}, folder.path());
  EXPECT_NE(told.out.find("\"clamped\": 0"), std::string::npos) << told.out;
  const auto limit = static_cast<std::size_t>(prediction_bytes(load_model(folder / "m"))) + 1;
  const std::string bytes = fmt::format("{}", limit);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"predict", "m", "rows.csv", "--std", "--out", "p.csv"},
        {"evaluate", "m", "rows.csv"},
        {"transform", "rows.csv", "--model", "m", "--out", "z.npy"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--memory", bytes});
    const Outcome outcome = run_bochner(all, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_peak_below(outcome, limit);
    all.back() = fmt::format("{}", limit / 2);
    EXPECT_EQ(run_bochner(all, folder.path()).exit_code, 2) << words[0];
  }
}

/// What no model can hold is refused with the file and 64 MiB, before anything is kept for each column.
TEST(CliMemory, AMillionColumnsAreRefusedForLittle) {
  const TemporaryFolder folder;
  std::string text;
  for (std::size_t j = 0; j < 1'000'000; ++j) text += fmt::format("c{},", j);
  text.back() = '\n';
  for (std::size_t j = 0; j < 1'000'000; ++j) text += "2,";
  text.back() = '\n';
  folder.write("wide.csv", text);
  // A child begins as a copy of this process, whose peak is counted as its own.
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  const std::size_t limit = std::max(text.size() + 64 * kMebibyte, static_cast<std::size_t>(own.ru_maxrss) * 1024);
  const Outcome outcome = run_bochner({"fit", "wide.csv", "--target", "c1", "--model", "m"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("wide.csv: the header of the model would have more than"), std::string::npos)
      << outcome.err;
  expect_peak_below(outcome, limit + kMebibyte);
}

/// Reading takes no more than the file and 64 MiB beside what the command takes for the same rows in an NPY file, which
/// are read without anything for each column. `plan`, which would draw W many times, says that it is too wide.
TEST(CliMemory, RowsOfAMillionColumnsAreReadForLittle) {
  const TemporaryFolder folder;
  constexpr std::size_t kColumns = 1'000'000;
  std::string text;
  for (std::size_t j = 0; j < 2 * kColumns; ++j)
    text += fmt::format("{}{}", j * j % 7, (j + 1) % kColumns ? ',' : '\n');
  folder.write("wide.csv", text);
  const auto expect_cheap = [&](std::vector<std::string> words) {
    const Outcome of_text = run_bochner(words, folder.path());
    EXPECT_EQ(of_text.exit_code, 0) << of_text.err;
    std::ranges::replace(words, std::string("wide.csv"), std::string("wide.npy"));
    const Outcome of_numbers = run_bochner(words, folder.path());
    EXPECT_EQ(of_numbers.exit_code, 0) << of_numbers.err;
    expect_peak_below(of_text, of_numbers.peak + text.size() + 64 * kMebibyte);
  };
  write_table(folder / "wide.npy", read_table(folder / "wide.csv"));
  ASSERT_EQ(run_bochner({"fit", "wide.npy", "--target", "1", "--model", "m", "--m", "2", "--coupling", "hadamard",
                         "--holdout", "0"},
                        folder.path())
                .exit_code,
            0);
  expect_cheap({"transform", "wide.csv", "--out", "z.npy", "--m", "2", "--coupling", "hadamard"});
  expect_cheap({"transform", "wide.csv", "--model", "m", "--out", "z.npy"});
  expect_cheap({"predict", "m", "wide.csv", "--out", "p.npy"});
  const Outcome planned = run_bochner({"plan", "wide.csv"}, folder.path());
  EXPECT_EQ(planned.exit_code, 2);
  EXPECT_NE(planned.err.find("wide.csv: X is 2 x 1000000; expected at most "), std::string::npos) << planned.err;
}

/// Names and words that need quotes, printed and written.
TEST(CliPredict, PrintsWhatItWrites) {
  const TemporaryFolder folder;
  std::string text = "a,y\n";
  for (std::size_t i = 0; i < 60; ++i) text += fmt::format("{},{}\n", i, i < 30 ? "\"a,b\"" : "\"q\"\"x\"");
  folder.write("rows.csv", text);
  ASSERT_EQ(run_bochner({"fit", "rows.csv", "--target", "y", "--model", "m", "--m", "20"}, folder.path()).exit_code, 0);
  const Outcome printed = run_bochner({"predict", "m", "rows.csv", "--scores"}, folder.path());
  EXPECT_EQ(run_bochner({"predict", "m", "rows.csv", "--scores", "--out", "p.csv"}, folder.path()).exit_code, 0);
  EXPECT_EQ(printed.out, folder.read("p.csv"));
  EXPECT_TRUE(printed.out.starts_with("prediction,\"score:a,b\",\"score:q\"\"x\"\n\"a,b\",")) << printed.out;
}

}  // namespace
}  // namespace bochner
