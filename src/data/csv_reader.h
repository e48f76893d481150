// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "bochner/row_source.h"

namespace bochner::data {

/// Cells separated by commas, with or without a line of column names (see FirstLine). CsvScanner defines the dialect,
/// parse_number the numbers. All rows have as many cells as the first; empty lines may stand only at the end.
std::unique_ptr<RowSource> open_csv(const std::filesystem::path& file, const ReadOptions& options);

}  // namespace bochner::data
