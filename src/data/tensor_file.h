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
  std::uint64_t payload = 0;         ///< the byte at which the numbers begin, after reading
};

/// Throws FileError that names `file` for a header that is too long to be read again.
void check_header(const std::filesystem::path& file, const TensorFile& content);
/// Refuses names of columns that are by themselves longer than a header may be, before anything is made from them; the
/// names of `dropped` columns do not count.
void check_names(const std::filesystem::path& file, std::span<const std::string> names,
                 std::span<const std::string> dropped);

/// The file appears whole or not at all. The limits are those of reading: what could not be read is not written
/// (FileError).
void write_tensors(const std::filesystem::path& file, const TensorFile& content);

/// Every length, shape and offset is checked against the size of the file before anything is allocated: offsets have no
/// holes or overlap, and the last one is at the end of the file. Anything else throws FileError that names the byte.
TensorFile read_tensors(const std::filesystem::path& file);

}  // namespace bochner::data
