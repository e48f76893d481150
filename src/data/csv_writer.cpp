// SPDX-License-Identifier: Apache-2.0
#include "data/csv_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "data/atomic_file.h"
#include "data/csv_header.h"
#include "data/file_error.h"
#include "data/limits.h"

namespace bochner::data {

namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 18;
/// "-1.7976931348623157e+308" has 24.
constexpr std::size_t kNumberBytes = 32;

std::to_chars_result format_number(char* first, char* last, double value) { return std::to_chars(first, last, value); }
std::to_chars_result format_number(char* first, char* last, float value) {
  return std::to_chars(first, last, value, std::chars_format::general, 9);
}

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
}

void append_name(std::string& line, const std::string& name) {
  if (std::ranges::all_of(name, is_plain)) {
    line += name;
    return;
  }
  line += '"';
  for (const char c : name) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

/// What the reader would refuse, or take for something else, is not written.
void check_names(const std::filesystem::path& file, const Table& table, std::size_t rows) {
  const auto& names = table.columns;
  if (names.empty() && rows == 0) fail(file, "CSV cannot hold a table without rows and without column names; use .npy");
  if (names.empty()) return;
  check_header(file, names);
  if (!is_header(names)) fail(file, "the column names all begin like numbers; expected at least one that does not");
  for (const std::string& name : names)
    if (2 * name.size() + 4 > kMaxCellBytes || name.find('\0') != name.npos)
      fail(file, fmt::format("the column name {} holds a NUL byte or is too long", shown(name)));
}

template <class T>
void write_numbers(AtomicFile& out, const std::filesystem::path& file, std::string text, MatrixView<const T> values) {
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < values.cols(); ++j) {
      if (!std::isfinite(values(i, j)))
        fail(file, fmt::format("entry [{}, {}] is {}; CSV holds finite numbers only (use .npy)", i, j, values(i, j)));
      char number[kNumberBytes];
      text.append(number, format_number(number, number + kNumberBytes, values(i, j)).ptr);
      text += j + 1 == values.cols() ? '\n' : ',';
    }
    if (text.size() >= kFlushBytes) {
      out.write(text);
      text.clear();
    }
  }
  out.write(text);
}

}  // namespace

void write_csv(const std::filesystem::path& file, const Table& table) {
  std::visit(
      [&](const auto& values) {
        check_names(file, table, values.rows());
        std::string header;
        for (const std::string& name : table.columns) {
          if (!header.empty()) header += ',';
          append_name(header, name);
        }
        if (!header.empty()) header += '\n';
        AtomicFile out(file);
        write_numbers(out, file, std::move(header), values.view());
        out.commit();
      },
      table.values);
}

}  // namespace bochner::data
