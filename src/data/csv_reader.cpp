// SPDX-License-Identifier: Apache-2.0
#include "data/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/csv_cell.h"
#include "data/csv_header.h"
#include "data/csv_scanner.h"
#include "data/file_error.h"
#include "data/gzip_source.h"
#include "data/limits.h"

namespace bochner::data {

namespace {

bool is_blank(const CsvCell& cell) { return cell.ends_record && !cell.quoted && trimmed(cell.text).empty(); }

class CsvReader final : public RowSource {
 public:
  CsvReader(const std::filesystem::path& path, const ReadOptions& options)
      : RowSource(path), options_(options), source_(open_source(path)) {
    may_have_words_ = options.words;
    scanner_.emplace(*source_);
    std::vector<std::string> first = read_first_line();
    kinds_.assign(first.size(), options.words ? ColumnKind::undecided : ColumnKind::number);
    header_ = options.header;
    if (header_ == Header::by_content) {
      const bool names =
          options.is_header != nullptr ? options.is_header(*options.model, path, first) : is_header(path, first);
      guessed_header_ = names && options.is_header == nullptr;
      header_ = names ? Header::present : Header::absent;
    }
    options_.model = nullptr;
    if (header_ == Header::present) {
      check_header(path, first);
      names_ = std::move(first);
    } else {
      first = {};  // it takes as much memory as four rows of numbers
      start_again();
    }
  }

  double share() const override { return source_->share(); }

  std::string place(std::size_t row, std::size_t column) const override {
    return fmt::format("{}, line {}, column {}", path().string(), lines_.at(row), column + 1);
  }

 private:
  std::vector<std::string> read_first_line() {
    std::vector<std::string> cells;
    CsvCell cell;
    do {
      if (!scanner_->next(cell)) fail(path(), "is empty; expected numbers separated by commas");
      if (cells.empty() && is_blank(cell)) scanner_->fail_line("the line is empty; expected numbers or column names");
      if (scanner_->column() > kMaxColumns)
        scanner_->fail_line(fmt::format("more than {} columns; expected fewer", kMaxColumns));
      cells.emplace_back(cell.quoted ? cell.text : trimmed(cell.text));
    } while (!cell.ends_record);
    return cells;
  }

  void start_again() override {
    source_->rewind();
    scanner_.emplace(*source_);
    ended_ = false;
    for (Tally& tally : tallies_) tally.cells = tally.numbers = 0;
    if (header_ == Header::present) read_first_line();
  }

  std::size_t read_block(MatrixView<double> block) override {
    lines_.clear();
    CsvCell cell;
    while (lines_.size() < block.rows() && !ended_) {
      const bool more = scanner_->next(cell);
      if (!more || is_blank(cell)) {
        if (more) expect_end_of_file(scanner_->line());
        ended_ = true;
        check_words();
        break;
      }
      const std::size_t line = scanner_->line();
      read_row(cell, block.row(lines_.size()));
      lines_.push_back(line);
    }
    return lines_.size();
  }

  /// Reads one record, whose first cell has been scanned.
  void read_row(CsvCell& cell, std::span<double> out) {
    for (;;) {
      if (scanner_->column() > out.size())
        scanner_->fail_line(
            fmt::format("more than {}; expected as many as in line 1 (a comma at the end adds an empty cell)",
                        counted(out.size(), "cell")));
      out[scanner_->column() - 1] = value_of(cell, scanner_->column() - 1);
      if (cell.ends_record) break;
      scanner_->next(cell);
    }
    if (scanner_->column() < out.size())
      scanner_->fail_line(fmt::format("{}; expected {} as in line 1", counted(scanner_->column(), "cell"), out.size()));
  }

  double value_of(const CsvCell& cell, std::size_t column) {
    ColumnKind& kind = kinds_[column];
    if (kind == ColumnKind::ignored) return 0;
    if ((options_.words || options_.missing) && is_missing(cell.text)) {
      if (!options_.missing)
        scanner_->fail_cell(fmt::format("{} is a missing value; expected none (unless they are to be imputed)",
                                        trimmed(cell.text).empty() ? "an empty cell" : shown(trimmed(cell.text))));
      return std::numeric_limits<double>::quiet_NaN();
    }
    double value = 0;
    if (kind != ColumnKind::word) {
      const CellKind found = parse_number(cell.text, value);
      if (found == CellKind::finite) {
        kind = ColumnKind::number;
        return value;
      }
      if (kind == ColumnKind::number || found != CellKind::not_a_number)
        scanner_->fail_cell(refusal(cell.text, found) + (options_.words && found == CellKind::not_a_number
                                                             ? number_expected(column)
                                                             : std::string()));
      if (looks_like_number(cell.text))
        scanner_->fail_cell(refusal(cell.text, found) +
                            "; expected one, or a word (--categorical takes the column as words)");
      kind = ColumnKind::word;
    }
    count(cell, column);
    const std::string_view word = cell.quoted ? cell.text : trimmed(cell.text);
    if (!valid_utf8(word)) scanner_->fail_cell(fmt::format("the word {} is not UTF-8", shown(word)));
    try {
      return static_cast<double>(code_of(column, word));
    } catch (const FileError&) {
      check_mixture(column);  // perhaps one odd cell above ten thousand numbers
      throw;
    }
  }

  std::string number_expected(std::size_t column) const {
    return expected(column) ? "; expected one in this column"
                            : "; expected one in this column (--categorical takes it as words)";
  }

  /// In a column taken for words, counts the cells that are numbers, in our notation or in another.
  void count(const CsvCell& cell, std::size_t column) {
    if (expected(column)) return;
    if (tallies_.empty()) tallies_.resize(columns());
    Tally& tally = tallies_[column];
    if (tally.line == 0) tally.line = scanner_->line();
    double ignored = 0;
    ++tally.cells;
    if (parse_number(cell.text, ignored) != CellKind::not_a_number || looks_like_number(cell.text)) ++tally.numbers;
  }

  /// Refuses a column of numbers that only its first cell made a column of words.
  void check_mixture(std::size_t column) const {
    const Tally& tally = tallies_.empty() || expected(column) ? Tally{} : tallies_[column];
    if (2 * tally.numbers <= tally.cells) return;
    fail_at(
        path(), tally.line, column + 1,
        fmt::format("{}, but {} of the {} values of this column look like one; expected one, or --categorical for a "
                    "column of words{}",
                    refusal(words(column)[0], CellKind::not_a_number), tally.numbers, tally.cells,
                    tally.line == 1 ? " (or --header for a line of names)" : ""));
  }

  /// Checks columns of words at the end of a pass.
  void check_words() const {
    for (std::size_t column = 0; column < tallies_.size(); ++column) check_mixture(column);
    if (!guessed_header_ || std::ranges::count(kinds_, ColumnKind::number) > 0) return;
    // In a file that has only words, a header looks like a row. The name of a column is none of its values.
    for (std::size_t column = 0; column < columns(); ++column)
      if (std::ranges::count(words(column), names_[column]) > 0)
        fail_at(
            path(), 1, column + 1,
            fmt::format("{} was taken for the name of the column, and is one of its values; --header says that it is "
                        "the name, --no-header that the line is a row",
                        shown(names_[column])));
  }

  void expect_end_of_file(std::size_t blank_line) {
    CsvCell cell;
    while (scanner_->next(cell))
      if (!is_blank(cell)) fail_at(path(), blank_line, 0, "the line is empty; expected numbers");
  }

  /// Counts for a column that its first cell made a column of words; all 0 for other columns.
  struct Tally {
    std::size_t line = 0;  ///< line of that cell
    std::uint64_t cells = 0, numbers = 0;
  };

  ReadOptions options_;
  std::unique_ptr<ByteSource> source_;
  std::optional<CsvScanner> scanner_;
  std::vector<std::size_t> lines_;  ///< lines of the rows of the last block
  std::vector<Tally> tallies_;
  bool guessed_header_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<RowSource> open_csv(const std::filesystem::path& file, const ReadOptions& options) {
  return std::make_unique<CsvReader>(file, options);
}

}  // namespace bochner::data
