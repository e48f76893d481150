// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "bochner/table.h"
#include "data/expect_file_error.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::TemporaryFolder;
using namespace std::string_literals;

/// Magic, version, length and text.
std::string with_text(std::string text, int major = 1, int minor = 0) {
  if (!text.ends_with('\n')) text += '\n';
  std::string out = "\x93NUMPY";
  out += {static_cast<char>(major), static_cast<char>(minor)};
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte) out += static_cast<char>(text.size() >> (8 * byte) & 0xff);
  return out + text;
}

std::string header(std::string_view descr, std::string_view shape, std::string_view fortran = "False") {
  return fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", descr, fortran, shape);
}

/// A header and `bytes` of payload.
std::string npy(std::string_view descr, std::string_view shape, std::size_t bytes) {
  return with_text(header(descr, shape)) + std::string(bytes, '\0');
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

struct BadNpy {
  const char* name;
  std::string bytes;
  std::vector<std::string_view> words;
};

class BadNpyTest : public testing::TestWithParam<BadNpy> {};

TEST_P(BadNpyTest, IsRefusedInOneSentence) {
  const TemporaryFolder folder;
  const auto file = folder.write("bad.npy", GetParam().bytes);
  std::vector<std::string_view> words = GetParam().words;
  words.push_back("bad.npy");
  expect_file_error([&] { read_table(file); }, words);
}

const BadNpy kBad[] = {
    {"Empty", "", {"byte 0", "not an NPY file"}},
    {"HalfMagic", "\x93NUM", {"byte 0", "not an NPY file"}},
    {"WrongMagic", "\x92NUMPY\x01\0\x02\0{}"s, {"byte 0", "NUMPY"}},
    {"Text", "1,2\n3,4\n", {"byte 0", "not an NPY file"}},
    {"MagicAlone", "\x93NUMPY", {"byte 6", "version"}},
    {"Version0", with_text(header("'<f8'", "(1, 1)"), 0), {"byte 6", "version 0.0", "1.0, 2.0 or 3.0"}},
    {"Version4", with_text(header("'<f8'", "(1, 1)"), 4), {"byte 6", "version 4.0"}},
    {"Version1Minor1", with_text(header("'<f8'", "(1, 1)"), 1, 1), {"byte 6", "version 1.1"}},
    {"Version255", with_text(header("'<f8'", "(1, 1)"), 255), {"byte 6", "version 255.0"}},
    {"NoHeaderLength", "\x93NUMPY\x01\0\x10"s, {"byte 9", "length of the header"}},
    {"HeaderBeyondFile", "\x93NUMPY\x01\0\x76\0{'descr'"s, {"byte 8", "header of 118 bytes"}},
    {"HeaderOf65535", "\x93NUMPY\x01\0\xff\xff{}"s, {"byte 8", "header of 65535 bytes", "at most 10000"}},
    {"HeaderOf65536", with_text(header("'<f8'", "(1, 1)") + std::string(65536, ' '), 2), {"byte 8", "at most 10000"}},
    {"HeaderOf4GB", "\x93NUMPY\x02\0\xff\xff\xff\xff{}"s, {"byte 8", "4294967295", "at most 10000"}},
    {"Version2LengthReadAsVersion1", "\x93NUMPY\x02\0\x10\0{'"s, {"byte 8", "header of"}},
    {"EmptyHeader", "\x93NUMPY\x01\0\0\0"s, {"byte 10", "line feed"}},
    {"HeaderWithoutLineFeed", "\x93NUMPY\x01\0\x02\0{}"s, {"byte 10", "line feed"}},
    {"EmptyDictionary", with_text("{}"), {"no key 'descr'"}},
    {"NoDictionary", with_text("'<f8'"), {"byte 10", "expected '{'"}},
    {"DictionaryNotClosed", with_text("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)"), {"expected '}'"}},
    {"TextAfterDictionary", with_text(header("'<f8'", "(1, 1)") + " x"), {"after the dictionary"}},
    {"NulInHeader", with_text(header("'<f8'", "(1, 1)") + "\0"s), {"after the dictionary"}},
    {"PythonCode", with_text("__import__('os').system('true')"), {"byte 10", "expected '{'"}},
    {"PythonCodeAsShape", with_text(header("'<f8'", "eval('(1, 1)')")), {"expected '('"}},
    {"PythonCodeAsDimension", with_text(header("'<f8'", "(1, 1+1)")), {"expected ',' or ')'"}},
    {"NoDescr", with_text("{'fortran_order': False, 'shape': (1, 1)}"), {"no key 'descr'"}},
    {"NoShape", with_text("{'descr': '<f8', 'fortran_order': False}"), {"no key 'shape'"}},
    {"NoOrder", with_text("{'descr': '<f8', 'shape': (1, 1)}"), {"no key 'fortran_order'"}},
    {"KeyTwice", with_text("{'descr': '<f8', 'shape': (1,), 'shape': (2,)}"), {"'shape' stands twice"}},
    {"UnknownKey", with_text("{'dtype': '<f8'}"), {"unknown key 'dtype'"}},
    {"NumberAsKey", with_text("{1: 2}"), {"byte 11", "expected a string"}},
    {"StringNotClosed", with_text("{'descr: 1}"), {"not closed"}},
    {"EscapeInString", with_text(header("'<f\\x38'", "(1, 1)")), {"escape"}},
    {"NoColon", with_text("{'descr' '<f8'}"), {"expected ':'"}},
    {"OrderAsNumber", with_text(header("'<f8'", "(1, 1)", "0")), {"True or False"}},
    {"FortranOrder", with_text(header("'<f8'", "(1, 1)", "True")) + std::string(8, '\0'), {"Fortran order", "C order"}},
    {"BigEndian", npy("'>f8'", "(1, 1)", 8), {"big-endian", "'>f8'", "<f4 <f8 <i4 <i8"}},
    {"Object", npy("'|O'", "(1, 1)", 8), {"object", "'|O'"}},
    {"Structured", npy("[('a', '<f8')]", "(1, 1)", 8), {"structured"}},
    {"Void", npy("'|V8'", "(1, 1)", 8), {"structured", "'|V8'"}},
    {"Bytes", npy("'|S8'", "(1, 1)", 8), {"string", "'|S8'"}},
    {"Unicode", npy("'<U2'", "(1, 1)", 8), {"string", "'<U2'"}},
    {"Complex", npy("'<c16'", "(1, 1)", 16), {"complex", "'<c16'"}},
    {"Half", npy("'<f2'", "(1, 1)", 2), {"'<f2'", "<f4 <f8 <i4 <i8"}},
    {"LongDouble", npy("'<f16'", "(1, 1)", 16), {"'<f16'", "<f4 <f8 <i4 <i8"}},
    {"Boolean", npy("'|b1'", "(1, 1)", 1), {"boolean", "'|b1'"}},
    {"Unsigned", npy("'<u4'", "(1, 1)", 4), {"unsigned", "'<u4'"}},
    {"Date", npy("'<M8[D]'", "(1, 1)", 8), {"date", "'<M8[D]'"}},
    {"NativeOrderMark", npy("'=f8'", "(1, 1)", 8), {"'=f8'"}},
    {"EmptyDtype", npy("''", "(1, 1)", 8), {"unknown", "''"}},
    {"DtypeOfControlCharacters", npy("'\n\x01'", "(1, 1)", 8), {"'\\x0a\\x01'"}},
    {"ZeroDimensions", npy("'<f8'", "()", 8), {"0 dimensions", "1 or 2"}},
    {"ThreeDimensions", npy("'<f8'", "(1, 1, 1)", 8), {"3 dimensions", "1 or 2"}},
    {"NoColumns", npy("'<f8'", "(5, 0)", 0), {"(5, 0)", "no columns"}},
    {"NeitherRowsNorColumns", npy("'<f8'", "(0, 0)", 0), {"(0, 0)", "no columns"}},
    {"TooManyColumns", npy("'<f8'", "(0, 1048577)", 0), {"1048577 columns", "at most 1048576"}},
    {"NegativeDimension", npy("'<f8'", "(-1, 1)", 8), {"negative dimension"}},
    {"DimensionBeyond64Bits", npy("'<f8'", "(18446744073709551616, 1)", 8), {"too large"}},
    {"FractionAsDimension", npy("'<f8'", "(1.5, 1)", 8), {"shape"}},
    {"NumberAsShape", npy("'<f8'", "(1)", 8), {"expected a tuple"}},
    {"ListAsShape", npy("'<f8'", "[1, 1]", 8), {"expected '('"}},
    {"CommaAlone", npy("'<f8'", "(,)", 8), {"whole number"}},
    {"ProductOverflowsTo0", npy("'<f8'", "(2305843009213693952, 8)", 0), {"more than the 0 bytes left"}},
    {"ProductOverflowsToThePayload", npy("'<f8'", "(2305843009213693953, 1)", 8), {"more than the 8 bytes left"}},
    {"ForgedShapeOfAGigabyte", npy("'<f8'", "(150000000,)", 8), {"(150000000, 1)", "more than the 8 bytes left"}},
    {"NoPayload", npy("'<f8'", "(1, 1)", 0), {"more than the 0 bytes left"}},
    {"ShortPayload", npy("'<f8'", "(2, 2)", 31), {"(2, 2)", "more than the 31 bytes left"}},
    {"OneTrailingByte", npy("'<f8'", "(2, 2)", 33), {"1 byte after the last number"}},
    {"TrailingRow", npy("'<f4'", "(2, 2)", 24), {"8 bytes after the last number"}},
    {"PayloadOfNoRows", npy("'<f8'", "(0, 3)", 8), {"8 bytes after the last number"}},
    {"Float32PayloadOfFloat64Shape", npy("'<f8'", "(4, 4)", 64), {"more than the 64 bytes left"}},
};

INSTANTIATE_TEST_SUITE_P(Cases, BadNpyTest, testing::ValuesIn(kBad),
                         [](const auto& tested) { return tested.param.name; });

TEST(NpyReader, ThirtyThreeDimensionsAreCounted) {
  std::string shape = "(";
  for (int k = 0; k < 33; ++k) shape += "1,";
  const TemporaryFolder folder;
  const auto file = folder.write("x.npy", npy("'<f8'", shape + ")", 8));
  expect_file_error([&] { read_table(file); }, {"more than 32 dimensions", "1 or 2"});
}

TEST(NpyReader, RefusesWhatIsNotAFile) {
  const TemporaryFolder folder;
  expect_file_error([&] { read_table(folder / "missing.npy"); }, {"missing.npy", "No such file"});
  std::filesystem::create_directory(folder / "folder.npy");
  expect_file_error([&] { read_table(folder / "folder.npy"); }, {"a directory", "plain file"});
  std::filesystem::create_directory(folder / "folder.csv");
  expect_file_error([&] { read_table(folder / "folder.csv"); }, {"a directory", "plain file"});
  ASSERT_EQ(::mkfifo((folder / "pipe.npy").c_str(), 0600), 0);
  expect_file_error([&] { read_table(folder / "pipe.npy"); }, {"a pipe", "plain file"});
  std::filesystem::create_symlink("/dev/null", folder / "device.csv");
  expect_file_error([&] { read_table(folder / "device.csv"); }, {"a device", "plain file"});
  std::filesystem::create_symlink(folder / "loop.npy", folder / "loop.npy");
  expect_file_error([&] { read_table(folder / "loop.npy"); }, {"loop.npy", "cannot be read"});
}

TEST(NpyReader, RefusesASocket) {
  const TemporaryFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder / "s.npy").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_file_error([&] { read_table(path); }, {"a socket", "plain file"});
  ::close(descriptor);
}

TEST(NpyReader, ReadsEveryDtypeVersionAndSpelling) {
  const TemporaryFolder folder;
  const auto check = [&]<class T>(const std::string& bytes, T) {
    const Table table = read_table(folder.write("x.npy", bytes));
    const auto& values = std::get<Matrix<T>>(table.values);
    ASSERT_EQ(values.rows(), 2u);
    ASSERT_EQ(values.cols(), 2u);
    EXPECT_EQ(std::vector<T>(values.data(), values.data() + 4), (std::vector<T>{1, -2, 3, 4}));
  };
  for (const int major : {1, 2, 3}) {
    check(with_text(header("'<f4'", "(2, 2)"), major) + bytes_of<float>({1, -2, 3, 4}), 0.0f);
    check(with_text(header("'<f8'", "(2, 2)"), major) + bytes_of<double>({1, -2, 3, 4}), 0.0);
    check(with_text(header("'<i4'", "(2, 2)"), major) + bytes_of<std::int32_t>({1, -2, 3, 4}), 0.0);
    check(with_text(header("'<i8'", "(2, 2)"), major) + bytes_of<std::int64_t>({1, -2, 3, 4}), 0.0);
  }
  for (const std::string_view text : {"{\"shape\":(2,2),\"fortran_order\":False,\"descr\":\"<f8\"}",
                                      "{ 'shape' : ( 2 , 2 , ) , 'descr':'<f8', 'fortran_order':False}"})
    check(with_text(std::string(text)) + bytes_of<double>({1, -2, 3, 4}), 0.0);
}

TEST(NpyReader, AVectorIsOneColumn) {
  const TemporaryFolder folder;
  const Table table =
      read_table(folder.write("x.npy", with_text(header("'<f8'", "(3,)")) + bytes_of<double>({1, 2, 3})));
  EXPECT_EQ(std::get<Matrix<double>>(table.values).rows(), 3u);
  EXPECT_EQ(std::get<Matrix<double>>(table.values).cols(), 1u);
}

TEST(NpyReader, IntegersAreTheNearestDouble) {
  constexpr std::int64_t kTop = std::numeric_limits<std::int64_t>::max();
  const TemporaryFolder folder;
  std::vector<std::int64_t> stored(100'000, 7);
  stored.front() = kTop;
  stored.back() = -(std::int64_t{1} << 53) - 1;
  const Table table = read_table(folder.write("x.npy", with_text(header("'<i8'", "(100000,)")) + bytes_of(stored)));
  const auto& values = std::get<Matrix<double>>(table.values);
  EXPECT_EQ(values(0, 0), std::ldexp(1.0, 63));
  EXPECT_EQ(values(50'000, 0), 7.0);
  EXPECT_EQ(values(99'999, 0), -std::ldexp(1.0, 53));
}

TEST(NpyReader, NotFiniteNumbersAreReadAsTheyAre) {
  const TemporaryFolder folder;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Table table =
      read_table(folder.write("x.npy", with_text(header("'<f8'", "(1, 2)")) + bytes_of<double>({kNan, -kInf})));
  EXPECT_TRUE(std::isnan(std::get<Matrix<double>>(table.values)(0, 0)));
  EXPECT_EQ(std::get<Matrix<double>>(table.values)(0, 1), -kInf);
}

TEST(NpyReader, EveryPrefixIsRefused) {
  const TemporaryFolder folder;
  const std::string whole = npy("'<f8'", "(480, 1)", 8 * 480);
  const auto file = folder.write("x.npy", whole);
  EXPECT_NO_THROW(read_table(file));
  for (std::size_t length = whole.size(); length-- > 0;) {
    std::filesystem::resize_file(file, length);
    EXPECT_THROW(read_table(file), FileError) << "prefix of " << length;
  }
}

TEST(NpyReader, EveryFlippedBitOfTheHeaderIsAnErrorOrHasTheSameShape) {
  const TemporaryFolder folder;
  const std::string whole = npy("'<f8'", "(2, 3)", 48);
  for (std::size_t bit = 0; bit < 8 * (whole.size() - 48); ++bit) {
    std::string bent = whole;
    bent[bit / 8] = static_cast<char>(bent[bit / 8] ^ (1 << bit % 8));
    const auto file = folder.write("x.npy", bent);
    try {
      const Table table = read_table(file);
      const std::size_t bytes = std::visit(
          []<class T>(const Matrix<T>& values) { return values.rows() * values.cols() * sizeof(T); }, table.values);
      EXPECT_EQ(bytes, 48u) << "bit " << bit;
    } catch (const FileError&) {
    }
  }
}

}  // namespace
}  // namespace bochner
