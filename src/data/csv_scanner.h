// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace bochner::data {

/// One cell of a CSV file. `text` is valid until the next call of the scanner.
struct CsvCell {
  std::string_view text;  ///< without quotes, doubled quotes undone; not trimmed
  bool quoted = false;
  bool ends_record = false;
};

/// Splits a file into cells by RFC 4180: commas, records ending in LF or CRLF (the last one may have no end), and cells
/// in double quotes, which may hold commas, line ends and doubled quotes. A UTF-8 byte order mark is skipped. Reads
/// through one fixed buffer, so memory does not depend on the length of the file or of a line; a cell has at most
/// kMaxCellBytes. Lines and columns are counted from 1.
class CsvScanner {
 public:
  explicit CsvScanner(ByteSource& file);

  /// False at the end of the file.
  bool next(CsvCell& cell);

  /// Throws FileError at the last cell: "<file>, line 3, column 2: <sentence>".
  [[noreturn]] void fail_cell(std::string_view sentence) const;
  /// Throws FileError at the line of the last cell: "<file>, line 3: <sentence>".
  [[noreturn]] void fail_line(std::string_view sentence) const;

  std::size_t line() const { return line_; }      ///< where the last cell begins
  std::size_t column() const { return column_; }  ///< column of the last cell

 private:
  void check_beginning();
  bool refill();
  bool has(std::size_t offset);
  char at(std::size_t offset) const { return buffer_[begin_ + offset]; }
  void scan_plain(CsvCell& cell);
  void scan_quoted(CsvCell& cell);
  void end_cell(CsvCell& cell, std::size_t offset);
  [[noreturn]] void fail_separator(const CsvCell& cell, char separator) const;

  ByteSource& file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< start of the last cell; unread bytes are buffer_[begin_ + consumed_, end_)
  std::size_t end_ = 0;
  std::size_t consumed_ = 0;  ///< bytes of the last cell, kept because its text is a view of them
  std::string unquoted_;
  std::size_t line_ = 1;
  std::size_t next_line_ = 1;
  std::size_t column_ = 0;
  bool after_comma_ = false;
};

}  // namespace bochner::data
