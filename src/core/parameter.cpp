// SPDX-License-Identifier: Apache-2.0
#include "core/parameter.h"

#include <algorithm>
#include <cmath>

#include "core/format.h"

namespace bochner {
namespace {

std::string shown(std::complex<double> value) { return fmt::format("{}{:+}i", value.real(), value.imag()); }

}  // namespace

double number(const Parameters& parameters, std::string_view name) {
  return std::get<double>(parameters.find(name)->second);
}

std::size_t count(const Parameters& parameters, std::string_view name) {
  return static_cast<std::size_t>(number(parameters, name));
}

const std::string& word(const Parameters& parameters, std::string_view name) {
  return std::get<std::string>(parameters.find(name)->second);
}

bool flag(const Parameters& parameters, std::string_view name) { return std::get<bool>(parameters.find(name)->second); }

std::span<const double> numbers(const Parameters& parameters, std::string_view name) {
  return std::get<std::vector<double>>(parameters.find(name)->second);
}

std::complex<double> complex_number(const Parameters& parameters, std::string_view name) {
  const Value& value = parameters.find(name)->second;
  if (const double* real = std::get_if<double>(&value)) return *real;
  return std::get<std::complex<double>>(value);
}

std::vector<std::complex<double>> complex_numbers(const Parameters& parameters, std::string_view name) {
  const Value& value = parameters.find(name)->second;
  if (const auto* real = std::get_if<std::vector<double>>(&value)) return {real->begin(), real->end()};
  return std::get<std::vector<std::complex<double>>>(value);
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

bool is_list(const Value& value) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  return list != nullptr && std::ranges::all_of(*list, [](double entry) { return std::isfinite(entry); });
}

bool is_complex(const Value& value) {
  return std::holds_alternative<std::complex<double>>(value) ||
         std::holds_alternative<std::vector<std::complex<double>>>(value);
}

Value canonical(Value value) {
  if (const auto* single = std::get_if<std::complex<double>>(&value)) {
    if (single->imag() == 0) return single->real();
  } else if (const auto* list = std::get_if<std::vector<std::complex<double>>>(&value)) {
    if (std::ranges::any_of(*list, [](const auto& entry) { return entry.imag() != 0; })) return value;
    std::vector<double> real;
    for (const auto& entry : *list) real.push_back(entry.real());
    return real;
  }
  return value;
}

std::string shown(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const std::string* text = std::get_if<std::string>(&value)) return fmt::format("'{}'", *text);
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
  if (const auto* single = std::get_if<std::complex<double>>(&value)) return shown(*single);
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return fmt::format("[{}]", joined(*list, ", "));
  std::vector<std::string> entries;
  for (const auto& entry : std::get<std::vector<std::complex<double>>>(value)) entries.push_back(shown(entry));
  return fmt::format("[{}]", joined(entries, ", "));
}

}  // namespace bochner
