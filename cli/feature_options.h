// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

#include "bochner/spec.h"

namespace bochner::cli {

using Word = std::optional<std::string>;

/// The arguments that say which features are wanted; numbers as they were typed.
struct FeatureOptions {
  Word kernel, map, coupling;
  Word m, seed, lengthscale;
  std::map<std::string, std::string> parameters;

  /// Whether an argument asks for a plan; arguments that are not given have defaults instead.
  bool asks_plan() const { return map == "auto" || coupling == "auto" || m == "auto"; }
  bool any() const { return kernel || map || coupling || m || seed || lengthscale || !parameters.empty(); }
};

/// The spec without d and without a lengthscale from data, which only the input gives. What was not given keeps its
/// default.
Spec spec_of(const FeatureOptions& options, Spec defaults = {});

/// Adds the option --NAME for each of them and for every parameter of the registry. `m_help` says what decides m =
/// auto; `plans` says whether a map or coupling "auto" is planned.
void add_feature_options(CLI::App& command, FeatureOptions& options, const Spec& defaults, const std::string& m_help,
                         const std::string& lengthscale_help, bool plans);

}  // namespace bochner::cli
