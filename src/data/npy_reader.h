// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "bochner/row_source.h"

namespace bochner::data {

/// Reads a whole file that read_npy_layout accepts: <f4 as Matrix<float>, <f8, <i4 and <i8 as Matrix<double> (integers
/// rounded to nearest above 2^53). NaN and infinities are read as they are. The file must not be compressed, so that
/// its size is known.
Table read_npy(const std::filesystem::path& file);

/// The same block by block, from a plain or a compressed file.
std::unique_ptr<RowSource> open_npy(const std::filesystem::path& file, const ReadOptions& options);

}  // namespace bochner::data
