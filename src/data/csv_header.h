// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace bochner::data {

/// Whether the cells of a first line are column names: at least one of them can be nothing else.
bool is_header(std::span<const std::string> cells);

/// Refuses with FileError names that are empty, not UTF-8, or equal to each other.
void check_header(const std::filesystem::path& file, std::span<const std::string> names);

}  // namespace bochner::data
