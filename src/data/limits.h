// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner::data {

/// Limits on what an unknown file can ask for; the same for reading and writing.
/// A row of 2^20 doubles is 8 MiB, and no map with more inputs is useful.
inline constexpr std::size_t kMaxColumns = std::size_t{1} << 20;
/// One CSV cell with its quotes: the longest exact decimal form of a double has 1,077 characters.
inline constexpr std::size_t kMaxCellBytes = 4096;
/// The text header of an NPY file; numpy refuses longer ones too, and ours has 118.
inline constexpr std::size_t kMaxNpyHeaderBytes = 10000;

/// Different words in one column of a CSV file.
inline constexpr std::size_t kMaxCategories = 10000;
/// The header of a model file.
inline constexpr std::size_t kMaxModelHeaderBytes = std::size_t{1} << 20;

}  // namespace bochner::data
