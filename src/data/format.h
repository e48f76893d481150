// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "bochner/row_source.h"
#include "bochner/table.h"

namespace bochner::data {

/// One kind of file, found by the end of its name.
struct Format {
  std::string_view ending;
  std::unique_ptr<RowSource> (*open)(const std::filesystem::path&, const ReadOptions&);
  void (*write)(const std::filesystem::path&, const Table&);  ///< null: cannot be written
};

/// Throws FileError that names the endings that can be read (with or without .gz) or written.
const Format& readable_format(const std::filesystem::path& file);
const Format& writable_format(const std::filesystem::path& file);

/// Throws FileError for a name that tables have, with or without .gz: files that are no tables must not have such a
/// name.
void refuse_table_name(const std::filesystem::path& file);

}  // namespace bochner::data
