// SPDX-License-Identifier: Apache-2.0
// What a table is taken for: which first line is a header, and which column is one of words. Every command gives the
// right result or one sentence.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/model.h"
#include "cli/command.h"
#include "cli/expect_refused.h"
#include "support/gzip.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using nlohmann::json;
using test::TemporaryFolder;
using Words = std::vector<std::string>;

constexpr std::size_t kRows = 51;
constexpr std::string_view kOdd[] = {"$5", "1_000", "TRUE", "5%", "1 000"};

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words fit(const std::string& input, const Words& more = {}) {
  return joined({"fit", input, "--model", "new", "--m", "8", "--json"}, more);
}

/// Every command that reads a table, with `model` where it takes one.
std::vector<Words> readers(const std::string& input, const std::string& model) {
  return {{"predict", model, input, "--out", "p.csv"},
          {"evaluate", model, input},
          {"transform", input, "--model", model, "--out", "z.npy"}};
}
std::vector<Words> plain_readers(const std::string& input) {
  return {{"plan", input, "--m", "8"}, {"transform", input, "--out", "z.npy", "--m", "8"}};
}

void refused(const TemporaryFolder& folder, const Words& arguments, const Words& words) {
  SCOPED_TRACE(testing::PrintToString(arguments));
  test::expect_refused(folder, test::contents(folder), arguments, words);
}

json done(const TemporaryFolder& folder, const Words& arguments) {
  const test::Outcome outcome = test::run_bochner(arguments, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << testing::PrintToString(arguments) << outcome.err;
  return outcome.exit_code == 0 ? json::parse(outcome.out) : json();
}

/// How many rows predict, evaluate and transform see.
void expect_rows(const TemporaryFolder& folder, const std::string& input, const std::string& model, std::size_t rows,
                 const Words& more = {}) {
  SCOPED_TRACE(input + " by " + model);
  const auto commands = readers(input, model);
  for (std::size_t i = 0; i < commands.size(); ++i)
    EXPECT_EQ(done(folder, joined(joined(commands[i], {"--json"}), more))[i == 1 ? "rows" : "n"], rows);
  for (const char* name : {"p.csv", "z.npy"}) std::filesystem::remove(folder / name);
}

/// Rows a, b, y, with words in column `wordy`, and `first` in the first row of column `odd`.
std::string table(const std::string& header, std::size_t odd = 3, std::string_view first = "", std::size_t wordy = 3) {
  std::string text = header;
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      std::string cell = fmt::format("{}.5", (i * (7 + 4 * j) + j) % 53);
      if (j == wordy) cell = i % 3 == 0 ? "red" : "blue";
      if (i == 0 && j == odd) cell = first;
      text += cell + (j == 2 ? "\n" : ",");
    }
  return text;
}

TEST(OddNumbers, AreRefusedByEveryCommandWithTheirCell) {
  const TemporaryFolder folder;
  folder.write("good.csv", table("a,b,y\n"));
  done(folder, {"fit", "good.csv", "--target", "y", "--model", "good", "--m", "8", "--json"});
  for (const std::string_view odd : kOdd) {
    SCOPED_TRACE(odd);
    const std::string told = fmt::format("'{}' is not a number", odd);
    const std::string text = table("a,b,y\n", 0, odd);
    folder.write("x.csv", text);
    folder.write("x.csv.gz", test::gzip(text));
    for (const std::string file : {"x.csv", "x.csv.gz"}) {
      refused(folder, fit(file, {"--target", "y"}),
              {file + ", line 2, column 1", told, "50 of the 51 values", "--categorical"});
      refused(folder, fit(file, {"--learner", "pca"}), {file + ", line 2, column 1", told, "--categorical"});
      for (const Words& command : readers(file, "good")) refused(folder, command, {file + ", line 2, column 1", told});
      for (const Words& command : plain_readers(file)) refused(folder, command, {file + ", line 2, column 1", told});
    }
    folder.write("late.csv", "a,b,y\n9,8,7\n" + table("", 0, odd));
    refused(folder, fit("late.csv", {"--target", "y"}), {"late.csv, line 3, column 1", told, "--categorical"});
    folder.write("target.csv", table("a,b,y\n", 2, odd));
    refused(folder, fit("target.csv", {"--target", "y"}),
            {"target.csv, line 2, column 3", told, "50 of the 51 values"});
    refused(folder, fit("x.csv", {"--target", "y", "--weight", "a"}), {"x.csv, line 2, column 1", told});
  }
}

TEST(OddNumbers, AreWordsWhereThatIsMeant) {
  const TemporaryFolder folder;
  for (const std::string_view odd : kOdd) {
    SCOPED_TRACE(odd);
    folder.write("x.csv", table("a,b,y\n", 0, odd));
    const json told = done(folder, fit("x.csv", {"--target", "y", "--categorical", "a"}));
    EXPECT_EQ(told["d"], kRows + 1);
    EXPECT_NE(told["notes"].dump().find(fmt::format("column 1 ('a') has {}", kRows)), std::string::npos) << told;
    EXPECT_EQ(told["notes"].dump().find("column 2"), std::string::npos) << told;
    expect_rows(folder, "x.csv", "new", kRows);
    done(folder, fit("x.csv", {"--target", "y", "--drop", "a"}));
    std::filesystem::remove(folder / "new");
  }
}

TEST(Categories, AreNamedWithTheirNumber) {
  const TemporaryFolder folder;
  folder.write("x.csv", table("a,b,y\n", 3, "", 1));
  EXPECT_NE(done(folder, fit("x.csv", {"--target", "y"}))["notes"].dump().find("categories: column 2 ('b') has 2"),
            std::string::npos);
  folder.write("classes.csv", table("a,b,y\n", 3, "", 2));
  const std::string notes = done(folder, fit("classes.csv", {"--target", "y"}))["notes"].dump();
  EXPECT_NE(notes.find("the target has 2 different words"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("categories"), std::string::npos) << notes;
}

/// `fit --no-header`, with words in one of the columns or in none.
TEST(FirstLines, AModelWithoutAHeaderReadsEveryRow) {
  for (std::size_t wordy = 0; wordy <= 3; ++wordy) {
    SCOPED_TRACE(wordy);
    const TemporaryFolder folder;
    folder.write("x.csv", table("", 3, "", wordy));
    const json told = done(folder, fit("x.csv", {"--target", "3", "--no-header", "--holdout", "0"}));
    EXPECT_EQ(told["facts"]["rows"], kRows);
    EXPECT_EQ(load_model(folder / "new").preprocessing.header, Header::absent);
    expect_rows(folder, "x.csv", "new", kRows);
    expect_rows(folder, "x.csv", "new", kRows, {"--no-header"});
    if (wordy == 3) {
      EXPECT_EQ(done(folder, fit("x.csv", {"--target", "3", "--holdout", "0"}))["facts"]["rows"], kRows);
    } else {
      refused(folder, fit("x.csv", {"--target", "3"}),
              {fmt::format("x.csv, line 1, column {}", wordy + 1), "'red'", "--header", "--no-header"});
      for (const Words& command : plain_readers("x.csv"))
        refused(folder, command, {"x.csv, line 1", "'red'", "--header", "--no-header"});
    }
    // Another file with names.
    folder.write("named.csv", table("a,b,y\n", 3, "", wordy));
    for (const Words& command : readers("named.csv", "new"))
      refused(folder, command, {"named.csv, line 1", "no column names", "--header", "--no-header"});
    expect_rows(folder, "named.csv", "new", kRows, {"--header"});
  }
}

TEST(FirstLines, RowsOfWordsAlone) {
  const TemporaryFolder folder;
  std::string text;
  for (std::size_t i = 0; i < kRows; ++i)
    text += fmt::format("{},{}\n", i % 3 == 0 ? "red" : "blue", i % 2 == 0 ? "in" : "out");
  folder.write("x.csv", text);
  refused(folder, fit("x.csv", {"--target", "out"}), {"unknown target 'out'"});
  refused(folder, fit("x.csv", {"--target", "in"}), {"x.csv, line 1, column 1", "'red'", "--header", "--no-header"});
  EXPECT_EQ(done(folder, fit("x.csv", {"--target", "2", "--no-header", "--holdout", "0"}))["facts"]["rows"], kRows);
  expect_rows(folder, "x.csv", "new", kRows);
}

TEST(FirstLines, NamesAmongWhichAreNumbers) {
  const TemporaryFolder folder;
  folder.write("x.csv", table("country,1995,1996\n"));
  const Words sentence = {"x.csv, line 1, column 1", "'country'", "'1995'", "--header", "--no-header"};
  refused(folder, fit("x.csv", {"--target", "1996"}), sentence);
  refused(folder, fit("x.csv", {"--target", "3", "--no-header"}), {"x.csv, line 1, column 1", "'country'"});
  for (const Words& command : plain_readers("x.csv")) {
    refused(folder, command, sentence);
    refused(folder, joined(command, {"--no-header"}), {"x.csv, line 1, column 1", "'country' is not a number"});
  }
  EXPECT_EQ(done(folder, {"plan", "x.csv", "--m", "8", "--header", "--json"})["rows"], kRows);
  EXPECT_EQ(done(folder, {"transform", "x.csv", "--out", "z.npy", "--header", "--json"})["n"], kRows);
  // The command that plan proposes reads the file as it did.
  EXPECT_NE(test::run_bochner({"plan", "x.csv", "--m", "8", "--header"}, folder.path()).out.find("--header --out"),
            std::string::npos);
  const json told = done(folder, fit("x.csv", {"--target", "1996", "--header", "--holdout", "0"}));
  EXPECT_EQ(told["facts"]["rows"], kRows);
  EXPECT_EQ(load_model(folder / "new").preprocessing.header, Header::present);
  // The names are those of the model.
  expect_rows(folder, "x.csv", "new", kRows);
  folder.write("other.csv", table("land,1995,1996\n"));
  for (const Words& command : readers("other.csv", "new"))
    refused(folder, command, {"other.csv, line 1, column 1", "'land'", "--header", "--no-header"});
}

TEST(FirstLines, AModelWithAHeaderAsksForOne) {
  const TemporaryFolder folder;
  folder.write("x.csv", table("a,b,y\n"));
  folder.write("rows.csv", table(""));
  done(folder, fit("x.csv", {"--target", "y"}));
  expect_rows(folder, "x.csv", "new", kRows);
  for (const Words& command : readers("rows.csv", "new"))
    refused(folder, command, {"rows.csv, line 1", "had column names", "--header", "--no-header"});
  expect_rows(folder, "rows.csv", "new", kRows, {"--no-header"});
  for (Words command : readers("rows.csv", "new"))
    refused(folder, joined(std::move(command), {"--header", "--no-header"}), {"exclude each other"});
}

/// Files of earlier versions do not say what the first line was.
TEST(FirstLines, AModelThatDoesNotKnowGoesByContent) {
  const TemporaryFolder folder;
  folder.write("x.csv", table("a,b,y\n"));
  folder.write("rows.csv", table(""));
  done(folder, fit("x.csv", {"--target", "y"}));
  Model model = load_model(folder / "new");
  model.preprocessing.header = Header::by_content;
  save_model(folder / "new", model);
  EXPECT_EQ(load_model(folder / "new").preprocessing.header, Header::by_content);
  expect_rows(folder, "x.csv", "new", kRows);
  expect_rows(folder, "rows.csv", "new", kRows);
}

}  // namespace
}  // namespace bochner
