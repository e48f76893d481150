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

/// Compares rows x cols x itemsize with the bytes that follow the header, without overflow.
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
  const NpyHeader header = read_npy_header(file, payload);
  const auto dtype = std::ranges::find(kDtypes, header.descr, &Dtype::descr);
  if (dtype == std::end(kDtypes))
    fail(file.path(), fmt::format("has the {} dtype {}; expected one of <f4 <f8 <i4 <i8", npy_dtype_name(header.descr),
                                  shown(header.descr)));
  const Shape shape = check_shape(file, header);
  if (file.size()) check_payload(file, shape, dtype->bytes, payload);
  return {dtype->number, dtype->bytes, shape.rows, shape.cols, payload};
}

}  // namespace bochner::data
