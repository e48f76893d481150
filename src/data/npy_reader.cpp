// SPDX-License-Identifier: Apache-2.0
#include "data/npy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/file_error.h"
#include "data/input_file.h"
#include "data/limits.h"
#include "data/npy_header.h"

namespace bochner::data {

static_assert(std::endian::native == std::endian::little, "payloads are read as they are");

namespace {

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

std::string read_exactly(InputFile& file, std::size_t bytes, std::string_view what) {
  std::string out(bytes, '\0');
  if (file.read(out) != bytes) fail_byte(file.path(), file.size(), fmt::format("the file ends inside {}", what));
  return out;
}

/// Reads everything before the numbers; the file then stands at the first of them, at byte `payload`.
NpyHeader read_header(InputFile& file, std::uint64_t& payload) {
  const std::string preamble = read_exactly(file, std::min<std::uint64_t>(file.size(), 8), "its first bytes");
  if (!preamble.starts_with(kNpyMagic)) fail_byte(file.path(), 0, "not an NPY file; expected \\x93NUMPY");
  if (preamble.size() < 8) fail_byte(file.path(), preamble.size(), "the file ends inside the version");
  const int major = static_cast<unsigned char>(preamble[6]);
  const int minor = static_cast<unsigned char>(preamble[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail_byte(file.path(), 6, fmt::format("NPY version {}.{}; expected 1.0, 2.0 or 3.0", major, minor));
  const std::size_t width = major == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(read_exactly(file, width, "the length of the header"));
  payload = 8 + width + length;
  if (length > kMaxNpyHeaderBytes)
    fail_byte(file.path(), 8, fmt::format("a header of {} bytes; expected at most {}", length, kMaxNpyHeaderBytes));
  if (payload > file.size())
    fail_byte(file.path(), 8, fmt::format("a header of {} bytes; expected no more than the file has", length));
  return parse_npy_header(file.path(), read_exactly(file, length, "the header"), 8 + width);
}

/// The name of a dtype that is not read, after its letter.
std::string_view dtype_name(std::string_view descr) {
  if (descr.starts_with('>')) return "big-endian";
  const std::size_t letter = descr.find_first_not_of("<|=");
  switch (letter == descr.npos ? '\0' : descr[letter]) {
    case 'O':
      return "object";
    case 'V':
      return "structured";
    case 'S':
    case 'a':
    case 'U':
      return "string";
    case 'c':
      return "complex";
    case 'b':
    case '?':
      return "boolean or byte";
    case 'u':
      return "unsigned";
    case 'M':
    case 'm':
      return "date";
    default:
      return "unknown";
  }
}

struct Shape {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
};

Shape check_shape(const InputFile& file, const NpyHeader& header) {
  const auto& shape = header.shape;
  if (shape.empty()) fail(file.path(), "is a single number (0 dimensions); expected 1 or 2 dimensions");
  if (shape.size() > 2) fail(file.path(), fmt::format("has {} dimensions; expected 1 or 2", shape.size()));
  if (header.fortran_order)
    fail(file.path(), "is in Fortran order; expected C order (save numpy.ascontiguousarray(X))");
  const Shape result{shape[0], shape.size() == 2 ? shape[1] : 1};
  if (result.cols == 0)
    fail(file.path(), fmt::format("has shape ({}, 0), so no columns; expected at least 1", shape[0]));
  if (result.cols > kMaxColumns)
    fail(file.path(), fmt::format("has {} columns; expected at most {}", result.cols, kMaxColumns));
  return result;
}

/// rows x cols x itemsize against the bytes that follow the header, without overflow.
void check_payload(const InputFile& file, Shape shape, std::size_t itemsize, std::uint64_t payload) {
  const std::uint64_t left = file.size() - payload;
  const std::uint64_t row_bytes = shape.cols * itemsize;
  if (shape.rows > left / row_bytes)
    fail_byte(file.path(), payload,
              fmt::format("shape ({}, {}) of {} bytes each needs more than the {} left", shape.rows, shape.cols,
                          itemsize, counted(left, "byte")));
  const std::uint64_t used = shape.rows * row_bytes;
  if (used != left)
    fail_byte(file.path(), payload + used,
              fmt::format("{} after the last number; expected the end of the file", counted(left - used, "byte")));
}

template <class T>
void read_numbers(InputFile& file, std::span<T> out) {
  if (file.read({reinterpret_cast<char*>(out.data()), out.size_bytes()}) != out.size_bytes())
    fail(file.path(), "became shorter while it was read");
}

/// Numbers of type Stored as a matrix of Value.
template <class Stored, class Value>
Table read_values(InputFile& file, Shape shape) {
  Matrix<Value> values(shape.rows, shape.cols);
  const std::span<Value> all(values.data(), shape.rows * shape.cols);
  if constexpr (std::is_same_v<Stored, Value>) {
    read_numbers(file, all);
  } else {
    std::vector<Stored> piece(std::min<std::size_t>(all.size(), 1 << 15));
    for (std::size_t done = 0; done < all.size();) {
      const auto part = std::span(piece).first(std::min(piece.size(), all.size() - done));
      read_numbers(file, part);
      std::ranges::transform(part, all.begin() + done, [](Stored value) { return static_cast<Value>(value); });
      done += part.size();
    }
  }
  return Table{std::move(values), {}};
}

struct Dtype {
  std::string_view descr;
  std::size_t itemsize;
  Table (*read)(InputFile&, Shape);
};
constexpr Dtype kDtypes[] = {
    {"<f4", 4, read_values<float, float>},
    {"<f8", 8, read_values<double, double>},
    {"<i4", 4, read_values<std::int32_t, double>},
    {"<i8", 8, read_values<std::int64_t, double>},
};

}  // namespace

Table read_npy(const std::filesystem::path& path) {
  InputFile file(path);
  std::uint64_t payload = 0;
  const NpyHeader header = read_header(file, payload);
  const auto dtype = std::ranges::find(kDtypes, header.descr, &Dtype::descr);
  if (dtype == std::end(kDtypes))
    fail(path, fmt::format("has the {} dtype {}; expected one of <f4 <f8 <i4 <i8", dtype_name(header.descr),
                           shown(header.descr)));
  const Shape shape = check_shape(file, header);
  check_payload(file, shape, dtype->itemsize, payload);
  return dtype->read(file, shape);
}

}  // namespace bochner::data
