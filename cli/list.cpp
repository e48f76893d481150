// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "bochner/registry.h"
#include "bochner/theory.h"
#include "commands.h"
#include "parse_number.h"

namespace bochner::cli {
namespace {

using nlohmann::ordered_json;

struct Options {
  std::string d = "8";
  bool json = false;
};

/// "trigonometric (rff, trigrf)"
std::string name_and_aliases(const Entry& entry) {
  std::string out(entry.name);
  std::istringstream aliases{std::string(entry.aliases)};
  std::string list;
  for (std::string alias; aliases >> alias;) list += fmt::format("{}{}", list.empty() ? "" : ", ", alias);
  return list.empty() ? out : fmt::format("{} ({})", out, list);
}

void print_entries(std::string_view title, std::span<const Entry> entries) {
  std::cout << title << "\n";
  for (const Entry& entry : entries) {
    std::cout << fmt::format("  {}\n      {}\n      {}", name_and_aliases(entry), entry.formula, entry.summary);
    std::cout << (entry.reference.empty() ? "\n" : fmt::format(" [{}]\n", entry.reference));
    if (!entry.bias.empty()) std::cout << fmt::format("      bias: {}\n", entry.bias);
    for (const Parameter& parameter : entry.parameters)
      std::cout << fmt::format("      --{}: {} [{}]\n", parameter.name, parameter.allowed, parameter.standard);
  }
  std::cout << "\n";
}

void print_fits(std::size_t d) {
  std::cout << fmt::format("what fits with what (d = {})\n  {:<12}{:<18}", d, "kernel", "map");
  for (const Entry& coupling : couplings()) std::cout << fmt::format("{:>{}}", coupling.name, coupling.name.size() + 2);
  for (const Entry& kernel : kernels())
    for (const Entry& map : maps()) {
      std::cout << fmt::format("\n  {:<12}{:<18}", kernel.name, map.name);
      for (const Entry& coupling : couplings())
        std::cout << fmt::format("{:>{}}", misfit(kernel.name, map.name, coupling.name, d).empty() ? "yes" : "-",
                                 coupling.name.size() + 2);
    }
  std::cout << "\n";
}

ordered_json to_json(const Entry& entry) {
  ordered_json aliases = ordered_json::array();
  std::istringstream words{std::string(entry.aliases)};
  for (std::string alias; words >> alias;) aliases.push_back(alias);
  ordered_json parameters = ordered_json::array();
  for (const Parameter& parameter : entry.parameters)
    parameters.push_back({{"name", parameter.name},
                          {"default", parameter.standard},
                          {"allowed", parameter.allowed},
                          {"meaning", parameter.meaning}});
  return {{"name", entry.name},           {"aliases", aliases}, {"formula", entry.formula}, {"summary", entry.summary},
          {"reference", entry.reference}, {"bias", entry.bias}, {"parameters", parameters}};
}

ordered_json to_json(std::span<const Entry> entries) {
  ordered_json out = ordered_json::array();
  for (const Entry& entry : entries) out.push_back(to_json(entry));
  return out;
}

/// What is known about the error before anything is computed.
std::string_view closed_form(const Entry& kernel, const Entry& map, const Entry& coupling, std::size_t d) {
  return theory::name_of(theory::exactness({.d = d,
                                            .kernel = std::string(kernel.name),
                                            .map = std::string(map.name),
                                            .coupling = std::string(coupling.name)}));
}

ordered_json fits_json(std::size_t d) {
  ordered_json out = ordered_json::array();
  for (const Entry& kernel : kernels())
    for (const Entry& map : maps())
      for (const Entry& coupling : couplings()) {
        const std::string reason = misfit(kernel.name, map.name, coupling.name, d);
        out.push_back({{"kernel", kernel.name},
                       {"map", map.name},
                       {"coupling", coupling.name},
                       {"fits", reason.empty()},
                       {"reason", reason},
                       {"closed_form", reason.empty() ? closed_form(kernel, map, coupling, d) : ""}});
      }
  return out;
}

void print_json(std::size_t d) {
  ordered_json listed_maps = to_json(maps());
  for (auto& map : listed_maps) map["width"] = width(map["name"].get<std::string>());
  const ordered_json all = {{"kernels", to_json(kernels())},
                            {"maps", listed_maps},
                            {"couplings", to_json(couplings())},
                            {"d", d},
                            {"fits", fits_json(d)}};
  std::cout << all.dump(2) << "\n";
}

void run(const Options& options) {
  const auto d = parse_whole<std::size_t>("--d", options.d);
  if (d == 0) refuse("--d", "0", "a whole number >= 1");
  if (options.json) return print_json(d);
  print_entries("kernels", kernels());
  print_entries("maps", maps());
  print_entries("couplings", couplings());
  print_fits(d);
}

}  // namespace

void add_list(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "Show kernels, maps and couplings, and what fits with what");
  command->add_option("--d", options->d, "number of input coordinates")->type_name("NUMBER")->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->footer("Example:\n  bochner list --d 3");
  command->callback([options] { run(*options); });
}

}  // namespace bochner::cli
