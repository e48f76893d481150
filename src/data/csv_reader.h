// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bochner/table.h"

namespace bochner::data {

/// Numbers separated by commas, with or without a line of column names (see is_header); dialect: CsvScanner, numbers:
/// parse_number. All rows have as many cells as the first; empty lines may stand at the end only.
Table read_csv(const std::filesystem::path& file);

}  // namespace bochner::data
