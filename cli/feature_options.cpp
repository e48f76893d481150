// SPDX-License-Identifier: Apache-2.0
#include "feature_options.h"

#include <fmt/format.h>

#include <cstdint>

#include "bochner/registry.h"
#include "lengthscale_option.h"
#include "parameter_options.h"
#include "parse_number.h"

namespace bochner::cli {

Spec spec_of(const FeatureOptions& options, Spec spec) {
  if (options.kernel) spec.kernel = *options.kernel;
  if (options.map) spec.map = *options.map;
  if (options.coupling) spec.coupling = *options.coupling;
  if (options.m && options.m != "auto") spec.m = parse_whole<std::size_t>("--m", *options.m);
  if (options.seed) spec.seed = parse_whole<std::uint64_t>("--seed", *options.seed);
  spec.lengthscale = typed_lengthscale(options.lengthscale);
  for (const auto& [name, typed] : options.parameters) spec.parameters.emplace(name, parse_value(typed));
  return spec;
}

void add_feature_options(CLI::App& command, FeatureOptions& options, const Spec& defaults, const std::string& m_help,
                         const std::string& lengthscale_help, bool plans) {
  const auto add = [&](const char* name, Word& value, const char* type, const std::string& text) {
    command.add_option(name, value, text)->type_name(type);
  };
  add("--kernel", options.kernel, "NAME", fmt::format("kernel, see 'bochner list' [{}]", defaults.kernel));
  const char* const auto_help = plans ? "; auto plans it" : "";
  add("--map", options.map, "NAME",
      fmt::format("map, see 'bochner list'{} [{}]", auto_help, default_map(defaults.kernel)));
  add("--coupling", options.coupling, "NAME",
      fmt::format("coupling, see 'bochner list'{} [orthogonal, or iid]", auto_help));
  add("--m", options.m, "NUMBER", fmt::format("number of random directions, or auto with {} [{}]", m_help, defaults.m));
  add("--seed", options.seed, "NUMBER", fmt::format("seed of every draw, 64 bits [{}]", defaults.seed));
  add("--lengthscale", options.lengthscale, "NUMBERS", lengthscale_help);
  add_parameter_options(command, options.parameters);
}

}  // namespace bochner::cli
