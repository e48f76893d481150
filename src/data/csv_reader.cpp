// SPDX-License-Identifier: Apache-2.0
#include "data/csv_reader.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "data/csv_cell.h"
#include "data/csv_header.h"
#include "data/csv_scanner.h"
#include "data/file_error.h"
#include "data/limits.h"
#include "data/row_store.h"

namespace bochner::data {

namespace {

class CsvReader {
 public:
  explicit CsvReader(const std::filesystem::path& path) : file_(path), scanner_(file_) {}

  Table read() {
    read_first_line();
    const std::size_t cols = first_line_.size();
    if (!has_header_) first_line_ = {};
    CsvCell cell;
    while (scanner_.next(cell)) read_row(cell, cols);
    Table table;
    table.values = numbers_.take(cols);
    table.columns = std::move(first_line_);
    return table;
  }

 private:
  static bool is_blank(const CsvCell& cell) { return cell.ends_record && !cell.quoted && trimmed(cell.text).empty(); }

  void read_first_line() {
    CsvCell cell;
    do {
      if (!scanner_.next(cell)) fail(file_.path(), "is empty; expected numbers separated by commas");
      if (first_line_.empty() && is_blank(cell))
        scanner_.fail_line("the line is empty; expected numbers or column names");
      if (scanner_.column() > kMaxColumns)
        scanner_.fail_line(fmt::format("more than {} columns; expected fewer", kMaxColumns));
      first_line_.emplace_back(cell.quoted ? cell.text : trimmed(cell.text));
    } while (!cell.ends_record);
    has_header_ = is_header(first_line_);
    if (has_header_) check_header(file_.path(), first_line_);
    for (std::size_t j = 0; !has_header_ && j < first_line_.size(); ++j) push_first(j);
  }

  void push_first(std::size_t j) {
    double value = 0;
    if (const CellKind kind = parse_number(first_line_[j], value); kind != CellKind::finite)
      fail_at(file_.path(), 1, j + 1, refusal(first_line_[j], kind));
    numbers_.push(value);
  }

  /// One record, whose first cell has been scanned.
  void read_row(CsvCell& cell, std::size_t cols) {
    if (is_blank(cell)) return expect_end_of_file(scanner_.line());
    for (;;) {
      if (scanner_.column() > cols)
        scanner_.fail_line(
            fmt::format("more than {}; expected as many as in line 1 (a comma at the end adds an empty cell)",
                        counted(cols, "cell")));
      push(cell);
      if (cell.ends_record) break;
      scanner_.next(cell);
    }
    if (scanner_.column() < cols)
      scanner_.fail_line(fmt::format("{}; expected {} as in line 1", counted(scanner_.column(), "cell"), cols));
  }

  void push(const CsvCell& cell) {
    double value = 0;
    if (const CellKind kind = parse_number(cell.text, value); kind != CellKind::finite)
      scanner_.fail_cell(refusal(cell.text, kind));
    numbers_.push(value);
  }

  void expect_end_of_file(std::size_t blank_line) {
    CsvCell cell;
    while (scanner_.next(cell))
      if (!is_blank(cell)) fail_at(file_.path(), blank_line, 0, "the line is empty; expected numbers");
  }

  InputFile file_;
  CsvScanner scanner_;
  std::vector<std::string> first_line_;
  RowStore numbers_;
  bool has_header_ = false;
};

}  // namespace

Table read_csv(const std::filesystem::path& file) { return CsvReader(file).read(); }

}  // namespace bochner::data
