// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bochner/table.h"

namespace bochner::cli {

/// Whether --lengthscale is a rule instead of numbers.
bool asks_data(const std::optional<std::string>& typed);

/// The numbers that were typed, or 1 if nothing was; throws for anything that is neither a rule nor numbers. A rule
/// returns no numbers, because they come from the table.
std::vector<double> typed_lengthscale(const std::optional<std::string>& typed);

/// The lengthscale that the rule finds in the table; a message that refuses the data names the file from which they
/// came.
double lengthscale_of(const std::string& rule, const Table& table, const std::string& file, std::uint64_t seed);

/// The help text of the option.
std::string lengthscale_help();

}  // namespace bochner::cli
