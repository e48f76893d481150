// SPDX-License-Identifier: Apache-2.0
#include "data/csv_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "data/file_error.h"

namespace bochner::data {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_like_number(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]);
}

/// Bytes of the UTF-8 sequence at the head of `text` (RFC 3629: shortest form, no surrogates, at most U+10FFFF), or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return continues(1) ? 2 : 0;
  if ((first & 0xF0) == 0xE0) {
    const std::uint32_t code = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    return continues(1) && continues(2) && code >= 0x800 && (code < 0xD800 || code > 0xDFFF) ? 3 : 0;
  }
  if (first >= 0xF0 && first < 0xF5) {
    const std::uint32_t code = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12;
    return continues(1) && continues(2) && continues(3) && code >= 0x10000 && code <= 0x10FFFF ? 4 : 0;
  }
  return 0;
}

bool is_hex_digit(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return text;
}

/// Whether a text is 0x and then hexadecimal digits, a point and a binary exponent.
bool looks_hexadecimal(std::string_view text) {
  text = without_sign(text);
  if (text.size() < 3 || text[0] != '0' || (text[1] | 0x20) != 'x') return false;
  text.remove_prefix(2);
  return is_hex_digit(text[0]) && std::ranges::all_of(text, [](char c) {
           return is_hex_digit(c) || c == '.' || (c | 0x20) == 'p' || c == '+' || c == '-';
         });
}

/// Whether a text has only digits, points, commas and exponents, with signs only in front and after an e: not
/// 2020-01-01.
bool looks_decimal(std::string_view text) {
  if (!begins_like_number(text)) return false;
  text = without_sign(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool sign = text[i] == '+' || text[i] == '-';
    if (sign ? (text[i - 1] | 0x20) != 'e'
             : !is_digit(text[i]) && text[i] != '.' && text[i] != ',' && (text[i] | 0x20) != 'e')
      return false;
  }
  return true;
}

std::string_view hint(std::string_view text) {
  if (text.find(';') != text.npos || text.find('\t') != text.npos) return " (cells are separated by commas)";
  if (looks_hexadecimal(text)) return " (hexadecimal is not read)";
  if (!looks_decimal(text)) return "";
  if (text.find(',') != text.npos) return " (the decimal mark is a point, and there is no other)";
  if (std::ranges::count(text, '.') > 1) return " (a number has one point)";
  return " (the exponent is not finished)";
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

CellKind parse_number(std::string_view text, double& value) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  double parsed = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, parsed);
  if (rest != end || error == std::errc::invalid_argument) return CellKind::not_a_number;
  if (error == std::errc::result_out_of_range) return CellKind::out_of_range;
  if (!std::isfinite(parsed)) return CellKind::not_finite;
  value = parsed;
  return CellKind::finite;
}

bool looks_like_number(std::string_view text) {
  text = trimmed(text);
  return looks_hexadecimal(text) || looks_decimal(text);
}

bool is_missing(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text == "?") return true;
  if (text.size() > 4) return false;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return lower == "na" || lower == "n/a" || lower == "nan" || lower == "null";
}

std::string refusal(std::string_view text, CellKind kind) {
  text = trimmed(text);
  if (text.empty()) return "the cell is empty; expected a number";
  switch (kind) {
    case CellKind::not_finite:
      return fmt::format("{} is not finite; expected a finite number", shown(text));
    case CellKind::out_of_range:
      return fmt::format("{} is out of range; expected a number that a double can hold", shown(text));
    default:
      return fmt::format("{} is not a number{}", shown(text), hint(text));
  }
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace bochner::data
