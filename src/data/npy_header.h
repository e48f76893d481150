// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace bochner::data {

/// The first bytes of a file, followed by the version and the length of the text header: 2 bytes in version 1, 4 in 2
/// and 3.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";
inline constexpr std::size_t kNpyPreambleBytes = 10;

/// The text header of an NPY file: a Python dictionary of exactly these three keys.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Parses the text header by its grammar; nothing in it is evaluated. `offset` is where it begins in the file, for the
/// byte in the message. Throws FileError for what is not literal and for missing, double or additional keys.
NpyHeader parse_npy_header(const std::filesystem::path& file, std::string_view text, std::size_t offset);

/// Reads everything before the numbers; the source then stands at the first of them, at byte `payload`.
NpyHeader read_npy_header(ByteSource& source, std::uint64_t& payload);

/// The kind of a dtype that cannot be read, such as "big-endian" or "complex".
std::string_view npy_dtype_name(std::string_view descr);

/// Everything before the numbers, in version 1.0, padded so that the numbers begin at a multiple of 64 bytes.
std::string format_npy_header(std::string_view descr, std::span<const std::size_t> shape);

}  // namespace bochner::data
