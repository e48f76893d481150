// SPDX-License-Identifier: Apache-2.0
#include "bochner/row_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "data/expect_file_error.h"
#include "data/read_all.h"
#include "support/gzip.h"
#include "support/scale.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::gzip;
using test::read_all;
using test::TemporaryFolder;
using Numbers = std::vector<double>;
using namespace std::string_literals;

std::string idx(std::string_view sizes, std::size_t bytes, char type = 8) {
  return "\0\0"s + type + static_cast<char>(sizes.size() / 4) + std::string(sizes) + std::string(bytes, '\x07');
}

struct Bad {
  const char* name;
  const char* file;
  std::string bytes;
  ReadOptions options;
  std::vector<std::string_view> words;
};

class BadRows : public testing::TestWithParam<Bad> {};

TEST_P(BadRows, AreRefusedInOneSentence) {
  const TemporaryFolder folder;
  const auto file = folder.write(GetParam().file, GetParam().bytes);
  std::vector<std::string_view> words = GetParam().words;
  words.push_back(GetParam().file);
  expect_file_error([&] { read_all(*open_rows(file, GetParam().options)); }, words);
}

constexpr ReadOptions kWords{.words = true};
constexpr ReadOptions kMissing{.words = true, .missing = true};
constexpr ReadOptions kAbsent{.header = Header::absent, .words = true};

const Bad kBad[] = {
    {"TextInANumberColumn", "x.csv", "a,b\n1,2\n1,x\n", kWords, {"line 3, column 2", "'x' is not a number"}},
    {"MissingCell", "x.csv", "a,b\n1,\n", kWords, {"line 2, column 2", "empty cell", "missing"}},
    {"MissingWord", "x.csv", "a,b\n1,NA\n", kWords, {"line 2, column 2", "'NA'", "missing"}},
    {"MissingNan", "x.csv", "a,b\n1,NaN\n", kWords, {"line 2, column 2", "'NaN'", "missing"}},
    {"MissingQuestion", "x.csv", "a,b\n1,?\n", kWords, {"line 2, column 2", "'?'", "missing"}},
    {"MissingNull", "x.csv", "a,b\n1,null\n", kWords, {"line 2, column 2", "'null'", "missing"}},
    {"InfInWords", "x.csv", "a\n-inf\n", kWords, {"line 2, column 1", "finite"}},
    {"OverflowInWords", "x.csv", "a\n1e400\n", kMissing, {"line 2, column 1", "out of range"}},
    {"WordNotUtf8", "x.csv", "a\nx\n\xff\n", kWords, {"line 3, column 1", "not UTF-8"}},
    {"RaggedWords", "x.csv", "a,b\nx,1\ny\n", kWords, {"line 3", "1 cell", "expected 2"}},
    {"NumberThenWordWithoutHeader", "x.csv", "1\nx\n", kAbsent, {"line 2, column 1", "'x' is not a number"}},
    {"HeaderOfNumbers", "x.csv", "1,1\n2,3\n", {.header = Header::present}, {"line 1", "'1'", "twice"}},
    {"GzipNamedCsv", "x.csv", gzip("1,2\n"), {}, {"gzip", ".csv.gz"}},
    {"CsvNamedGzip", "x.csv.gz", "1,2\n", {}, {"byte 0", "not gzip data"}},
    {"EmptyGzipFile", "x.csv.gz", "", {}, {"byte 0", "not gzip data"}},
    {"OneByteGzipFile", "x.csv.gz", "\x1f", {}, {"byte 0", "not gzip data"}},
    {"EmptyGzipContent", "x.csv.gz", gzip(""), {}, {"is empty"}},
    {"TruncatedGzip", "x.csv.gz", gzip("1,2\n3,4\n").substr(0, 18), {}, {"byte 18", "ends inside"}},
    {"GzipHeaderAlone", "x.csv.gz", gzip("1,2\n").substr(0, 10), {}, {"byte 10", "ends inside"}},
    {"GzipTwice", "x.csv.gz", gzip(gzip("1,2\n")), {}, {"gzip"}},
    {"BadCellInGzip", "x.csv.gz", gzip("1,2\n3,x\n"), {}, {"line 2, column 2", "'x' is not a number"}},
    {"NpyGzipOfText", "x.npy.gz", gzip("1,2\n"), {}, {"byte 0", "not an NPY file"}},
    {"NpyGzipShort", "x.npy.gz", gzip("\x93NUMPY\x01"), {}, {"byte 7", "version"}},
    {"SvmGzipBad", "x.svm.gz", gzip("1 0:1\n"), {}, {"line 1", "index 0"}},
    {"UnknownInsideGzip", "x.txt.gz", gzip("1\n"), {}, {"unknown extension", ".csv"}},
    {"GzipAlone", "x.gz", gzip("1\n"), {}, {"unknown extension '.gz'"}},
    {"IdxEmpty", "a-idx3-ubyte", "", {}, {"byte 0", "ends inside its header"}},
    {"IdxThreeBytes", "a-idx3-ubyte", "\0\0\x08"s, {}, {"byte 3", "ends inside"}},
    {"IdxMagic", "a-idx3-ubyte", "\1\0\x08\1\0\0\0\0"s, {}, {"byte 0", "not an idx file"}},
    {"IdxOfFloats", "a-idx3-ubyte", idx("\0\0\0\1"s, 4, 0x0d), {}, {"byte 2", "0x0d", "0x08"}},
    {"IdxOfNoDimensions", "a-idx3-ubyte", "\0\0\x08\0"s, {}, {"byte 3", "0 dimensions"}},
    {"IdxOfFiveDimensions", "a-idx3-ubyte", idx(std::string(20, '\1'), 1), {}, {"byte 3", "5 dimensions"}},
    {"IdxSizesCut", "a-idx3-ubyte", "\0\0\x08\2\0\0\0\1\0\0"s, {}, {"byte 10", "ends inside"}},
    {"IdxShort", "a-idx3-ubyte", idx("\0\0\0\2\0\0\0\3"s, 5), {}, {"byte 12", "2 rows of 3 bytes"}},
    {"IdxLong", "a-idx3-ubyte", idx("\0\0\0\2\0\0\0\3"s, 7), {}, {"byte 12", "2 rows of 3 bytes"}},
    {"IdxNoColumns", "a-idx3-ubyte", idx("\0\0\0\2\0\0\0\0"s, 0), {}, {"byte 8", "0 columns"}},
    {"IdxManyColumns", "a-idx3-ubyte", idx("\0\0\0\2\0\1\0\0\0\1\0\0"s, 0), {}, {"byte 12", "4294967296 columns"}},
    {"IdxGzipShort", "a-idx3-ubyte.gz", gzip(idx("\0\0\0\2\0\0\0\3"s, 5)), {}, {"byte 15", "before row 1 of 2"}},
    {"IdxGzipLong", "a-idx3-ubyte.gz", gzip(idx("\0\0\0\1\0\0\0\3"s, 4)), {}, {"byte 15", "more bytes"}},
};

INSTANTIATE_TEST_SUITE_P(Cases, BadRows, testing::ValuesIn(kBad), [](const auto& tested) { return tested.param.name; });

TEST(RowSource, DamagedGzipIsFound) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * 7919 % 1000) + "," + std::to_string(i) + "\n";
  const std::string whole = gzip(text);
  for (std::size_t byte = 12; byte < whole.size(); byte += whole.size() / 40) {
    std::string bytes = whole;
    bytes[byte] = static_cast<char>(bytes[byte] ^ 0x10);
    EXPECT_THROW(read_all(*open_rows(folder.write("x.csv.gz", bytes)), 100), FileError) << byte;
  }
}

TEST(RowSource, WordsGetNumbersInTheOrderInWhichTheyAreMet) {
  const TemporaryFolder folder;
  const auto rows = open_rows(folder.write("x.csv", "a,b,c\nx,1,\"p,q\"\ny,2,r\n x ,3,r\n"), kWords);
  EXPECT_EQ(rows->names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(rows->kind(0), ColumnKind::undecided);
  const Numbers expected = {0, 1, 0, 1, 2, 1, 0, 3, 1};
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ(read_all(*rows, 2), expected);
    EXPECT_EQ(rows->rows(), 3u);
    rows->rewind();
  }
  EXPECT_EQ(rows->kind(0), ColumnKind::word);
  EXPECT_EQ(rows->kind(1), ColumnKind::number);
  EXPECT_EQ(rows->words(0)[1], "y");
  EXPECT_EQ(rows->words(2)[0], "p,q");
  EXPECT_TRUE(rows->words(1).empty());
}

TEST(RowSource, MissingCellsAreNan) {
  const TemporaryFolder folder;
  const auto rows = open_rows(folder.write("x.csv", "a,b\n,x\nNA,?\n1,null\nnan,y\nn/a,x\n"), kMissing);
  const Numbers found = read_all(*rows);
  const Numbers expected = {NAN, 0, NAN, NAN, 1, NAN, NAN, 1, NAN, 0};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))) << i;
}

TEST(RowSource, ColumnsAreWhatIsExpectedOfThem) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", "a,b,c\n1,2,x\n3,4,\n");
  const auto rows = open_rows(file, kWords);
  rows->expect(0, ColumnKind::word);
  rows->expect(2, ColumnKind::ignored);
  EXPECT_EQ(read_all(*rows), (Numbers{0, 2, 0, 1, 4, 0}));
  EXPECT_EQ(rows->words(0)[1], "3");
  const auto numbers = open_rows(file, kWords);
  numbers->expect(2, ColumnKind::number);
  expect_file_error([&] { read_all(*numbers); }, {"x.csv, line 2, column 3", "'x' is not a number"});
}

TEST(RowSource, HeaderAsAsked) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", "x,1\ny,2\n");
  EXPECT_EQ(read_all(*open_rows(file, kAbsent)), (Numbers{0, 1, 1, 2}));
  EXPECT_EQ(read_all(*open_rows(file, {.header = Header::present, .words = true})), (Numbers{0, 2}));
  expect_file_error([&] { open_rows(file, kWords); }, {"x.csv, line 1, column 1", "'x'", "--header", "--no-header"});
  EXPECT_EQ(open_rows(file, kAbsent)->header(), Header::absent);
  EXPECT_EQ(open_rows(folder.write("z.csv", "x,y\n1,2\n"), kWords)->header(), Header::present);
  EXPECT_EQ(open_rows(folder.write("z.svm", "1 1:2\n"))->header(), Header::by_content);
  const auto rows = open_rows(folder.write("y.csv", "1,2\n3,4\n"), {.header = Header::present});
  EXPECT_EQ(rows->names(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(read_all(*rows), (Numbers{3, 4}));
}

TEST(RowSource, TooManyWordsAreNoCategories) {
  const TemporaryFolder folder;
  std::string text = "a\n";
  for (int i = 0; i < 10'001; ++i) text += "w" + std::to_string(i) + "\n";
  expect_file_error([&] { read_all(*open_rows(folder.write("x.csv", text), kWords), 100); },
                    {"x.csv", "column 1", "10000"});
}

TEST(RowSource, CompressedFilesGiveTheSameNumbers) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i) + "," + std::to_string(0.25 * i) + "\n";
  const Table plain = read_table(folder.write("x.csv", text));
  const auto& expected = std::get<Matrix<double>>(plain.values);
  // Two members, as `cat a.gz b.gz` makes.
  const std::string packed = gzip(text.substr(0, 7)) + gzip(text.substr(7));
  const Table read = read_table(folder.write("x.csv.gz", packed));
  const auto& found = std::get<Matrix<double>>(read.values);
  ASSERT_EQ(found.rows(), 3000u);
  EXPECT_TRUE(std::equal(found.data(), found.data() + 6000, expected.data()));
  write_table(folder / "x.npy", plain);
  const Table npy = read_table(folder.write("y.NPY.GZ", gzip(folder.read("x.npy"))));
  EXPECT_TRUE(std::equal(found.data(), found.data() + 6000, std::get<Matrix<double>>(npy.values).data()));
  const auto rows = open_rows(folder / "x.csv.gz");
  read_all(*rows, 500);
  EXPECT_GT(rows->share(), 0.99);
}

TEST(RowSource, NpyInBlocksIsTheWholeFile) {
  const TemporaryFolder folder;
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{700'000}}) {
    Matrix<float> values(rows, 2);
    for (std::size_t i = 0; i < 2 * rows; ++i) values.data()[i] = static_cast<float>(i % 1000) / 8;
    const std::vector<double> expected(values.data(), values.data() + 2 * rows);
    write_table(folder / "x.npy", Table{std::move(values), {}});
    const auto reader = open_rows(folder / "x.npy");
    EXPECT_TRUE(reader->single());
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_EQ(read_all(*reader, rows < 2000 ? 7 : 8192), expected);
      reader->rewind();
    }
  }
}

TEST(RowSource, NpyOfIntegersAndIgnoredColumns) {
  const TemporaryFolder folder;
  const std::string head = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }\n";
  const std::int32_t numbers[] = {1, -2, 3, 4};
  std::string bytes = "\x93NUMPY\x01\0"s + static_cast<char>(head.size()) + '\0' + head;
  bytes.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  const auto rows = open_rows(folder.write("x.npy", bytes));
  EXPECT_FALSE(rows->single());
  EXPECT_EQ(read_all(*rows), (Numbers{1, -2, 3, 4}));
  rows->rewind();
  rows->expect(1, ColumnKind::ignored);
  EXPECT_EQ(read_all(*rows), (Numbers{1, 0, 3, 0}));
}

TEST(RowSource, AnNpyThatShrinksIsToldAndDoesNotKill) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", Table{Matrix<double>(100'000, 2, 1.0), {}});
  const auto rows = open_rows(folder / "x.npy");
  Matrix<double> block(10, 2);
  rows->next(block);
  std::filesystem::resize_file(folder / "x.npy", 4096);
  expect_file_error([&] { read_all(*rows, 1000); }, {"x.npy, byte 4096", "the file ends in row 248 of 100000"});
}

/// At any moment: a page of a map that lies behind the end of its file would end the process by SIGBUS.
TEST(RowSource, AnNpyThatShrinksAndGrowsWhileItIsReadDoesNotKill) {
  const TemporaryFolder folder;
  const auto file = folder / "x.npy";
  write_table(file, Table{Matrix<double>(1 << 16, 16, 1.0), {}});
  const auto whole = std::filesystem::file_size(file);
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) {
      std::filesystem::resize_file(file, 4096);
      std::filesystem::resize_file(file, whole);
    }
  });
  for (std::size_t round = 0; round < test::scaled(400, 40); ++round) {
    try {
      read_all(*open_rows(file), 1 << 16);
    } catch (const FileError& error) {
      EXPECT_NE(std::string_view(error.what()).find("x.npy"), std::string_view::npos) << error.what();
    }
  }
  done = true;
  other.join();
}

TEST(RowSource, ImagesHaveTheirLabelsFirst) {
  const TemporaryFolder folder;
  folder.write("t-images-idx3-ubyte", "\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\2\x01\x02\xff\x04"s);
  EXPECT_EQ(read_all(*open_rows(folder / "t-images-idx3-ubyte")), (Numbers{1, 2, 255, 4}));
  folder.write("t-labels-idx1-ubyte", "\0\0\x08\1\0\0\0\2\x07\x09"s);
  const auto rows = open_rows(folder / "t-images-idx3-ubyte");
  EXPECT_EQ(rows->label(), 0u);
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ(read_all(*rows), (Numbers{7, 1, 2, 9, 255, 4}));
    rows->rewind();
  }
  EXPECT_EQ(read_all(*open_rows(folder / "t-labels-idx1-ubyte")), (Numbers{7, 9}));
  folder.write("t-labels-idx1-ubyte", "\0\0\x08\1\0\0\0\3\x07\x09\x01"s);
  expect_file_error([&] { open_rows(folder / "t-images-idx3-ubyte"); },
                    {"t-labels-idx1-ubyte", "3 x 1 labels", "2 images"});
}

TEST(RowSource, OnlyPlainFilesAreOpened) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "d.csv");
  ASSERT_EQ(::mkfifo((folder / "p.npy").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((folder / "p.svm.gz").c_str(), 0600), 0);
  expect_file_error([&] { open_rows(folder / "d.csv"); }, {"d.csv", "a directory"});
  expect_file_error([&] { open_rows(folder / "p.npy"); }, {"p.npy", "a pipe"});
  expect_file_error([&] { open_rows(folder / "p.svm.gz"); }, {"p.svm.gz", "a pipe"});
  expect_file_error([&] { open_rows(folder / "none.svm"); }, {"none.svm", "No such file"});
}

TEST(RowWriter, WritesWhatTheReaderReads) {
  const TemporaryFolder folder;
  Matrix<double> block(2, 2);
  const Numbers expected = {0.1, 0, 2, 1, 0.1, 0, 2, 1};
  std::copy_n(expected.data(), 4, block.data());
  {
    RowWriter csv(folder / "x.csv", {{"n"}, {"w", {"a b", "c"}}}), npy(folder / "x.npy", {{"n"}, {"m"}});
    for (int i = 0; i < 2; ++i) {
      csv.write(block);
      npy.write(block);
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "x.npy"));
    csv.commit();
    npy.commit();
    RowWriter never(folder / "y.npy", {{"n"}});
  }
  EXPECT_EQ(folder.read("x.csv"), "n,w\n0.1,\"a b\"\n2,c\n0.1,\"a b\"\n2,c\n");
  EXPECT_EQ(read_all(*open_rows(folder / "x.csv", kWords)), expected);
  EXPECT_EQ(read_all(*open_rows(folder / "x.npy")), expected);
  EXPECT_EQ(folder.names(), (std::set<std::string>{"x.csv", "x.npy"}));
  expect_file_error([&] { RowWriter(folder / "z.npy", {{"w", {"a"}}}); }, {"z.npy", "words", ".csv"});
  expect_file_error([&] { RowWriter(folder / "z.svm", {{"w"}}); }, {"z.svm", "unknown extension", ".csv or .npy"});
  expect_file_error([&] { RowWriter(folder / "z.csv.gz", {{"w"}}); }, {"z.csv.gz", "'.gz'", ".csv or .npy"});
}

}  // namespace
}  // namespace bochner
