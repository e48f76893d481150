// SPDX-License-Identifier: Apache-2.0
#include "bochner/table.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data/expect_file_error.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::TemporaryFolder;

template <class T>
Matrix<T> matrix_of(std::size_t rows, std::size_t cols, const std::vector<T>& values) {
  Matrix<T> out(rows, cols);
  std::copy(values.begin(), values.end(), out.data());
  return out;
}

template <class T>
Table table_of(std::size_t rows, std::size_t cols, const std::vector<T>& values, std::vector<std::string> names = {}) {
  return Table{matrix_of(rows, cols, values), std::move(names)};
}

/// The edges of a type and a spread over all its exponents and mantissas.
template <class T>
std::vector<T> telling_numbers() {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Limits = std::numeric_limits<T>;
  std::vector<T> out = {0,
                        -T(0),
                        1,
                        -1,
                        T(0.1),
                        Limits::max(),
                        Limits::lowest(),
                        Limits::min(),
                        -Limits::min(),
                        Limits::denorm_min(),
                        -Limits::denorm_min(),
                        Limits::epsilon(),
                        Limits::min() - Limits::denorm_min(),
                        std::nextafter(T(1), T(2))};
  // An odd multiplier walks through all bit patterns (Weyl sequence).
  Bits bits = 1;
  while (out.size() < 60'000) {
    bits += static_cast<Bits>(0x9e3779b97f4a7c15u);
    if (const T value = std::bit_cast<T>(bits); std::isfinite(value)) out.push_back(value);
  }
  return out;
}

template <class Stored, class Read>
void expect_same_bits(const std::vector<Stored>& expected, const Matrix<Read>& read) {
  using Bits = std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint64_t>;
  ASSERT_EQ(read.rows() * read.cols(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(std::bit_cast<Bits>(static_cast<Stored>(read.data()[i])), std::bit_cast<Bits>(expected[i]))
        << expected[i];
}

TEST(Table, DoublesComeBackBitByBit) {
  const TemporaryFolder folder;
  const auto numbers = telling_numbers<double>();
  for (const char* name : {"x.npy", "x.csv"}) {
    SCOPED_TRACE(name);
    write_table(folder / name, table_of(numbers.size() / 4, 4, numbers));
    expect_same_bits(numbers, std::get<Matrix<double>>(read_table(folder / name).values));
  }
}

TEST(Table, FloatsComeBackBitByBit) {
  const TemporaryFolder folder;
  const auto numbers = telling_numbers<float>();
  write_table(folder / "x.npy", table_of(numbers.size(), 1, numbers));
  expect_same_bits(numbers, std::get<Matrix<float>>(read_table(folder / "x.npy").values));
  write_table(folder / "x.csv", table_of(numbers.size(), 1, numbers));
  expect_same_bits(numbers, std::get<Matrix<double>>(read_table(folder / "x.csv").values));
}

TEST(Table, NpyKeepsNotFiniteNumbers) {
  const TemporaryFolder folder;
  const std::vector<double> numbers = {std::numeric_limits<double>::infinity(), std::nan("")};
  write_table(folder / "x.npy", table_of(1, 2, numbers));
  expect_same_bits(numbers, std::get<Matrix<double>>(read_table(folder / "x.npy").values));
}

TEST(Table, NamesComeBack) {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"a",      "7th",      " b ", "c,d", "say \"e\"",
                                          "f\r\ng", "\xc3\xb6", "nan", "-",   "\xef\xbb\xbf"};
  for (const std::size_t rows : {0, 2}) {
    const std::vector<double> numbers(rows * names.size(), 1.5);
    write_table(folder / "x.csv", table_of(rows, names.size(), numbers, names));
    const Table read = read_table(folder / "x.csv");
    EXPECT_EQ(read.columns, names);
    expect_same_bits(numbers, std::get<Matrix<double>>(read.values));
    EXPECT_EQ(std::get<Matrix<double>>(read.values).cols(), names.size());
  }
}

TEST(Table, NoRowsInNpy) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", table_of<float>(0, 5, {}));
  const Table read = read_table(folder / "x.npy");
  EXPECT_EQ(std::get<Matrix<float>>(read.values).rows(), 0u);
  EXPECT_EQ(std::get<Matrix<float>>(read.values).cols(), 5u);
}

TEST(Table, NpyHeaderIsWhatNumpyWrites) {
  const TemporaryFolder folder;
  write_table(folder / "x.npy", table_of<float>(1, 2, {1, 2}));
  const std::string bytes = folder.read("x.npy");
  ASSERT_EQ(bytes.size(), 128u + 8u);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 58), "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), ");
  EXPECT_EQ(bytes[127], '\n');
}

TEST(Table, CsvIsPlain) {
  const TemporaryFolder folder;
  write_table(folder / "x.csv", table_of<double>(2, 2, {0.1, -0.0, 1e300, 5}, {"a", "b c"}));
  EXPECT_EQ(folder.read("x.csv"), "a,\"b c\"\n0.1,-0\n1e+300,5\n");
}

TEST(Table, ExtensionsAreKnownInAnyCase) {
  const TemporaryFolder folder;
  write_table(folder / "X.CSV", table_of<double>(1, 1, {3}));
  EXPECT_EQ(folder.read("X.CSV"), "3\n");
  EXPECT_EQ(std::get<Matrix<double>>(read_table(folder / "X.CSV").values)(0, 0), 3.0);
}

TEST(Table, UnknownExtensionsAreRefused) {
  const TemporaryFolder folder;
  const Table table = table_of<double>(1, 1, {3});
  for (const char* name : {"x.txt", "x.zip", "x.npz", "x.csv.", "x.parquet"}) {
    SCOPED_TRACE(name);
    folder.write(name, "1\n");
    expect_file_error([&] { read_table(folder / name); }, {name, "unknown extension", ".csv or .npy"});
    expect_file_error([&] { check_output(folder / name); }, {name, "unknown extension", ".csv or .npy"});
    expect_file_error([&] { write_table(folder / name, table); }, {name, "unknown extension", ".csv or .npy"});
    EXPECT_EQ(folder.read(name), "1\n");
  }
  for (const char* name : {"x", ".csv", "npy"})
    expect_file_error([&] { write_table(folder / name, table); }, {name, "no extension", ".csv or .npy"});
  expect_file_error([&] { read_table(""); }, {"no extension"});
}

TEST(Table, WhatCsvCannotHoldIsRefused) {
  struct Case {
    Table table;
    std::vector<std::string_view> words;
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Case cases[] = {
      {table_of<double>(2, 2, {1, 2, 3, std::nan("")}), {"[1, 1]", "nan", "finite", ".npy"}},
      {table_of<double>(1, 2, {-kInf, 1}), {"[0, 0]", "-inf", "finite"}},
      {table_of<float>(1, 1, {static_cast<float>(kInf)}), {"[0, 0]", "inf", "finite"}},
      {table_of<double>(0, 2, {}), {"without rows", ".npy"}},
      {table_of<double>(1, 2, {1, 2}, {"1", "2"}), {"'1' would be read as a number"}},
      {table_of<double>(1, 2, {1, 2}, {"a", "2"}), {"'2' would be read as a number"}},
      {table_of<double>(1, 2, {1, 2}, {"NA", "%"}), {"'NA' would be read as a number or a missing value"}},
      {table_of<double>(1, 2, {1, 2}, {"a", ""}), {"column 2", "no name"}},
      {table_of<double>(1, 2, {1, 2}, {"a", "a"}), {"'a'", "twice"}},
      {table_of<double>(1, 1, {1}, {"\xff"}), {"\\xff", "UTF-8"}},
      {table_of<double>(1, 1, {1}, {std::string("a\0b", 3)}), {"NUL"}},
      {table_of<double>(1, 1, {1}, {std::string(5000, 'a')}), {"too long"}},
  };
  const TemporaryFolder folder;
  folder.write("x.csv", "old");
  for (const Case& bad : cases) {
    expect_file_error([&] { write_table(folder / "x.csv", bad.table); }, bad.words);
    EXPECT_EQ(folder.read("x.csv"), "old");
    EXPECT_EQ(folder.names(), (std::set<std::string>{"x.csv"}));
  }
}

TEST(Table, ColumnsMustFitTheNames) {
  const TemporaryFolder folder;
  const auto write = [&](const Table& table) { write_table(folder / "x.npy", table); };
  EXPECT_THROW(write(table_of<double>(1, 2, {1, 2}, {"a"})), std::invalid_argument);
  EXPECT_THROW(write(table_of<double>(1, 2, {1, 2}, {"a", "b", "c"})), std::invalid_argument);
  expect_file_error([&] { write(table_of<double>(3, 0, {})); }, {"x.npy", "0 columns"});
  expect_file_error([&] { write(Table{}); }, {"x.npy", "0 columns"});
  expect_file_error([&] { write(table_of<double>(0, (1 << 20) + 1, {})); }, {"1048577 columns", "1 to 1048576"});
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace bochner
