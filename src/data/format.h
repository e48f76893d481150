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
  void (*write)(const std::filesystem::path&, const Table&);  ///< null: not written
};

/// FileError names the endings that are read (with .gz behind or not) or written.
const Format& readable_format(const std::filesystem::path& file);
const Format& writable_format(const std::filesystem::path& file);

/// FileError for a name by which tables are known, with .gz behind it or not: what is no table must not stand there.
void refuse_table_name(const std::filesystem::path& file);

}  // namespace bochner::data
