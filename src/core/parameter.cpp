// SPDX-License-Identifier: Apache-2.0
#include "core/parameter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace bochner {

double number(const Parameters& parameters, std::string_view name) {
  return std::get<double>(parameters.find(name)->second);
}

std::size_t count(const Parameters& parameters, std::string_view name) {
  return static_cast<std::size_t>(number(parameters, name));
}

const std::string& word(const Parameters& parameters, std::string_view name) {
  return std::get<std::string>(parameters.find(name)->second);
}

bool is_count(const Value& value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr && *number >= 1 && *number <= 0x1p53 && *number == std::floor(*number);
}

bool is_positive(const Value& value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr && *number > 0 && std::isfinite(*number);
}

bool is_word(const Value& value, std::string_view word) {
  const std::string* text = std::get_if<std::string>(&value);
  return text != nullptr && *text == word;
}

std::string shown(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const std::string* text = std::get_if<std::string>(&value)) return fmt::format("'{}'", *text);
  return fmt::format("[{}]", fmt::join(std::get<std::vector<double>>(value), ", "));
}

}  // namespace bochner
