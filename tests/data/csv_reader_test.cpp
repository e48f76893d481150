// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bochner/row_source.h"
#include "bochner/table.h"
#include "data/expect_file_error.h"
#include "data/limits.h"
#include "support/peak.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::TemporaryFolder;
using namespace std::string_literals;

struct BadCsv {
  const char* name;
  std::string bytes;
  std::vector<std::string_view> words;
};

class BadCsvTest : public testing::TestWithParam<BadCsv> {};

TEST_P(BadCsvTest, IsRefusedInOneSentence) {
  const TemporaryFolder folder;
  const auto file = folder.write("bad.csv", GetParam().bytes);
  std::vector<std::string_view> words = GetParam().words;
  words.push_back("bad.csv");
  expect_file_error([&] { read_table(file); }, words);
}

const BadCsv kBad[] = {
    {"EmptyFile", "", {"is empty"}},
    {"OnlyByteOrderMark", "\xef\xbb\xbf", {"is empty"}},
    {"OnlyLineEnds", "\n\n", {"line 1:", "empty"}},
    {"BlankFirstLine", "\n1,2\n", {"line 1:", "empty"}},
    {"BlankLineInside", "1,2\n\n3,4\n", {"line 2:", "empty"}},
    {"BlankLineInsideOneColumn", "1\n\n2\n", {"line 2:", "empty"}},
    {"TooFewCells", "1,2,3\n4,5\n", {"line 2:", "2 cells", "expected 3"}},
    {"OneCell", "1,2\n3\n", {"line 2:", "1 cell;", "expected 2"}},
    {"TooManyCells", "1,2\n3,4\n5,6,7\n", {"line 3:", "more than 2 cells"}},
    {"TrailingComma", "1,2\n3,4,\n", {"line 2:", "more than 2 cells", "comma at the end"}},
    {"TrailingCommaInEveryRow", "1,2,\n3,4,\n", {"line 1, column 3", "empty"}},
    {"TrailingCommaAtEndOfFile", "1,2\n3,", {"line 2, column 2", "empty"}},
    {"TrailingCommaInHeader", "a,b,\n1,2\n", {"line 1, column 3", "no name"}},
    {"RaggedAfterHeader", "a,b\n1\n", {"line 2:", "1 cell;", "expected 2"}},
    {"Overflow", "1,2\n3,1e400\n", {"line 2, column 2", "'1e400'", "out of range"}},
    {"OverflowInFirstLine", "1e400,2\n", {"line 1, column 1", "out of range"}},
    {"NegativeOverflow", "0\n-1e309\n", {"line 2, column 1", "out of range"}},
    {"Underflow", "0\n1e-400\n", {"line 2, column 1", "out of range"}},
    {"Nan", "1,2\nnan,4\n", {"line 2, column 1", "'nan'", "finite"}},
    {"NanInFirstLine", "1,NaN\n", {"line 1, column 2", "'NaN'", "finite"}},
    {"SignedNan", "1\n-nan\n", {"line 2, column 1", "finite"}},
    {"NanWithPayload", "1\nnan(0x1)\n", {"line 2, column 1", "finite"}},
    {"Inf", "1\ninf\n", {"line 2, column 1", "'inf'", "finite"}},
    {"PlusInf", "1\n+inf\n", {"line 2, column 1", "finite"}},
    {"MinusInfinity", "1\n-Infinity\n", {"line 2, column 1", "finite"}},
    {"HexFloat", "1\n0x1p3\n", {"line 2, column 1", "hexadecimal"}},
    {"HexFloatInFirstLine", "0x1p3,1\n", {"line 1, column 1", "hexadecimal"}},
    {"DecimalComma", "1,2\n\"1,5\",2\n", {"line 2, column 1", "'1,5'", "point"}},
    {"DecimalCommaUnquoted", "1\n1,5\n", {"line 2:", "more than 1 cell"}},
    {"ThousandsApostrophe", "1\n1'000\n", {"line 2, column 1", "not a number"}},
    {"Semicolons", "1;2\n3;4\n", {"line 1, column 1", "separated by commas"}},
    {"SemicolonsAfterHeader", "a;b\n3;4\n", {"line 2, column 1", "separated by commas"}},
    {"Tabs", "1\t2\n3\t4\n", {"line 1, column 1", "separated by commas"}},
    {"Text", "1,2\n3,abc\n", {"line 2, column 2", "'abc' is not a number"}},
    {"MistypedFirstLine", "1.0,2.o\n3,4\n", {"line 1, column 2", "'2.o' is not a number", "--no-header"}},
    {"YearsAmongNames",
     "country,1995,1996\n1,2,3\n",
     {"line 1, column 1", "'country' is not a number, but '1995' in column 2 is", "--header", "--no-header"}},
    {"NameAmongYears", "1995,1996,total\n1,2,3\n", {"line 1, column 3", "'total'", "--header", "--no-header"}},
    {"DollarsInFirstLine", "$5,1\n2,3\n", {"line 1, column 1", "'$5' is not a number", "--header", "--no-header"}},
    {"DollarsAlone", "$5\n2\n", {"line 1, column 1", "'$5' is not a number", "--header", "--no-header"}},
    {"PercentAlone", "5%\n2\n", {"line 1, column 1", "'5%' is not a number", "--header", "--no-header"}},
    {"MissingAlone", "NA,?\n2,3\n", {"line 1, column 1", "'NA' is not a number", "--header", "--no-header"}},
    {"InfinityAmongNames", "a,inf\n2,3\n", {"line 1, column 1", "'a'", "'inf' in column 2", "--header"}},
    {"HeaderTwice", "a,b\na,b\n", {"line 2, column 1", "'a' is not a number"}},
    {"NumberWithUnit", "1\n5kg\n", {"line 2, column 1", "not a number"}},
    {"TwoNumbersInACell", "1\n1 2\n", {"line 2, column 1", "not a number"}},
    {"LoneSign", "1\n-\n", {"line 2, column 1", "not a number"}},
    {"TwoSigns", "1\n+-1\n", {"line 2, column 1", "not a number"}},
    {"LoneExponent", "1\n1e\n", {"line 2, column 1", "not a number"}},
    {"LonePoint", "1\n.\n", {"line 2, column 1", "not a number"}},
    {"MissingValueWord", "a\n1\nNA\n", {"line 3, column 1", "'NA' is not a number"}},
    {"EmptyCell", "1,,3\n", {"line 1, column 2", "empty"}},
    {"EmptyQuotedCell", "1\n\"\"\n", {"line 2, column 1", "empty"}},
    {"UnclosedQuote", "1,2\n\"3,4\n", {"line 2, column 1", "not closed"}},
    {"UnclosedQuoteAtEnd", "1,\"", {"line 1, column 2", "not closed"}},
    {"TextAfterQuote", "1\n\"2\"3\n", {"line 2, column 1", "after the closing quote"}},
    {"QuoteInsideCell", "1\n2\"3\n", {"line 2, column 1", "quote inside"}},
    {"BlankBeforeQuote", "1, \"2\"\n", {"line 1, column 2", "quote inside"}},
    {"NulByte", "1,2\n3,\0004\n"s, {"line 2, column 2", "NUL"}},
    {"NulByteInQuotes", "\"a\0b\"\n"s, {"line 1, column 1", "NUL"}},
    {"Utf16LittleEndian",
     "\xff\xfe"
     "1\0,\0"s,
     {"UTF-16", "UTF-8"}},
    {"Utf16BigEndian",
     "\xfe\xff\0"
     "1\0,"s,
     {"UTF-16", "UTF-8"}},
    {"Utf16WithoutMark", "1\0,\0002\0\n\0"s, {"line 1, column 1", "NUL"}},
    {"NotUtf8InHeader",
     "gr\xf6\xdf"
     "e,b\n1,2\n",
     {"line 1, column 1", "\\xf6", "UTF-8"}},
    {"NotUtf8InCell", "1\n\xff\n", {"line 2, column 1", "'\\xff' is not a number"}},
    {"SurrogateInHeader", "\xed\xa0\x80,b\n", {"line 1, column 1", "UTF-8"}},
    {"OverlongInHeader", "\xc0\xaf,b\n", {"line 1, column 1", "UTF-8"}},
    {"TruncatedUtf8InHeader", "a\xe2\x82,b\n", {"line 1, column 1", "UTF-8"}},
    {"DuplicateNames", "a,b,a\n1,2,3\n", {"line 1:", "'a'", "twice"}},
    {"DuplicateNamesAfterTrimming", "a, a\n1,2\n", {"line 1:", "'a'", "twice"}},
    {"MissingName", ",a,b\n0,1,2\n", {"line 1, column 1", "no name"}},
    {"BlankQuotedName", "\"  \",b\n", {"line 1, column 1", "no name"}},
    {"GzipNamedCsv", "\x1f\x8b\x08\0\0"s, {"gzip", ".csv.gz"}},
    {"ZipNamedCsv", "PK\x03\x04..."s, {"zip"}},
    {"NpyNamedCsv", "\x93NUMPY\x01", {"NPY", ".npy"}},
    {"LoneCarriageReturns", "1,2\r3,4\r", {"line 1, column 2", "carriage return"}},
    {"CarriageReturnAtEndOfFile", "1,2\r", {"line 1, column 2", "carriage return"}},
    {"LineNumberAfterQuotedLineEnd", "\"a\nb\",c\n1,2\nx,4\n", {"line 4, column 1", "'x'"}},
    {"LineNumberAfterCrlf", "1\r\n2\r\nx\r\n", {"line 3, column 1", "'x'"}},
    {"LongCell", "1\n" + std::string(data::kMaxCellBytes + 1, '1') + "\n", {"line 2, column 1", "4096 bytes"}},
    {"LongQuotedCell", "\"" + std::string(100'000, 'a'), {"line 1, column 1", "4096 bytes", "quote not closed"}},
};

INSTANTIATE_TEST_SUITE_P(Cases, BadCsvTest, testing::ValuesIn(kBad),
                         [](const auto& tested) { return tested.param.name; });

Table read_bytes(std::string_view bytes) {
  const TemporaryFolder folder;
  return read_table(folder.write("x.csv", bytes));
}

void expect_values(const Table& table, std::size_t rows, std::size_t cols, const std::vector<double>& values) {
  const auto& matrix = std::get<Matrix<double>>(table.values);
  ASSERT_EQ(matrix.rows(), rows);
  ASSERT_EQ(matrix.cols(), cols);
  EXPECT_EQ(std::vector<double>(matrix.data(), matrix.data() + rows * cols), values);
}

TEST(CsvReader, ReadsEveryDialectItPromises) {
  for (const std::string_view bytes :
       {"1,2\n3,4\n", "1,2\n3,4", "1,2\r\n3,4\r\n", "1,2\r\n3,4\n", "1,2\n3,4\n\n\n", "1,2\n3,4\n \n",
        "\xef\xbb\xbf"
        "1,2\n3,4\n",
        " 1 ,\t2\n3, 4 \n", "\"1\",2\n3,\"4\"\n", "+1,2.0\n3e0,0.4E1\n", "1.,2\n3,4\n"}) {
    SCOPED_TRACE(bytes);
    const Table table = read_bytes(bytes);
    expect_values(table, 2, 2, {1, 2, 3, 4});
    EXPECT_TRUE(table.columns.empty());
  }
}

TEST(CsvReader, TakesAFirstLineWithTextForTheHeader) {
  using Names = std::vector<std::string>;
  const std::pair<std::string_view, Names> cases[] = {
      {"a,b\n1,2\n", {"a", "b"}},
      {" a , b\n1,2\n", {"a", "b"}},
      {"\xef\xbb\xbf"
       "a,b\n1,2\n",
       {"a", "b"}},
      {"\"a,1\",\"say \"\"b\"\"\"\n1,2\n", {"a,1", "say \"b\""}},
      {"\"a\r\nb\",c\r\n1,2\r\n", {"a\r\nb", "c"}},
      {"1st,2nd\n1,2\n", {"1st", "2nd"}},
      {"x,NA\n1,2\n", {"x", "NA"}},
      {"gr\xc3\xb6\xc3\x9f"
       "e,\xf0\x9f\x99\x82\n1,2\n",
       {"gr\xc3\xb6\xc3\x9f"
        "e",
        "\xf0\x9f\x99\x82"}},
  };
  for (const auto& [bytes, names] : cases) {
    SCOPED_TRACE(bytes);
    const Table table = read_bytes(bytes);
    expect_values(table, 1, 2, {1, 2});
    EXPECT_EQ(table.columns, names);
  }
}

TEST(CsvReader, FirstLinesAreWhatTheyAreSaidToBe) {
  const TemporaryFolder folder;
  const auto years = folder.write("years.csv", "country,1995,1996\n1,2,3\n");
  const Table named = read_table(years, Header::present);
  expect_values(named, 1, 3, {1, 2, 3});
  EXPECT_EQ(named.columns, (std::vector<std::string>{"country", "1995", "1996"}));
  expect_file_error([&] { read_table(years, Header::absent); }, {"line 1, column 1", "'country' is not a number"});
  const auto rows = folder.write("rows.csv", "1,2\n3,4\n");
  expect_values(read_table(rows, Header::absent), 2, 2, {1, 2, 3, 4});
  expect_values(read_table(rows, Header::present), 1, 2, {3, 4});
}

TEST(CsvReader, HeaderAloneIsATableWithoutRows) {
  for (const std::string_view bytes : {"a,b,c\n", "a,b,c", "a,b,c\r\n\r\n"}) {
    const Table table = read_bytes(bytes);
    expect_values(table, 0, 3, {});
    EXPECT_EQ(table.columns, (std::vector<std::string>{"a", "b", "c"}));
  }
}

TEST(CsvReader, CellsAcrossBuffersAreWhole) {
  // Rows of 9 characters and numbers of 1 to 7 digits meet every alignment of the 256 KiB buffer.
  std::string bytes;
  std::vector<double> expected;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    expected.push_back(i * 37 % 1'000'003);
    expected.push_back(-0.5 * i);
    bytes += std::to_string(i * 37 % 1'000'003) + ",\"" + std::to_string(-0.5 * i) + "\"\r\n";
  }
  expect_values(read_bytes(bytes), 100'000, 2, expected);
}

TEST(CsvReader, ALineOf100MBIsRefusedAfterItsFirstBytes) {
  const TemporaryFolder folder;
  const auto file = folder.write("long.csv", std::string(100'000'000, '1'));
  const auto start = std::chrono::steady_clock::now();
  expect_file_error([&] { read_table(file); }, {"line 1, column 1", "4096 bytes"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(CsvReader, AsManyColumnsAsAllowedAndNoMore) {
  std::string row;
  for (std::size_t j = 0; j < data::kMaxColumns; ++j) row += "1,";
  const TemporaryFolder folder;
  const auto wide = folder.write("wide.csv", row + "1\n");
  expect_file_error([&] { read_table(wide); }, {"line 1:", "more than 1048576 columns"});
  row.back() = '\n';
  const Table table = read_bytes(row + row);
  EXPECT_EQ(std::get<Matrix<double>>(table.values).rows(), 2u);
  EXPECT_EQ(std::get<Matrix<double>>(table.values).cols(), data::kMaxColumns);
}

/// Beside the numbers that are asked for. A table keeps its names, which are more than that where they are long.
TEST(CsvReader, AMillionColumnsTakeTheFileAnd64MiB) {
  if (!test::kMeasuresMemory) GTEST_SKIP() << "sanitizers take memory of their own";
  const TemporaryFolder folder;
  constexpr std::size_t kColumns = 1'000'000;
  const auto line = [](const auto& cell) {
    std::string text;
    for (std::size_t j = 0; j < kColumns; ++j) text += cell(j) + ",";
    text.back() = '\n';
    return text;
  };
  const std::string digits = line([](std::size_t) { return "7"s; });
  const std::string decimals = line([](std::size_t j) { return fmt::format("{}", 1.0 / static_cast<double>(j + 3)); });
  const std::string names = line([](std::size_t j) { return fmt::format("c{}", j); });
  const std::string long_names = line([](std::size_t j) { return fmt::format("the name of column {}", j); });
  for (const auto& [name, text] : {std::pair("digits", digits + digits),
                                   {"decimals", decimals + decimals},
                                   {"names", names + digits + digits},
                                   {"long names", long_names + digits + digits}}) {
    const auto file = folder.write("x.csv", text);
    const std::size_t limit = text.size() + (std::size_t{64} << 20), numbers = 2 * kColumns * sizeof(double);
    const bool kept = name == "long names"s;
    EXPECT_LT(test::peak_of([&] { kept ? void(open_rows(file)) : void(read_table(file)); }), limit + numbers) << name;
    const auto read_rows = [&] {
      const auto rows = open_rows(file, {.words = true, .missing = true});
      Matrix<double> block(1, kColumns);
      while (rows->next(block) > 0) {
      }
    };
    EXPECT_LT(test::peak_of(read_rows), limit) << name;
  }
}

TEST(CsvReader, ReadsTheEdgesOfDouble) {
  const Table table = read_bytes("1.7976931348623157e308,4.9406564584124654e-324\n-0,-0.0\n");
  const auto& values = std::get<Matrix<double>>(table.values);
  EXPECT_EQ(values(0, 0), std::numeric_limits<double>::max());
  EXPECT_EQ(values(0, 1), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::signbit(values(1, 0)));
  EXPECT_TRUE(std::signbit(values(1, 1)));
}

}  // namespace
}  // namespace bochner
