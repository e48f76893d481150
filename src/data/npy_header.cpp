// SPDX-License-Identifier: Apache-2.0
#include "data/npy_header.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/format.h"
#include "data/file_error.h"
#include "data/limits.h"

namespace bochner::data {

namespace {

/// numpy's own limit.
constexpr std::size_t kMaxDimensions = 32;

class Parser {
 public:
  Parser(const std::filesystem::path& file, std::string_view text, std::size_t offset)
      : file_(file), text_(text), offset_(offset) {}

  NpyHeader parse() {
    if (!text_.ends_with('\n')) fail_here("the header does not end in a line feed");
    text_.remove_suffix(1);
    expect('{');
    while (!accept('}')) {
      parse_entry();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (position_ != text_.size()) fail_here("text after the dictionary of the header");
    require_keys();
    return std::move(header_);
  }

 private:
  static constexpr std::string_view kKeys[] = {"descr", "fortran_order", "shape"};

  void parse_entry() {
    const std::string_view key = parse_string();
    const auto known = std::ranges::find(kKeys, key);
    if (known == std::end(kKeys)) fail_here(fmt::format("unknown key {} in the header", shown(key)));
    bool& seen = seen_[known - std::begin(kKeys)];
    if (seen) fail_here(fmt::format("the key {} stands twice in the header", shown(key)));
    seen = true;
    expect(':');
    if (key == "descr") parse_descr();
    if (key == "fortran_order") header_.fortran_order = parse_bool();
    if (key == "shape") parse_shape();
  }

  void require_keys() {
    for (std::size_t k = 0; k < std::size(kKeys); ++k)
      if (!seen_[k]) fail_here(fmt::format("the header has no key '{}'", kKeys[k]));
  }

  void parse_descr() {
    if (accept('[')) fail_here("a structured dtype; expected one of <f4 <f8 <i4 <i8");
    header_.descr = parse_string();
  }

  bool parse_bool() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return word == "True";
      }
    fail_here("expected True or False");
  }

  void parse_shape() {
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail_here("expected ',' or ')' in the shape");
      header_.shape.push_back(parse_dimension());
      if (header_.shape.size() > kMaxDimensions)
        fail_here(fmt::format("more than {} dimensions; expected 1 or 2", kMaxDimensions));
      comma = accept(',');
    }
    if (header_.shape.size() == 1 && !comma) fail_here("the shape is a number; expected a tuple such as (3,)");
  }

  std::uint64_t parse_dimension() {
    skip_blanks();
    if (peek() == '-') fail_here("a negative dimension in the shape");
    std::uint64_t value = 0;
    const char* const first = text_.data() + position_;
    const auto [rest, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail_here("a dimension of the shape is too large");
    if (error != std::errc()) fail_here("expected a whole number in the shape");
    position_ += static_cast<std::size_t>(rest - first);
    return value;
  }

  /// A string without escapes, in single or double quotes.
  std::string_view parse_string() {
    skip_blanks();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail_here("expected a string in the header");
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == text_.npos) fail_here("a string of the header is not closed");
    const std::string_view content = text_.substr(position_ + 1, end - position_ - 1);
    if (content.find('\\') != content.npos) fail_here("an escape in a string of the header");
    position_ = end + 1;
    return content;
  }

  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n') ++position_;
  }
  bool accept(char c) {
    skip_blanks();
    if (peek() != c || position_ == text_.size()) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_here(fmt::format("expected '{}' in the header", c));
  }

  [[noreturn]] void fail_here(std::string_view sentence) const { fail_byte(file_, offset_ + position_, sentence); }

  const std::filesystem::path& file_;
  std::string_view text_;
  std::size_t offset_;
  std::size_t position_ = 0;
  NpyHeader header_;
  bool seen_[std::size(kKeys)] = {};
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

/// Reads `bytes` bytes, which begin at `first`.
std::string read_exactly(ByteSource& file, std::size_t first, std::size_t bytes, std::string_view what) {
  std::string out(bytes, '\0');
  const std::size_t got = file.read(out);
  if (got != bytes) fail_byte(file.path(), first + got, fmt::format("the file ends inside {}", what));
  return out;
}

}  // namespace

NpyHeader parse_npy_header(const std::filesystem::path& file, std::string_view text, std::size_t offset) {
  return Parser(file, text, offset).parse();
}

std::string format_npy_header(std::string_view descr, std::span<const std::size_t> shape) {
  const std::string sizes = fmt::format("{}{}", joined(shape, ", "), shape.size() == 1 ? "," : "");
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, sizes);
  constexpr std::size_t kAlignment = 64;
  const std::size_t used = kNpyPreambleBytes + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string out(kNpyMagic);
  out += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return out + text;
}

NpyHeader read_npy_header(ByteSource& file, std::uint64_t& payload) {
  std::string preamble(8, '\0');
  preamble.resize(file.read(preamble));
  if (!preamble.starts_with(kNpyMagic)) fail_byte(file.path(), 0, "not an NPY file; expected \\x93NUMPY");
  if (preamble.size() < 8) fail_byte(file.path(), preamble.size(), "the file ends inside the version");
  const int major = static_cast<unsigned char>(preamble[6]);
  const int minor = static_cast<unsigned char>(preamble[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail_byte(file.path(), 6, fmt::format("NPY version {}.{}; expected 1.0, 2.0 or 3.0", major, minor));
  const std::size_t width = major == 1 ? 2 : 4;
  const std::uint64_t length = little_endian(read_exactly(file, 8, width, "the length of the header"));
  payload = 8 + width + length;
  if (length > kMaxNpyHeaderBytes)
    fail_byte(file.path(), 8, fmt::format("a header of {} bytes; expected at most {}", length, kMaxNpyHeaderBytes));
  if (payload > file.size().value_or(payload))
    fail_byte(file.path(), 8, fmt::format("a header of {} bytes; expected no more than the file has", length));
  return parse_npy_header(file.path(), read_exactly(file, 8 + width, length, "the header"), 8 + width);
}

std::string_view npy_dtype_name(std::string_view descr) {
  if (descr.starts_with('>')) return "big-endian";
  const std::size_t letter = descr.find_first_not_of("<|=");
  switch (letter == descr.npos ? '\0' : descr[letter]) {
    case 'O':
      return "object";
    case 'V':
      return "structured";
    case 'S':
    case 'a':
    case 'U':
      return "string";
    case 'c':
      return "complex";
    case 'b':
    case '?':
      return "boolean or byte";
    case 'u':
      return "unsigned";
    case 'M':
    case 'm':
      return "date";
    default:
      return "unknown";
  }
}

}  // namespace bochner::data
