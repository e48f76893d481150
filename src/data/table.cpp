// SPDX-License-Identifier: Apache-2.0
#include "bochner/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "data/atomic_file.h"
#include "data/csv_reader.h"
#include "data/csv_writer.h"
#include "data/file_error.h"
#include "data/limits.h"
#include "data/npy_reader.h"
#include "data/npy_writer.h"

namespace bochner {

namespace {

struct Format {
  std::string_view extension;
  Table (*read)(const std::filesystem::path&);
  void (*write)(const std::filesystem::path&, const Table&);
};

constexpr Format kFormats[] = {
    {".csv", data::read_csv, data::write_csv},
    {".npy", data::read_npy, data::write_npy},
};

const Format& format_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  const auto found = std::ranges::find(kFormats, extension, &Format::extension);
  if (found != std::end(kFormats)) return *found;
  std::string known;
  for (const Format& format : kFormats) known += fmt::format("{}{}", known.empty() ? "" : " or ", format.extension);
  data::fail(file, extension.empty() ? fmt::format("has no extension; expected {}", known)
                                     : fmt::format("unknown extension '{}'; expected {}", extension, known));
}

void check_names(const Table& table, std::size_t cols) {
  if (!table.columns.empty() && table.columns.size() != cols)
    refuse("the number of column names", std::to_string(table.columns.size()), fmt::format("0 or {}", cols));
}

}  // namespace

Table read_table(const std::filesystem::path& file) { return format_of(file).read(file); }

void check_output(const std::filesystem::path& file, std::size_t columns) {
  format_of(file);
  if (columns == 0 || columns > data::kMaxColumns)
    data::fail(file, fmt::format("cannot hold {} columns; expected 1 to {}", columns, data::kMaxColumns));
  data::check_target(file);
}

void write_table(const std::filesystem::path& file, const Table& table) {
  const std::size_t cols = std::visit([](const auto& values) { return values.cols(); }, table.values);
  check_output(file, cols);
  check_names(table, cols);
  format_of(file).write(file, table);
}

}  // namespace bochner
