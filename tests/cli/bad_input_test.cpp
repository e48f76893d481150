// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bochner/table.h"
#include "cli/expect_refused.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::TemporaryFolder;
using Words = std::vector<std::string>;

template <class T>
void write_matrix(const std::filesystem::path& file, std::size_t rows, std::size_t cols, std::vector<T> values) {
  Matrix<T> matrix(rows, cols);
  std::ranges::copy(values, matrix.data());
  write_table(file, Table{std::move(matrix), {}});
}

/// Every input that the cases below name.
void write_inputs(const TemporaryFolder& folder) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  folder.write("x.csv", "1,2\n3,4\n5,6\n");
  folder.write("line.csv", "1\n2\n");
  folder.write("row.csv", "1,2\n");
  folder.write("equal.csv", "1,2\n1,2\n1,2\n");
  folder.write("text.csv", "1,2\n3,four\n");
  folder.write("ragged.csv", "1,2\n3\n");
  folder.write("nan.csv", "1,2\n3,nan\n");
  folder.write("huge.csv", "1,2\n1e400,4\n");
  folder.write("empty.csv", "");
  folder.write("far.csv", "1,2\n3,1e200\n");
  folder.write("beyond.csv", "0,0\n1e39,0\n");
  folder.write("long.csv", "0,0\n0,0\n60,0\n");
  folder.write("x.txt", "1,2\n");
  folder.write("x.npy.gz", "");
  folder.write("text.npy", "1,2\n3,4\n");
  folder.write("short.npy", "\x93NUMPY");
  write_matrix<double>(folder / "nan.npy", 3, 2, {1, 2, 3, 4, kNan, 6});
  write_matrix<float>(folder / "inf32.npy", 2, 3, {1, 2, 3, 4, 5, static_cast<float>(-kInf)});
  // A row far beyond the first block of the progress bar.
  std::vector<float> many(200'000, 1.0f);
  many[2 * 77'777 + 1] = static_cast<float>(kInf);
  write_matrix<float>(folder / "late.npy", 100'000, 2, many);
  std::filesystem::create_directory(folder / "folder.csv");
  std::filesystem::create_directory(folder / "folder.npy");
  std::filesystem::create_symlink("x.csv", folder / "link.csv");
}

struct Case {
  const char* name;
  Words arguments;
  Words words;
};

/// `bochner transform x.csv --out z.npy` and more.
Words with(Words more) {
  Words all = {"transform", "x.csv", "--out", "z.npy"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
Words from(const std::string& input, Words more = {}) {
  Words all = with(std::move(more));
  all[1] = input;
  return all;
}
Words to(const std::string& output) { return {"transform", "x.csv", "--out", output}; }

const Case kCases[] = {
    {"NoCommand", {}, {"no command", "--help"}},
    {"UnknownCommand", {"trnsform"}, {"unknown command 'trnsform'", "did you mean 'transform'", "list"}},
    {"CommandOfCapitals", {"LIST"}, {"unknown command 'LIST'", "did you mean 'list'"}},
    {"NotNearAnyCommand", {"fhqwhgads"}, {"unknown command 'fhqwhgads'", "known:"}},
    {"EmptyCommand", {""}, {"unknown command ''"}},
    {"UnknownGlobalOption", {"--versoin"}, {"unknown option '--versoin'", "did you mean '--version'"}},
    {"GlobalOptionBeforeCommand", {"--json", "list"}, {"unknown option '--json'"}},
    {"TwoCommands", {"list", "transform"}, {"transform", "--help"}},
    {"ListWithArgument", {"list", "kernels"}, {"unexpected argument 'kernels'", "bochner list --help"}},
    {"ListUnknownOption", {"list", "--jsno"}, {"unknown option '--jsno'", "did you mean '--json'"}},
    {"ListZeroD", {"list", "--d", "0"}, {"--d is 0", ">= 1"}},
    {"ListNegativeD", {"list", "--d", "-3"}, {"--d is '-3'", "whole number"}},
    {"ListTextD", {"list", "--d", "eight"}, {"--d is 'eight'", "whole number"}},
    {"ListFractionD", {"list", "--d", "2.5"}, {"--d is '2.5'", "whole number"}},
    {"ListNoD", {"list", "--d"}, {"--d", "bochner list --help"}},

    {"NoInput", {"transform"}, {"no input file", "transform --help"}},
    {"NoOutput", {"transform", "x.csv"}, {"no output file", "--out"}},
    {"OutWithoutValue", {"transform", "x.csv", "--out"}, {"--out", "--help"}},
    {"EmptyOut", to(""), {"no output file"}},
    {"UnknownOption", with({"--kernl", "gaussian"}), {"unknown option '--kernl'", "did you mean '--kernel'"}},
    {"UnknownOptionWithValue", with({"--lenghtscale=2"}), {"'--lenghtscale'", "did you mean '--lengthscale'"}},
    {"UnknownShortOption", with({"-q"}), {"unknown option '-q'", "known:"}},
    {"TwoInputs", {"transform", "x.csv", "line.csv", "--out", "z.npy"}, {"unexpected argument 'line.csv'"}},
    {"OptionTwice", with({"--m", "3", "--m", "4"}), {"--m"}},
    {"FlagWithValue", with({"--float32=yes,no"}), {"float32"}},

    {"UnknownKernel", with({"--kernel", "gausian"}), {"unknown kernel 'gausian'", "did you mean 'gaussian'"}},
    {"UnknownMap", with({"--map", "trigonometrc"}), {"unknown map 'trigonometrc'", "did you mean 'trigonometric'"}},
    {"UnknownCoupling", with({"--coupling", "ortogonal"}), {"unknown coupling", "did you mean 'orthogonal'"}},
    {"EmptyKernel", with({"--kernel", ""}), {"kernel"}},
    {"KernelNotNearAny", with({"--kernel", "zzzzzzzzz"}), {"unknown kernel 'zzzzzzzzz'", "known: gaussian"}},
    {"KernelWithControlCharacters", with({"--kernel", "a\nb\x1b[2J"}), {"unknown kernel 'a\\x0ab\\x1b[2J'"}},
    {"SimplexInOneDimension", from("line.csv", {"--coupling", "simplex"}), {"simplex", "d >= 2", "orthogonal"}},

    {"ZeroM", with({"--m", "0"}), {"m is 0", ">= 1"}},
    {"NegativeM", with({"--m", "-5"}), {"--m is '-5'", "whole number"}},
    {"TextM", with({"--m", "many"}), {"--m is 'many'", "whole number"}},
    {"FractionM", with({"--m", "2.5"}), {"--m is '2.5'", "whole number"}},
    {"ExponentM", with({"--m", "1e3"}), {"--m is '1e3'", "whole number"}},
    {"HexM", with({"--m", "0x10"}), {"--m is '0x10'", "whole number"}},
    {"EmptyM", with({"--m", ""}), {"--m"}},
    {"BlankM", with({"--m", " 5"}), {"--m is ' 5'", "whole number"}},
    {"MBeyond64Bits", with({"--m", "18446744073709551616"}), {"--m is '18446744073709551616'", "at most"}},
    {"MOf64Bits", with({"--m", "18446744073709551615"}), {"columns", "1048576"}},
    {"MBeyondAnyTable", with({"--m", "600000"}), {"z.npy", "1200000 columns", "1048576"}},

    {"NegativeSeed", with({"--seed", "-1"}), {"--seed is '-1'", "whole number"}},
    {"SeedBeyond64Bits", with({"--seed", "18446744073709551616"}), {"--seed", "18446744073709551615"}},
    {"TextSeed", with({"--seed", "lucky"}), {"--seed is 'lucky'"}},
    {"FractionSeed", with({"--seed", "0.5"}), {"--seed is '0.5'"}},

    {"ZeroLengthscale", with({"--lengthscale", "0"}), {"lengthscale is 0", "> 0"}},
    {"NegativeLengthscale", with({"--lengthscale", "-1"}), {"lengthscale is -1", "> 0"}},
    {"NanLengthscale", with({"--lengthscale", "nan"}), {"lengthscale is nan", "finite"}},
    {"InfLengthscale", with({"--lengthscale", "inf"}), {"lengthscale is inf", "finite"}},
    {"TinyLengthscale", with({"--lengthscale", "1e-320"}), {"lengthscale is"}},
    {"LengthscaleOutOfRange", with({"--lengthscale", "1e400"}), {"--lengthscale is '1e400'", "number"}},
    {"TextLengthscale",
     with({"--lengthscale", "wide"}),
     {"--lengthscale is 'wide'", "separated by commas", "'median'"}},
    {"MedianOfOneRow", from("row.csv", {"--lengthscale", "median"}), {"row.csv: X is 1 x 2", "at least 2 rows"}},
    {"NeighbourOfEqualRows", from("equal.csv", {"--lengthscale", "neighbour"}), {"equal.csv", "is 0", "give a number"}},
    {"ScaleOfNan", from("nan.npy", {"--lengthscale", "scale"}), {"nan.npy", "nan at row 2, column 0", "finite"}},
    {"EmptyLengthscale", with({"--lengthscale", ""}), {"--lengthscale"}},
    {"LengthscaleEndsInComma", with({"--lengthscale", "1,2,"}), {"--lengthscale is '1,2,'"}},
    {"LengthscaleBeginsWithComma", with({"--lengthscale", ",1"}), {"--lengthscale is ',1'"}},
    {"LengthscaleOfSemicolons", with({"--lengthscale", "1;2"}), {"--lengthscale is '1;2'"}},
    {"TooManyLengthscales", with({"--lengthscale", "1,2,3"}), {"lengthscale", "3 numbers", "2 coordinates"}},
    {"TooFewLengthscales", from("inf32.npy", {"--lengthscale", "1,2"}), {"lengthscale", "2 numbers", "3 coordinates"}},
    {"OneBadLengthscale", with({"--lengthscale", "1,0"}), {"lengthscale is 0", "> 0"}},

    {"ZeroThreads", with({"--threads", "0"}), {"threads", "0", "1"}},
    {"NegativeThreads", with({"--threads", "-2"}), {"--threads is '-2'", "whole number"}},
    {"TooManyThreads", with({"--threads", "1025"}), {"threads", "1025", "1024"}},
    {"ThreadsBeyond32Bits", with({"--threads", "4294967297"}), {"--threads is '4294967297'"}},
    {"TextThreads", with({"--threads", "all"}), {"--threads is 'all'"}},
    {"UnknownSide", with({"--side", "kex"}), {"unknown side 'kex'", "did you mean 'key'"}},

    {"MissingInput", from("missing.csv"), {"missing.csv", "No such file"}},
    {"InputIsAFolder", from("folder.csv"), {"folder.csv", "a directory"}},
    {"InputOfUnknownExtension", from("x.txt"), {"x.txt", "unknown extension '.txt'", ".csv or .npy"}},
    {"InputNotCompressed", from("x.npy.gz"), {"x.npy.gz, byte 0", "not gzip data"}},
    {"InputOfText", from("text.csv"), {"text.csv, line 2, column 2", "'four' is not a number"}},
    {"InputRagged", from("ragged.csv"), {"ragged.csv, line 2", "1 cell", "expected 2"}},
    {"InputWithNan", from("nan.csv"), {"nan.csv, line 2, column 2", "'nan'", "finite"}},
    {"InputOutOfRange", from("huge.csv"), {"huge.csv, line 2, column 1", "1e400", "out of range"}},
    {"InputEmpty", from("empty.csv"), {"empty.csv", "is empty"}},
    {"NpyOfText", from("text.npy"), {"text.npy, byte 0", "not an NPY file"}},
    {"NpyShort", from("short.npy"), {"short.npy, byte 6"}},
    {"NpyWithNan", from("nan.npy"), {"nan.npy", "nan at row 2, column 0", "finite"}},
    {"Float32NpyWithInf", from("inf32.npy"), {"inf32.npy", "-inf at row 1, column 2", "finite"}},
    {"InfFarDown", from("late.npy", {"--m", "32"}), {"late.npy", "inf at row 77777, column 1"}},
    {"NumberBeyondTheMap", from("far.csv"), {"far.csv", "1e+200 at row 1, column 1"}},
    {"NumberBeyondFloat32", from("beyond.csv", {"--float32"}), {"1e+39 at row 1, column 0", "float32"}},
    {"RowTooLong", from("long.csv", {"--kernel", "softmax"}), {"long.csv", "row 2", "lengthscale"}},

    {"OutputInMissingFolder", to("nowhere/z.npy"), {"nowhere/z.npy", "folder", "does not exist"}},
    {"OutputIsAFolder", to("folder.npy"), {"folder.npy", "a directory"}},
    {"OutputUnderAFile", to("x.csv/z.npy"), {"x.csv/z.npy", "folder"}},
    {"OutputOfUnknownExtension", to("z.parquet"), {"z.parquet", "unknown extension '.parquet'", ".csv or .npy"}},
    {"OutputWithoutExtension", to("z"), {"z: has no extension", ".csv or .npy"}},
    {"OutputIsInput", to("x.csv"), {"--out is 'x.csv'", "another file than the input"}},
    {"OutputIsInputByOtherName", to("./x.csv"), {"another file than the input"}},
    {"OutputIsInputByLink", to("link.csv"), {"another file than the input"}},
    {"OutputNameWithLineEnd", to("a\nb/z.npy"), {"a\\x0ab/z.npy", "does not exist"}},
};

class BadCommandLine : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    write_inputs(*folder_);
    before_ = new auto(test::contents(*folder_));
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete before_;
  }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::map<std::string, std::string>* before_ = nullptr;
};

TEST_P(BadCommandLine, IsToldInOneLineAndWritesNothing) {
  test::expect_refused(*folder_, *before_, GetParam().arguments, GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(Cases, BadCommandLine, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace bochner
