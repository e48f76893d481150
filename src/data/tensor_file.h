// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace bochner::data {

/// A tensor of doubles. Shapes have 1 or 2 dimensions.
struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// The safetensors container: 8 bytes with the length of the header, little-endian; the header, a JSON object with name
/// -> {dtype, shape, data_offsets} and __metadata__ of strings; the numbers, little-endian, one tensor after the other.
/// Only F64 is written and read.
struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::vector<Tensor> tensors = {};  ///< in the order of their numbers
  std::uint64_t payload = 0;         ///< the byte at which these begin, after reading
};

/// Throws FileError naming `file` for a header that is longer than can be read again.
void check_header(const std::filesystem::path& file, const TensorFile& content);
/// Refuses names of columns that by themselves are longer than a header may be, before anything is made of them; those
/// of `dropped` columns do not count.
void check_names(const std::filesystem::path& file, std::span<const std::string> names,
                 std::span<const std::string> dropped);

/// Appears whole or not at all. The same limits as in reading: what could not be read is not written (FileError).
void write_tensors(const std::filesystem::path& file, const TensorFile& content);

/// Every length, shape and offset is checked against the size of the file before anything is allocated: offsets without
/// holes or overlap, the last one at the end of the file. Anything else is FileError naming the byte.
TensorFile read_tensors(const std::filesystem::path& file);

}  // namespace bochner::data
