// SPDX-License-Identifier: Apache-2.0
#include "parse_number.h"

#include <cmath>
#include <cstdint>

namespace bochner::cli {

std::vector<double> parse_numbers(std::string_view option, std::string_view text, std::string_view allowed) {
  std::vector<double> values;
  for (std::size_t first = 0, last = 0; last < text.size() || first == 0; first = last + 1) {
    last = std::min(text.find(',', first), text.size());
    const std::string_view item = text.substr(first, last - first);
    const auto [rest, error] = std::from_chars(item.data(), item.data() + item.size(), values.emplace_back());
    if (error != std::errc() || rest != item.data() + item.size()) refuse(option, fmt::format("'{}'", text), allowed);
  }
  return values;
}

double parse_one(std::string_view option, std::string_view text, std::string_view allowed, bool (*good)(double)) {
  const std::vector<double> values = parse_numbers(option, text, allowed);
  if (values.size() != 1 || !std::isfinite(values.front()) || !good(values.front()))
    refuse(option, fmt::format("'{}'", text), allowed);
  return values.front();
}

std::size_t parse_memory(std::string_view option, std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  const std::string_view digits = unit == kUnits.npos ? text : text.substr(0, text.size() - 1);
  const int shift = unit == kUnits.npos ? 0 : static_cast<int>(10 * (unit + 1));
  std::size_t value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || rest != digits.data() + digits.size() || value == 0 || value > (SIZE_MAX >> shift))
    refuse(option, fmt::format("'{}'", text), "bytes, such as 1073741824, 1024M or 1G");
  return value << shift;
}

double parse_target(std::string_view text) {
  return parse_one("--target", text, "an error > 0", [](double error) { return error > 0; });
}

}  // namespace bochner::cli
