// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "bochner/row_source.h"
#include "data/csv_cell.h"
#include "data/expect_file_error.h"
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

/// Below a word anything is one: 5more, 2, 1,5.
TEST(CsvWords, TheFirstCellDecides) {
  const TemporaryFolder folder;
  const auto rows = open_rows(folder.write("x.csv", "a\n5more\n2\n\"1,5\"\n"), kWords);
  read_all(*rows);
  EXPECT_EQ(rows->words(0).size(), 3u);
}

TEST(CsvWords, HintsAreForWhatLooksSo) {
  const auto said = [](std::string_view cell) { return data::refusal(cell, data::CellKind::not_a_number); };
  EXPECT_EQ(said("fox"), "'fox' is not a number");
  EXPECT_EQ(said("red, green"), "'red, green' is not a number");
  EXPECT_EQ(said("0x1p3"), "'0x1p3' is not a number (hexadecimal is not read)");
}

}  // namespace
}  // namespace bochner
