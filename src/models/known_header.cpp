// SPDX-License-Identifier: Apache-2.0
#include "models/known_header.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "data/csv_cell.h"
#include "data/csv_header.h"
#include "data/file_error.h"

namespace bochner {
namespace {

using data::CellKind;

bool has_names(const Preprocessing& model, std::span<const std::string> cells) {
  if (model.inputs.empty() || model.inputs.front().name.empty()) return false;
  std::vector<std::string_view> sorted(cells.begin(), cells.end());
  std::ranges::sort(sorted);
  return std::ranges::all_of(model.inputs, [&](const InputColumn& input) {
    return std::ranges::binary_search(sorted, std::string_view(input.name));
  });
}

/// Which columns of the model's own file hold numbers.
std::vector<bool> number_columns(const Preprocessing& model) {
  std::vector<bool> numbers(model.columns, false);
  for (const InputColumn& input : model.inputs) numbers[input.position] = input.categories.empty();
  if (model.has_target())
    numbers[model.target_position] =
        model.task == Task::regression || (model.task == Task::classification && model.number_classes);
  return numbers;
}

/// If the line has the columns of the model's own file, or these without the target, it must have numbers where that
/// file had numbers. A file with other columns is refused elsewhere, for its columns.
void require_row(const Preprocessing& model, const std::filesystem::path& file, std::span<const std::string> cells) {
  std::vector<bool> numbers = number_columns(model);
  if (model.has_target() && cells.size() + 1 == numbers.size())
    numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(model.target_position));
  if (cells.size() != numbers.size()) return;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    double ignored = 0;
    if (!numbers[j] || data::is_missing(cells[j]) || data::parse_number(cells[j], ignored) != CellKind::not_a_number)
      continue;
    data::fail_at(
        file, 1, j + 1,
        data::refusal(cells[j], CellKind::not_a_number) +
            ", and the file that the model was fitted to had no column names; --header takes the line for names, "
            "--no-header for a row");
  }
}

}  // namespace

bool is_header_for(const Preprocessing& model, const std::filesystem::path& file, std::span<const std::string> cells) {
  if (has_names(model, cells)) return true;
  if (model.header == Header::absent) {
    require_row(model, file, cells);
    return false;
  }
  const bool names = data::is_header(file, cells);
  if (model.header == Header::present && !names)
    data::fail_at(
        file, 1, 0,
        "numbers, and the file that the model was fitted to had column names; --no-header takes the line for a row "
        "and columns by their places, --header takes it for names");
  return names;
}

}  // namespace bochner
