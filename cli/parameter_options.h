// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>

#include "bochner/parameters.h"

namespace bochner::cli {

/// Adds an option --NAME for every parameter of the registry, or only for those of kernels; puts what was typed into
/// `typed` by name.
void add_parameter_options(CLI::App& command, std::map<std::string, std::string>& typed, bool kernels_only = false);

/// A number, or numbers separated by commas, or else a word.
Value parse_value(std::string_view text);

}  // namespace bochner::cli
