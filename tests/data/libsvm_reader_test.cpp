// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "bochner/row_source.h"
#include "bochner/table.h"
#include "data/expect_file_error.h"
#include "data/limits.h"
#include "data/read_all.h"
#include "support/peak.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::read_all;
using test::TemporaryFolder;
using namespace std::string_literals;

struct BadLibsvm {
  const char* name;
  std::string bytes;
  std::vector<std::string_view> words;
};

class BadLibsvmTest : public testing::TestWithParam<BadLibsvm> {};

TEST_P(BadLibsvmTest, IsRefusedInOneSentence) {
  const TemporaryFolder folder;
  const auto file = folder.write("bad.svm", GetParam().bytes);
  std::vector<std::string_view> words = GetParam().words;
  words.push_back("bad.svm");
  expect_file_error([&] { open_rows(file); }, words);
  // The same sentence where the number of columns is known and the error is met while rows are read.
  expect_file_error([&] { read_all(*open_rows(file, {.inputs = data::kMaxColumns - 1})); }, words);
}

const BadLibsvm kBad[] = {
    {"IndexZero", "1 0:1\n", {"line 1", "index 0", "from 1"}},
    {"IndexZeroLater", "1 1:1\n-1 1:2\n1 0:3 2:1\n", {"line 3", "index 0"}},
    {"NegativeIndex", "1 -3:1\n", {"line 1", "'-3:1'", "negative"}},
    {"DecreasingIndex", "1 1:1 3:1 2:1\n", {"line 1", "index 2 after 3", "increasing"}},
    {"DuplicateIndex", "1 2:1 2:5\n", {"line 1", "index 2", "twice"}},
    {"IndexBeyond2To31", "1 1:1\n1 2147483648:1\n", {"line 2", "beyond 2^31 - 1"}},
    {"IndexBeyond64Bits", "1 99999999999999999999:1\n", {"line 1", "beyond 2^31 - 1"}},
    {"HugeGap", "1 1:1 2147483647:1\n", {"line 1", "2147483647", "at most 1048575", "dense"}},
    {"GapJustTooFar", "1 1048576:1\n", {"line 1", "1048576", "at most 1048575"}},
    {"MissingColon", "1 1:1 2\n", {"line 1", "'2' has no colon"}},
    {"MissingColonAfterLabel", "1 5 2:1\n", {"line 1", "'5' has no colon"}},
    {"MissingValue", "1 1:\n", {"line 1", "'1:' has no value"}},
    {"MissingValueInside", "1 1: 2:1\n", {"line 1", "no value"}},
    {"BlankAfterColon", "1 1: 5\n", {"line 1", "no value"}},
    {"MissingIndex", "1 :5\n", {"line 1", "no whole number"}},
    {"FractionIndex", "1 1.5:5\n", {"line 1", "'1.5:5'", "no whole number"}},
    {"ExponentIndex", "1 1e2:5\n", {"line 1", "no whole number"}},
    {"HexIndex", "1 0x1:5\n", {"line 1", "no whole number"}},
    {"PlusIndex", "1 +1:5\n", {"line 1", "no whole number"}},
    {"TextIndex", "1 a:5\n", {"line 1", "no whole number"}},
    {"TwoColons", "1 1:2:3\n", {"line 1", "'2:3' is not a number"}},
    {"Qid", "1 qid:3 1:5\n", {"line 1", "qid", "index:value only"}},
    {"Comment", "1 1:5 # five\n", {"line 1", "comment"}},
    {"CommentLine", "# a comment\n1 1:5\n", {"line 1", "comment"}},
    {"CommentAfterLabel", "1 #x\n", {"line 1", "comment"}},
    {"LabelList", "1,2 1:5\n", {"line 1", "'1,2' is a list of labels"}},
    {"LabelListOfThree", "1 1:1\n0,1,2 1:5\n", {"line 2", "list of labels"}},
    {"NoLabel", "1:5 2:3\n", {"line 1", "'1:5'", "number first"}},
    {"TextLabel", "cat 1:5\n", {"line 1", "'cat' is not a number"}},
    {"NanLabel", "nan 1:5\n", {"line 1", "'nan'", "finite"}},
    {"InfLabel", "1 1:1\ninf 1:5\n", {"line 2", "finite"}},
    {"NanValue", "1 1:nan\n", {"line 1", "finite"}},
    {"InfValue", "1 1:-inf\n", {"line 1", "finite"}},
    {"ValueOutOfRange", "1 1:1e400\n", {"line 1", "out of range"}},
    {"TextValue", "1 1:x\n", {"line 1", "'x' is not a number"}},
    {"HexValue", "1 1:0x1p3\n", {"line 1", "hexadecimal"}},
    {"CommaValue", "1 1:0,5\n", {"line 1", "point"}},
    {"BlankLineInside", "1 1:1\n\n1 1:2\n", {"line 2", "empty"}},
    {"NulByte", "1 1:1\n1 1:\0\n"s, {"line 2", "NUL"}},
    {"LoneCarriageReturn", "1 1:1\r1 1:2\n", {"line 1", "carriage return"}},
    {"LongWord", "1 1:" + std::string(5000, '1') + "\n", {"line 1", "4096 bytes"}},
    {"LongLineWithoutBlank", std::string(300'000, '1'), {"line 1", "4096 bytes"}},
};

INSTANTIATE_TEST_SUITE_P(Cases, BadLibsvmTest, testing::ValuesIn(kBad),
                         [](const auto& tested) { return tested.param.name; });

TEST(LibsvmReader, RefusesFilesWithoutColumns) {
  const TemporaryFolder folder;
  expect_file_error([&] { open_rows(folder.write("x.svm", "")); }, {"x.svm", "is empty"});
  expect_file_error([&] { open_rows(folder.write("x.svm", "\n\n")); }, {"x.svm", "no index:value"});
  expect_file_error([&] { open_rows(folder.write("x.svm", "1\n-1\n")); }, {"x.svm", "no index:value"});
}

TEST(LibsvmReader, RefusesAnIndexBeyondTheColumnsThatAreKnown) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.svm", "1 1:1\n1 3:1\n");
  expect_file_error([&] { read_all(*open_rows(file, {.inputs = 2})); }, {"x.svm", "line 2", "index 3", "at most 2"});
}

TEST(LibsvmReader, ReadsDenseRowsWithTheLabelFirst) {
  const TemporaryFolder folder;
  const std::vector<double> expected = {1, 0.5, 0, -2, -1, 0, 0, 0, 1, 0, 1e-3, 0};
  for (const std::string_view bytes :
       {"+1 1:0.5 3:-2\n-1\n1 2:1e-3\n", "1 1:.5 3:-2\r\n-1 \r\n1  2:0.001\r\n\r\n", " 1\t1:0.5 3:-2 \n-1\n1 2:1e-3"})
    for (const char* name : {"x.svm", "x.libsvm", "x.svmlight"}) {
      const auto rows = open_rows(folder.write(name, bytes));
      ASSERT_EQ(rows->columns(), 4u);
      EXPECT_EQ(rows->label(), 0u);
      for (int pass = 0; pass < 2; ++pass) {
        EXPECT_EQ(read_all(*rows, 2), expected) << bytes;
        rows->rewind();
      }
    }
}

TEST(LibsvmReader, WordsAcrossBuffersAreWhole) {
  std::string bytes;
  std::vector<double> expected;
  for (int i = 0; i < 40'000; ++i) {
    bytes += std::to_string(i % 7) + " 1:" + std::to_string(i) + " 2:" + std::to_string(-0.5 * i) + "\n";
    expected.insert(expected.end(), {static_cast<double>(i % 7), static_cast<double>(i), -0.5 * i});
  }
  const TemporaryFolder folder;
  EXPECT_EQ(read_all(*open_rows(folder.write("x.svm", bytes)), 1000), expected);
}

TEST(LibsvmReader, IgnoredColumnsAreNotLookedAt) {
  const TemporaryFolder folder;
  const auto rows = open_rows(folder.write("x.svm", "3 1:1 2:2\n4 2:5\n"));
  rows->expect(0, ColumnKind::ignored);
  rows->expect(2, ColumnKind::ignored);
  EXPECT_EQ(read_all(*rows), (std::vector<double>{0, 1, 0, 0, 0, 0}));
  EXPECT_THROW(rows->expect(1, ColumnKind::word), std::invalid_argument);
  EXPECT_THROW(rows->expect(3, ColumnKind::number), std::invalid_argument);
}

/// A line of a few bytes is a row of 8 MiB: refused where that is more than memory, not killed for it.
TEST(LibsvmReader, MoreThanMemoryIsToldInASentence) {
  if (!test::kMeasuresMemory) GTEST_SKIP() << "sanitizers take memory of their own";
  const TemporaryFolder folder;
  std::string text;
  constexpr std::size_t kLimit = std::size_t{1} << 30, kRow = 8 * data::kMaxColumns;
  for (std::size_t i = 0; i < 2 * kLimit / kRow; ++i) text += fmt::format("1 {}:1\n", data::kMaxColumns - 1);
  const auto file = folder.write("x.svm", text);
  test::peak_of([&] {
    const rlimit limit{kLimit, kLimit};
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
    expect_file_error([&] { read_table(file); },
                      {"x.svm: has more than ", " rows of 1048576 columns", " MiB of memory"});
  });
}

}  // namespace
}  // namespace bochner
