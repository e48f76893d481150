// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace bochner::data {

/// Words between blanks and tabs, line by line (LF or CRLF), through one fixed buffer. A word has at most
/// kMaxCellBytes. Lines are counted from 1.
class TokenScanner {
 public:
  explicit TokenScanner(ByteSource& source);

  /// Goes to the next line; false at the end of the file.
  bool next_line();
  /// The next word of the line, valid until the next call; false at the end of the line.
  bool next(std::string_view& word);

  std::size_t line() const { return line_; }
  [[noreturn]] void fail_line(std::string_view sentence) const;

 private:
  bool has(std::size_t offset);

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t line_ = 0;
};

}  // namespace bochner::data
