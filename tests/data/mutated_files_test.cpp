// SPDX-License-Identifier: Apache-2.0
// Files of every format with random damage, the same at every run. Whatever a file holds: it is read, or refused by one
// FileError of one line, in any size of blocks and again from the beginning.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/row_source.h"
#include "data/read_all.h"
#include "support/gzip.h"
#include "support/scale.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::TemporaryFolder;
using namespace std::string_literals;

struct Format {
  const char* name;
  const char* file;
  std::vector<std::string> seeds;
  std::vector<std::string> tokens;  ///< what damage inserts, beside single bytes
  ReadOptions options;
  bool packed = false;  ///< seeds are damaged before they are compressed
};

std::string npy(std::string_view type, std::string_view shape, std::size_t bytes) {
  std::string header =
      "{'descr': '"s + std::string(type) + "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string out =
      "\x93NUMPY\x01\x00"s + static_cast<char>(header.size() % 256) + static_cast<char>(header.size() / 256) + header;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(i % 7);
  return out;
}

const std::vector<std::string> kCells = {
    ",",    ",,",    "\"",     "\"\"",  "\n",           "\r\n",     "\r",       "NA",       "nan",
    "-inf", "1e400", "1e-400", "0x1p3", "\xef\xbb\xbf", "\xff\xfe", "\xc3\xa4", "\xe2\x82", std::string(1, '\0'),
    "1.5",  "-0",    "#",      ";",     "\t",           " "};
const std::vector<std::string> kTable = {"a,b,c\n1,2,3\n4,5,6\n7,8.25,-9e3\n", "1,2\n3,4\n",
                                         "\"x, y\",\"q\"\"q\"\r\n1,red\r\n2,\"blue\"\r\n3,red\r\n",
                                         "a,b\n,1\n?,2\nNA,3\n", "x\n1\n\n2\n"};
const std::vector<std::string> kPairs = {
    ":",     " ", "\n",  "\r\n", "0:1",   "-1:2",    "4:", ":4", "2147483648:1",      "99999999999999999999:1",
    "qid:3", "#", "1,2", "nan",  "1e400", "3:1 2:1", "+1", "\t", std::string(1, '\0')};

const Format kFormats[] = {
    {"Csv", "x.csv", kTable, kCells, {}},
    {"CsvWords", "x.csv", kTable, kCells, {.words = true, .missing = true}},
    {"CsvWithoutHeader", "x.csv", kTable, kCells, {.header = Header::absent, .words = true}},
    {"CsvGzip", "x.csv.gz", kTable, kCells, {.words = true}, true},
    {"DamagedGzip",
     "x.csv.gz",
     {test::gzip(kTable[0]), test::gzip(std::string(5000, '1') + "\n")},
     {"\x1f\x8b", "\x00\x00"s, "\xff\xff"},
     {}},
    {"Libsvm", "x.svm", {"1 1:0.5 3:2\n-1 2:1e3 # note\n\n+1 1:1 2:2 3:3\n", "0 7:1\n2.5\n"}, kPairs, {}},
    {"LibsvmOfThreeInputs", "x.libsvm", {"1 1:0.5 3:2\n-1 2:1e3\n"}, kPairs, {.inputs = 3}},
    {"Npy",
     "x.npy",
     {npy("<f8", "(3, 2)", 48), npy("<f4", "(5,)", 20), npy("|u1", "(4, 3)", 12)},
     {"<f4", ">f8", "<c8", "|O", "(", ")", "-1", "99999999999", "True", "False", "'descr'", "'shape'", ",", "}", "\x02",
      "\x04", "\n"},
     {}},
    {"NpyGzip",
     "x.npy.gz",
     {npy("<f8", "(3, 2)", 48), npy("<i4", "(2, 2)", 16)},
     {"<f4", "(", ")", "9", ","},
     {},
     true},
    {"Idx",
     "x-idx3-ubyte",
     {"\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02"s + "abcdefgh",
      "\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x03"s + "abc"},
     {"\xff\xff\xff\xff", "\0\0\0\x01"s, "\x0d", "\x09"},
     {}},
};

class Damage {
 public:
  explicit Damage(const Format& format) : format_(format) {}

  std::string file() {
    std::string bytes = format_.seeds[below(format_.seeds.size())];
    for (std::size_t count = 1 + below(4); count > 0; --count) change(bytes);
    return format_.packed ? test::gzip(bytes) : bytes;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void change(std::string& bytes) {
    const std::size_t at = below(bytes.size() + 1), length = below(8);
    switch (below(6)) {
      case 0:
        bytes.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 1:
        bytes.insert(at, format_.tokens[below(format_.tokens.size())]);
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size() + 1), length));
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    }
  }

  const Format& format_;
  std::mt19937_64 random_{20240607};
};

/// The numbers of a file as bits, or what was said of it.
struct Outcome {
  std::vector<double> numbers;
  std::string error;

  bool operator==(const Outcome& other) const {
    return error == other.error && numbers.size() == other.numbers.size() &&
           (numbers.empty() || std::memcmp(numbers.data(), other.numbers.data(), 8 * numbers.size()) == 0);
  }
};

void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << (outcome.error.empty() ? testing::PrintToString(outcome.numbers) : outcome.error);
}

/// A file of a hundred bytes may claim more columns than memory has; that it does is seen before a row is asked for.
constexpr std::size_t kMostColumns = 100'000;

Outcome outcome_of(const std::filesystem::path& file, const ReadOptions& options, std::size_t rows, bool again) {
  Outcome outcome;
  try {
    const auto reader = open_rows(file, options);
    if (reader->columns() > kMostColumns) return {{}, "too wide"};
    outcome.numbers = test::read_all(*reader, rows);
    if (!again) return outcome;
    reader->rewind();
    outcome.numbers = test::read_all(*reader, rows);
  } catch (const FileError& error) {
    outcome = {{}, error.what()};
  }
  return outcome;
}

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

class MutatedFiles : public testing::TestWithParam<Format> {};

TEST_P(MutatedFiles, AreReadOrRefused) {
  const Format& format = GetParam();
  const TemporaryFolder folder;
  Damage damage(format);
  std::size_t read = 0, refused = 0;
  for (std::size_t number = 0; number < test::scaled(2000, 2000); ++number) {
    const std::string bytes = damage.file();
    const auto file = folder.write(format.file, bytes);
    const Outcome outcome = outcome_of(file, format.options, 3, false);
    ASSERT_EQ(outcome, outcome_of(file, format.options, 1, false)) << number << ": " << testing::PrintToString(bytes);
    ASSERT_EQ(outcome, outcome_of(file, format.options, 64, true)) << number << ": " << testing::PrintToString(bytes);
    (outcome.error.empty() ? read : refused) += 1;
    if (!outcome.error.empty() && outcome.error != "too wide") {
      ASSERT_NE(outcome.error.find(format.file), std::string::npos) << outcome.error;
      ASSERT_TRUE(std::ranges::all_of(outcome.error, [](unsigned char c) { return c >= 0x20 && c < 0x7f; }))
          << outcome.error;
      ASSERT_LT(outcome.error.size(), 400) << outcome.error;
    }
    for (const double value : outcome.numbers)
      ASSERT_TRUE(std::isfinite(value) || (format.options.missing && std::isnan(value)))
          << testing::PrintToString(bytes);
  }
  EXPECT_GT(read, 20);
  EXPECT_GT(refused, 200);
}

INSTANTIATE_TEST_SUITE_P(All, MutatedFiles, testing::ValuesIn(kFormats),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace bochner
