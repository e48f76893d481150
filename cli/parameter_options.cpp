// SPDX-License-Identifier: Apache-2.0
#include "parameter_options.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "bochner/registry.h"

namespace bochner::cli {
namespace {

struct Option {
  std::string help;
  std::string takers;
};

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void add_parameter_options(CLI::App& command, std::map<std::string, std::string>& typed) {
  std::map<std::string_view, Option> options;
  for (const std::span<const Entry> entries : {kernels(), maps(), couplings()})
    for (const Entry& entry : entries)
      for (const Parameter& parameter : entry.parameters) {
        Option& option = options[parameter.name];
        if (option.help.empty()) option.help = fmt::format("{} [{}]", parameter.meaning, parameter.standard);
        option.takers += fmt::format("{}{}", option.takers.empty() ? "" : ", ", entry.name);
      }
  for (const auto& [name, option] : options) {
    const std::string key(name);
    command
        .add_option_function<std::string>(
            "--" + key, [key, &typed](const std::string& text) { typed[key] = text; },
            fmt::format("of {}: {}", option.takers, option.help))
        ->type_name("VALUE");
  }
}

Value parse_value(std::string_view text) {
  if (const std::optional<double> single = number(text)) return *single;
  std::vector<double> list;
  for (std::string_view left = text; !left.empty();) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const std::optional<double> entry = number(left.substr(0, comma));
    if (!entry || comma == left.size() - 1) return std::string(text);
    list.push_back(*entry);
    left.remove_prefix(std::min(comma + 1, left.size()));
  }
  if (list.empty()) return std::string(text);
  return list;
}

}  // namespace bochner::cli
