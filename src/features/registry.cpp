// SPDX-License-Identifier: Apache-2.0
#include "bochner/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/errors.h"
#include "features/defaults.h"
#include "features/lookup.h"

namespace bochner {
namespace {

const Entry& entry_of(const Kernel& kernel) { return kernel.entry(); }
const Entry& entry_of(const Map& map) { return map.entry; }
const Entry& entry_of(const Coupling& coupling) { return coupling.entry; }

bool equal(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char p, unsigned char q) { return std::tolower(p) == std::tolower(q); });
}

std::vector<std::string_view> aliases_of(const Entry& entry) {
  std::vector<std::string_view> words;
  std::string_view left = entry.aliases;
  while (!left.empty()) {
    const std::size_t space = std::min(left.find(' '), left.size());
    words.push_back(left.substr(0, space));
    left.remove_prefix(std::min(space + 1, left.size()));
  }
  return words;
}

template <class Item>
const Item& find(std::string_view what, std::string_view name, std::span<const Item* const> table) {
  std::vector<std::string_view> known;
  for (const Item* item : table) {
    const Entry& entry = entry_of(*item);
    if (equal(entry.name, name)) return *item;
    for (const std::string_view alias : aliases_of(entry))
      if (equal(alias, name)) return *item;
    known.push_back(entry.name);
  }
  refuse_name(what, name, known);
}

template <class Item>
std::vector<Entry> entries(std::span<const Item* const> table) {
  std::vector<Entry> lines;
  for (const Item* item : table) lines.push_back(entry_of(*item));
  return lines;
}

/// The names for which `fits` holds, as "a, b, c".
template <class Item, class Fits>
std::string names(std::span<const Item* const> table, const Fits& fits) {
  std::string list;
  for (const Item* item : table)
    if (fits(*item)) list += fmt::format("{}{}", list.empty() ? "" : ", ", entry_of(*item).name);
  return list;
}

bool serves(const Map& map, const Kernel& kernel) { return kernel.serves(map.family); }

/// Why the coupling cannot draw rows of this law, as the middle of a sentence; empty if it can.
std::string_view unmet_need(const Coupling& coupling, const Law& law) {
  if (coupling.needs == LawNeed::isotropic && !law.isotropic) return "an isotropic law";
  const bool independent = coupling.needs == LawNeed::product || coupling.needs == LawNeed::symmetric;
  if (independent && !law.product) return "a law of independent coordinates";
  if (coupling.needs == LawNeed::symmetric && !law.symmetric) return "a law that is symmetric about 0";
  if (coupling.fixed_norms && law.name != "normal") return "the normal law";
  return {};
}

/// Fixed norms give exponential maps an unbounded bias (E e^{w.v} needs the tails of the norm).
bool too_rigid(const Coupling& coupling, const Map& map) {
  return coupling.fixed_norms && map.family == Family::exponential;
}

}  // namespace

std::span<const Entry> kernels() {
  static const std::vector<Entry> lines = entries(all_kernels());
  return lines;
}

std::span<const Entry> maps() {
  static const std::vector<Entry> lines = entries(registered_maps());
  return lines;
}

std::span<const Entry> couplings() {
  static const std::vector<Entry> lines = entries(all_couplings());
  return lines;
}

const Kernel& find_kernel(std::string_view name) { return find("kernel", name, all_kernels()); }
std::span<const Map* const> registered_maps() {
  static const std::vector<const Map*> table = [] {
    std::vector<const Map*> all(all_maps().begin(), all_maps().end());
    all.insert(all.end(), all_hybrids().begin(), all_hybrids().end());
    return all;
  }();
  return table;
}

const Map& find_map(std::string_view name) { return find("map", name, registered_maps()); }
const Coupling& find_coupling(std::string_view name) { return find("coupling", name, all_couplings()); }

Law law_of(const Kernel& kernel, const Map& map, const Parameters& parameters) {
  if (map.law != nullptr) return map.law(parameters);
  return map.family == Family::fourier ? kernel.spectral_law(parameters) : normal_law();
}

const Parameter* find_parameter(const Entry& entry, std::string_view name) {
  const auto found = std::ranges::find(entry.parameters, name, &Parameter::name);
  return found == entry.parameters.end() ? nullptr : &*found;
}

std::vector<std::string_view> missing_parameters(const Entry& entry, const Parameters& known) {
  std::vector<std::string_view> missing;
  for (const Parameter& parameter : entry.parameters)
    if (!known.contains(parameter.name)) missing.push_back(parameter.name);
  return missing;
}

Parameters fallbacks(const Entry& entry, std::size_t d) {
  Parameters parameters;
  for (const Parameter& parameter : entry.parameters)
    if (parameter.fallback != nullptr) parameters.emplace(parameter.name, parameter.fallback(d));
  return parameters;
}

std::string misfit(const Kernel& kernel, const Map& map, const Coupling& coupling, std::size_t d) {
  if (!serves(map, kernel)) {
    return fmt::format("map '{}' does not serve kernel '{}'; maps that do: {}", map.entry.name, kernel.entry().name,
                       names(registered_maps(), [&](const Map& other) { return serves(other, kernel); }));
  }
  const Law law = law_of(kernel, map, fallbacks(kernel.entry(), d));
  const auto fits = [&](const Coupling& other) {
    return unmet_need(other, law).empty() && !too_rigid(other, map) && d >= other.smallest_d && d <= other.largest_d;
  };
  if (fits(coupling)) return {};
  const std::string others = names(all_couplings(), fits);
  if (const std::string_view need = unmet_need(coupling, law); !need.empty()) {
    return fmt::format("coupling '{}' needs {}, but kernel '{}' with map '{}' has the {} law; couplings that fit: {}",
                       coupling.entry.name, need, kernel.entry().name, map.entry.name, law.name, others);
  }
  if (too_rigid(coupling, map)) {
    return fmt::format("coupling '{}' has rows of fixed norm, but map '{}' needs random norms; couplings that fit: {}",
                       coupling.entry.name, map.entry.name, others);
  }
  return fmt::format("coupling '{}' needs d {} {}, but d is {}; couplings that fit: {}", coupling.entry.name,
                     d < coupling.smallest_d ? ">=" : "<=",
                     d < coupling.smallest_d ? coupling.smallest_d : coupling.largest_d, d, others);
}

std::string misfit(std::string_view kernel, std::string_view map, std::string_view coupling, std::size_t d) {
  return misfit(find_kernel(kernel), find_map(map), find_coupling(coupling), d);
}

std::string_view default_map(std::string_view kernel) {
  const Kernel& served = find_kernel(kernel);
  for (const Map* map : registered_maps())
    if (serves(*map, served)) return map->entry.name;
  return registered_maps().front()->entry.name;
}

std::string_view default_coupling(std::string_view kernel, std::string_view map) {
  const Kernel& served = find_kernel(kernel);
  const bool isotropic = law_of(served, find_map(map), fallbacks(served.entry(), 1)).isotropic;
  return isotropic ? defaults::kIsotropicCoupling : defaults::kIndependentCoupling;
}

std::size_t width(std::string_view map, const Parameters& parameters) {
  const Map& line = find_map(map);
  Parameters known = parameters;
  known.merge(fallbacks(line.entry, 1));
  return line.width(known);
}

}  // namespace bochner
