// SPDX-License-Identifier: Apache-2.0
#include "data/csv_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "data/csv_cell.h"
#include "data/file_error.h"

namespace bochner::data {

bool is_header(std::span<const std::string> cells) { return std::ranges::any_of(cells, is_name); }

void check_header(const std::filesystem::path& file, std::span<const std::string> names) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (trimmed(names[j]).empty()) fail_at(file, 1, j + 1, "the column has no name; expected one for each column");
    if (!valid_utf8(names[j])) fail_at(file, 1, j + 1, fmt::format("the name {} is not UTF-8", shown(names[j])));
  }
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  if (const auto twin = std::ranges::adjacent_find(sorted); twin != sorted.end())
    fail_at(file, 1, 0,
            fmt::format("the column name {} stands twice; expected different names{}", shown(*twin),
                        is_name(*twin) ? "" : " (--no-header if the line is a row)"));
}

}  // namespace bochner::data
