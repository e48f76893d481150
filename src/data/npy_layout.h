// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/byte_source.h"

namespace bochner::data {

enum class NpyNumber { float32, float64, int32, int64 };

/// Where the numbers of an NPY file stand: rows x cols of `bytes` each from byte `payload` to the end of the file.
struct NpyLayout {
  NpyNumber number = NpyNumber::float64;
  std::size_t bytes = 8;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t payload = 0;
};

/// Reads everything before the numbers and leaves the source at the first of them. NPY versions 1 to 3, 1 or 2
/// dimensions in C order, <f4 <f8 <i4 <i8; a vector of n numbers is n x 1. Where the size of the source is known, the
/// shape must fit it. Everything else throws FileError, before anything is allocated.
NpyLayout read_npy_layout(ByteSource& source);

}  // namespace bochner::data
