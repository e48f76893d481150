// SPDX-License-Identifier: Apache-2.0
#include "parse_number.h"

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

double parse_target(std::string_view text) {
  const std::vector<double> values = parse_numbers("--target", text, "an error > 0");
  if (values.size() != 1 || !(values.front() > 0)) refuse("--target", text, "an error > 0");
  return values.front();
}

}  // namespace bochner::cli
