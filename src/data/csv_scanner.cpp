// SPDX-License-Identifier: Apache-2.0
#include "data/csv_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "data/file_error.h"
#include "data/limits.h"

namespace bochner::data {

namespace {

/// Large enough that a system call per buffer is free, small enough to stay in L2.
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
static_assert(kBufferBytes > 2 * kMaxCellBytes);

/// Files that are often named .csv by mistake.
struct Signature {
  std::string_view bytes;
  std::string_view sentence;
};
constexpr Signature kSignatures[] = {
    {"\x1f\x8b", "is compressed by gzip; expected plain text, or a name that ends in .csv.gz"},
    {std::string_view("PK\x03\x04", 4), "is a zip archive or a spreadsheet; expected plain text"},
    {"\x93NUMPY", "is an NPY file; give it the extension .npy"},
    {"\xff\xfe", "is UTF-16 text; expected UTF-8"},
    {"\xfe\xff", "is UTF-16 text; expected UTF-8"},
};
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

bool is_special(char c) { return c == ',' || c == '\n' || c == '\r' || c == '"' || c == '\0'; }

}  // namespace

CsvScanner::CsvScanner(ByteSource& file) : file_(file), buffer_(kBufferBytes) {
  refill();
  check_beginning();
}

void CsvScanner::check_beginning() {
  const std::string_view head(buffer_.data(), end_);
  for (const Signature& signature : kSignatures)
    if (head.starts_with(signature.bytes)) fail(file_.path(), signature.sentence);
  if (head.starts_with(kUtf8Mark)) begin_ = kUtf8Mark.size();
}

/// Moves the unread bytes to the front and fills the rest; false when the file has no more bytes.
bool CsvScanner::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = file_.read({buffer_.data() + end_, buffer_.size() - end_});
  end_ += got;
  return got > 0;
}

/// Whether the file has a byte at begin_ + `offset`, which is then in the buffer. Fails if the cell is too long.
bool CsvScanner::has(std::size_t offset) {
  if (offset > kMaxCellBytes)
    fail_cell(fmt::format("the cell has more than {} bytes; expected a number or a name{}", kMaxCellBytes,
                          buffer_[begin_] == '"' ? " (is a quote not closed?)" : ""));
  return begin_ + offset < end_ || (refill() && begin_ + offset < end_);
}

bool CsvScanner::next(CsvCell& cell) {
  begin_ += consumed_;
  consumed_ = 0;
  line_ = next_line_;
  column_ = after_comma_ ? column_ + 1 : 1;
  if (!has(0) && !after_comma_) return false;
  cell.quoted = has(0) && at(0) == '"';
  if (cell.quoted)
    scan_quoted(cell);
  else
    scan_plain(cell);
  return true;
}

void CsvScanner::scan_plain(CsvCell& cell) {
  std::size_t length = 0;
  while (has(length)) {
    const std::size_t last = std::min(end_ - begin_, kMaxCellBytes + 1);
    while (length < last && !is_special(at(length))) ++length;
    if (length < last) break;
  }
  end_cell(cell, length);
  cell.text = {buffer_.data() + begin_, length};
}

void CsvScanner::scan_quoted(CsvCell& cell) {
  unquoted_.clear();
  std::size_t offset = 1;
  for (;; ++offset) {
    if (!has(offset)) fail_cell("the quote that opens this cell is not closed");
    const char c = at(offset);
    if (c == '"') {
      ++offset;
      if (!has(offset) || at(offset) != '"') break;
    }
    if (c == '\0') fail_cell("a NUL byte; expected text");
    if (c == '\n') ++next_line_;
    unquoted_ += c;
  }
  end_cell(cell, offset);
  cell.text = unquoted_;
}

/// Takes the separator at `offset`, directly after the content of the cell.
void CsvScanner::end_cell(CsvCell& cell, std::size_t offset) {
  const bool more = has(offset);
  const char separator = more ? at(offset) : '\n';
  const bool crlf = separator == '\r' && has(offset + 1) && at(offset + 1) == '\n';
  after_comma_ = separator == ',';
  cell.ends_record = separator == '\n' || crlf;
  if (!after_comma_ && !cell.ends_record) fail_separator(cell, separator);
  consumed_ = offset + (more ? 1 : 0) + (crlf ? 1 : 0);
  if (cell.ends_record) ++next_line_;
}

void CsvScanner::fail_separator(const CsvCell& cell, char separator) const {
  if (separator == '\0') fail_cell("a NUL byte; expected text");
  if (separator == '\r') fail_cell("a carriage return without a line feed; lines end in LF or CRLF");
  if (cell.quoted) fail_cell("text after the closing quote; expected a comma or the end of the line");
  fail_cell("a quote inside a cell; a cell with quotes begins and ends with one");
}

void CsvScanner::fail_cell(std::string_view sentence) const { fail_at(file_.path(), line_, column_, sentence); }

void CsvScanner::fail_line(std::string_view sentence) const { fail_at(file_.path(), line_, 0, sentence); }

}  // namespace bochner::data
