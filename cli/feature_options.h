// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

#include "bochner/spec.h"

namespace bochner::cli {

using Word = std::optional<std::string>;

/// The words that say which features are wanted, numbers as they were typed.
struct FeatureOptions {
  Word kernel, map, coupling;
  Word m, seed, lengthscale;
  std::map<std::string, std::string> parameters;

  /// Whether a word asks for a plan; what is not given has a default instead.
  bool asks_plan() const { return map == "auto" || coupling == "auto" || m == "auto"; }
  bool any() const { return kernel || map || coupling || m || seed || lengthscale || !parameters.empty(); }
};

/// Everything but d and a lengthscale from data, which the input tells. What was not given keeps its default.
Spec spec_of(const FeatureOptions& options, Spec defaults = {});

/// The option --NAME for each of them and for every parameter of the registry. `m_help` is what decides m = auto;
/// `plans`: whether a map or coupling "auto" is planned.
void add_feature_options(CLI::App& command, FeatureOptions& options, const Spec& defaults, const std::string& m_help,
                         const std::string& lengthscale_help, bool plans);

}  // namespace bochner::cli
