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
/// "-1.7976931348623157e+308" has 24 bytes.
constexpr std::size_t kNumberBytes = 32;

std::to_chars_result format_number(char* first, char* last, double value) { return std::to_chars(first, last, value); }
std::to_chars_result format_number(char* first, char* last, float value) {
  return std::to_chars(first, last, value, std::chars_format::general, 9);
}

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
}

void check_names(const std::filesystem::path& file, const std::vector<std::string>& names) {
  check_header(file, names);
  const FirstLine found = look_at(names);
  if (found.kind != FirstLine::Kind::names)
    fail(file,
         fmt::format("the column name {} would be read as a number or a missing value; expected names with a letter",
                     shown(names[found.kind == FirstLine::Kind::mixed ? found.number : 0])));
  for (const std::string& name : names)
    if (2 * name.size() + 4 > kMaxCellBytes || name.find('\0') != name.npos)
      fail(file, fmt::format("the column name {} holds a NUL byte or is too long", shown(name)));
}

template <class T>
void append_finite(std::string& line, T value, const std::filesystem::path& file, std::size_t row, std::size_t column) {
  if (!std::isfinite(value))
    fail(file, fmt::format("entry [{}, {}] is {}; CSV holds finite numbers only (use .npy)", row, column, value));
  char number[kNumberBytes];
  line.append(number, format_number(number, number + kNumberBytes, value).ptr);
}

template <class T>
void write_numbers(AtomicFile& out, const std::filesystem::path& file, std::string text, MatrixView<const T> values) {
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < values.cols(); ++j) {
      append_finite(text, values(i, j), file, i, j);
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

void append_word(std::string& line, const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) {
    line += word;
    return;
  }
  line += '"';
  for (const char c : word) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

void append_number(std::string& line, double value, const std::filesystem::path& file, std::size_t row,
                   std::size_t column) {
  append_finite(line, value, file, row, column);
}

void append_number(std::string& line, float value, const std::filesystem::path& file, std::size_t row,
                   std::size_t column) {
  append_finite(line, value, file, row, column);
}

std::string header_line(const std::filesystem::path& file, const std::vector<std::string>& names) {
  check_names(file, names);
  std::string line;
  for (const std::string& name : names) {
    if (!line.empty()) line += ',';
    append_word(line, name);
  }
  return line + '\n';
}

void write_csv(const std::filesystem::path& file, const Table& table) {
  std::visit(
      [&](const auto& values) {
        if (table.columns.empty() && values.rows() == 0)
          fail(file, "CSV cannot hold a table without rows and without column names; use .npy");
        std::string header = table.columns.empty() ? "" : header_line(file, table.columns);
        AtomicFile out(file);
        write_numbers(out, file, std::move(header), values.view());
        out.commit();
      },
      table.values);
}

}  // namespace bochner::data
