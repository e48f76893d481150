// SPDX-License-Identifier: Apache-2.0
#include "data/npy_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "data/file_error.h"
#include "data/limits.h"
#include "data/npy_header.h"

namespace bochner::data {

namespace {

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

/// `first` is where the bytes begin.
std::string read_exactly(ByteSource& file, std::size_t first, std::size_t bytes, std::string_view what) {
  std::string out(bytes, '\0');
  const std::size_t got = file.read(out);
  if (got != bytes) fail_byte(file.path(), first + got, fmt::format("the file ends inside {}", what));
  return out;
}

/// Reads everything before the numbers; the file then stands at the first of them, at byte `payload`.
NpyHeader read_header(ByteSource& file, std::uint64_t& payload) {
  std::string preamble(8, '\0');
  preamble.resize(file.read(preamble));
  if (!preamble.starts_with(kNpyMagic)) fail_byte(file.path(), 0, "not an NPY file; expected \\x93NUMPY");
  if (preamble.size() < 8) fail_byte(file.path(), preamble.size(), "the file ends inside the version");
  const int major = static_cast<unsigned char>(preamble[6]);
  const int minor = static_cast<unsigned char>(preamble[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail_byte(file.path(), 6, fmt::format("NPY version {}.{}; expected 1.0, 2.0 or 3.0", major, minor));
  const std::size_t width = major == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(read_exactly(file, 8, width, "the length of the header"));
  payload = 8 + width + length;
  if (length > kMaxNpyHeaderBytes)
    fail_byte(file.path(), 8, fmt::format("a header of {} bytes; expected at most {}", length, kMaxNpyHeaderBytes));
  if (payload > file.size().value_or(payload))
    fail_byte(file.path(), 8, fmt::format("a header of {} bytes; expected no more than the file has", length));
  return parse_npy_header(file.path(), read_exactly(file, 8 + width, length, "the header"), 8 + width);
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

Shape check_shape(const ByteSource& file, const NpyHeader& header) {
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
void check_payload(const ByteSource& file, Shape shape, std::size_t itemsize, std::uint64_t payload) {
  const std::uint64_t left = file.size().value() - payload;
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

struct Dtype {
  std::string_view descr;
  NpyNumber number;
  std::size_t bytes;
};
constexpr Dtype kDtypes[] = {
    {"<f4", NpyNumber::float32, 4},
    {"<f8", NpyNumber::float64, 8},
    {"<i4", NpyNumber::int32, 4},
    {"<i8", NpyNumber::int64, 8},
};

}  // namespace

NpyLayout read_npy_layout(ByteSource& file) {
  std::uint64_t payload = 0;
  const NpyHeader header = read_header(file, payload);
  const auto dtype = std::ranges::find(kDtypes, header.descr, &Dtype::descr);
  if (dtype == std::end(kDtypes))
    fail(file.path(), fmt::format("has the {} dtype {}; expected one of <f4 <f8 <i4 <i8", dtype_name(header.descr),
                                  shown(header.descr)));
  const Shape shape = check_shape(file, header);
  if (file.size()) check_payload(file, shape, dtype->bytes, payload);
  return {dtype->number, dtype->bytes, shape.rows, shape.cols, payload};
}

}  // namespace bochner::data
