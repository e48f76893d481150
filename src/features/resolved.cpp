// SPDX-License-Identifier: Apache-2.0
#include "features/resolved.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/parameter.h"
#include "features/check.h"

namespace bochner {
namespace {

/// "kernel 'matern'; coupling 'hadamard'": the entries that have this parameter.
std::string takers(std::string_view name) {
  std::string list;
  const auto add = [&](std::string_view what, std::span<const Entry> entries) {
    for (const Entry& entry : entries)
      if (find_parameter(entry, name) != nullptr)
        list += fmt::format("{}{} '{}'", list.empty() ? "" : ", ", what, entry.name);
  };
  add("kernel", kernels());
  add("map", maps());
  add("coupling", couplings());
  return list;
}

[[noreturn]] void refuse_parameter(std::string_view name, const std::vector<const Entry*>& chosen) {
  if (const std::string list = takers(name); !list.empty())
    throw std::invalid_argument(
        fmt::format("parameter '{}' is not one of this combination; it belongs to {}", name, list));
  std::vector<std::string_view> known;
  for (const Entry* entry : chosen)
    for (const Parameter& parameter : entry->parameters) known.push_back(parameter.name);
  if (known.empty())
    throw std::invalid_argument(fmt::format("unknown parameter '{}'; this combination takes none", name));
  refuse_name("parameter", name, known);
}

Parameters complete(const std::vector<const Entry*>& chosen, const Parameters& given, std::size_t d) {
  Parameters parameters;
  for (const Entry* entry : chosen) parameters.merge(fallbacks(*entry, d));
  for (const auto& [name, value] : given) {
    const Parameter* parameter = nullptr;
    for (const Entry* entry : chosen)
      if (parameter == nullptr) parameter = find_parameter(*entry, name);
    if (parameter == nullptr) refuse_parameter(name, chosen);
    if (!parameter->accepts(canonical(value), d)) refuse(name, shown(value), parameter->allowed);
    parameters[name] = canonical(value);
  }
  return parameters;
}

void check_sizes(const Spec& spec) {
  if (spec.d == 0) refuse("d", "0", "a number of columns >= 1");
  if (spec.m == 0) refuse("m", "0", "a number of random directions >= 1");
  if (spec.d > std::size_t{1} << 37) refuse("d", fmt::format("{}", spec.d), "a number of columns below 2^37");
}

void check_outputs(const Resolved& chosen) {
  const std::size_t width = std::max<std::size_t>(1, chosen.map.width(chosen.spec.parameters));
  const std::size_t most = std::numeric_limits<std::size_t>::max() / 64 / width;
  if (chosen.spec.m > most)
    refuse("m", fmt::format("{}", chosen.spec.m), fmt::format("at most {} random directions", most));
}

/// Resolves `norms`: the norm of a row is random where the law is not the normal one, and where an exponential map
/// needs it.
void resolve_norms(Resolved& chosen) {
  Parameters& parameters = chosen.spec.parameters;
  const auto norms = parameters.find("norms");
  if (norms == parameters.end()) return;
  const bool exponential = chosen.map.family == Family::exponential;
  const bool normal = law_of(chosen.kernel, chosen.map, parameters).name == "normal";
  if (is_word(norms->second, "auto")) norms->second = exponential || !normal ? "chi" : "fixed";
  if (is_word(norms->second, "chi")) return;
  if (exponential)
    refuse("norms", "'fixed'",
           fmt::format("'chi' for map '{}', whose mean depends on random norms", chosen.map.entry.name));
  if (!normal)
    refuse("norms", "'fixed'",
           fmt::format("'chi' for kernel '{}', whose law has random norms", chosen.kernel.entry().name));
}

}  // namespace

std::size_t space_of(const Spec& spec) {
  return spec.parameters.contains("block") ? count(spec.parameters, "block") : spec.d;
}

Parameters complete_parameters(const Kernel& kernel, const Parameters& given, std::size_t d) {
  return complete({&kernel.entry()}, given, d);
}

void check_block(const Resolved& chosen) {
  const auto& [kernel, map, coupling, spec] = chosen;
  const auto block = spec.parameters.find("block");
  if (block == spec.parameters.end() || is_word(block->second, "auto")) return;
  const Parameter* parameter = find_parameter(coupling.entry, "block");
  const double size = std::get<double>(block->second);
  if (size < static_cast<double>(spec.d) || !parameter->accepts(block->second, spec.d))
    refuse("block", fmt::format("{:.0f}", size), fmt::format("{} (d is {})", parameter->allowed, spec.d));
}

Resolved check_spec(const Spec& spec) {
  const std::string_view map_name = spec.map == "auto" ? default_map(spec.kernel) : spec.map;
  const std::string_view coupling_name =
      spec.coupling == "auto" ? default_coupling(spec.kernel, map_name) : spec.coupling;
  Resolved resolved{find_kernel(spec.kernel), find_map(map_name), find_coupling(coupling_name), spec};
  const auto& [kernel, map, coupling, canonical] = resolved;
  check_sizes(spec);
  inverse_lengthscale(spec.lengthscale, spec.d);
  const std::string reason = misfit(kernel, map, coupling, spec.d);
  if (!reason.empty()) throw std::invalid_argument(reason);
  resolved.spec.kernel = kernel.entry().name;
  resolved.spec.map = map.entry.name;
  resolved.spec.coupling = coupling.entry.name;
  resolved.spec.parameters = complete({&kernel.entry(), &map.entry, &coupling.entry}, spec.parameters, spec.d);
  check_outputs(resolved);
  resolve_norms(resolved);
  check_block(resolved);
  return resolved;
}

}  // namespace bochner
