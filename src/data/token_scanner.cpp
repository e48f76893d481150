// SPDX-License-Identifier: Apache-2.0
#include "data/token_scanner.h"

#include <fmt/format.h>

#include <cstring>

#include "data/file_error.h"
#include "data/limits.h"

namespace bochner::data {

namespace {
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
static_assert(kBufferBytes > 2 * kMaxCellBytes);
}  // namespace

TokenScanner::TokenScanner(ByteSource& source) : source_(source), buffer_(kBufferBytes) {}

/// Whether the file has a byte at begin_ + `offset`, which is then in the buffer.
bool TokenScanner::has(std::size_t offset) {
  if (begin_ + offset < end_) return true;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  end_ += source_.read({buffer_.data() + end_, buffer_.size() - end_});
  return offset < end_;
}

bool TokenScanner::next_line() {
  std::string_view rest;
  if (line_ > 0 && next(rest)) fail_line(fmt::format("{} was not expected", shown(rest)));
  if (line_ > 0 && has(0)) ++begin_;  // the line feed
  ++line_;
  return has(0);
}

bool TokenScanner::next(std::string_view& word) {
  while (has(0) && (buffer_[begin_] == ' ' || buffer_[begin_] == '\t')) ++begin_;
  std::size_t length = 0;
  for (; has(length); ++length) {
    const char c = buffer_[begin_ + length];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') break;
    if (c == '\0') fail_line("a NUL byte; expected text");
    if (length == kMaxCellBytes) fail_line(fmt::format("a word of more than {} bytes; expected numbers", length));
  }
  if (length == 0 && has(0) && buffer_[begin_] == '\r') {
    if (!has(1) || buffer_[begin_ + 1] != '\n')
      fail_line("a carriage return without a line feed; lines end in LF or CRLF");
    ++begin_;
  }
  word = {buffer_.data() + begin_, length};
  begin_ += length;
  return length > 0;
}

void TokenScanner::fail_line(std::string_view sentence) const { fail_at(source_.path(), line_, 0, sentence); }

}  // namespace bochner::data
