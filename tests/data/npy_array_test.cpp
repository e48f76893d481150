// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "bochner/array.h"
#include "data/expect_file_error.h"
#include "data/npy_header.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::TemporaryFolder;

std::string file_of(std::string_view descr, std::vector<std::size_t> shape, std::string_view payload) {
  return data::format_npy_header(descr, shape) + std::string(payload);
}

template <class T>
void expect_round_trip(std::vector<std::size_t> shape) {
  const TemporaryFolder folder;
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  Array array{shape, Matrix<T>(shape.back() == 0 ? 0 : count / shape.back(), shape.back())};
  auto* bytes = reinterpret_cast<unsigned char*>(std::get<Matrix<T>>(array.values).data());
  for (std::size_t i = 0; i < count * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(i % 2);
  write_array(folder / "x.npy", array);
  const Array back = read_array(folder / "x.npy");
  EXPECT_EQ(back.shape, shape);
  EXPECT_EQ(std::memcmp(std::get<Matrix<T>>(back.values).data(), bytes, count * sizeof(T)), 0);
}

TEST(NpyArray, ComesBackInAnyShape) {
  for (const auto& shape :
       std::vector<std::vector<std::size_t>>{{3}, {2, 3}, {2, 3, 4}, {2, 3, 4, 5}, {0, 3}, {2, 0}}) {
    expect_round_trip<double>(shape);
    expect_round_trip<float>(shape);
    expect_round_trip<Float16>(shape);
    expect_round_trip<bool>(shape);
  }
}

TEST(NpyArray, IntegersBecomeDoubles) {
  const TemporaryFolder folder;
  const std::int32_t numbers[] = {1, -2, 3, 4};
  folder.write("x.npy", file_of("<i4", {2, 1, 2}, {reinterpret_cast<const char*>(numbers), sizeof numbers}));
  const Array array = read_array(folder / "x.npy");
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 1, 2}));
  EXPECT_EQ(std::get<Matrix<double>>(array.values)(0, 1), -2.0);
}

TEST(NpyArray, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const auto refused = [&](std::string_view descr, std::vector<std::size_t> shape, std::string_view payload,
                           const std::vector<std::string_view>& words) {
    folder.write("x.npy", file_of(descr, std::move(shape), payload));
    expect_file_error([&] { read_array(folder / "x.npy"); }, words);
  };
  refused("<f4", {2, 2}, "123456789012345", {"(2, 2)", "needs more than the 15 bytes left"});
  refused("<f4", {2, 2}, "12345678901234567", {"1 byte after the last number"});
  refused("<f8", {1ULL << 40, 1ULL << 40, 1ULL << 40}, "", {"needs more than the 0 bytes left"});
  refused("<f8", {1ULL << 40, 1ULL << 40, 0}, "12345678", {"8 bytes after the last number"});
  refused("<c8", {1}, "12345678", {"complex", "<c8", "|b1"});
  refused(">f4", {1}, "1234", {"big-endian"});
  refused("<f4", {}, "1234", {"0 dimensions"});
  folder.write("x.csv", "1\n");
  expect_file_error([&] { read_array(folder / "x.csv"); }, {"x.csv", "expected .npy"});
  expect_file_error([&] { write_array(folder / "no" / "x.npy", {{1}, Matrix<double>(1, 1, 0.0)}); }, {"no"});
}

}  // namespace
}  // namespace bochner
