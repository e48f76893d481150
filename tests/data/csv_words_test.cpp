// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "bochner/row_source.h"
#include "data/csv_cell.h"
#include "data/expect_file_error.h"
#include "data/limits.h"
#include "data/read_all.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::read_all;
using test::TemporaryFolder;

constexpr ReadOptions kWords{.words = true};

struct Lookalike {
  std::string_view cell, hint;
};
constexpr Lookalike kLookalikes[] = {
    {"1,5", "(the decimal mark is a point"},
    {"-1,5", "point"},
    {"1,010.50", "point"},
    {"1.010,50", "point"},
    {"1,5e3", "point"},
    {"1.2.3", "one point"},
    {"1e", "exponent"},
    {"1E+", "exponent"},
    {"2.5e-", "exponent"},
    {"1e5e3", "exponent"},
    {"+7.e", "exponent"},
    {"0x1.5p3", "hexadecimal"},
    {"0X1F", "hexadecimal"},
    {"-0x1p-3", "hexadecimal"},
};

constexpr std::string_view kTrueWords[] = {"3-door", "2nd",    "5more",    "2020-01-01", "12:30", "1/2", "10-20",
                                           "1 000",  "0xfox",  "0x",       "4x4",        "3d",    "5kg", "e5",
                                           "fox",    "1'000",  "2020-1e3", "-",          ".",     "a,b", "1st,2nd",
                                           "5-more", "x0x1.5", "<1",       "1%",         "$1,5",  "1;2"};

/// Words in every column would be a category for each number.
TEST(CsvWords, AFirstCellWrittenLikeANumberIsRefused) {
  const TemporaryFolder folder;
  for (const auto& [cell, hint] : kLookalikes) {
    SCOPED_TRACE(cell);
    EXPECT_TRUE(data::looks_like_number(cell));
    const auto file = folder.write("x.csv", "a,b\n1,\"" + std::string(cell) + "\"\n2,x\n");
    expect_file_error([&] { read_all(*open_rows(file, kWords)); },
                      {"x.csv, line 2, column 2", "'" + std::string(cell) + "' is not a number", hint,
                       "expected one, or a word", "--categorical"});
    const auto rows = open_rows(file, kWords);
    rows->expect(1, ColumnKind::word);
    read_all(*rows);
    EXPECT_EQ(rows->words(1)[0], cell);
  }
}

TEST(CsvWords, WordsThatBeginWithDigitsStayWords) {
  const TemporaryFolder folder;
  for (const std::string_view cell : kTrueWords) {
    SCOPED_TRACE(cell);
    EXPECT_FALSE(data::looks_like_number(cell));
    const auto rows = open_rows(folder.write("x.csv", "a\n\"" + std::string(cell) + "\"\n"), kWords);
    read_all(*rows);
    EXPECT_EQ(rows->kind(0), ColumnKind::word);
  }
}

/// Below a word anything is one, up to as many numbers as words: 5more, 2, 1,5.
TEST(CsvWords, TheFirstCellDecides) {
  const TemporaryFolder folder;
  const auto rows = open_rows(folder.write("x.csv", "a\n5more\n2\nmore\n\"1,5\"\n"), kWords);
  read_all(*rows);
  EXPECT_EQ(rows->words(0).size(), 4u);
}

constexpr std::string_view kOdd[] = {"$5", "1_000", "TRUE", "5%", "1 000"};

/// A header, a column whose first cell is odd and whose others are numbers, and a column of numbers.
std::string odd_file(std::string_view odd, std::size_t numbers) {
  std::string text = "a,b\n" + std::string(odd) + ",1\n";
  for (std::size_t i = 0; i < numbers; ++i) text += std::to_string(i) + ".5,2\n";
  return text;
}

TEST(CsvWords, AnOddCellMakesNoWordsOfNumbers) {
  const TemporaryFolder folder;
  for (const std::string_view odd : kOdd) {
    SCOPED_TRACE(odd);
    const auto file = folder.write("x.csv", odd_file(odd, 50));
    for (const std::size_t block : {1, 17, 51, 52, 1000})
      expect_file_error([&] { read_all(*open_rows(file, kWords), block); },
                        {"x.csv, line 2, column 1", "'" + std::string(odd) + "' is not a number",
                         "50 of the 51 values of this column", "--categorical"});
    const auto rows = open_rows(file, kWords);
    rows->expect(0, ColumnKind::word);
    read_all(*rows);
    EXPECT_EQ(rows->words(0).size(), 51u);
    rows->expect(0, ColumnKind::ignored);
    rows->rewind();
    EXPECT_NO_THROW(read_all(*rows));
  }
}

/// More than half: of the cells that have a value, and of numbers as others write them too.
TEST(CsvWords, HalfOfTheCellsMayBeNumbers) {
  const TemporaryFolder folder;
  const ReadOptions missing{.words = true, .missing = true};
  const auto read = [&](const std::string& cells, const ReadOptions& options) {
    const auto rows = open_rows(folder.write("x.csv", "a\n" + cells), options);
    read_all(*rows);
    rows->rewind();
    read_all(*rows);
    return rows->words(0).size();
  };
  EXPECT_EQ(read("x\n1\ny\n2\n", kWords), 4u);
  EXPECT_EQ(read("x\n1\nNA\n?\n", missing), 2u);
  for (const char* cells : {"NA\nx\n1\n\"\"\n2\n?\nNA\n", "NA\n-\n\"1,5\"\n\"2,5\"\n", "NA\nx\n1e999\ninf\n"})
    expect_file_error([&] { read(cells, missing); }, {"x.csv, line 3, column 1", "2 of the 3 values"});
  // Told that words are meant, after the refusal.
  const auto rows = open_rows(folder.write("x.csv", "a\nx\n1\n2\n"), kWords);
  expect_file_error([&] { read_all(*rows); }, {"line 2, column 1", "'x'"});
  rows->expect(0, ColumnKind::word);
  rows->rewind();
  read_all(*rows);
  EXPECT_EQ(rows->words(0).size(), 3u);
}

/// There are more numbers than there may be categories: the odd cell is to blame.
TEST(CsvWords, AnOddCellAboveManyNumbersIsNamed) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", odd_file("$5", data::kMaxCategories + 10));
  expect_file_error([&] { read_all(*open_rows(file, kWords)); }, {"x.csv, line 2, column 1", "'$5'", "--categorical"});
}

TEST(CsvWords, AFirstLineOfWordsThatAreValuesIsNotGuessed) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", "red,small\nblue,large\nred,large\n");
  expect_file_error([&] { read_all(*open_rows(file, kWords)); },
                    {"x.csv, line 1, column 1", "'red'", "--header", "--no-header"});
  EXPECT_EQ(read_all(*open_rows(file, {.header = Header::absent, .words = true})).size(), 6u);
  EXPECT_EQ(read_all(*open_rows(file, {.header = Header::present, .words = true})).size(), 4u);
  const auto named = folder.write("x.csv", "colour,size\nblue,large\nred,large\n");
  EXPECT_EQ(read_all(*open_rows(named, kWords)).size(), 4u);
}

TEST(CsvWords, HintsAreForWhatLooksSo) {
  const auto said = [](std::string_view cell) { return data::refusal(cell, data::CellKind::not_a_number); };
  EXPECT_EQ(said("fox"), "'fox' is not a number");
  EXPECT_EQ(said("red, green"), "'red, green' is not a number");
  EXPECT_EQ(said("0x1p3"), "'0x1p3' is not a number (hexadecimal is not read)");
}

}  // namespace
}  // namespace bochner
