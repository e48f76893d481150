// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "bochner/row_source.h"

namespace bochner::data {

/// The idx format of MNIST: 0 0 8 k, k big-endian 32-bit sizes, then bytes; the first size counts rows, the product of
/// the others is the number of columns. If a file of images stands beside a file whose name has "labels" for "images"
/// and idx1 for idx3, that file gives column 0, the label.
std::unique_ptr<RowSource> open_idx(const std::filesystem::path& file, const ReadOptions& options);

}  // namespace bochner::data
