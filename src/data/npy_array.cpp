// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bochner/array.h"
#include "core/format.h"
#include "data/atomic_file.h"
#include "data/file_error.h"
#include "data/input_file.h"
#include "data/npy_header.h"

namespace bochner {
namespace {

static_assert(std::endian::native == std::endian::little, "payloads are read and written as they are");

constexpr std::string_view kDtypes = "one of <f2 <f4 <f8 <i4 <i8 |b1";

void check_name(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending != ".npy") data::fail(file, "unknown extension; expected .npy");
}

/// The product of the shape times the size of a number must be the bytes that follow the header.
std::uint64_t count_of(const data::InputFile& file, const data::NpyHeader& header, std::size_t bytes,
                       std::uint64_t payload) {
  const std::uint64_t left = file.size().value() - payload;
  std::uint64_t count = 1;
  for (const std::uint64_t size : header.shape) {
    if (size != 0 && count > std::numeric_limits<std::uint64_t>::max() / size) count = left / bytes + 1;
    count = count > left / bytes ? left / bytes + 1 : count * size;
  }
  if (std::ranges::count(header.shape, 0u) > 0) count = 0;
  if (count > left / bytes)
    data::fail_byte(file.path(), payload,
                    fmt::format("shape ({}) of {} bytes each needs more than the {} left", joined(header.shape, ", "),
                                bytes, data::counted(left, "byte")));
  if (count * bytes != left)
    data::fail_byte(file.path(), payload + count * bytes,
                    fmt::format("{} after the last number; expected the end of the file",
                                data::counted(left - count * bytes, "byte")));
  return count;
}

/// Numbers of type Stored as Value.
template <class Stored, class Value>
Array read_as(data::InputFile& file, const data::NpyHeader& header, std::uint64_t payload) {
  const std::uint64_t count = count_of(file, header, sizeof(Stored), payload);
  const std::size_t cols = header.shape.back();
  Matrix<Value> values(cols == 0 ? 0 : count / cols, cols);
  const auto read = [&](Stored* to, std::size_t numbers) {
    if (file.read({reinterpret_cast<char*>(to), numbers * sizeof(Stored)}) != numbers * sizeof(Stored))
      data::fail(file.path(), "became shorter while it was read");
  };
  if constexpr (std::is_same_v<Stored, Value>) {
    read(values.data(), count);
  } else {
    std::vector<Stored> piece(std::min<std::size_t>(count, 1 << 15));
    for (std::size_t done = 0; done < count; done += piece.size()) {
      piece.resize(std::min<std::size_t>(piece.size(), count - done));
      read(piece.data(), piece.size());
      std::ranges::transform(piece, values.data() + done, [](Stored number) { return static_cast<Value>(number); });
    }
  }
  return {std::vector<std::size_t>(header.shape.begin(), header.shape.end()), std::move(values)};
}

template <class T>
constexpr std::string_view descr() {
  if constexpr (std::is_same_v<T, double>) return "<f8";
  if constexpr (std::is_same_v<T, float>) return "<f4";
  if constexpr (std::is_same_v<T, Float16>) return "<f2";
  return "|b1";
}

}  // namespace

Array read_array(const std::filesystem::path& path) {
  check_name(path);
  data::InputFile file(path);
  std::uint64_t payload = 0;
  const data::NpyHeader header = data::read_npy_header(file, payload);
  if (header.shape.empty()) data::fail(path, "is a single number (0 dimensions); expected at least 1 dimension");
  if (header.fortran_order) data::fail(path, "is in Fortran order; expected C order (save numpy.ascontiguousarray(X))");
  if (header.descr == "<f4") return read_as<float, float>(file, header, payload);
  if (header.descr == "<f8") return read_as<double, double>(file, header, payload);
  if (header.descr == "<f2") return read_as<Float16, Float16>(file, header, payload);
  if (header.descr == "<i4") return read_as<std::int32_t, double>(file, header, payload);
  if (header.descr == "<i8") return read_as<std::int64_t, double>(file, header, payload);
  if (header.descr == "|b1") return read_as<std::uint8_t, bool>(file, header, payload);
  data::fail(path, fmt::format("has the {} dtype {}; expected {}", data::npy_dtype_name(header.descr),
                               data::shown(header.descr), kDtypes));
}

void write_array(const std::filesystem::path& file, const Array& array) {
  check_name(file);
  data::check_target(file);
  std::visit(
      [&]<class T>(const Matrix<T>& values) {
        data::AtomicFile out(file);
        out.write(data::format_npy_header(descr<T>(), array.shape));
        out.write({reinterpret_cast<const char*>(values.data()), values.rows() * values.cols() * sizeof(T)});
        out.commit();
      },
      array.values);
}

}  // namespace bochner
