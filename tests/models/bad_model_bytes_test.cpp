// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "bochner/model.h"
#include "data/expect_file_error.h"
#include "models/model_bytes.h"
#include "models/some_model.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::TemporaryFolder;
using test::with_length;
using namespace std::string_literals;

struct RawCase {
  const char* name;
  std::string bytes;
  std::vector<std::string_view> words;
};

class BadModelBytes : public testing::TestWithParam<RawCase> {};

TEST_P(BadModelBytes, AreRefusedInOneSentence) {
  const TemporaryFolder folder;
  folder.write("bad.safetensors", GetParam().bytes);
  std::vector<std::string_view> words = GetParam().words;
  words.push_back("bad.safetensors, byte ");
  expect_file_error([&] { load_model(folder / "bad.safetensors"); }, words);
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

const RawCase kRaw[] = {
    {"Empty", "", {"byte 0", "length of its header"}},
    {"SevenBytes", "1234567", {"byte 7", "length of its header"}},
    {"Text", "hello, this is not a model at all", {"byte 0", "not a model"}},
    {"Pickle", "\x80\x04\x95\x10\x00\x00\x00\x00more", {"byte"}},
    {"HeaderOf100MB",
     with_length(std::string(100, ' '), "").replace(0, 8, std::string("\0\xe1\xf5\x05\0\0\0\0", 8)),
     {"byte 0", "100000000", "1048576"}},
    {"HeaderOf64Bits", std::string(16, '\xff'), {"byte 0", "18446744073709551615"}},
    {"HeaderBeyondFile", with_length("{}", "").replace(0, 1, "\x09"), {"byte 0", "9 bytes", "2 left"}},
    {"NoHeader", std::string(8, '\0'), {"byte 8", "not JSON"}},
    {"HeaderOfText", with_length("weights", ""), {"byte 8", "not JSON"}},
    {"HeaderIsAList", with_length("[1, 2]", ""), {"not a JSON object"}},
    {"HeaderIsANumber", with_length("12", ""), {"not a JSON object"}},
    {"TextAfterHeader", with_length("{} x", ""), {"not JSON from byte 3"}},
    {"NulAtTheEnd", with_length("{}\0"s, ""), {"not JSON from byte 2", "a NUL"}},
    {"NulAndMore", with_length("{}\0{}"s, ""), {"not JSON from byte 2", "a NUL"}},
    {"NulInAText", with_length("{\"a\0\": 1}"s, ""), {"not JSON from byte 3", "a NUL"}},
    {"EmptyObject", with_length("{}", ""), {"no 'format'"}},
    {"KeyTwice", with_length(R"({"a": 1, "a": 2})", ""), {"'a'", "twice"}},
    {"KeyTwiceInside", with_length(R"({"__metadata__": {"x": "1", "x": "2"}})", ""), {"'x'", "twice"}},
    {"NestedArrays", with_length(nested(10'000), ""), {"nested"}},
    {"NestedObjects",
     with_length(
         [] {
           std::string text;
           for (int i = 0; i < 10'000; ++i) text += R"({"a":)";
           return text;
         }(),
         ""),
     {"nested"}},
    {"NotUtf8", with_length("{\"\xff\": 1}", ""), {"not JSON"}},
    {"HugeNumber", with_length(R"({"a": 1e999})", ""), {"JSON"}},
};

INSTANTIATE_TEST_SUITE_P(Cases, BadModelBytes, testing::ValuesIn(kRaw),
                         [](const auto& tested) { return tested.param.name; });

TEST(BadModelPath, IsNamed) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "d");
  std::filesystem::create_symlink("nowhere", folder / "link");
  ASSERT_EQ(::mkfifo((folder / "p").c_str(), 0600), 0);
  expect_file_error([&] { load_model(folder / "none"); }, {"none", "No such file"});
  expect_file_error([&] { load_model(folder / "d"); }, {"/d", "a directory"});
  expect_file_error([&] { load_model(folder / "p"); }, {"/p", "a pipe"});
  expect_file_error([&] { load_model(folder / "link"); }, {"link", "No such file"});
  expect_file_error([&] { save_model(folder / "d", test::some_model()); }, {"/d", "a directory"});
  expect_file_error([&] { save_model(folder / "no/m", test::some_model()); }, {"no/m", "does not exist"});
  expect_file_error([&] { check_model_target(""); }, {"no name"});
}

/// A model under the name of a table would be read as one, or stand where one stood.
TEST(BadModelPath, IsNotThatOfATable) {
  const TemporaryFolder folder;
  folder.write("there.csv", "1,2\n");
  for (const std::string ending :
       {".csv", ".CSV", ".npy", ".svm", ".libsvm", ".svmlight", ".tsv", "-images-idx3-ubyte", "-labels.idx1-ubyte"})
    for (const std::string packed : {"", ".gz", ".GZ"}) {
      const std::string name = "rows" + ending + packed;
      expect_file_error([&] { check_model_target(folder / name); }, {name, "names that end in", "those of tables"});
      expect_file_error([&] { save_model(folder / name, test::some_model()); }, {name, "those of tables"});
    }
  expect_file_error([&] { save_model(folder / "there.csv", test::some_model()); }, {"there.csv", ".csv"});
  EXPECT_EQ(folder.names(), std::set<std::string>{"there.csv"});
  EXPECT_EQ(folder.read("there.csv"), "1,2\n");
  for (const char* name : {"m", "m.safetensors", "csv", "rows.csv.model", "m.gz"})
    EXPECT_NO_THROW(check_model_target(folder / name)) << name;
}

}  // namespace
}  // namespace bochner
