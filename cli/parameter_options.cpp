// SPDX-License-Identifier: Apache-2.0
#include "parameter_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <complex>
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

/// "1.5", "2i", "1-0.5i", "1e-3+2e1j".
std::optional<std::complex<double>> complex_number(std::string_view text) {
  if (const std::optional<double> real = number(text)) return *real;
  if (text.empty() || (text.back() != 'i' && text.back() != 'j')) return std::nullopt;
  text.remove_suffix(1);
  // The sign between the two parts is the last sign that does not belong to an exponent.
  std::size_t split = text.size();
  for (std::size_t i = 1; i < text.size(); ++i)
    if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'e' && text[i - 1] != 'E') split = i;
  const std::optional<double> real = split == text.size() ? 0.0 : number(text.substr(0, split));
  std::string_view rest = split == text.size() ? text : text.substr(split);
  if (!rest.empty() && rest.front() == '+') rest.remove_prefix(1);
  const std::optional<double> imaginary = number(rest);
  if (real && imaginary) return std::complex<double>(*real, *imaginary);
  return std::nullopt;
}

}  // namespace

void add_parameter_options(CLI::App& command, std::map<std::string, std::string>& typed, bool kernels_only) {
  std::map<std::string_view, Option> options;
  std::vector<std::span<const Entry>> families = {kernels()};
  if (!kernels_only) families.insert(families.end(), {maps(), couplings()});
  for (const std::span<const Entry> entries : families)
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
  if (text == "true" || text == "false") return text == "true";
  std::vector<std::complex<double>> list;
  for (std::string_view left = text; !left.empty();) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const std::optional<std::complex<double>> entry = complex_number(left.substr(0, comma));
    if (!entry || comma == left.size() - 1) return std::string(text);
    list.push_back(*entry);
    left.remove_prefix(std::min(comma + 1, left.size()));
  }
  if (list.empty()) return std::string(text);
  const bool real = std::ranges::all_of(list, [](const auto& entry) { return entry.imag() == 0; });
  if (list.size() == 1) return real ? Value(list[0].real()) : Value(list[0]);
  if (!real) return list;
  std::vector<double> numbers;
  for (const auto& entry : list) numbers.push_back(entry.real());
  return numbers;
}

}  // namespace bochner::cli
