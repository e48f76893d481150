// SPDX-License-Identifier: Apache-2.0
#include "data/csv_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "data/csv_cell.h"
#include "data/file_error.h"

namespace bochner::data {

namespace {

constexpr std::string_view kFlags = "--header takes the line for column names, --no-header for a row";

bool is_number(std::string_view text) {
  double ignored = 0;
  return parse_number(text, ignored) != CellKind::not_a_number;
}

/// Whether a text has a letter; bytes beyond ASCII count as letters.
bool has_letter(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

FirstLine look_at(std::span<const std::string> cells) {
  std::optional<std::size_t> word, number;
  bool name = false;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    if (is_missing(cells[j])) continue;
    if (is_number(cells[j])) {
      if (!number) number = j;
      continue;
    }
    if (!word) word = j;
    name = name || (has_letter(cells[j]) && !looks_like_number(cells[j]));
  }
  using enum FirstLine::Kind;
  const auto kind = number ? (word ? mixed : row) : name ? names : unclear;
  return {kind, word.value_or(0), number.value_or(0)};
}

void refuse_first_line(const std::filesystem::path& file, std::span<const std::string> cells, const FirstLine& found) {
  const std::string why = refusal(cells[found.word], CellKind::not_a_number);
  if (found.kind == FirstLine::Kind::mixed)
    fail_at(file, 1, found.word + 1,
            fmt::format("{}, but {} in column {} is; {}", why, shown(trimmed(cells[found.number])), found.number + 1,
                        kFlags));
  fail_at(file, 1, found.word + 1, fmt::format("{}, and looks like no name; {}", why, kFlags));
}

bool is_header(const std::filesystem::path& file, std::span<const std::string> cells) {
  const FirstLine found = look_at(cells);
  if (found.kind == FirstLine::Kind::mixed || found.kind == FirstLine::Kind::unclear)
    refuse_first_line(file, cells, found);
  return found.kind == FirstLine::Kind::names;
}

void check_header(const std::filesystem::path& file, std::span<const std::string> names) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (trimmed(names[j]).empty()) fail_at(file, 1, j + 1, "the column has no name; expected one for each column");
    if (!valid_utf8(names[j])) fail_at(file, 1, j + 1, fmt::format("the name {} is not UTF-8", shown(names[j])));
  }
  std::vector<std::uint32_t> sorted(names.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto name_of = [&](std::uint32_t j) { return std::string_view(names[j]); };
  std::ranges::sort(sorted, {}, name_of);
  if (const auto found = std::ranges::adjacent_find(sorted, {}, name_of); found != sorted.end()) {
    const std::string_view twin = name_of(*found);
    fail_at(file, 1, 0,
            fmt::format("the column name {} stands twice; expected different names (--no-header if the line is a row)",
                        shown(twin)));
  }
}

}  // namespace bochner::data
