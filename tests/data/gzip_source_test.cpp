// SPDX-License-Identifier: Apache-2.0
#include "data/gzip_source.h"

#include <gtest/gtest.h>

#include <string>

#include "data/expect_file_error.h"
#include "support/gzip.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::gzip;
using test::TemporaryFolder;
using namespace std::string_literals;

std::string read_in_parts(data::GzipSource& source, std::size_t part) {
  std::string whole, bytes(part, '\0');
  while (const std::size_t got = source.read(bytes)) whole.append(bytes, 0, got);
  return whole;
}

/// More than the buffer of compressed bytes, which do not compress.
std::string noise(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::uint64_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 6364136223846793005U + 1442695040888963407U) >> 56);
  return text;
}

TEST(GzipSource, MembersAreOneStream) {
  const TemporaryFolder folder;
  const std::string first = noise(400'000), second = "1,2\n";
  for (const std::size_t part : {1000u, 65536u, 1u << 20}) {
    data::GzipSource source(folder.write("x.csv.gz", gzip(first) + gzip("") + gzip(second)));
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_EQ(read_in_parts(source, part), first + second);
      EXPECT_EQ(source.share(), 1);
      source.rewind();
      EXPECT_EQ(source.share(), 0);
    }
  }
}

TEST(GzipSource, OtherBytesBehindTheMembersAreRefused) {
  const TemporaryFolder folder;
  const std::string whole = gzip("1,2\n3,4\n");
  const std::string place = "byte " + std::to_string(whole.size());
  for (const std::string& tail : {"x"s, "5,6\n"s, "\x1f"s, "\x1f\x8c"s, std::string(512, '\0')}) {
    data::GzipSource source(folder.write("x.csv.gz", whole + tail));
    expect_file_error([&] { read_in_parts(source, 100); },
                      {"x.csv.gz", place, "other bytes follow", "expected the end of the file"});
  }
  data::GzipSource cut(folder.write("x.csv.gz", whole + "\x1f\x8b"));
  expect_file_error([&] { read_in_parts(cut, 100); }, {"ends inside"});
}

}  // namespace
}  // namespace bochner
