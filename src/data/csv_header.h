// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace bochner::data {

/// What the cells of a first line show. Cells that mean a missing value (is_missing) do not count.
///   names   no number, and a name: a cell with a letter that is not written like a number
///   row     numbers
///   mixed   numbers and words: a row of a table with words, or names, some of which are years or codes
///   unclear neither a number nor a name, such as "5%" alone
struct FirstLine {
  enum class Kind { names, row, mixed, unclear } kind;
  std::size_t word = 0, number = 0;  ///< the first column of each; for `unclear` the first column, if it has no word
};
FirstLine look_at(std::span<const std::string> cells);

/// Whether a first line is a header. Throws FileError, which names --header and --no-header, if the cells do not show
/// it.
bool is_header(const std::filesystem::path& file, std::span<const std::string> cells);
[[noreturn]] void refuse_first_line(const std::filesystem::path& file, std::span<const std::string> cells,
                                    const FirstLine& found);

/// Throws FileError for names that are empty, not UTF-8, or equal to each other.
void check_header(const std::filesystem::path& file, std::span<const std::string> names);

}  // namespace bochner::data
